"""What all readers of files agree on: when bytes are not what they claim to be."""

from dyad._src.base.protobuf.wire import MalformedMessage

_MOST_DIMENSIONS = 64
_MOST_BYTES = 2**63 - 1

# A checkpoint is a message, or says so: whoever finds that it is none says it in the same way.
CorruptFile = MalformedMessage
NO_CHECKSUM = "load_checkpoint: the file has no checksum to check; it is written with crc_check=True"


def require_size(name, dtype, shape, available):
    """The shape is one a tensor can have, and its elements take up exactly the bytes that are there."""
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
