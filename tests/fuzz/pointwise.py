"""Elementwise operators of the table, operators of Python and casts."""

from dyad import _core, ops

from .values import FLOATS

# Complex numbers are not compared here, and the sign of a NaN means nothing.
_NOT_HERE = {"complex", "polar", "angle", "signbit", "copysign"}
# Where a small change of an operand may change the result by much: only on values that every form has to the bit.
_STEPS = {
    *(
        "less",
        "less_equal",
        "greater",
        "greater_equal",
        "equal",
        "not_equal",
        "sign",
        "floor",
        "ceil",
        "trunc",
    ),
    *("rint", "frac", "floor_divide", "truncate_div", "remainder", "fmod", "heaviside", "hardshrink"),
    *("threshold", "nextafter", "logical_not", "logical_and", "logical_or", "logical_xor"),
    *(
        "isnan",
        "isinf",
        "isfinite",
        "isposinf",
        "isneginf",
        "div_no_nan",
        "copysign",
        "gcd",
        "zeta",
        "igamma",
    ),
    *("igammac", "polygamma", "lgamma", "digamma", "bessel_y0", "bessel_y1", "tan", "where", "erfinv"),
    *("true_divide", "reciprocal", "log", "log2", "log10", "atan2", "xlogy"),
}
_USUAL = ("add", "sub", "mul", "maximum", "minimum", "relu", "exp", "tanh", "sigmoid", "square", "abs", "neg")


def _table():
    found = []
    for op in _core.op_table():
        if not op["elementwise"] or not op["functions"]:
            continue
        face = op["functions"][0]
        kinds = [param["kind"] for param in face["params"] if param["default"] is None]
        if face["name"] not in _NOT_HERE and all(kind in ("Tensor", "Operand") for kind in kinds):
            assert hasattr(ops, face["name"])
            found.append((face["name"], kinds))
    return found


TABLE = _table()
_BY_NAME = dict(TABLE)


def elementwise(w):
    name = w.draw.choice(_USUAL) if w.chance(0.4) else w.draw.choice(TABLE)[0]
    kinds = _BY_NAME[name]
    first = w.pick(exact=name in _STEPS, floats=True if w.chance(0.7) else None)
    if first is None:
        return None
    operands, reads = [first], [first]
    for kind in kinds[1:]:
        operand = _other(w, first, name in _STEPS, number=kind == "Operand")
        operands.append(operand)
        if operand in w.space:
            reads.append(operand)
    if name == "where":
        condition = w.pick(exact=True, dtype="bool_")
        if condition is None:
            return None
        operands[0], reads = condition, [condition, *reads[1:]]
    return w.add(f"ops.{name}({', '.join(operands)})", reads)


def _other(w, first, exact, number):
    """A second operand: a number, the same, one that fits, or a new argument that broadcasts."""
    if number and w.chance(0.3):
        if not w.is_float(first):
            return w.draw.choice(["2", "3", "1", "-1"])
        return w.draw.choice(["2", "0.5", "1.0", "-1.5", "0.0", "3", "1e-3"])
    if w.chance(0.1) and not (exact and first in w.inexact):
        return first
    shape = w.shape(first)
    fitting = [name for name in w.tensors(exact=exact) if _broadcasts(w.shape(name), shape) and name != first]
    if fitting and w.chance(0.7):
        return w.draw.choice(fitting)
    return w.argument(_reduced(w, shape), w.graph.dtypes[first] if w.chance(0.8) else None)


def _broadcasts(one, other):
    pairs = zip(reversed(one), reversed(other), strict=False)
    return all(a == b or 1 in (a, b) for a, b in pairs)


def _reduced(w, shape):
    """A shape that broadcasts with this one."""
    sizes = [1 if w.chance(0.25) else size for size in shape]
    return tuple(sizes[w.number(0, len(sizes)) if w.chance(0.3) else 0 :])


def operator(w):
    """An expression of Python operators over one or two variables."""
    first = w.pick(floats=True) or w.pick()
    second = _other(w, first, exact=False, number=True)
    reads = [name for name in dict.fromkeys((first, second)) if name in w.space]
    forms = ["{0} + {1}", "{0} - {1}", "{0} * {1}", "{0} * 0.5 + {1}", "{1} - {0} * {0}", "-{0} + {1}"]
    forms += ["({0} + 1) * ({1} - 1)", "{0} * {1} + {0}", "1 - {0}"]
    if not w.inexact.intersection(reads):
        forms += ["{0} / {1}", "{0} // 2", "{0} % 3", "{0} ** 2", "{0} == {1}"]
    return w.add(w.draw.choice(forms).format(first, second), reads)


def composed(w):
    """Functions that are made of several elementwise operators."""
    first = w.pick(floats=True)
    if first is None:
        return None
    forms = ["ops.gelu({0})", "ops.gelu({0}, 'tanh')", "ops.clamp({0}, -0.5, 1.0)", "ops.relu6({0})"]
    forms += [
        "ops.leaky_relu({0}, 0.1)",
        "ops.softplus({0})",
        "ops.silu({0})",
        "ops.elu({0})",
        "ops.selu({0})",
    ]
    forms += ["ops.hardtanh({0})", "ops.mish({0})", "ops.tanhshrink({0})", "ops.logsigmoid({0})"]
    forms += [
        "ops.nan_to_num({0}, 0.0, 1.0, -1.0)",
        "ops.zeros_like({0}) + {0}",
        "ops.full_like({0}, 2) * {0}",
    ]
    return w.add(w.draw.choice(forms).format(first), [first])


def cast(w):
    first = w.pick()
    if first in w.inexact or w.graph.differentiated:
        target = w.draw.choice(("float32", "float64") if w.graph.differentiated else FLOATS)
    else:
        target = w.draw.choice((*FLOATS, "int32", "int64", "bool_", "int8", "uint8", "int16"))
    if w.is_float(first) and target not in FLOATS and target != "bool_":
        # What a number outside of the integers becomes is not said: it is brought inside first.
        return w.add(f"ops.clamp(ops.nan_to_num({first}), 0, 100).astype({target})", [first])
    return w.add(f"{first}.astype({target})", [first])


def choose(w):
    """A condition and what it chooses."""
    first = w.pick(exact=True, floats=True)
    if first is None:
        return None
    second = _other(w, first, exact=True, number=True)
    reads = [name for name in dict.fromkeys((first, second)) if name in w.space]
    forms = ["ops.where({0} > {1}, {0}, {1})", "ops.where({0} < 0, {0} * 2, {1})", "({0} > 0) & ({0} < {1})"]
    forms += ["ops.masked_fill({0}, {0} > 1, -2.0)", "ops.where(ops.isfinite({0}), {0}, 0.0)"]
    return w.add(w.draw.choice(forms).format(first, second), reads)
