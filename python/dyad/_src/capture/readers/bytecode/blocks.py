"""Blocks whose exceptions the program handles: `try`, `finally`, and what the compiler itself cleans up."""

from dyad._src.base.break_reasons import EXCEPTION
from dyad._src.capture.errors import Thrown
from dyad._src.capture.readers.bytecode.part import ReaderPart
from dyad._src.capture.readers.bytecode.stack import PLACE
from dyad._src.capture.semantics.control.completion import is_raised

_UNBINDING = tuple(
    ("LOAD_CONST", f"STORE_{kind}", f"DELETE_{kind}", "RERAISE") for kind in ("FAST", "DEREF", "GLOBAL")
)
_RESTORING = frozenset(("SWAP", "POP_TOP", "STORE_FAST", "NOP"))


class Blocks(ReaderPart):
    """Executes instructions whose exceptions go to a handler in the same code."""

    def protect(self, number, region, begins=False):
        """The completion of the block that begins at an instruction, its handler included."""
        flow = self.interpreter.frame.flow
        handler = flow.handlers[number]
        inner = region.inside(handler)
        if self._converts_stop(handler):
            return self._converting(number, inner, begins)
        if self._only_restores(handler) and not self.interpreter.completions.caught:
            return self._restoring(number, inner, handler, begins)
        if region.stepwise:
            raise self.interpreter.rejection(
                EXCEPTION,
                "generator: it yields inside of try or with, which a static graph does not know",
                "Make a list of its elements.",
            )
        position = flow.instructions[number].position

        def block():
            return self.reader.run(number, inner, begins)

        if self._only_unbinds(handler):
            completion = self.interpreter.completions.completion_of(block)
        else:
            what = "try" if self._catches(handler) else "finally"
            completion = self.interpreter.try_blocks.checked_completion(what, position, block)
        self.interpreter.at(position)
        return self.interpreter.completions.select(
            completion, is_raised, lambda way: self.handle(handler, way, region), _same
        )

    def handle(self, handler, way, region):
        """Goes on in a handler with the exception that a block completed with."""
        return self._handle(handler, self.interpreter.try_blocks.raised_error(way), region)

    def _handle(self, handler, error, region):
        flow = self.interpreter.frame.flow
        inner = region.stopping_at(*flow.ends_of_handling(handler.target))

        def work():
            self.stack.settle(handler.depth)
            if handler.keeps_place:
                self.stack.push(PLACE)
            self.stack.push(error)
            return self.reader.run(handler.target, inner)

        if flow.names[handler.target] != "PUSH_EXC_INFO":
            return work()
        return self.interpreter.throwing.handling(error, work)

    def _catches(self, handler):
        names = self.interpreter.frame.flow.names
        return any(name == "CHECK_EXC_MATCH" for name in names[handler.target : handler.target + 12])

    # ---- handlers that the compiler writes for itself

    def _only_unbinds(self, handler):
        """Returns whether a handler takes the name of an `except ... as name` away and raises again."""
        names = self.interpreter.frame.flow.names
        return tuple(names[handler.target : handler.target + 4]) in _UNBINDING

    def _only_restores(self, handler):
        """Returns whether a handler puts the variables of an inlined comprehension back and raises again."""
        names = self.interpreter.frame.flow.names
        number = handler.target
        while names[number] in _RESTORING:
            number += 1
        return names[number] == "RERAISE" and number > handler.target

    def _restoring(self, number, inner, handler, begins):
        try:
            return self.reader.run(number, inner, begins)
        except Thrown as thrown:
            self.stack.settle(handler.depth)
            self.stack.push(thrown.error)
            flow = self.interpreter.frame.flow
            number = handler.target
            while flow.names[number] != "RERAISE":
                self.reader.step(number, inner)
                number += 1
            raise

    def _converts_stop(self, handler):
        return self.interpreter.frame.flow.names[handler.target] == "CALL_INTRINSIC_1"

    def _converting(self, number, inner, begins):
        try:
            return self.reader.run(number, inner, begins)
        except Thrown as thrown:
            if isinstance(thrown.error, StopIteration):
                thrown.error = RuntimeError("generator raised StopIteration")
            raise


def _same(value):
    return value
