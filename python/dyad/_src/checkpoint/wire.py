"""Protocol Buffers on the wire, written and read without a code generator."""

from dyad._src.checkpoint.errors import CorruptFile

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
_FIXED_SIZES = {FIXED64: 8, FIXED32: 4}
_LONGEST_VARINT = 10


def varint(number):
    """A number of 64 bits in groups of seven, the lowest first; a negative one as its two's complement."""
    number &= 2**64 - 1
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def number_field(field, number):
    """A field that holds a number."""
    return varint(field << 3 | VARINT) + varint(number)


def bytes_field(field, content):
    """A field that holds bytes, a text or a message."""
    return bytes_head(field, len(content)) + content


def bytes_head(field, length):
    """What stands before `length` bytes of content."""
    return varint(field << 3 | BYTES) + varint(length)


def read_varint(data, position):
    """The number that begins at `position`, and where it ends."""
    number = 0
    for index, byte in enumerate(data[position : position + _LONGEST_VARINT]):
        number |= (byte & 0x7F) << 7 * index
        if byte < 0x80:
            return number, position + index + 1
    raise CorruptFile(f"no number ends near byte {position}")


def fields(message):
    """(field number, content) of a message: an int for numbers, a memoryview for all else."""
    position = 0
    while position < len(message):
        key, position = read_varint(message, position)
        kind = key & 7
        if kind == VARINT:
            content, position = read_varint(message, position)
        else:
            size, position = _size(message, kind, position)
            if size > len(message) - position:
                raise CorruptFile("the file ends in the middle of an entry")
            content, position = message[position : position + size], position + size
        yield key >> 3, content


def _size(message, kind, position):
    if kind == BYTES:
        return read_varint(message, position)
    if kind not in _FIXED_SIZES:
        raise CorruptFile(f"unknown wire type {kind} at byte {position}")
    return _FIXED_SIZES[kind], position


def as_bytes(content):
    """The content of a field that must hold bytes."""
    if isinstance(content, int):
        raise CorruptFile("a number stands where bytes are expected")
    return content


def as_text(content):
    """The content of a field that must hold a text."""
    try:
        return str(as_bytes(content), "utf-8")
    except UnicodeDecodeError as error:
        raise CorruptFile(f"a text is not UTF-8: {error.reason}") from None


def as_number(content):
    """The content of a field that must hold a signed number."""
    if not isinstance(content, int):
        raise CorruptFile("bytes stand where a number is expected")
    return content - 2**64 if content >= 2**63 else content


def as_numbers(content):
    """The content of a repeated field of signed numbers: one of them, or several that are packed."""
    if isinstance(content, int):
        return [as_number(content)]
    numbers, position = [], 0
    while position < len(content):
        number, position = read_varint(content, position)
        numbers.append(as_number(number))
    return numbers
