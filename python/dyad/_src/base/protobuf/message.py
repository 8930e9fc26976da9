"""Messages defined by tables of their fields.

A message is a class that lists its fields:

    class Tensor(Message, fields={1: ("dims", "int*"), 2: ("data_type", "int"), 9: ("raw_data", "bytes")}):
        ...

A kind is "int" (any varint, read as a signed number of 64 bits), "bool", "float", "double", "string", "bytes" or the
name of another message; with a star it is repeated. A missing field is None, a repeated one is empty. Unlisted fields
are skipped when they are read.
"""

import struct
from typing import TYPE_CHECKING, Any, ClassVar

from dyad._src.base.protobuf.wire import (
    BYTES,
    FIXED32,
    FIXED64,
    VARINT,
    MalformedMessage,
    as_text,
    read_varint,
    signed,
    typed_fields,
    varint,
)

_WIRE_TYPES = {"int": VARINT, "bool": VARINT, "float": FIXED32, "double": FIXED64}
_FORMATS = {"float": struct.Struct("<f"), "double": struct.Struct("<d")}
_MOST_NESTED = 100

_classes: dict = {}  # by name, for fields that are messages themselves


class Message:
    """Base class of messages: accepts fields by keyword."""

    fields: ClassVar[dict]
    _names: ClassVar[dict]

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...  # the fields that a subclass lists

    def __init_subclass__(cls, fields):
        _classes[cls.__name__] = cls
        cls.fields = fields
        cls._names = dict(fields.values())

    def __init__(self, **fields):
        state = self.__dict__
        for name, kind in self._names.items():
            state[name] = [] if kind[-1] == "*" else None
        unknown = fields.keys() - state.keys()
        if unknown:
            raise TypeError(f"{type(self).__name__} has no field {', '.join(sorted(unknown))}")
        state.update(fields)

    def __repr__(self):
        given = {name: value for name, value in vars(self).items() if value is not None and value != []}
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in given.items())})"


def encode(message):
    """The bytes of a message."""
    pieces: list = []
    _encode_into(pieces, message)
    return b"".join(pieces)


def _encode_into(pieces, message):
    """Appends the pieces of a message and returns their size, so that no level copies what is below it."""
    size = 0
    for number, (name, kind) in message.fields.items():
        value = getattr(message, name)
        if kind[-1] == "*":
            for member in value:
                size += _encode_field(pieces, number, kind[:-1], member)
        elif value is not None:
            size += _encode_field(pieces, number, kind, value)
    return size


def _encode_field(pieces, number, kind, value):
    wire_type = _WIRE_TYPES.get(kind, BYTES)
    head = varint(number << 3 | wire_type)
    if wire_type == VARINT:
        content = [varint(value)]
    elif kind in _FORMATS:
        content = [_FORMATS[kind].pack(value)]
    else:
        content = []
        size = _append_content(content, kind, value)
        content.insert(0, varint(size))
    pieces += (head, *content)
    return len(head) + sum(map(len, content))


def _append_content(content, kind, value):
    if kind not in ("string", "bytes"):
        return _encode_into(content, value)
    content.append(value.encode() if kind == "string" else value)
    return len(content[-1])


def decode(message_class, data):
    """The message that the bytes are; MalformedMessage if they are none. Fields of bytes are views of the data."""
    return _decode(message_class, memoryview(data), 0)


def _decode(message_class, data, depth):
    if depth > _MOST_NESTED:
        raise MalformedMessage(f"more than {_MOST_NESTED} messages stand in one another")
    message = message_class()
    fields, state = message_class.fields, message.__dict__
    for number, wire_type, content in typed_fields(data):
        known = fields.get(number)
        if known is None:
            continue
        name, kind = known
        if kind[-1] != "*":
            state[name] = _value(kind, wire_type, content, depth)
        elif wire_type == BYTES and kind[:-1] in _WIRE_TYPES:
            state[name] += _packed(kind[:-1], content)
        else:
            state[name].append(_value(kind[:-1], wire_type, content, depth))
    return message


def _value(kind, wire_type, content, depth):
    if wire_type != _WIRE_TYPES.get(kind, BYTES):
        raise MalformedMessage(f"a field of the kind {kind} has the wire type {wire_type}")
    if kind == "int":
        return signed(content)
    if kind == "bool":
        return bool(content)
    if kind in _FORMATS:
        return _FORMATS[kind].unpack(content)[0]
    if kind == "bytes":
        return content
    if kind == "string":
        return as_text(content)
    return _decode(_classes[kind], content, depth + 1)


def _packed(kind, content):
    """Packed numbers in one field."""
    if kind in _FORMATS:
        layout = _FORMATS[kind]
        if len(content) % layout.size:
            raise MalformedMessage(f"{len(content)} bytes are no whole number of the kind {kind}")
        return [number for (number,) in layout.iter_unpack(content)]
    numbers, position = [], 0
    while position < len(content):
        number, position = read_varint(content, position)
        numbers.append(_value(kind, VARINT, number, 0))
    return numbers
