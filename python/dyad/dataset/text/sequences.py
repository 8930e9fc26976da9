"""Transforms of lists of tokens, and of strings."""

from typing import Any

from dyad.dataset import _arguments as check
from dyad.dataset._operation import TensorOperation
from dyad.dtype import Type


class AddToken(TensorOperation):
    """Inserts a token before or after each row of tokens."""

    def __init__(self, token: str, begin: bool = True) -> None:
        self.token = check.require_type("AddToken", "token", token, str)
        self.begin = check.require_type("AddToken", "begin", begin, bool)

    def entry(self) -> tuple[str, dict[str, Any]]:
        """(name, attributes) of the native transform."""
        return "add_token", {"token": self.token, "begin": self.begin}


class FilterWikipediaXML(TensorOperation):
    """The words of a dump of Wikipedia: lower-case letters, digits as words, no tags, no names of characters."""

    def entry(self) -> tuple[str, dict[str, Any]]:
        """(name, attributes) of the native transform."""
        return "filter_wikipedia_xml", {}


class Ngram(TensorOperation):
    """N-grams: runs of n neighboring tokens of a list as strings, for one n or for several one after the other.

    A side is padded with at most n - 1 tokens. An n without a run results in one empty string.
    """

    def __init__(self, n: int | list, left_pad=("", 0), right_pad=("", 0), separator: str = " ") -> None:
        check.require_type("Ngram", "n", n, int, list)
        self.n = [n] if isinstance(n, int) else list(n)
        if not self.n:
            raise ValueError("Ngram: n is []; need an int or a list of them")
        for length in self.n:
            check.require_int("Ngram", "n", length, 1)
        self.left_pad = self._padding("left_pad", left_pad)
        self.right_pad = self._padding("right_pad", right_pad)
        self.separator = check.require_type("Ngram", "separator", separator, str)

    @staticmethod
    def _padding(name, pad):
        is_pair = isinstance(pad, tuple) and len(pad) == 2
        if not (is_pair and isinstance(pad[0], str) and isinstance(pad[1], int)) or isinstance(pad[1], bool):
            raise ValueError(f"Ngram: {name} is {pad!r}; need a tuple (token, width) of a str and an int")
        check.require_int("Ngram", f"the width of {name}", pad[1])
        return pad

    def entry(self) -> tuple[str, dict[str, Any]]:
        """(name, attributes) of the native transform."""
        return "ngram", {
            "lengths": self.n,
            "left_token": self.left_pad[0],
            "left_width": self.left_pad[1],
            "right_token": self.right_pad[0],
            "right_width": self.right_pad[1],
            "separator": self.separator,
        }


class SlidingWindow(TensorOperation):
    """The runs of `width` neighbors of a list, one per row."""

    def __init__(self, width: int, axis: int = 0) -> None:
        self.width = check.require_int("SlidingWindow", "width", width, 1)
        check.require_type("SlidingWindow", "axis", axis, int)
        if axis not in (0, -1):
            raise ValueError(f"SlidingWindow: axis is {axis}; need 0 or -1 for one dimension")
        self.axis = axis

    def entry(self) -> tuple[str, dict[str, Any]]:
        """(name, attributes) of the native transform."""
        return "sliding_window", {"width": self.width}


class ToNumber(TensorOperation):
    """Parses strings as numbers. A string that is not a number of the dtype, or out of its range, is an error."""

    def __init__(self, data_type: Type) -> None:
        check.require_type("ToNumber", "data_type", data_type, Type)
        name = check.dtype_name("ToNumber", "data_type", data_type)
        if name == "bool_" or name.startswith("complex"):
            raise TypeError(f"ToNumber: data_type is {name}; need a dtype of integers or of real numbers")
        self.data_type = name

    def entry(self) -> tuple[str, dict[str, Any]]:
        """(name, attributes) of the native transform."""
        return "to_number", {"dtype": self.data_type}


class Truncate(TensorOperation):
    """Cuts rows to `max_seq_len` elements."""

    def __init__(self, max_seq_len: int) -> None:
        self.max_seq_len = check.require_int("Truncate", "max_seq_len", max_seq_len, 1)

    def entry(self) -> tuple[str, dict[str, Any]]:
        """(name, attributes) of the native transform."""
        return "truncate", {"length": self.max_seq_len}


class TruncateSequencePair(TensorOperation):
    """Cuts two lists to `max_length` elements together; the longer one loses first."""

    def __init__(self, max_length: int) -> None:
        self.max_length = check.require_int("TruncateSequencePair", "max_length", max_length)

    def entry(self) -> tuple[str, dict[str, Any]]:
        """(name, attributes) of the native transform."""
        return "truncate_sequence_pair", {"length": self.max_length}
