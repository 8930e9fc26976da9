"""Abstract values: what is known of a value before the graph runs.

An abstract value (`aval`, as in JAX) is the structure of a value together with the type of each leaf; a leaf is a
tensor or a number of the graph. Where two paths of the program meet, the abstract values of what they give are joined;
the leaves of both travel through the graph, and the value is unflattened by the joined abstract value. Values that no
leaf can hold (two texts, None and a tensor) become a choice between alternatives.

Here are the abstract values without members; containers are in `containers`, choices in `abstraction`.
"""

import functools

from dyad import _core
from dyad._core import Tensor
from dyad._src.capture.semantics.values import (
    NOWHERE,
    UNBOUND,
    Origin,
    is_symbolic_tensor,
    kind_of_number,
    origin_of,
    same_constant,
    set_origin,
)
from dyad._src.operators import broadcast_to


def placeholder(dtype, shape):
    """A tensor that stands where no value is needed; it has one element, seen at every index."""
    return broadcast_to(_zero(dtype), shape)


def is_placeholder(tensor):
    """Returns whether a tensor stands where no value is needed."""
    return not is_symbolic_tensor(tensor) and _core.shares_storage(tensor, _zero(tensor.dtype))


@functools.lru_cache(maxsize=256)
def _zero(dtype):
    return Tensor(0, dtype)


class AbstractValue:
    """Base class of abstract values. They are immutable except for `AbstractTensor.shared` and `forget_origins`."""

    __slots__ = ()

    def includes(self, other):
        """Returns whether values of the abstract value `other` can be flattened by this one, sizes of tensors aside."""
        raise NotImplementedError

    def equals(self, other):
        """Returns whether two abstract values are equal, shapes included."""
        return type(self) is type(other) and self.includes(other) and self._equals_within(other)

    def _equals_within(self, other):
        return True

    def flatten(self, value, out):
        """Appends the leaves of a value to `out`, a Leaves; raises CannotJoin for one that is not included."""
        raise NotImplementedError

    def flatten_zeros(self, out):
        """Appends as many leaves of the same types, of which no path needs the values."""
        raise NotImplementedError

    def flatten_specs(self, out):
        """Appends for each leaf what a parameter of the graph is made like."""
        raise NotImplementedError

    def unflatten(self, leaves):
        """The value made of the next leaves of a LeafReader."""
        raise NotImplementedError

    def describe(self):
        """The words for it in an error message."""
        raise NotImplementedError


class _WithoutLeaves(AbstractValue):
    """One very object, on every path."""

    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value

    def flatten(self, value, out):
        pass

    def flatten_zeros(self, out):
        pass

    def flatten_specs(self, out):
        pass

    def unflatten(self, leaves):
        return self.value


class Constant(_WithoutLeaves):
    """The same Python object on every path."""

    __slots__ = ()

    def includes(self, other):
        return isinstance(other, Constant) and same_constant(self.value, other.value)

    def describe(self):
        if self.value is UNBOUND:
            return "not assigned"
        if type(self.value).__repr__ is object.__repr__:
            return f"an object of class {type(self.value).__name__}"
        return "None" if self.value is None else f"{self.value!r} of type {type(self.value).__name__}"


class SameTensor(_WithoutLeaves):
    """A tensor that was there before the paths parted, and is told apart from others by its identity."""

    __slots__ = ()

    def includes(self, other):
        return isinstance(other, SameTensor) and other.value is self.value

    def describe(self):
        return f"a Tensor of dtype {self.value.dtype} and shape {self.value.shape}"


class AbstractNumber(AbstractValue):
    """A bool, int or float."""

    __slots__ = ("kind",)

    def __init__(self, kind):
        self.kind = kind

    def includes(self, other):
        if isinstance(other, Constant):
            return kind_of_number(other.value) is self.kind
        return isinstance(other, AbstractNumber) and other.kind is self.kind

    def flatten(self, value, out):
        out.append(value)

    def flatten_zeros(self, out):
        out.append(self.kind(0))

    def flatten_specs(self, out):
        out.append(self.kind(0))

    def unflatten(self, leaves):
        return next(leaves)

    def describe(self):
        return f"a number of type {self.kind.__name__}"


class AbstractTensor(AbstractValue):
    """A tensor by dtype and shape; `shape` has None where paths differ.

    Where it may be one of the tensors from outside (`origins`), a number that says which travels with it.
    """

    __slots__ = ("dtype", "origins", "shape", "shared", "source")

    def __init__(self, dtype, shape, source=None, origins=frozenset()):
        self.shared = False  # whether several places hold this one tensor, on every path
        self.dtype = dtype
        self.shape = shape
        self.source = source  # a tensor of this abstract value: a function's parameter is made like it
        self.origins = origins

    @classmethod
    def of(cls, tensor):
        """That of a tensor whose sizes are known, and which it may be."""
        return cls(tensor.dtype, tensor.shape, None, origin_of(tensor).candidates)

    def includes(self, other):
        if isinstance(other, Constant) and isinstance(other.value, Tensor):
            other = AbstractTensor(other.value.dtype, other.value.shape)
        return (
            isinstance(other, AbstractTensor)
            and other.dtype is self.dtype
            and len(other.shape) == len(self.shape)
        )

    def _equals_within(self, other):
        return self.shape == other.shape and self.origins == other.origins

    def widened(self, other):
        """The abstract tensor that includes this one and another that it includes but for sizes and origins."""
        shape = tuple(x if x == y else None for x, y in zip(self.shape, other.shape, strict=True))
        origins = self.origins | other.origins
        same = shape == self.shape and origins == self.origins
        return self if same else AbstractTensor(self.dtype, shape, None, origins)

    def flatten(self, value, out):
        def collect():
            out.append(value)
            if self.origins:
                out.append(origin_of(value).which)

        self._collect(out, collect, value)

    def flatten_zeros(self, out):
        def collect():
            shape = tuple(1 if size is None else size for size in self.shape)
            out.append(placeholder(self.dtype, shape))
            if self.origins:
                out.append(NOWHERE.which)

        self._collect(out, collect)

    def flatten_specs(self, out):
        def collect():
            out.append((self.dtype, self.shape) if self.source is None else self.source)
            if self.origins:
                out.append(0)

        self._collect(out, collect)

    def _collect(self, out, collect, value=None):
        if self.shared:
            out.container(self, collect, value, may_split=True)
        else:
            collect()

    def unflatten(self, leaves):
        if self.shared:
            return leaves.once(self, lambda: self._built(leaves), noted=False)
        return self._built(leaves)

    def _built(self, leaves):
        tensor = next(leaves)
        if self.origins:
            set_origin(tensor, Origin(next(leaves), self.origins))
        return tensor

    def describe(self):
        return f"a Tensor of dtype {self.dtype} and shape {self.shape}"
