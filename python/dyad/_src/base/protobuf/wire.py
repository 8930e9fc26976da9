"""Fields of messages on the wire."""

import struct

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
_FIXED_SIZES = {FIXED64: 8, FIXED32: 4}
_LONGEST_VARINT = 10
_WORD = 1 << 64


class MalformedMessage(ValueError):
    """The bytes are not a valid message."""


def varint(number):
    """A number of 64 bits in groups of seven, the lowest first; a negative one as its two's complement."""
    number %= _WORD
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def number_field(field, number):
    """A field that holds a number."""
    return varint(field << 3 | VARINT) + varint(number)


def float_field(field, number):
    """A field that holds a number of the type float."""
    return varint(field << 3 | FIXED32) + struct.pack("<f", number)


def double_field(field, number):
    """A field that holds a number of the type double."""
    return varint(field << 3 | FIXED64) + struct.pack("<d", number)


def bytes_field(field, content):
    """A field with bytes, a string, packed numbers or a message."""
    content = content.encode() if isinstance(content, str) else content
    return bytes_head(field, len(content)) + content


def bytes_head(field, length):
    """Tag and length before `length` bytes of content."""
    return varint(field << 3 | BYTES) + varint(length)


def read_varint(data, position):
    """The number that starts at `position`, and its end."""
    number = 0
    for index, byte in enumerate(data[position : position + _LONGEST_VARINT]):
        number |= (byte & 0x7F) << 7 * index
        if byte < 0x80:
            return number % _WORD, position + index + 1
    raise MalformedMessage(f"no number ends near byte {position}")


def fields(message):
    """(field number, content) of a message: an int for a varint, else a memoryview."""
    for number, _, content in typed_fields(message):
        yield number, content


def typed_fields(message):
    """(field number, wire type, content) of a message; MalformedMessage where it is none."""
    data = memoryview(message)
    position, end = 0, len(data)
    while position < end:
        key, position = read_varint(data, position)
        kind = key & 7
        if kind == VARINT:
            content, position = read_varint(data, position)
        else:
            size, position = _size(data, kind, position)
            if size > end - position:
                raise MalformedMessage(f"it ends in the middle of a field of {size} bytes")
            content, position = data[position : position + size], position + size
        yield key >> 3, kind, content


def _size(data, kind, position):
    """Number of bytes in a field of a wire type, and their start."""
    if kind == BYTES:
        return read_varint(data, position)
    if kind not in _FIXED_SIZES:
        raise MalformedMessage(f"unknown wire type {kind} at byte {position}")
    return _FIXED_SIZES[kind], position


def signed(number):
    """A varint as a signed number of 64 bits."""
    return number - _WORD if number >> 63 else number


def as_bytes(content):
    """The content of a field that must hold bytes."""
    if isinstance(content, int):
        raise MalformedMessage("a number stands where bytes are expected")
    return content


def as_text(content):
    """The content of a string field."""
    try:
        return str(as_bytes(content), "utf-8")
    except UnicodeDecodeError as error:
        raise MalformedMessage(f"a text is not UTF-8: {error.reason}") from None


def as_number(content):
    """The content of a field that must hold a signed number."""
    if not isinstance(content, int):
        raise MalformedMessage("bytes stand where a number is expected")
    return signed(content)


def as_numbers(content):
    """The content of a repeated field of signed numbers: one of them, or several that are packed."""
    if isinstance(content, int):
        return [as_number(content)]
    numbers, position = [], 0
    while position < len(content):
        number, position = read_varint(content, position)
        numbers.append(as_number(number))
    return numbers
