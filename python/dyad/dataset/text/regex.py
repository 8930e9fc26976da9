"""Transforms by regular expressions: Python's `re`, with the additional syntax of ICU."""

import functools
import re

import numpy

from dyad.dataset import _arguments as check
from dyad.dataset._operation import PyTensorOperation
from dyad.dataset.text.unicode_tables import as_pattern, category_ranges, complement, script_ranges

_CATEGORIES = {
    "letter": "L",
    "mark": "M",
    "number": "N",
    "punctuation": "P",
    "symbol": "S",
    "separator": "Z",
    "other": "C",
    "alphabetic": "L",
    "alpha": "L",
    "digit": "Nd",
    "lower": "Ll",
    "lowercase": "Ll",
    "upper": "Lu",
    "uppercase": "Lu",
    "punct": "P",
    "control": "Cc",
    "cntrl": "Cc",
}
_SPACES = [
    (9, 13),
    (32, 32),
    (0x85, 0x85),
    (0xA0, 0xA0),
    (0x1680, 0x1680),
    (0x2000, 0x200A),
    (0x2028, 0x2029),
]
_SPACES += [(0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000)]

# \p{…} and \P{…}, \pL, [:…:] inside a set, an escape, a bracket, the name of a group.
_PIECES = re.compile(
    r"\\[pP]\{(?P<long>\^?[\w=\s-]+)\}|\\[pP](?P<short>\w)|\[:(?P<posix>\^?\w+):\]|\\.|\[\^?\]?|\]|\(\?<(?=\w)",
    re.DOTALL,
)


def _ranges(owner, name):
    """The ranges of a property: a general category, a script or a class of POSIX."""
    plain = name.lower().removeprefix("script=").removeprefix("sc=").removeprefix("general_category=")
    plain = plain.removeprefix("gc=").removeprefix("is").strip()
    if plain in ("space", "whitespace", "white_space"):
        return _SPACES
    if plain == "alnum":
        return category_ranges("L", "Nd")
    category = _CATEGORIES.get(plain, plain.capitalize() if len(plain) <= 2 else None)
    found = category_ranges(category) if category else script_ranges(plain)
    if not found:
        raise ValueError(
            f"{owner}: the pattern has the property {name!r}; need a general category or a script"
        )
    return found


def _translated_piece(owner, piece, in_set):
    name = piece["long"] or piece["short"] or piece["posix"]
    ranges = _ranges(owner, name.removeprefix("^"))
    if piece[0].startswith(r"\P") != name.startswith("^"):
        ranges = complement(ranges)
    return as_pattern(ranges) if in_set else f"[{as_pattern(ranges)}]"


def translated(owner, pattern) -> str:
    r"""The pattern as Python's `re` reads it: \p{…} and [:…:] become ranges, (?<name>…) becomes (?P<name>…)."""
    parts, at, in_set = [], 0, False
    for piece in _PIECES.finditer(pattern):
        parts.append(pattern[at : piece.start()])
        at = piece.end()
        text = piece[0]
        if piece["long"] or piece["short"] or (piece["posix"] and in_set):
            text = _translated_piece(owner, piece, in_set)
        elif text == "(?<" and not in_set:
            text = "(?P<"
        elif text == "]":
            in_set = False
        elif text.startswith("[") and not in_set:
            in_set = True
        parts.append(text)
    return "".join([*parts, pattern[at:]])


@functools.lru_cache(maxsize=256)
def compiled(owner, name, pattern):
    """The pattern, ready for use."""
    try:
        return re.compile(translated(owner, pattern))
    except re.error as error:
        raise ValueError(f"{owner}: {name} is {pattern!r}; need a regular expression: {error}") from error


def _text_array(owner, column):
    texts = numpy.asarray(column)
    if texts.dtype.kind not in "US":
        raise TypeError(f"{owner}: got an array of {texts.dtype} with shape {texts.shape}; need text")
    return numpy.char.decode(texts, "utf8") if texts.dtype.kind == "S" else texts


