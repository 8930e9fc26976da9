"""The reader of code objects: executes instructions on a stack of captured values."""

from dyad._src.base.break_reasons import BYTECODE, EXCEPTION
from dyad._src.bytecode.minors import name_of
from dyad._src.capture.errors import Rejected, Signal, Thrown
from dyad._src.capture.readers.bytecode.blocks import Blocks
from dyad._src.capture.readers.bytecode.calls import CallReader
from dyad._src.capture.readers.bytecode.code import CodeObject, CodeText
from dyad._src.capture.readers.bytecode.containers import ContainerReader
from dyad._src.capture.readers.bytecode.exceptions import ExceptionReader
from dyad._src.capture.readers.bytecode.generators import CodeGenerator, GeneratorReader
from dyad._src.capture.readers.bytecode.jumps import JumpReader
from dyad._src.capture.readers.bytecode.loops import LoopReader
from dyad._src.capture.readers.bytecode.names import NameReader
from dyad._src.capture.readers.bytecode.operators import OperatorReader
from dyad._src.capture.readers.bytecode.patterns import PatternReader
from dyad._src.capture.readers.bytecode.region import Jump, Region, jump_to
from dyad._src.capture.readers.bytecode.stack import Stack
from dyad._src.capture.readers.bytecode.with_blocks import WithReader
from dyad._src.capture.semantics.code import Reader
from dyad._src.capture.semantics.values import OneOf

# They may change something outside.
_ACTING = frozenset(
    (
        "CALL",
        "CALL_KW",
        "CALL_FUNCTION_EX",
        "STORE_ATTR",
        "STORE_SUBSCR",
        "STORE_SLICE",
        "STORE_GLOBAL",
        "STORE_DEREF",
    )
    + (
        "DELETE_ATTR",
        "DELETE_SUBSCR",
        "DELETE_GLOBAL",
        "BINARY_OP",
        "LIST_EXTEND",
        "DICT_UPDATE",
        "SET_UPDATE",
    )
)
# At these a statement of the program ends, or may: work is counted there.
_COUNTED = frozenset(("STORE_FAST", "POP_TOP", "STORE_ATTR", "STORE_SUBSCR", "RETURN_VALUE", "FOR_ITER"))


