"""Steps of a captured graph as steps of a file: what every step needs."""

from dyad import _core
from dyad._src.interchange.graph_text.operands import Dtype, Operand, read_type
from dyad._src.interchange.graph_text.sizes import Size
from dyad._src.interchange.mindir import dtypes
from dyad._src.interchange.mindir.messages import PrimitiveKind
from dyad._src.interchange.mindir.operators import FOREIGN
from dyad._src.interchange.mindir.writer import Written

_SIZE_OPERATORS = {
    "*": "ScalarMul", "+": "ScalarAdd", "-": "ScalarSub", "//": "ScalarFloorDiv",
    "max": "ScalarMax", "min": "ScalarMin",
}  # fmt: skip


class GraphValues:
    """The values of one function of the graph in a file of any format, by their names in the graph."""

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


class Emission(GraphValues):
    """Adds steps to one function of the file; values of the graph have names in `values`."""

    def __init__(self, writer):
        super().__init__()
        self.writer = writer
        self.pools = {}  # name of an index tensor -> what was pooled, the result, and how

    # Values and constants.

    def define_symbol(self, name, number):
        """A size that the graph computes."""
        self._symbols[name] = self.as_number(number)

    def input(self, value):
        """A Written value, of whatever a step is given."""
        if isinstance(value, Written):
            return value
        if isinstance(value, Size):
            return self.size(value)
        if isinstance(value, (list, tuple)) and any(isinstance(member, (Written, Size)) for member in value):
            return self.tuple_of([self.input(member) for member in value])
        if isinstance(value, _core.DType):
            return self.writer.constant(dtypes.argument_number(value))
        return self.writer.constant(tuple(value) if isinstance(value, list) else value)

    def size(self, size):
        """A size that is known when the graph runs, as a number."""
        if isinstance(size, int):
            return self.writer.constant(size)
        key = size.expression
        if key not in self._sizes:
            self._sizes[key] = self._symbol(key) if isinstance(key, str) else self._computed(key)
        return self._sizes[key]

    def _symbol(self, name):
        found = self._symbols.get(name)
        if found is None:
            raise ValueError(f"export: the size {name} is not known in a part of the graph that needs it")
        if isinstance(found, Written):
            return found
        tensor, axis = found
        shape = self.writer.function_step("Shape", tensor)
        return self.item(shape, axis, _core.int64, None)

    def _computed(self, expression):
        operator, left, right = expression
        return self.call(
            _SIZE_OPERATORS[operator], self.size(left), self.size(right), dtype=_core.int64, shape=None
        )

    # Steps.

    def call(self, primitive, *inputs, dtype=None, shape=None):
        """A Primitive with everything as inputs; constants are created for those that are not values yet."""
        given = [self.input(value) for value in inputs]
        return self.writer.function_step(primitive, *given, dtype=dtype, shape=shape)

    def with_attributes(self, primitive, inputs, attributes, dtype=None, shape=None):
        """A Primitive that has its settings as attributes."""
        given = [self.input(value) for value in inputs]
        return self.writer.step(primitive, given, PrimitiveKind.WITH_ATTRIBUTES, attributes, dtype, shape)

    def tuple_of(self, members):
        """A tuple of values."""
        return self.writer.plain_step("MakeTuple", *[self.input(member) for member in members])

    def item(self, values, place, dtype, shape):
        """A member of a tuple."""
        return self.writer.plain_step(
            "TupleGetItem", values, self.writer.constant(place), dtype=dtype, shape=shape
        )

    def cast(self, value, dtype):
        """A Tensor with another dtype."""
        if value.dtype == dtype:
            return value
        return self.call("Cast", value, dtypes.argument_number(dtype), dtype=dtype, shape=value.shape)

    def reshape(self, value, shape):
        """A Tensor with another shape; one size that is open follows from the others."""
        shape = tuple(shape)
        if value.shape == shape:
            return value
        open_places = [place for place, size in enumerate(shape) if isinstance(size, Size)]
        wanted = list(shape)
        if len(open_places) == 1 and -1 not in wanted:
            wanted[open_places[0]] = -1
        return self.call("Reshape", value, tuple(wanted), dtype=value.dtype, shape=shape)

    def broadcast(self, value, shape):
        """A Tensor with sizes of one repeated."""
        shape = tuple(shape)
        return (
            value
            if value.shape == shape
            else self.call("BroadcastTo", value, shape, dtype=value.dtype, shape=shape)
        )

    def tensor(self, value, dtype):
        """A number or Tensor as a Tensor of that dtype."""
        if not isinstance(value, Written):
            return self.writer.constant(_core.Tensor(value, dtype))
        if value.is_tensor:
            return self.cast(value, dtype)
        if value.known:
            return self.writer.constant(_core.Tensor(value.known[0], dtype))
        return self.call("ScalarToTensor", value, dtypes.argument_number(dtype), dtype=dtype, shape=())

    def as_number(self, value):
        """A Tensor of one element as a number."""
        if not value.is_tensor:
            return value
        return self.writer.plain_step("TensorToScalar", value, dtype=value.dtype)

    def foreign(self, name, inputs, results):
        """An operator that only this package has, with everything as inputs."""
        self.writer.model.foreign.add(name)
        given = [self.writer.constant(value) if isinstance(value, _core.DType) else value for value in inputs]
        made = self.call(FOREIGN + name, *given)
        if len(results) != 1:
            return [self.item(made, place, *result) for place, result in enumerate(results)]
        return [Written(made.name, *results[0])]


def result_types(node):
    """(dtype, shape) of each result; the shape of a number is None."""
    found = []
    for result in node.results:
        is_number, name, sizes = read_type(result.type)
        found.append((getattr(_core, name, None), None if is_number else sizes))
    return found
