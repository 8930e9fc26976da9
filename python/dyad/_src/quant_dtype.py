"""Widths of quantised integers, by which tools for quantisation say what they round to."""

import enum

_WIDTHS = range(1, 17)


class QuantDtype(enum.Enum):
    """INT1 to INT16 and UINT1 to UINT16; no Tensor has such elements."""

    vars().update({f"INT{bits}": bits - 1 for bits in _WIDTHS})
    vars().update({f"UINT{bits}": 99 + bits for bits in _WIDTHS})

    def __str__(self):
        return self.name

    def value(self):
        """The number that stands for the width in files."""
        return self._value_