class BytecodeReader(Reader):
    """Reads functions of which there is a code object; no source is asked for.

    Straight code and what is decided now is executed instruction by instruction. Where only the running graph knows
    how control goes, the instructions up to the place where the paths meet are handed to the semantics as callables.
    """

    def __init__(self, interpreter):
        self.interpreter = interpreter
        self.jumps = JumpReader(self)
        self.loops = LoopReader(self)
        self.blocks = Blocks(self)
        self.with_blocks = WithReader(self)
        parts = (
            NameReader(self),
            OperatorReader(self),
            ContainerReader(self),
            CallReader(self),
            ExceptionReader(self),
            PatternReader(self),
            GeneratorReader(self),
        )
        self.methods = _methods_by_name(*parts, self.jumps, self.loops, self.with_blocks)
        self._texts = {}
        self._root = None  # the code object of the captured function itself
        self._effect = None  # its first instruction that changes something outside

    def code_of(self, function):
        """The Code of a function; TypeError if it is none of Python's."""
        code = getattr(function, "__code__", None)
        if code is None:
            raise TypeError(f"code: {function!r} has no code object")
        return CodeObject(code, self.text_of(code.co_filename, getattr(function, "__globals__", None)))

    def text_of(self, filename, namespace):
        """The text of a file, as far as it is there."""
        if filename not in self._texts:
            self._texts[filename] = CodeText(filename, namespace)
        return self._texts[filename]

    def generator(self, code, frame, bound):
        """The iterator that calling a generator function gives; None if it cannot be one."""
        return CodeGenerator.of(self, code, frame, bound)

    # ---- running

    def run_frame(self, code):
        """Executes the code in the interpreter's frame; gives its completion."""
        frame = self.interpreter.frame
        self._root = self._root or code.code
        frame.code = code
        frame.flow = code.flow
        frame.stack = Stack(self.interpreter.heap)
        try:
            return self.run(0, Region())
        finally:
            self.interpreter.heap.forget(frame.stack.slots)

    def run(self, number, region, begins=False):
        """Executes from an instruction on to the end of the region; gives how it is left.

        Where it `begins` at an instruction that it ends at as well, that of a loop, it is executed first.
        """
        frame = self.interpreter.frame
        flow, stack = frame.flow, frame.stack
        stack.settle(flow.depths[number])
        try:
            while True:
                if not begins and region.leaves(number, flow):
                    return jump_to(number)
                if region.enters(number, flow):
                    done = self.blocks.protect(number, region, begins)
                elif number in flow.loop_starts and not begins and not region.stepwise:
                    done = self.loops.run_loop(number, region)
                else:
                    done = self.step(number, region)
                begins = False
                if done is not None and type(done) is not int:
                    done = self.go_on(done, region)
                if done is None:
                    number += 1
                elif type(done) is int:
                    number = done
                    stack.settle(flow.depths[number])
                else:
                    return done
        except Thrown:
            handler = flow.handlers[number]
            stack.settle(0 if region.handler is None or handler is None else handler.depth)
            raise

    def go_on(self, completion, region):
        """Goes on where a part of the region was left.

        Gives the number of the next instruction if there is one, else the completion of the region.
        """
        while True:
            inside = self._jumps_inside(completion, region)
            if not inside:
                return completion
            if isinstance(completion, Jump):
                return completion.target
            first, *others = sorted(inside)
            until = region.stopping_at(*others)
            completion = self.interpreter.completions.select(
                completion,
                lambda way, first=first: way is jump_to(first),
                lambda _, first=first, until=until: self.run(first, until),
                _same,
            )

    def _jumps_inside(self, completion, region):
        ways = completion.alternatives.values() if isinstance(completion, OneOf) else (completion,)
        flow = self.interpreter.frame.flow
        return {way.target for way in ways if isinstance(way, Jump) and not region.leaves(way.target, flow)}

    def step(self, number, region):
        """Executes one instruction; what it gives is told in `part.py`."""
        interpreter = self.interpreter
        instruction = interpreter.frame.flow.instructions[number]
        interpreter.at(instruction.position)
        name = name_of(instruction)
        method = self.methods.get(name)
        if method is None:
            method = self._unknown
        if interpreter.heap.depth and name in _COUNTED:
            interpreter.budget.spend()
        return self.noting(instruction, method, region)

    def noting(self, instruction, method, region):
        """Executes an instruction; a rejection notes that it passes one of the captured function itself."""
        interpreter = self.interpreter
        before, around = interpreter.graph.checking_count, interpreter.statement
        if self._is_of_root():
            interpreter.statement = instruction
        try:
            done = method(instruction, region)
            if self._effect is None and instruction.name in _ACTING and self._is_of_root():
                self._effect = instruction if interpreter.external.has_effects() else None
            if interpreter.graph.checking_count != before:
                self._note_checks(instruction, before)
            return done
        except Rejected as rejected:
            rejected.passes_in_frame(instruction)
            if self._is_of_root():
                rejected.passes(instruction)
            raise
        except Exception as error:
            if self._is_of_root() and not isinstance(error, Signal):
                interpreter.failed_at = interpreter.failed_at or instruction
            raise
        finally:
            interpreter.statement = around

    def _is_of_root(self):
        """Returns whether the captured function itself is worked on; its result may be computed after its end."""
        frame = self.interpreter.frame
        return frame.caller is None and frame.code.code is self._root

    def _note_checks(self, instruction, before):
        interpreter = self.interpreter
        if interpreter.lax and interpreter.external.has_effects():
            rejected = interpreter.rejection(
                EXCEPTION,
                "an operator checks its data when the graph runs, and what was changed before stays if it raises",
            )
            rejected.after_effect = True
            if self._effect is not None:
                rejected.passes(
                    self._effect
                )  # Python does that at its place, and the operators stay in a graph
            raise rejected
        if interpreter.completions.caught:
            interpreter.try_blocks.note_checks(before, instruction.position)

    def _unknown(self, instruction, region):
        raise self.interpreter.rejection(
            BYTECODE,
            f"Unsupported bytecode {instruction.name}",
            "Python runs it; with fullgraph=True, do it outside of the compiled function.",
        )


def _methods_by_name(*parts):
    """Name of an instruction -> the method named after it, such as `op_LOAD_CONST`."""
    return {
        name.removeprefix("op_"): getattr(part, name)
        for part in parts
        for name in dir(type(part))
        if name.startswith("op_")
    }


def _same(value):
    return value
