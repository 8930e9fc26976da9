"""Base class of the parts of the reader."""


class ReaderPart:
    """Reads one kind of syntax. It asks other parts of the reader, and the interpreter what things mean."""

    def __init__(self, reader):
        self.reader = reader
        self.interpreter = reader.interpreter
