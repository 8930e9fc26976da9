"""Places in the captured program, for messages and for the nodes of the graph."""


class SourceLocation:
    """One expression or statement of a file."""

    __slots__ = ("column", "end_column", "function", "line", "source")

    def __init__(self, source, line, column, end_column, function):
        self.source = source
        self.line = line
        self.column = column
        self.end_column = end_column
        self.function = function

    @property
    def filename(self):
        return self.source.filename

    def text(self):
        """The line as Python's tracebacks show it, with a mark under the expression."""
        header = f'  File "{self.filename}", line {self.line}, in {self.function}'
        source = self.source.line(self.line)
        stripped = source.lstrip()
        if not stripped:
            return header
        shift = len(source) - len(stripped)
        start = max(self.column - shift, 0)
        end = self.end_column - shift if self.end_column is not None else len(stripped)
        width = max(min(end, len(stripped)) - start, 1)
        return f"{header}\n    {stripped}\n    {' ' * start}{'^' * width}"
