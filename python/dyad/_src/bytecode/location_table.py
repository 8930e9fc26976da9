"""CPython's location table: for ranges of code units, the lines and columns of their source.

An entry starts with a byte 0b1kkkklll: kind k, length l + 1 in code units. Kind 15 has no location, 14 has the lines
and columns as numbers in groups of six bits, the least significant first; the first line is relative to the previous
entry.
"""

_LONG, _NONE = 14, 15
_MOST_UNITS = 8


def encode_location_table(stretches, first_line):
    """The table for `(units, position or None)` in the order of the code; `first_line` is that of the code object."""
    table = bytearray()
    line = first_line
    for units, position in _joined(stretches):
        while units:
            taken = min(units, _MOST_UNITS)
            units -= taken
            kind = _NONE if position is None else _LONG
            table.append(0x80 | kind << 3 | taken - 1)
            if position is not None:
                table += _long_form(position, line)
                line = position.lineno
    return bytes(table)


def _joined(stretches):
    """The stretches, neighbors with one position as one."""
    held, position = 0, None
    for units, each in stretches:
        if each != position:
            if held:
                yield held, position
            held, position = 0, each
        held += units
    if held:
        yield held, position


def _long_form(position, line):
    return (
        _signed(position.lineno - line)
        + _unsigned(max(0, position.end_lineno - position.lineno))
        + _unsigned(position.col_offset + 1)
        + _unsigned(position.end_col_offset + 1)
    )


def _signed(number):
    return _unsigned(-number << 1 | 1 if number < 0 else number << 1)


def _unsigned(number):
    groups = bytearray()
    while number > 63:
        groups.append(number & 63 | 64)
        number >>= 6
    groups.append(number)
    return bytes(groups)
