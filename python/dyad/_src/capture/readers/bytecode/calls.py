"""Instructions that call, and that make functions."""

from dyad._src.base.break_reasons import BYTECODE, UNKNOWN
from dyad._src.bytecode.minors import MINOR
from dyad._src.capture.readers.bytecode.calling import pop_callable, pop_spread_callable
from dyad._src.capture.readers.bytecode.code import CodeObject
from dyad._src.capture.readers.bytecode.part import ReaderPart
from dyad._src.capture.readers.bytecode.stack import CELL, holds_mark
from dyad._src.capture.semantics.calls.functions import ClosureFunction
from dyad._src.capture.semantics.values import returned

_DEFAULTS, _KEYWORD_DEFAULTS, _ANNOTATIONS, _CLOSURE = 1, 2, 4, 8
# What CALL_INTRINSIC_1 does, by its argument.
_UNARY_POSITIVE, _LIST_TO_TUPLE, _STOP_ITERATION = 5, 6, 3


class CallReader(ReaderPart):
    """Calls, `return`, and functions made inside of the program."""

    def op_KW_NAMES(self, instruction, region):
        self.interpreter.frame.keyword_names = instruction.value

    def op_CALL(self, instruction, region):
        frame = self.interpreter.frame
        names, frame.keyword_names = frame.__dict__.get("keyword_names", ()), ()
        self._call(self.stack.pop_many(instruction.arg), names)

    def op_CALL_KW(self, instruction, region):
        names = self.stack.pop()
        self._call(self.stack.pop_many(instruction.arg), names)

    def _call(self, given, names):
        called, first = pop_callable(self.stack)
        count = len(given) - len(names)
        kwargs = dict(zip(names, given[count:], strict=True))
        args = (*first, *given[:count])
        del given
        self.stack.push(self.interpreter.calls.call(called, args, kwargs))

    def op_CALL_FUNCTION_EX(self, instruction, region):
        kwargs = self.stack.pop() if instruction.arg & 1 else {}
        given = self.stack.pop()
        called = pop_spread_callable(self.stack)
        args = tuple(self.interpreter.iteration.items_of(given))
        kwargs = self.interpreter.external.look(kwargs)
        if not isinstance(kwargs, dict):
            kwargs = self.interpreter.iteration.known_mapping(kwargs)
        self.stack.push(self.interpreter.calls.call(called, args, dict(kwargs)))

    def op_CALL_INTRINSIC_1(self, instruction, region):
        if instruction.arg == _UNARY_POSITIVE:
            return self.reader.methods["UNARY_POSITIVE"](instruction, region)
        if instruction.arg == _LIST_TO_TUPLE:
            return self.reader.methods["LIST_TO_TUPLE"](instruction, region)
        if instruction.arg == _STOP_ITERATION:
            return self.reader.methods["STOP_ITERATION_ERROR"](instruction, region)
        raise self.interpreter.rejection(BYTECODE, f"Unsupported bytecode CALL_INTRINSIC_1 {instruction.arg}")

    def op_RETURN_VALUE(self, instruction, region):
        value = self.stack.pop()
        return self._return(value, instruction)

    def op_RETURN_CONST(self, instruction, region):
        return self._return(instruction.value, instruction)

    def _return(self, value, instruction):
        self.stack.settle(0)
        if holds_mark(value):
            raise self.interpreter.rejection(
                UNKNOWN, "a variable that functions share is handed out of the graph"
            )
        self.interpreter.returned_at = self.interpreter.frame.place(instruction.position)
        return returned(value)

    # ---- functions

    def op_MAKE_FUNCTION(self, instruction, region):
        code = self.stack.pop()
        flags = instruction.arg if MINOR < (3, 13) else 0
        if flags & _CLOSURE:
            self.stack.pop()
        if flags & _ANNOTATIONS:
            self.stack.pop()
        keyword_defaults = self.stack.pop() if flags & _KEYWORD_DEFAULTS else {}
        defaults = self.stack.pop() if flags & _DEFAULTS else ()
        frame = self.interpreter.frame
        made = ClosureFunction(
            self.interpreter, CodeObject(code, frame.text), frame, defaults, dict(keyword_defaults)
        )
        self.stack.push(made)

    def op_SET_FUNCTION_ATTRIBUTE(self, instruction, region):
        value, made = self.stack.pop_many(2)
        if instruction.arg == _DEFAULTS:
            made.defaults = value
        elif instruction.arg == _KEYWORD_DEFAULTS:
            made.keyword_defaults = dict(value)
        elif instruction.arg == _CLOSURE and any(cell is not CELL for cell in value):
            raise self.interpreter.rejection(
                UNKNOWN, "a function is made over cells that the program has taken"
            )
        self.stack.push(made)
