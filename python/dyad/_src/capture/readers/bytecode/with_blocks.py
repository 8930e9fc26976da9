"""`with`: the instructions of its block as a callable, what enters and leaves it as the semantics says."""

from dyad._src.base.break_reasons import EXCEPTION, UNKNOWN
from dyad._src.capture.readers.bytecode.part import ReaderPart
from dyad._src.capture.readers.bytecode.region import Jump, jump_to
from dyad._src.capture.readers.bytecode.stack import EXIT
from dyad._src.capture.semantics.values import OneOf

_LEAVING = ("LOAD_CONST", "LOAD_CONST", "LOAD_CONST", "CALL", "POP_TOP")
_BEHIND_KEPT = ("POP_TOP", "POP_EXCEPT", "POP_TOP", "POP_TOP")


class WithReader(ReaderPart):
    """Finds the block of a `with` by the handler that the compiler writes for it."""

    def op_BEFORE_WITH(self, instruction, region):
        if region.stepwise:
            raise self.interpreter.rejection(
                UNKNOWN, "generator: it yields inside of with", "Make a list instead."
            )
        manager = self.stack.pop()
        depth = self.stack.top
        flow, first = self.interpreter.frame.flow, instruction.number + 1
        handler = flow.handlers[first]
        kept_at = self._behind_kept(handler, flow)
        if kept_at is None:
            raise self.interpreter.rejection(EXCEPTION, "with: its block is not found in the bytecode")
        inner = region.inside(handler)

        def block(value):
            self.stack.settle(depth)
            self.stack.push(EXIT)
            self.stack.push(value)
            return self._left(self.reader.run(first, inner), inner)

        position = instruction.position
        completion = self.interpreter.with_blocks.with_block(manager, block, position, position)
        return _replaced(completion, None, jump_to(kept_at))

    def _behind_kept(self, handler, flow):
        """Where the program goes on if the manager keeps an exception; None if this is no handler of `with`."""
        if handler is None or flow.names[handler.target + 1] != "WITH_EXCEPT_START":
            return None
        number = handler.target + 2
        while not flow.names[number].startswith("POP_JUMP_IF"):
            number += 1
        kept = flow.instructions[number].target
        if tuple(flow.names[kept : kept + 4]) != _BEHIND_KEPT:
            return None
        return kept + 4

    def _left(self, completion, inner):
        """A completion of the block, which ends before the call of `__exit__`, as one that ends behind it."""
        return self.interpreter.branches.split(completion, lambda way: self._left_at(way, inner))

    def _left_at(self, way, inner):
        if not isinstance(way, Jump):
            return way
        flow, number = self.interpreter.frame.flow, way.target
        self.stack.settle(flow.depths[number])
        while flow.names[number] in ("SWAP", "NOP"):
            self.reader.step(number, inner)
            number += 1
        names = [name for name in flow.names[number : number + 7] if name != "PRECALL"]
        if tuple(names[:5]) != _LEAVING or self.stack.peek() is not EXIT:
            raise self.interpreter.rejection(
                EXCEPTION, "with: the end of its block is not found in the bytecode"
            )
        self.stack.pop()
        return jump_to(number + 5 + ("PRECALL" in flow.names[number : number + 5]))


def _replaced(completion, one, other):
    """A completion in which one way is another."""
    if isinstance(completion, OneOf):
        ways = {tag: other if way is one else way for tag, way in completion.alternatives.items()}
        return OneOf(completion.tag, ways)
    return other if completion is one else completion
