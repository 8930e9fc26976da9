"""Instructions that raise and handle exceptions."""

from dyad._src.capture.errors import Thrown
from dyad._src.capture.readers.bytecode.part import ReaderPart
from dyad._src.capture.readers.bytecode.stack import EXCEPTION
from dyad._src.capture.semantics.values import MISSING


class ExceptionReader(ReaderPart):
    """`raise`, and what handlers are made of."""

    def op_RAISE_VARARGS(self, instruction, region):
        throwing = self.interpreter.throwing
        if instruction.arg == 0:
            return throwing.raise_again()
        cause = self.stack.pop() if instruction.arg == 2 else MISSING
        return throwing.raise_exception(self.stack.pop(), cause)

    def op_RERAISE(self, instruction, region):
        raise Thrown(self.stack.pop())

    def op_PUSH_EXC_INFO(self, instruction, region):
        error = self.stack.pop()
        self.stack.push(EXCEPTION)
        self.stack.push(error)

    def op_POP_EXCEPT(self, instruction, region):
        self.stack.pop()

    def op_CHECK_EXC_MATCH(self, instruction, region):
        """The test of an `except` and the jump behind it: each way knows which exceptions it is for."""
        accepted, error = self.stack.pop(), self.stack.peek()
        flow, number = self.interpreter.frame.flow, instruction.number + 1
        self.interpreter.try_blocks.require_classes(accepted)
        goes_on, target = flow.successors[number]
        inner = self.reader.jumps.inner_region(number, region)
        depth = self.stack.top

        def way(first):
            def go(narrowed):
                self.stack.settle(depth)
                self.stack.put(1, narrowed)
                return self.reader.run(first, inner)

            return go

        return self.interpreter.completions.select(
            error, lambda one: isinstance(one, accepted), way(goes_on), way(target)
        )
