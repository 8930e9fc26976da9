"""`combine_tensor_list_contiguous`: several tensors as one piece of memory, of which parts are taken."""

import itertools

from dyad import _core
from dyad._core import Tensor
from dyad._src.base.argument_checks import a_value, require_bool
from dyad._src.base.host_only import host_only
from dyad._src.operators import cat, zeros

__all__ = ["ContiguousTensorsHandle", "combine_tensor_list_contiguous"]

_GPU_BLOCK = 512  # bytes at whose multiples tensors begin there


class ContiguousTensorsHandle:
    """A copy of the elements of tensors of one dtype, one tensor behind the other; indices count elements.

    On a GPU each begins at a multiple of 512 bytes, with zeros between.
    """

    def __init__(self, tensor_list, enable_mem_align=True):
        owner = "combine_tensor_list_contiguous"
        if not isinstance(tensor_list, (list, tuple)) or not tensor_list:
            raise TypeError(f"{owner}: tensor_list is {a_value(tensor_list)}; need a list of Tensors")
        for tensor in tensor_list:
            if not isinstance(tensor, Tensor):
                raise TypeError(f"{owner}: tensor_list has {a_value(tensor)}; need Tensors")
        if len({tensor.dtype for tensor in tensor_list}) > 1:
            given = ", ".join(str(tensor.dtype) for tensor in tensor_list)
            raise TypeError(f"{owner}: tensor_list has Tensors of {given}; need one dtype")
        if not require_bool(owner, "enable_mem_align", enable_mem_align):
            raise ValueError(f"{owner}: enable_mem_align is False; need True")
        self._sizes = [tensor.size for tensor in tensor_list]
        pieces = [self._padded(tensor.reshape(-1)) for tensor in tensor_list]
        self._starts = [0, *itertools.accumulate(piece.size for piece in pieces)][:-1]
        self._joined = cat(pieces)

    @staticmethod
    def _padded(flat):
        block = _GPU_BLOCK // flat.itemsize if _core.get_device_target() == "GPU" else 1
        missing = -flat.size % block
        return cat([flat, zeros((missing,), flat.dtype)]) if missing else flat

    def __getitem__(self, item):
        if isinstance(item, int) and not isinstance(item, bool):
            if not -self._joined.size <= item < self._joined.size:
                raise IndexError(
                    f"ContiguousTensorsHandle: index is {item}; there are {self._joined.size} elements"
                )
            item %= self._joined.size
            return self._joined[item : item + 1]
        if isinstance(item, slice):
            return self._joined[item]
        raise TypeError(f"ContiguousTensorsHandle: index is {a_value(item)}; need an int or a slice")

    def __str__(self):
        return str(self._joined)

    def slice_by_tensor_index(self, start=None, end=None):
        """The elements from the first of the tensor `start` to the last of the tensor before `end`."""
        first, last, _ = slice(start, end).indices(len(self._sizes))
        if first >= last:
            raise ValueError(
                f"slice_by_tensor_index: from {start} to {end} is no tensor; there are {len(self._sizes)}"
            )
        return self._joined[self._starts[first] : self._starts[last - 1] + self._sizes[last - 1]]


@host_only
def combine_tensor_list_contiguous(tensor_list, enable_mem_align=True):
    """A copy of the tensors in one piece of memory, for what takes less time with one large tensor than with many."""
    return ContiguousTensorsHandle(tensor_list, enable_mem_align)
