"""The messages of a `.ckpt` file as classes, for programs that read or write one themselves.

They are used like those of Protocol Buffers: `value.add()` appends an entry, and `ParseFromString` and
`SerializeToString` read and write a file. `save_checkpoint` and `load_checkpoint` need no such copy of all bytes.
"""

from dyad._src.base.protobuf.message import Message, decode, encode

__all__ = ["Checkpoint", "TensorProto"]


class _Entries(list):
    def add(self, **fields):
        """Appends an entry and returns it."""
        self.append(CheckpointEntry(**fields))
        return self[-1]


class TensorProto(
    Message, fields={1: ("dims", "int*"), 2: ("tensor_type", "string"), 3: ("tensor_content", "bytes")}
):
    """Sizes, dtype as it is printed, and the elements as bytes."""

    def __init__(self, dims=(), tensor_type="", tensor_content=b""):
        super().__init__(dims=list(dims), tensor_type=tensor_type, tensor_content=tensor_content)


class CheckpointEntry(Message, fields={1: ("tag", "string"), 2: ("tensor", "TensorProto")}):
    """A tensor, or a part of one, under its name."""

    def __init__(self, tag="", tensor=None):
        super().__init__(tag=tag, tensor=TensorProto() if tensor is None else tensor)


class Checkpoint(Message, fields={1: ("value", "CheckpointEntry*")}):
    """A whole file except for the checksum at its end."""

    Value = CheckpointEntry

    def __init__(self, value=()):
        super().__init__(value=_Entries(value))

    def ParseFromString(self, data):
        """Adopts the entries of a file and returns its size; MalformedMessage if the bytes are not a checkpoint."""
        entries = decode(Checkpoint, data).value
        for entry in entries:
            entry.tensor.tensor_content = bytes(entry.tensor.tensor_content)
        self.value = _Entries(entries)
        return len(data)

    def SerializeToString(self):
        """The bytes of the file."""
        return encode(self)
