"""Random expressions that need Python while a program runs."""

from generator.expressions import condition, real, scalar, vector, whole


def _vectors(w, depth):
    return [
        lambda: f"Tensor({w.variable('array')})",
        lambda: f"rounded({vector(w, depth)})",
        lambda: f"noted({vector(w, depth)}, {w.number(0, 9)})",
        lambda: f"{w.variable('thing')}.v",
        lambda: f"{w.variable('thing')}.scaled({vector(w, depth)})",
        lambda: f"{w.variable('thing')}({vector(w, depth)})",
        lambda: f"compiled({vector(w, depth)}, {whole(w, depth)})",
        lambda: f"spread({vector(w, depth)}, by={whole(w, depth)})[{w.number(0, 1)}]",
        lambda: f"Tensor(np.abs({vector(w, depth)}.asnumpy()))",
        lambda: f"({vector(w, depth)} * total({vector(w, depth)}) if {condition(w, depth)} else x)",
        lambda: f"risky({vector(w, depth)}, {w.number(1, 9)})",
        lambda: f"deep({vector(w, depth)}, {w.number(0, 3)})",
        lambda: f"({vector(w, depth)} + next({w.variable('rows')}, {w.number(0, 3)}))",
        lambda: f"net({vector(w, depth)})",
        lambda: f"dyad.grad(loss)({vector(w, depth)} * 1.0)",
    ]


def _scalars(w, depth):
    return [
        lambda: f"Tensor(float({w.variable('array')}[{w.number(0, 2)}]))",
        lambda: f"noted({scalar(w, depth)}, {w.number(0, 9)})",
        lambda: f"({scalar(w, depth)} + total({vector(w, depth)}))",
        lambda: f"{w.variable('thing')}.v.sum()",
        lambda: f"sum([{scalar(w, depth)} * e for e in {w.variable('numbers')}[:2]], {scalar(w, depth)})",
    ]


def _wholes(w, depth):
    return [
        lambda: f"int(total({vector(w, depth)})) % 31",
        lambda: f"int({w.variable('array')}.sum()) % 31",
        lambda: f"len({w.variable('bag')})",
        lambda: f"{w.variable('thing')}.n",
        lambda: f"{w.variable('thing')}.doubled",
        lambda: f"next({w.variable('rows')}, {w.number(0, 3)}) % 50",
        lambda: f"int(np.argmax({vector(w, depth)}.asnumpy()))",
        lambda: f"{w.variable('thing')}.bump({whole(w, depth)})",
        lambda: f"len({w.variable('text')})",
        lambda: "len(LOG) % 7",
        lambda: w.choose(["COUNT", "state", "net.calls", "Thing.made % 9"]),
        lambda: f"int({w.variable('array')}.argmax())",
        lambda: f"noted({whole(w, depth)}, {w.number(0, 9)})",
        lambda: f"min({w.variable('bag')}, default={w.number(0, 4)}) % 20",
    ]


def _reals(w, depth):
    return [
        lambda: f"total({vector(w, depth)})",
        lambda: f"float({w.variable('array')}.max())",
        lambda: f"noted({real(w, depth)}, {w.number(0, 9)})",
        lambda: f"float(np.float32({scalar(w, depth)}.asnumpy()))",
    ]


def _conditions(w, depth):
    return [
        lambda: f"total({vector(w, depth)}) > {w.number(-1, 4)}",
        lambda: f"({w.variable('array')} > {w.number(0, 2)}).any()",
        lambda: f"noted({condition(w, depth)}, {w.number(0, 9)})",
        lambda: f"{whole(w, depth)} in {w.variable('bag')}",
        lambda: f"({condition(w, depth)} and total(x) > {w.number(0, 4)})",
        lambda: f"(total(s) > {w.number(0, 2)} or {condition(w, depth)})",
        lambda: f"isinstance({w.variable('text')}, str) and {w.variable('thing')}.n > {w.number(0, 4)}",
        lambda: f"{w.variable('array')}.sum() > {w.number(-2, 4)}",
        lambda: f"{w.variable('vector')} is {w.variable('vector')}",
        lambda: f"{w.variable('numbers')} is not {w.variable('numbers')}",
        lambda: f"hasattr({w.variable('thing')}, 'extra')",
    ]


EXPRESSIONS = {
    "vector": _vectors,
    "scalar": _scalars,
    "whole": _wholes,
    "real": _reals,
    "condition": _conditions,
}
