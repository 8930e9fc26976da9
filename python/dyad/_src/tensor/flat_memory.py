"""Flat memory: tensors that are parts of one tensor of one dimension, so that what changes all of them can change that.

The methods of Tensor here have the names under which packages call them.
"""

import itertools

from dyad import _core
from dyad._core import Tensor
from dyad._src.base.argument_checks import a_value, require_int
from dyad._src.base.host_only import host_only
from dyad._src.operators import cat

# Chunks are listed in this order of their dtypes.
_ORDER = (
    "bool_", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
    "bfloat16", "complex64", "complex128",
)  # fmt: skip


class _Chunk:
    """The flat tensor that a tensor is a part of. It is neither copied nor pickled with the tensor's attributes."""

    def __init__(self, tensor):
        self.tensor = tensor

    def holds(self, part):
        """Returns whether the memory of `part` is still in the chunk: a change of shape or device moves it."""
        start = part.data_ptr() - self.tensor.data_ptr()
        return part.device == self.tensor.device and 0 <= start <= self.tensor.nbytes - part.nbytes

    def __reduce__(self):
        return type(None), ()


def _require_tensors(owner, tensors):
    if not isinstance(tensors, (list, tuple)) or not all(isinstance(tensor, Tensor) for tensor in tensors):
        raise TypeError(f"{owner}: tensors is {a_value(tensors)}; need a list of Tensors")
    return list({id(tensor): tensor for tensor in tensors}.values())


def _by_dtype(tensors):
    return sorted(tensors, key=lambda tensor: _ORDER.index(tensor.dtype.name))


def grouped(owner, tensors, fusion_size):
    """Lists of tensors that go into one chunk each: of one dtype, with at most `fusion_size` bytes if not 0."""
    if require_int(owner, "fusion_size", fusion_size) < 0:
        raise ValueError(f"{owner}: Negative 'fusion_size' {fusion_size} is invalid; need 0 or more bytes")
    groups = []
    for _, members in itertools.groupby(_by_dtype(tensors), lambda tensor: tensor.dtype):
        group: list = []
        used = 0
        for tensor in members:
            if fusion_size and tensor.nbytes > fusion_size:
                raise RuntimeError(
                    f"{owner}: a tensor has {tensor.nbytes} bytes; need a fusion_size of as many, not {fusion_size}"
                )
            if fusion_size and used + tensor.nbytes > fusion_size:
                groups.append(group)
                group, used = [], 0
            group.append(tensor)
            used += tensor.nbytes
        groups.append(group)
    return groups


@host_only
def _flatten_tensors(tensors, fusion_size=0):
    """Moves tensors into flat memory. Returns the flat tensors, one for each dtype.

    With `fusion_size` no flat tensor has more bytes than that. Views created before keep the former memory.
    """
    tensors = _require_tensors("_flatten_tensors", tensors)
    for tensor in tensors:
        tensor.init_data()
    chunks = []
    enabled = _core.set_grad_enabled(False)
    try:
        for group in grouped("_flatten_tensors", tensors, fusion_size):
            chunk = _Chunk(cat([tensor.reshape(-1) for tensor in group]))
            start = 0
            for tensor in group:
                part = chunk.tensor[start : start + tensor.size]
                start += tensor.size
                _core.replace_data(tensor, part.view(tensor.shape))
                tensor.__dict__["_flat_memory"] = chunk
            chunks.append(chunk.tensor)
    finally:
        _core.set_grad_enabled(enabled)
    return chunks


@host_only
def _is_flattened(tensors):
    """Returns whether all of the tensors are in flat memory."""
    return all(_chunk_of(tensor) is not None for tensor in _require_tensors("_is_flattened", tensors))


def _chunk_of(tensor):
    chunk = tensor.__dict__.get("_flat_memory")
    return chunk.tensor if chunk is not None and chunk.holds(tensor) else None


@host_only
def _get_flattened_tensors(tensors):
    """The flat tensors that the tensors are parts of; none unless all of them are in flat memory."""
    tensors = _require_tensors("_get_flattened_tensors", tensors)
    chunks = [_chunk_of(tensor) for tensor in _by_dtype(tensors)]
    if any(chunk is None for chunk in chunks):
        return []
    return list({id(chunk): chunk for chunk in chunks}.values())


@host_only
def _get_fusion_size(flat_tensors):
    """The bytes of the largest of the flat tensors; 0 where each is the only one of its dtype."""
    chunks = _require_tensors("_get_fusion_size", flat_tensors)
    if len({chunk.dtype for chunk in chunks}) == len(chunks):
        return 0
    return max(chunk.nbytes for chunk in chunks)


METHODS = (_flatten_tensors, _get_flattened_tensors, _get_fusion_size, _is_flattened)
