"""Values of a captured graph and what they are in a file, for every format that is written from it."""

from dyad import _core
from dyad._src.interchange.graph_text.operands import Dtype, Operand
from dyad._src.interchange.graph_text.sizes import Size


class GraphValues:
    """The values of one function of the graph in the file, by their names in the graph."""

    def __init__(self):
        self.values = {}
        self.makers = {}  # name of a value of the graph -> its Operation
        self._symbols = {}  # name of a size -> what it was defined as, or (tensor, axis)
        self._sizes = {}

    def bind(self, name, written):
        """Maps the value of the graph to this one of the file; its sizes are known by their names."""
        self.values[name] = written
        for axis, size in enumerate(written.shape or ()):
            if isinstance(size, Size) and isinstance(size.expression, str):
                self._symbols.setdefault(size.expression, (written, axis))

    def argument(self, given):
        """An argument of a node: a Written value, a list of them, or a literal."""
        if isinstance(given, Operand):
            return self.values[given.name]
        if isinstance(given, tuple) and any(isinstance(member, Operand) for member in given):
            return [None if member is None else self.argument(member) for member in given]
        return getattr(_core, given.name) if isinstance(given, Dtype) else given
