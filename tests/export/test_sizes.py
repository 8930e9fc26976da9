"""Sizes in their short form have the value that they had."""

import operator

from hypothesis import given, settings
from hypothesis import strategies as st

from dyad._src.interchange.graph_text.sizes import Size, combined

FUNCTIONS = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "//": operator.floordiv, "max": max, "min": min,
}  # fmt: skip
ATOMS = st.integers(-3, 4) | st.sampled_from(["n0", "n1"])
EXPRESSIONS = st.recursive(
    ATOMS, lambda inner: st.tuples(st.sampled_from(list(FUNCTIONS)), inner, inner), max_leaves=8
)


def value(expression, sizes):
    """The number that an expression, in either form, stands for."""
    if isinstance(expression, Size):
        expression = expression.expression
    if isinstance(expression, str):
        return sizes[expression]
    if isinstance(expression, int):
        return expression
    word, left, right = expression
    return FUNCTIONS[word](value(left, sizes), value(right, sizes))


def short(expression):
    if isinstance(expression, tuple):
        return combined(expression[0], short(expression[1]), short(expression[2]))
    return Size(expression) if isinstance(expression, str) else expression


@settings(deadline=None)
@given(EXPRESSIONS, st.integers(2, 9), st.integers(2, 9))
def test_the_value_stays(expression, first, second):
    sizes = {"n0": first, "n1": second}
    try:
        expected = value(expression, sizes)
        made = short(expression)
    except ZeroDivisionError:
        return
    assert value(made, sizes) == expected


def test_padding_of_a_convolution_is_a_number():
    size = Size("n0")
    moved = combined("+", combined("+", size, 1), 1)
    assert combined("//", combined("max", combined("-", moved, size), 0), 2) == 1
    assert combined("//", combined("*", combined("*", size, 4), 2), 8) == size
