"""The operators of the language, each known by Python's own function for it in the module `operator`."""

import operator
from typing import NamedTuple


class BinaryOperator(NamedTuple):
    """`name` is that of its special method without underscores, `in_place` what `a op= b` does."""

    name: str
    in_place: object
    sign: str


class Comparison(NamedTuple):
    """The special method of the left operand, and that of the right one with the operands swapped."""

    method: str
    reflected: str
    sign: str


BINARY = {
    operator.add: BinaryOperator("add", operator.iadd, "+"),
    operator.sub: BinaryOperator("sub", operator.isub, "-"),
    operator.mul: BinaryOperator("mul", operator.imul, "*"),
    operator.truediv: BinaryOperator("truediv", operator.itruediv, "/"),
    operator.floordiv: BinaryOperator("floordiv", operator.ifloordiv, "//"),
    operator.mod: BinaryOperator("mod", operator.imod, "%"),
    operator.pow: BinaryOperator("pow", operator.ipow, "** or pow()"),
    operator.matmul: BinaryOperator("matmul", operator.imatmul, "@"),
    operator.and_: BinaryOperator("and", operator.iand, "&"),
    operator.or_: BinaryOperator("or", operator.ior, "|"),
    operator.xor: BinaryOperator("xor", operator.ixor, "^"),
    operator.lshift: BinaryOperator("lshift", operator.ilshift, "<<"),
    operator.rshift: BinaryOperator("rshift", operator.irshift, ">>"),
}
UNARY = {operator.pos: "__pos__", operator.neg: "__neg__", operator.invert: "__invert__"}
COMPARISONS = {
    operator.eq: Comparison("__eq__", "__eq__", "=="),
    operator.ne: Comparison("__ne__", "__ne__", "!="),
    operator.lt: Comparison("__lt__", "__gt__", "<"),
    operator.le: Comparison("__le__", "__ge__", "<="),
    operator.gt: Comparison("__gt__", "__lt__", ">"),
    operator.ge: Comparison("__ge__", "__le__", ">="),
}


def is_in(member, container):
    """`member in container`, for which `operator` has the operands the other way round."""
    return member in container


def is_not_in(member, container):
    """`member not in container`."""
    return member not in container
