"""`Shuffle`: the levels at which sources of files shuffle."""

import enum


class Shuffle(str, enum.Enum):  # noqa: UP042 - prints as "Shuffle.GLOBAL"
    """Levels of shuffling.

    GLOBAL: all rows. FILES: the files, each read in order. INFILE: the rows within each file. ADAPTIVE and PARTIAL,
    which trade randomness for memory in MindSpore, shuffle all rows here: an order takes 8 bytes per row. FALSE:
    none.
    """

    FALSE = "false"
    ADAPTIVE = "adaptive"
    GLOBAL = "global"
    PARTIAL = "partial"
    FILES = "files"
    INFILE = "infile"


_OF_ALL_ROWS = (Shuffle.ADAPTIVE, Shuffle.GLOBAL, Shuffle.PARTIAL)


def shuffle_level(owner, shuffle, default):
    """The level that an argument means: a bool, None for the default, or a `Shuffle`."""
    if shuffle is None:
        return default
    if isinstance(shuffle, bool):
        return Shuffle.GLOBAL if shuffle else Shuffle.FALSE
    if not isinstance(shuffle, Shuffle):
        raise TypeError(
            f"{owner}: shuffle is {shuffle!r} of type {type(shuffle).__name__}; need a bool or a value of Shuffle"
        )
    return Shuffle.GLOBAL if shuffle in _OF_ALL_ROWS else shuffle
