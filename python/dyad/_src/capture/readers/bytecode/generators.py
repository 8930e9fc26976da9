"""Generator functions and generator expressions, advanced one element at a time."""

from dyad._src.base.break_reasons import YIELD
from dyad._src.capture.errors import Thrown
from dyad._src.capture.readers.bytecode.part import ReaderPart
from dyad._src.capture.readers.bytecode.region import Region
from dyad._src.capture.readers.bytecode.stack import Stack
from dyad._src.capture.semantics.iteration.iterators import ModelIterator
from dyad._src.capture.semantics.values import MISSING, Returned


class Yielded(tuple):
    """The exit of a stepwise region by `yield`: the value, and the instruction to go on with."""


class GeneratorReader(ReaderPart):
    """Instructions of generators."""

    def op_RETURN_GENERATOR(self, instruction, region):
        self.stack.push(None)  # the next instruction drops the generator

    def op_YIELD_VALUE(self, instruction, region):
        value = self.stack.pop()
        on_yield = self.interpreter.frame.on_yield
        if on_yield is not None:
            self.stack.push(on_yield(value))
            return None
        if region.stepwise:
            return Yielded((value, instruction.number + 1))
        raise self.interpreter.rejection(
            YIELD, "Unsupported expression 'Yield'", "Return a list instead of yielding its elements."
        )

    def op_GET_YIELD_FROM_ITER(self, instruction, region):
        source = self.interpreter.iteration.iterator_of(self.stack.pop())
        if not isinstance(source, ModelIterator):
            raise self.interpreter.rejection(
                YIELD,
                f"yield: the elements of an iterator of class {type(source).__name__} are delegated to",
                "Yield them one by one in a loop.",
            )
        self.stack.push(source)

    def op_SEND(self, instruction, region):
        self.stack.pop()  # a captured program sends nothing but None
        source = self.stack.peek()
        item = self.interpreter.iteration.advance(source)
        if item is not MISSING:
            self.stack.push(item)
            return None
        result = source.returned(self.interpreter) if isinstance(source, CodeGenerator) else None
        depths = self.interpreter.frame.flow.depths
        if depths[instruction.target] < depths[instruction.number]:
            self.stack.pop()  # up to 3.11 it takes the iterator off, later END_SEND does
        self.stack.push(result)
        return instruction.target

    def op_END_SEND(self, instruction, region):
        result = self.stack.pop()
        self.stack.put(1, result)

    def op_STOP_ITERATION_ERROR(self, instruction, region):
        error = self.stack.pop()
        if isinstance(error, StopIteration):
            error = RuntimeError("generator raised StopIteration")
        self.stack.push(error)


class CodeGenerator(ModelIterator):
    """A generator of the program: its frame, and the instruction that it goes on with."""

    __slots__ = ("_code", "_reader", "frame")

    def __init__(self, reader, code, frame, bound):
        super().__init__(reader.interpreter, type(_ for _ in ()), next=0, started=False, returned=None)
        self._reader = reader
        self._code = code
        self.frame = frame
        frame.locals.update(bound)
        reader.interpreter.heap.note_namespace(frame.locals)
        frame.code, frame.flow = code, code.flow
        frame.stack = Stack(reader.interpreter.heap)

    @classmethod
    def of(cls, reader, code, frame, bound):
        """The generator of a call; None for coroutines."""
        return None if code.code.co_flags & 0x280 else cls(reader, code, frame, bound)

    def returned(self, interpreter):
        """Returns the result of the generator that has ended: the value of a `yield from`."""
        return self.read(interpreter, "returned")

    def advance(self, interpreter):
        number = self.read(interpreter, "next")
        if number is None:
            return MISSING
        self.write(interpreter, "started", True)
        self.write(interpreter, "next", None)
        try:
            with interpreter.in_frame(self.frame):
                stack = self.frame.stack
                if number:
                    stack.top = self._code.flow.depths[number] - 1
                    stack.push(None)  # what `next` sends
                completion = self._reader.run(number, Region(stepwise=True))
        except Thrown as thrown:
            if isinstance(thrown.error, StopIteration):
                thrown.error = RuntimeError("generator raised StopIteration")
            raise
        if not isinstance(completion, Yielded):
            self.write(interpreter, "returned", completion[0] if isinstance(completion, Returned) else None)
            return MISSING
        value, following = completion
        self.write(interpreter, "next", following)
        return value

    def may_be_collected(self):
        # What delegates to another iterator goes on in the middle of a loop.
        return self.state["started"] is False and "SEND" not in self._code.flow.names

    def collect(self, interpreter, items):
        """Adds all elements to the items, of one that was not advanced yet."""
        self.write(interpreter, "started", True)
        self.write(interpreter, "next", None)
        self.frame.on_yield = lambda value: interpreter.iteration.append(items, value)
        try:
            with interpreter.in_frame(self.frame):
                self._reader.run(0, Region())
        finally:
            self.frame.on_yield = None

    def ended(self):
        return {"next": None}

    def abandon(self, interpreter):
        super().abandon(interpreter)
        held = list(self.frame.stack.slots.values())
        self.frame.stack.settle(0)
        for value in held:
            interpreter.iteration.abandon(value)
        if self.frame.locals:
            interpreter.heap.touch(self.frame.locals)
            self.frame.locals.clear()
