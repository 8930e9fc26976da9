"""Widths of quantised integers, by which tools for quantisation say what they round to."""

import enum


class _Width(enum.Enum):
    def __str__(self):
        return self.name

    def value(self):
        """The number that stands for the width in files."""
        return self._value_


_WIDTHS = range(1, 17)
QuantDtype = _Width(
    "QuantDtype",
    {
        **{f"INT{bits}": bits - 1 for bits in _WIDTHS},
        **{f"UINT{bits}": 99 + bits for bits in _WIDTHS},
    },
    module=__name__,
)
QuantDtype.__doc__ = "INT1 to INT16 and UINT1 to UINT16; no Tensor has such elements."
