"""Errors shared by all readers of checkpoint files."""

from dyad._src.base.protobuf.wire import MalformedMessage

_MOST_DIMENSIONS = 64
_MOST_BYTES = 2**63 - 1

# A checkpoint is a message: every reader reports malformed bytes in the same way.
CorruptFile = MalformedMessage
NO_CHECKSUM = "load_checkpoint: the file has no checksum to check; it is written with crc_check=True"


def require_size(name, dtype, shape, available):
    """Checks that the shape is possible for a tensor, and that its size is exactly the number of available bytes."""
    if len(shape) > _MOST_DIMENSIONS:
        raise CorruptFile(f"{name} has {len(shape)} dimensions; a tensor has at most {_MOST_DIMENSIONS}")
    size = extent = dtype.itemsize
    for length in shape:
        size *= length
        extent *= max(length, 1)
        if not 0 <= length <= extent <= _MOST_BYTES:
            raise CorruptFile(f"{name} has the shape {shape}, which no memory holds")
    if size != available:
        raise CorruptFile(f"{name} of shape {shape} needs {size} bytes, there are {available}")
