"""`AmpStrategy`: in what precision a Cell computes, as one value that is assigned to its `amp_strategy`."""

import enum

from dyad._src.tensor.precision import autocast_rule, require_cell_precision

__all__ = ["AmpLevel", "AmpStrategy", "create_amp_strategy"]


class AmpLevel(enum.Enum):
    """Levels of mixed precision."""

    AmpO0 = "nothing"
    AmpO3 = "everything"
    AmpAuto = "each operator by its kind"


class AmpStrategy:
    """A level and its lower-precision dtype. Lists of operators are not accepted: only the level decides."""

    def __init__(self, level, dtype, white_list, black_list):
        if not isinstance(level, AmpLevel):
            raise TypeError(f"create_amp_strategy: amp_level is {level!r}; need an AmpLevel")
        if white_list or black_list:
            raise ValueError(
                f"create_amp_strategy: white_list is {white_list!r} and black_list {black_list!r}; need empty ones, or "
                "amp.custom_mixed_precision, which takes lists of classes"
            )
        if level is not AmpLevel.AmpO0:
            require_cell_precision("create_amp_strategy", dtype)
        self._level, self._dtype = level, dtype

    def get_amp_level(self):
        """The level."""
        return self._level

    def get_amp_dtype(self):
        """The dtype of lower precision."""
        return self._dtype

    def get_white_list(self):
        """Additional operators in lower precision: none."""
        return []

    def get_black_list(self):
        """The operators that are left as they are: none."""
        return []

    def precision(self):
        """The precision that a Cell with this strategy stores."""
        return {
            "_compute_dtype": self._dtype if self._level is AmpLevel.AmpO3 else None,
            "_autocast": autocast_rule(self._dtype) if self._level is AmpLevel.AmpAuto else None,
            "_output_dtype": None,
        }


def create_amp_strategy(amp_level, amp_dtype, white_list=(), black_list=()):
    """The strategy of a level, for a Cell's `amp_strategy`."""
    return AmpStrategy(amp_level, amp_dtype, white_list, black_list)
