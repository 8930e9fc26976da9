"""`load_mindir` and `save_mindir`: user notes in a `.mindir` file, next to its graph."""

import os

from dyad._src.base.argument_checks import a_value
from dyad._src.base.atomic_file import write_atomically
from dyad._src.base.host_only import host_only
from dyad._src.base.protobuf.message import Message, decode, encode
from dyad._src.base.protobuf.wire import BYTES, VARINT, MalformedMessage, bytes_field, typed_fields, varint

__all__ = ["load_mindir", "save_mindir"]

_SUFFIX = ".mindir"
_MODE = 0o644
_GRAPH, _USER_INFO = 7, 14  # fields of the file


class NoteRecord(Message, fields={1: ("key", "string"), 2: ("value", "string")}):
    """One entry of `user_info`."""


class ModelFile:
    """The contents of a `.mindir` file: `user_info`, a writable dict of strings, and the rest as it was read.

    All other fields are kept byte for byte, unknown ones too. `load` returns the graph.
    """

    __slots__ = ("_rest", "user_info")

    def __init__(self, data):
        self.user_info = {}
        self._rest = []
        for number, kind, content in typed_fields(data):
            if number == _USER_INFO and kind == BYTES:
                note = decode(NoteRecord, content)
                self.user_info[note.key or ""] = note.value or ""
            else:
                self._rest.append((number, kind, content))
        if all(number != _GRAPH for number, _, _ in self._rest):
            raise MalformedMessage("it has no graph")

    def pieces(self):
        """The bytes of the file, in pieces."""
        for number, kind, content in self._rest:
            yield varint(number << 3 | kind)
            if kind == BYTES:
                yield varint(len(content))
            yield varint(content) if kind == VARINT else content
        for key, value in self.user_info.items():
            if not isinstance(key, str) or not isinstance(value, str):
                raise TypeError(
                    f"save_mindir: user_info has {a_value(key)}: {a_value(value)}; need a str and a str"
                )
            yield bytes_field(_USER_INFO, encode(NoteRecord(key=key, value=value)))


def _require_name(caller, file_name):
    if not isinstance(file_name, str):
        raise TypeError(f"{caller}: file_name is {a_value(file_name)}; need a str")


@host_only
def load_mindir(file_name):
    """The contents of a `.mindir` file, with the `user_info` that `save_mindir` wrote; `load` returns its graph."""
    _require_name("load_mindir", file_name)
    if not os.path.isfile(file_name):
        raise ValueError(f"load_mindir: there is no file {file_name!r}")
    with open(file_name, "rb") as file:
        data = file.read()
    try:
        return ModelFile(data)
    except MalformedMessage as error:
        raise ValueError(f"load_mindir: {file_name} is no {_SUFFIX} file: {error}") from None


@host_only
def save_mindir(model, file_name):
    """Writes the result of `load_mindir` to a file, whose directory is created, with its current `user_info`."""
    if not isinstance(model, ModelFile):
        raise TypeError(f"save_mindir: model is {a_value(model)}; need what load_mindir returned")
    _require_name("save_mindir", file_name)
    path = os.path.abspath(file_name if file_name.endswith(_SUFFIX) else file_name + _SUFFIX)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    write_atomically(path, list(model.pieces()), _MODE)
