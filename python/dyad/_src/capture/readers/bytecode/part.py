"""Base class of the parts of the reader."""


class ReaderPart:
    """Executes one kind of instructions: a method `op_NAME(instruction, region)` for each.

    A method gives None where the next instruction follows, the number of another one, or a completion: how the program
    goes on where that is known only when the graph runs, or how the function is left.
    """

    def __init__(self, reader):
        self.reader = reader
        self.interpreter = reader.interpreter

    @property
    def stack(self):
        """The stack of the frame that is worked on."""
        return self.interpreter.frame.stack
