"""Case folding and normal forms. ASCII strings are folded natively, all others by these Python functions."""

import enum
import functools
import re
import unicodedata
from typing import Any

import numpy

from dyad import _core
from dyad.dataset import _arguments as check
from dyad.dataset._error_text import explained
from dyad.dataset._operation import TensorOperation
from dyad.dataset.text.unicode_tables import as_pattern, category_ranges

_SPECIAL_TOKENS = re.compile(r"(\[CLS\]|\[SEP\]|\[UNK\]|\[PAD\]|\[MASK\]|\[unused[0-9]+\])")


# Invisible characters (Unicode's Default_Ignorable_Code_Point); folded strings have none of them.
_IGNORABLE = re.compile(
    "[\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u3164"
    "\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufff8\\U0001bca0-\\U0001bca3\\U0001d173-\\U0001d17a\\U000e0000-\\U000e0fff]"
)


class NormalizeForm(enum.IntEnum):
    """Unicode's normal forms; NONE does not change a string."""

    NONE = 0
    NFC = 1
    NFKC = 2
    NFD = 3
    NFKD = 4


def normalized(form, text):
    """The string in a normal form."""
    return text if form == NormalizeForm.NONE else unicodedata.normalize(form.name, text)


def case_folded(text) -> str:
    """Unicode's NFKC_Casefold of a string: folded, in compatibility form, without invisible characters."""
    text = _IGNORABLE.sub("", unicodedata.normalize("NFKC", text)).casefold()
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


class UnicodeFold:
    """A function of one str as what `python_transform` calls; bytes are decoded for it and encoded again."""

    def __init__(self, function):
        self.function = function

    def __call__(self, columns, key):
        text = columns[0].item()
        folded = self.function(text.decode()).encode() if isinstance(text, bytes) else self.function(text)
        return (numpy.array(folded),)


def fold_attributes(lower, function) -> dict:
    """Attributes of a native fold: `function` is applied to strings that are not ASCII."""
    of_unicode = _core.data.python_transform(UnicodeFold(function), explained("text: the folding of a text"))
    return {"lower": lower, "of_unicode": [of_unicode]}


class CaseFold(TensorOperation):
    """Case folding by Unicode's NFKC_Casefold: strings that differ only in case or in form become equal."""

    def entry(self) -> tuple[str, dict[str, Any]]:
        """(name, attributes) of the native transform."""
        return "fold", {"owner": "CaseFold", **fold_attributes(True, case_folded)}


class NormalizeUTF8(TensorOperation):
    """Unicode normalization of strings."""

    def __init__(self, normalize_form: NormalizeForm = NormalizeForm.NFKC) -> None:
        self.normalize_form = check.require_type(
            "NormalizeUTF8", "normalize_form", normalize_form, NormalizeForm
        )

    def entry(self) -> tuple[str, dict[str, Any]]:
        """(name, attributes) of the native transform."""
        function = functools.partial(normalized, self.normalize_form)
        return "fold", {"owner": "NormalizeUTF8", **fold_attributes(False, function)}


@functools.cache
def _characters(*categories):
    return re.compile(f"[{as_pattern(category_ranges(*categories))}]")


def basic_fold(lower, form, preserve, text):
    """Cleans a string as BERT's basic tokenizer does before splitting.

    In lower case: case folding except for special tokens, and no accents. Otherwise: a normal form. Control and
    format characters become spaces.
    """
    if lower:
        parts = _SPECIAL_TOKENS.split(text) if preserve else [text]
        text = "".join(part if i % 2 else case_folded(part) for i, part in enumerate(parts))
        text = _characters("Mn").sub("", unicodedata.normalize("NFD", text))
    else:
        text = normalized(form, text)
    return _characters("Cc", "Cf").sub(" ", text)