class RegexTokenizer(PyTensorOperation):
    """Splits a string at the matches of a pattern. A match of the other pattern too is a token of its own."""

    def __init__(self, delim_pattern: str, keep_delim_pattern: str = "", with_offsets: bool = False) -> None:
        self.delim_pattern = check.require_type("RegexTokenizer", "delim_pattern", delim_pattern, str)
        self.keep_delim_pattern = check.require_type(
            "RegexTokenizer", "keep_delim_pattern", keep_delim_pattern, str
        )
        self._patterns()
        self.with_offsets = check.require_type("RegexTokenizer", "with_offsets", with_offsets, bool)

    def _patterns(self):
        """The two patterns; the second one is None where no delimiter is kept."""
        delim = compiled("RegexTokenizer", "delim_pattern", self.delim_pattern)
        keep = compiled("RegexTokenizer", "keep_delim_pattern", self.keep_delim_pattern)
        return delim, keep if self.keep_delim_pattern else None

    def _spans(self, text):
        start = 0
        delim, keep = self._patterns()
        for match in delim.finditer(text):
            if match.end() == match.start():
                continue
            yield start, match.start()
            if keep and keep.fullmatch(match[0]):
                yield match.span()
            start = match.end()
        yield start, len(text)

    def apply(self, columns, random) -> tuple:
        """The columns that it makes of a tuple of columns."""
        text = _text_array("RegexTokenizer", columns[0])
        if text.ndim:
            raise RuntimeError(f"RegexTokenizer: got texts with shape {text.shape}; need one text")
        text = text.item()
        spans = [(start, end) for start, end in self._spans(text) if end > start] or [(0, 0)]
        tokens = numpy.array([text[start:end] for start, end in spans])
        if not self.with_offsets:
            return (tokens,)
        bytes_before = [0, *numpy.cumsum([len(character.encode()) for character in text]).tolist()]
        starts, ends = zip(*spans, strict=True)
        return (
            tokens,
            *(numpy.array([bytes_before[i] for i in edge], numpy.uint32) for edge in (starts, ends)),
        )


class RegexReplace(PyTensorOperation):
    """Replaces the matches of a pattern, all or the first one; $1 refers to the first group."""

    def __init__(self, pattern: str, replace: str, replace_all: bool = True) -> None:
        self.pattern = check.require_type("RegexReplace", "pattern", pattern, str)
        self.replace = check.require_type("RegexReplace", "replace", replace, str)
        self.replace_all = check.require_type("RegexReplace", "replace_all", replace_all, bool)
        self.parts = self._parts()

    def _parts(self):
        """The replacement as strings and numbers of groups."""
        self._compiled()
        parts, at = [], 0
        for piece in re.finditer(r"\\(.)|\$(\d)|\$\{(\w+)\}", self.replace, re.DOTALL):
            parts += [self.replace[at : piece.start()], self._part(piece)]
            at = piece.end()
        return [*parts, self.replace[at:]]

    def _compiled(self):
        return compiled("RegexReplace", "pattern", self.pattern)

    def _part(self, piece):
        if piece[1] is not None:
            return piece[1]
        group = int(piece[2]) if piece[2] else self._compiled().groupindex.get(piece[3], -1)
        if not 0 <= group <= self._compiled().groups:
            raise ValueError(
                f"RegexReplace: replace is {self.replace!r}, which names a group that pattern has not; it has "
                f"{self._compiled().groups}"
            )
        return group

    def _expanded(self, match):
        return "".join(part if isinstance(part, str) else match[part] or "" for part in self.parts)

    def apply(self, columns, random) -> tuple:
        """The columns that it makes of a tuple of columns."""
        texts = _text_array("RegexReplace", columns[0])
        count = 0 if self.replace_all else 1
        replaced = [self._compiled().sub(self._expanded, text, count) for text in texts.ravel().tolist()]
        return (numpy.array(replaced, dtype=str).reshape(texts.shape),)
