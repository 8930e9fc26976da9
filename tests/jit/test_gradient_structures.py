"""Transforms inside of a graph return, accept and reject the same as in the dynamic graph."""

import numpy as np
import pytest
from same_in_graphs import compare

from dyad import Parameter, Tensor, get_grad, grad, int32, jit, mutable, value_and_grad, vjp
from dyad._src.autodiff.jacobians import jacrev
from dyad.ops import GradOperation

x = Tensor(np.array([1.0, 2.0, 3.0], np.float32))
y = Tensor(np.array([2.0, 3.0, 4.0], np.float32))
ints = Tensor([1, 2, 3], int32)
bools = Tensor([True, False, True])
w = Parameter(Tensor([2.0, 1.0, 1.0]), name="w")
v = Parameter(Tensor([1.0, 5.0, 1.0]), name="v")


def two(a, b):
    return a * a * b, a + b


def weighted(a, b):
    return a * w * b * v


def named(a, b=2, c=None):
    return a * b * c


def with_closure(a, b):
    def inner(p, *, k):
        return p * k * k

    return grad(inner, (0, 1))(a, k=b)


def vjp_in_a_loop(a):
    _, product = vjp(lambda p: p * p, a)
    total = a * 0
    for turn in range(3):
        total = total + product(a * turn)[0]
    return total


@jit
def jitted(a, b):
    return a * b * b


gradient_of_jitted = grad(jitted, (0, 1))
ids = {"grad_position": (0, 1), "weights": [v, w], "return_ids": True}

PROGRAMS = {
    "one position": (lambda a, b: grad(two, (0,))(a, b), x, y),
    "aux": (lambda a, b: grad(two, (0, 1), has_aux=True)(a, b), x, y),
    "value and aux": (lambda a, b: value_and_grad(two, 0, has_aux=True)(a, b), x, y),
    "one weight": (lambda a, b: grad(weighted, None, w)(a, b), x, y),
    "list of one weight": (lambda a, b: grad(weighted, None, [w])(a, b), x, y),
    "weights and input": (lambda a, b: grad(weighted, 0, [v, w])(a, b), x, y),
    "no weight": (lambda a, b: grad(weighted, None, [])(a, b), x, y),
    "ids": (lambda a, b: grad(weighted, **ids)(a, b), x, y),
    "get_grad": (lambda a, b: [get_grad(grad(weighted, **ids)(a, b), key) for key in (1, v)], x, y),
    "sens": (lambda a, b: grad(lambda p, q: p * q, (0, 1), sens_param=True)(a, b, b * 3), x, y),
    "ints": (lambda a, b: grad(lambda p, q: p * ints * q, (0, 1))(a, b), ints, x),
    "bools": (lambda a, b: grad(lambda p, q: p * q, (0, 1))(a, b), bools, x),
    "unused": (lambda a, b: grad(lambda p, q: p * 2, (0, 1), w)(a, b), x, y),
    "repeated": (lambda a: grad(two, (0, 1))(a, a), x),
    "number": (lambda a: grad(two, (0, 1))(a, 3), x),
    "only a number": (lambda a: grad(lambda p, q: q * a)(3, a), x),
    "keyword only": (lambda a, b: grad(lambda p, *, k, q=None: (p * k).sum(), (0, 1))(a, k=b), x, y),
    "keywords": (lambda a, b: grad(two, (0, 1))(b=a, a=b), x, y),
    "keyword after a default": (lambda a, b: grad(named, (0, 2))(a, c=b), x, y),
    "keyword of a closure": (with_closure, x, y),
    "mutable tuple": (lambda a, b: grad(lambda p: p[0] * p[1])(mutable((a, b))), x, y),
    "mutable dict": (lambda a, b: grad(lambda p: p["a"] * p["b"][0])(mutable({"a": a, "b": [b]})), x, y),
    "mutable number": (lambda a: grad(lambda p, q: p * q * q, (0, 1))(a, mutable(3.0)), x),
    "mutable float argument": (lambda a, m: grad(lambda p, q: p * q * q, (0, 1))(a, m), x, mutable(3.0)),
    "mutable int argument": (lambda a, m: grad(lambda p, q: p * q * q, (0, 1))(a, m), x, mutable(3)),
    "mutable tuple argument": (lambda m: grad(lambda p: p[0] * p[1])(m), mutable((x, y))),
    "mutable mixed argument": (lambda m: grad(lambda p: p[0] * p[1])(m), mutable((x, 2.0))),
    "container": (lambda a, b: grad(lambda p, q: p[0] * p[1] * q, (0, 1))((a, b), b), x, y),
    "Parameter as argument": (lambda a: grad(lambda p, q: p * w * q, (0, 1), w)(w, a), x),
    "dict as output": (lambda a: value_and_grad(lambda p: {"a": p * p, "b": [p, (None, "s", 4)]})(a), x),
    "number as output": (lambda a: value_and_grad(lambda p: 3)(a), x),
    "float of a tensor": (lambda a: value_and_grad(lambda p: float(p.sum()))(a), x),
    "text as output": (lambda a: value_and_grad(lambda p: (f"{p.sum()}", p * p))(a), x),
    "vjp": (lambda a, b: [step(b) for step in vjp(lambda p: p * p * w, a, weights=[w, v])[1:]], x, y),
    "vjp twice": (lambda a, b: (lambda r: (r[0], r[1](b), r[1]((b * 2,))))(vjp(lambda p: p * p, a)), x, y),
    "vjp with aux": (lambda a, b: (lambda r: (r[0], r[1](b), r[2]))(vjp(two, a, b, has_aux=True)), x, y),
    "vjp in a loop": (vjp_in_a_loop, x),
    "jacrev": (lambda a, b: jacrev(two, (0, 1))(a, b), x, y),
    "jacrev with aux": (lambda a, b: jacrev(two, (0, 1), has_aux=True)(a, b), x, y),
    "operation": (lambda a, b: GradOperation(get_all=True)(two)(a, b), x, y),
    "operation sens": (lambda a: GradOperation(sens_param=True)(lambda p: p * p)(a, a), x),
    "operation list": (lambda a, b: GradOperation(True, True, True)(weighted, [w])(a, b, sens=b), x, y),
    "operation one": (lambda a, b: GradOperation(get_by_list=True)(weighted, w)(a, b), x, y),
    "jitted outside": (lambda a, b: gradient_of_jitted(a, b), x, y),
    "third order": (lambda a: grad(grad(grad(lambda t: t**4)))(a), x[1]),
}


