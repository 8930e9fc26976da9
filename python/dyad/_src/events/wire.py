"""Protocol Buffers on the wire: fields of messages, written and read without a code generator."""

import struct

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


class BadMessage(ValueError):
    """The bytes are no message."""


def varint(number):
    """An integer, seven bits a byte; a negative one as its 64-bit two's complement."""
    number &= (1 << 64) - 1
    made = bytearray()
    while number > 0x7F:
        made.append(number & 0x7F | 0x80)
        number >>= 7
    made.append(number)
    return bytes(made)


def integer_field(field, number):
    """A field of a type int32, int64, uint64, bool or an enumeration."""
    return varint(field << 3 | VARINT) + varint(number)


def double_field(field, number):
    """A field of the type double."""
    return varint(field << 3 | FIXED64) + struct.pack("<d", number)


def float_field(field, number):
    """A field of the type float."""
    return varint(field << 3 | FIXED32) + struct.pack("<f", number)


def bytes_field(field, content):
    """A field of a type string or bytes, of packed numbers, or with a message in it."""
    content = content.encode() if isinstance(content, str) else content
    return varint(field << 3 | BYTES) + varint(len(content)) + content


def fields(message):
    """(field, value) of a message: ints for varints, memoryviews for everything else. BadMessage where it is none."""
    data = memoryview(message)
    position = 0
    while position < len(data):
        key, position = _read_varint(data, position)
        kind = key & 7
        if kind == VARINT:
            value, position = _read_varint(data, position)
        else:
            size = {FIXED64: 8, FIXED32: 4}.get(kind)
            if kind == BYTES:
                size, position = _read_varint(data, position)
            if size is None or position + size > len(data):
                raise BadMessage(f"at byte {position}: there is no whole field")
            value, position = data[position : position + size], position + size
        yield key >> 3, value


def _read_varint(data, position):
    number = shift = 0
    while position < len(data) and shift < 70:
        byte = data[position]
        position += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, position
        shift += 7
    raise BadMessage(f"at byte {position}: there is no whole number")


def signed(number):
    """A varint as the int64 that it stands for."""
    return number - (1 << 64) if number >= 1 << 63 else number
