"""CPython's exception table: ranges of code, each with the offset of its handler.

An entry is four numbers (start, length, target, and depth with a flag), in units of two bytes but for the last, each
written in groups of six bits, the most significant first; the first byte of an entry has its highest bit set.
"""

_UNIT = 2  # bytes of a code unit


def decode_exception_table(table):
    """(start, end, target, depth, keeps_place) of each entry, with offsets in bytes; the end is exclusive."""
    entries = []
    numbers = _numbers(table)
    for start in numbers:
        length, target, last = next(numbers), next(numbers), next(numbers)
        entries.append((start * _UNIT, (start + length) * _UNIT, target * _UNIT, last >> 1, bool(last & 1)))
    return entries


def encode_exception_table(entries):
    """The encoded table of entries as `decode_exception_table` returns them."""
    table = bytearray()
    for start, end, target, depth, keeps_place in entries:
        table += _written(start // _UNIT, begins=True)
        table += _written((end - start) // _UNIT)
        table += _written(target // _UNIT)
        table += _written(depth << 1 | keeps_place)
    return bytes(table)


def _numbers(table):
    value = 0
    for byte in table:
        value = value << 6 | byte & 63
        if not byte & 64:
            yield value
            value = 0


def _written(number, begins=False):
    groups = [number & 63]
    while number := number >> 6:
        groups.append(number & 63 | 64)
    groups.reverse()
    if begins:
        groups[0] |= 128
    return bytes(groups)
