"""Steps of a captured graph as nodes of an ONNX file: what every step needs."""

import math

from dyad import _core
from dyad._src.interchange.graph_text.sizes import Size
from dyad._src.interchange.mindir.emission import GraphValues
from dyad._src.interchange.mindir.writer import Written
from dyad._src.interchange.onnx.lowerings_elementwise import floor_divide
from dyad._src.interchange.onnx.messages import ELEMENT_TYPES

_SIZE_OPERATORS = {"*": "Mul", "+": "Add", "-": "Sub", "max": "Max", "min": "Min"}


class Unwritable(Exception):
    """The program has no ONNX form; the text names the reason."""


class Emission(GraphValues):
    """Adds nodes for one function of the graph; values of the graph have names in `values`. Numbers are tensors of no
    dimensions."""

    def __init__(self, writer):
        super().__init__()
        self.writer = writer

    # Values and constants.

    def define_symbol(self, name, number):
        """A size that the graph computes."""
        self._symbols[name] = self.reshape(self.cast(number, _core.int64), (1,))

    def tensor(self, value, dtype):
        """A number, size or tensor as a tensor of that dtype."""
        if isinstance(value, Size):
            value = self.reshape(self.size(value), ())
        if isinstance(value, Written):
            return self.cast(value, dtype)
        return self.writer.constant(_core.Tensor(value, dtype))

    def ints(self, values):
        """Numbers and sizes as one tensor of int64."""
        if all(isinstance(value, int) for value in values):
            return self.writer.constant(_core.Tensor(list(values), _core.int64).reshape((len(values),)))
        parts = [self.size(value) for value in values]
        return self.writer.node("Concat", parts, _core.int64, (len(parts),), axis=0)

    def size(self, value):
        """A size as a tensor of one element."""
        if isinstance(value, Written):
            return self.reshape(self.cast(value, _core.int64), (1,))
        if isinstance(value, int):
            return self.writer.constant(_core.Tensor([value], _core.int64))
        key = value.expression
        if key not in self._sizes:
            self._sizes[key] = self._symbol(key) if isinstance(key, str) else self._computed(key)
        return self._sizes[key]

    def _symbol(self, name):
        found = self._symbols.get(name)
        if found is None:
            raise Unwritable(f"the size {name}, which is not known in a part of the graph that needs it")
        if isinstance(found, Written):
            return found
        tensor, axis = found
        return self.writer.node("Shape", [tensor], _core.int64, (1,), start=axis, end=axis + 1)

    def _computed(self, expression):
        operator, left, right = expression
        given = [self.size(left), self.size(right)]
        if operator == "//":
            return floor_divide(self, [(_core.int64, (1,))], *given)
        return self.writer.node(_SIZE_OPERATORS[operator], given, _core.int64, (1,))

    # Nodes.

    def call(self, op_type, inputs, result, **attributes):
        """A node with one result, of (dtype, shape)."""
        return self.writer.node(op_type, inputs, *result, **attributes)

    def binary(self, op_type, left, right, result=None):
        """A node of two tensors of one dtype; numbers adopt that of the tensor."""
        dtype = left.dtype if isinstance(left, Written) else right.dtype
        left, right = self.tensor(left, dtype), self.tensor(right, dtype)
        if result is None:
            result = dtype, broadcast_shape(left.shape, right.shape)
        return self.call(op_type, [left, right], result)

    def unary(self, op_type, x, **attributes):
        """A node of one tensor that keeps dtype and shape."""
        return self.call(op_type, [x], (x.dtype, x.shape), **attributes)

    def cast(self, value, dtype):
        """A tensor with another dtype."""
        if value.dtype == dtype:
            return value
        if value.known:
            return self.writer.constant(value.known[0].astype(dtype))
        return self.call("Cast", [value], (dtype, value.shape), to=ELEMENT_TYPES[dtype])

    def reshape(self, value, shape):
        """A tensor with another shape; one size that is open follows from the others."""
        shape = tuple(shape)
        if value.shape == shape:
            return value
        wanted = list(shape)
        open_places = [place for place, size in enumerate(shape) if not isinstance(size, int)]
        known = math.prod(size for size in shape if isinstance(size, int))
        if len(open_places) == 1 and known:
            wanted[open_places[0]] = -1
        # A size of zero would mean that of the input.
        return self.call("Reshape", [value, self.ints(wanted)], (value.dtype, shape), allowzero=1)

    def expand(self, value, shape):
        """A tensor with sizes of one repeated."""
        shape = tuple(shape)
        return (
            value
            if value.shape == shape
            else self.call("Expand", [value, self.ints(shape)], (value.dtype, shape))
        )

    def transpose(self, value, axes):
        """A tensor with its axes in another order."""
        shape = tuple(value.shape[axis] for axis in axes)
        return self.call("Transpose", [value], (value.dtype, shape), perm=axes)

    def where(self, condition, chosen, other, result):
        """One of two tensors, element by element."""
        return self.call("Where", [condition, chosen, other], result)


def broadcast_shape(left, right):
    """The shape that two shapes have together."""
    rank = max(len(left), len(right))
    pairs = zip(
        (1,) * (rank - len(left)) + tuple(left), (1,) * (rank - len(right)) + tuple(right), strict=True
    )
    return tuple(b if a == 1 else a for a, b in pairs)
