"""A list of Tensors that grows as it is written."""

from typing import Any

from dyad import _core, ops
from dyad._core import Tensor
from dyad._src.base.host_only import JIT_IGNORE
from dyad._src.tensor.tensor import tensor
from dyad.nn.cell import Cell

__all__ = ["TensorArray"]


def _by_python(method):
    """A graph leaves the call to Python: how long the list is depends on what was written."""
    setattr(method, JIT_IGNORE, True)
    return method


class TensorArray(Cell):
    """Tensors of one dtype and shape by their positions; a position that was not written holds zeros.

    With `dynamic_size` it grows to the largest position that is written; else it has `size` positions. After `close` it
    cannot be used any more.
    """

    def __init__(
        self, dtype: _core.DType, element_shape, dynamic_size: bool = True, size=0, name="TA"
    ) -> None:
        super().__init__()
        if not isinstance(dtype, _core.DType):
            raise TypeError(f"TensorArray: dtype is {dtype!r}; need a dtype of numbers or bool_")
        if not isinstance(size, int) or isinstance(size, bool) or size < 0:
            raise ValueError(f"TensorArray: size is {size!r}; need an int of at least 0")
        self.dtype = dtype
        self.element_shape = tuple(element_shape)
        self.dynamic_size = dynamic_size
        self.capacity = size
        self.name = name
        self._written: Any = {}

    def _place(self, index):
        if self._written is None:
            raise RuntimeError(f"TensorArray {self.name!r} is closed; make another one")
        index = int(index)
        if index < 0 or (not self.dynamic_size and index >= self.capacity):
            most = "" if self.dynamic_size else f" and below {self.capacity}"
            raise IndexError(f"TensorArray {self.name!r}: the index is {index}; need one of at least 0{most}")
        return index

    def _length(self):
        if self._written is None:
            raise RuntimeError(f"TensorArray {self.name!r} is closed; make another one")
        return max(self._written, default=-1) + 1 if self.dynamic_size else self.capacity

    @_by_python
    def write(self, index, value):
        """Puts a Tensor, or a number, at a position; True."""
        value = value if isinstance(value, Tensor) else tensor(value, self.dtype)
        if value.dtype != self.dtype or value.shape != self.element_shape:
            raise ValueError(
                f"TensorArray {self.name!r}: the value has dtype {value.dtype} and shape {value.shape}; "
                f"need {self.dtype} and {self.element_shape}"
            )
        self._written[self._place(index)] = value
        return True

    @_by_python
    def read(self, index):
        """The Tensor at a position."""
        place = self._place(index)
        if place >= self._length():
            raise IndexError(
                f"TensorArray {self.name!r}: the index is {place}; it has {self._length()} positions"
            )
        return self._written.get(place, ops.zeros(self.element_shape, self.dtype))

    @_by_python
    def stack(self):
        """All positions in one Tensor, the first dimension counting them."""
        length = self._length()
        if length == 0:
            return ops.zeros((0, *self.element_shape), self.dtype)
        return ops.stack([self.read(place) for place in range(length)])

    @_by_python
    def size(self):
        """The number of elements, as a Tensor."""
        return Tensor(self._length(), _core.int64)

    @_by_python
    def clear(self):
        """Forgets what was written; True."""
        self._written = {}
        return True

    @_by_python
    def close(self):
        """Ends its use; True."""
        self._written = None
        return True
