"""Instructions for operators, comparisons and texts."""

import operator

from dyad._src.bytecode.minors import facts
from dyad._src.capture.readers.bytecode.part import ReaderPart
from dyad._src.capture.semantics.operators.operator_table import is_in, is_not_in

# In the order of the arguments of BINARY_OP; behind these come the augmented forms in the same order.
_BINARY = (
    operator.add, operator.and_, operator.floordiv, operator.lshift, operator.matmul, operator.mul, operator.mod,
    operator.or_, operator.pow, operator.rshift, operator.sub, operator.truediv, operator.xor,
)  # fmt: skip
_COMPARISONS = {
    "<": operator.lt,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    ">=": operator.ge,
}
_CONVERSIONS = ("", "s", "r", "a")
_HAS_SPEC = 4


class OperatorReader(ReaderPart):
    """`a + b`, `-a`, `a < b`, `a in b`, f-strings."""

    def op_BINARY_OP(self, instruction, region):
        left, right = self.stack.pop_many(2)
        operators = self.interpreter.operators
        if instruction.arg < len(_BINARY):
            value = operators.binary(_BINARY[instruction.arg], left, right)
        else:
            value = operators.augmented(_BINARY[instruction.arg - len(_BINARY)], left, right)
        self.stack.push(value)

    def _unary(self, op):
        self.stack.push(self.interpreter.operators.unary(op, self.stack.pop()))

    def op_UNARY_NEGATIVE(self, instruction, region):
        self._unary(operator.neg)

    def op_UNARY_POSITIVE(self, instruction, region):
        self._unary(operator.pos)

    def op_UNARY_INVERT(self, instruction, region):
        self._unary(operator.invert)

    def op_UNARY_NOT(self, instruction, region):
        self._unary(operator.not_)

    def op_TO_BOOL(self, instruction, region):
        self.stack.push(self.interpreter.operators.truth(self.stack.pop()))

    def _compare(self, op):
        left, right = self.stack.pop_many(2)
        self.stack.push(self.interpreter.operators.compare(op, left, right))

    def op_COMPARE_OP(self, instruction, region):
        self._compare(_COMPARISONS[instruction.value])
        if instruction.arg & facts().COMPARES_TO_BOOL:
            self.stack.push(self.interpreter.operators.truth(self.stack.pop()))

    def op_IS_OP(self, instruction, region):
        self._compare(operator.is_not if instruction.arg else operator.is_)

    def op_CONTAINS_OP(self, instruction, region):
        self._compare(is_not_in if instruction.arg else is_in)

    # ---- texts

    def op_FORMAT_VALUE(self, instruction, region):
        spec = self.stack.pop() if instruction.arg & _HAS_SPEC else ""
        self._format(self.stack.pop(), _CONVERSIONS[instruction.arg & 3], spec)

    def op_CONVERT_VALUE(self, instruction, region):
        self._format(self.stack.pop(), _CONVERSIONS[instruction.arg], "")

    def op_FORMAT_SIMPLE(self, instruction, region):
        value = self.stack.pop()
        if type(value) is str:
            self.stack.push(value)
        else:
            self._format(value, "", "")

    def op_FORMAT_WITH_SPEC(self, instruction, region):
        value, spec = self.stack.pop_many(2)
        self._format(value, "", spec)

    def _format(self, value, conversion, spec):
        self.stack.push(self.interpreter.texts.format_value(value, conversion, spec))

    def op_BUILD_STRING(self, instruction, region):
        self.stack.push(self.interpreter.texts.join_texts(self.stack.pop_many(instruction.arg)))