@pytest.mark.parametrize("case", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_a_transform_in_a_graph_returns_the_same_structure(case):
    compare(*case)


def overwritten(a):
    def inner(t):
        u = t * 2
        s = u.sin()
        u.add_(1)
        return s

    return grad(inner)(a)


WRONG = {
    "position out of range": lambda a: grad(two, 5)(a, a),
    "negative position": lambda a: grad(two, -1)(a, a),
    "position twice": lambda a: grad(two, (1, 1))(a, a),
    "nothing asked": lambda a: grad(two, None)(a, a),
    "position of another type": lambda a: grad(two, "a")(a, a),
    "no position": lambda a: grad(two, ())(a, a),
    "no aux": lambda a: grad(lambda t: t, has_aux=True)(a),
    "flag": lambda a: grad(two, has_aux=1)(a, a),
    "weights": lambda a: grad(two, None, [a])(a, a),
    "no function": lambda a: grad(3)(a),
    "shape of sens": lambda a: grad(lambda p: p * p, sens_param=True)(a, a[:2]),
    "dtype of sens": lambda a: grad(lambda p: p * p, sens_param=True)(a, ints),
    "number of sens": lambda a: grad(lambda p: (p * p, p), sens_param=True)(a, a),
    "missing sens": lambda a: GradOperation(sens_param=True)(lambda: 3)(),
    "input of vjp": lambda a: vjp(two, a, 3),
    "output of jacrev": lambda a: jacrev(lambda t: 3)(a),
    "position of jacrev": lambda a: jacrev(two, 7)(a, a),
    "get_grad": lambda a: get_grad(grad(two, return_ids=True)(a, a), 4),
    "leaf in place": lambda a: grad(lambda t: t.add_(1))(a),
    "overwritten": overwritten,
    "error of the function": lambda a: grad(lambda t: 1 // 0)(a),
    "error of an operator": lambda a: grad(lambda t: t.reshape(7))(a),
}


@pytest.mark.parametrize("program", WRONG.values(), ids=WRONG.keys())
def test_a_transform_in_a_graph_raises_the_same_error(program):
    """The same type and text, with the place in the program."""
    with pytest.raises(Exception) as dynamic:
        program(x)
    compiled = jit(program)
    for _ in range(2):
        with pytest.raises(type(dynamic.value)) as static:
            compiled(x)
        assert str(static.value) == str(dynamic.value)
        assert any(__file__ in note for note in static.value.__notes__)
    assert len(compiled.entries) == 1
