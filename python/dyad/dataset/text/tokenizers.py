"""Tokenizers without another package. With offsets, two more columns have start and end of tokens, in bytes."""

import functools
from collections.abc import Callable
from typing import Any

import numpy

from dyad.dataset import _arguments as check
from dyad.dataset._operation import PyTensorOperation, TensorOperation
from dyad.dataset.text.folding import NormalizeForm, basic_fold, fold_attributes
from dyad.dataset.text.unicode_tables import category_ranges, numbered_scripts
from dyad.dataset.text.vocab import Vocab

_LARGEST = 4294967295


class WhitespaceTokenizer(TensorOperation):
    """Splits a string at white space."""

    def __init__(self, with_offsets: bool = False) -> None:
        self.with_offsets = check.require_type("WhitespaceTokenizer", "with_offsets", with_offsets, bool)

    def entry(self) -> tuple[str, dict[str, Any]]:
        """(name, attributes) of the native transform."""
        return "whitespace_tokenizer", {"with_offsets": self.with_offsets}


class UnicodeCharTokenizer(TensorOperation):
    """Splits a string into its characters."""

    def __init__(self, with_offsets: bool = False) -> None:
        self.with_offsets = check.require_type("UnicodeCharTokenizer", "with_offsets", with_offsets, bool)

    def entry(self) -> tuple[str, dict[str, Any]]:
        """(name, attributes) of the native transform."""
        return "unicode_char_tokenizer", {"with_offsets": self.with_offsets}


class UnicodeScriptTokenizer(TensorOperation):
    """Splits a string at white space and where the script changes: digits and punctuation are scripts too."""

    def __init__(self, keep_whitespace: bool = False, with_offsets: bool = False) -> None:
        self.keep_whitespace = check.require_type(
            "UnicodeScriptTokenizer", "keep_whitespace", keep_whitespace, bool
        )
        self.with_offsets = check.require_type("UnicodeScriptTokenizer", "with_offsets", with_offsets, bool)

    def entry(self) -> tuple[str, dict[str, Any]]:
        """(name, attributes) of the native transform."""
        starts, scripts = numbered_scripts()
        return "unicode_script_tokenizer", {
            "starts": starts,
            "scripts": scripts,
            "keep_whitespace": self.keep_whitespace,
            "with_offsets": self.with_offsets,
        }


class _Wordpiece:
    """The arguments of tokenizers that split words into pieces."""

    def take(self, vocab: Vocab, suffix_indicator: str, max_bytes_per_token: int, unknown_token: str) -> None:
        """Checks and stores the arguments."""
        owner = type(self).__name__
        self.words = check.require_type(owner, "vocab", vocab, Vocab).vocab()
        self.suffix_indicator = check.require_type(owner, "suffix_indicator", suffix_indicator, str)
        self.max_bytes_per_token = check.require_int(
            owner, "max_bytes_per_token", max_bytes_per_token, 0, _LARGEST
        )
        self.unknown_token = check.require_type(owner, "unknown_token", unknown_token, str)

    def pieces(self) -> dict:
        """They as attributes of a native transform."""
        return {
            "words": self.words,
            "suffix_indicator": self.suffix_indicator,
            "max_bytes_per_token": self.max_bytes_per_token,
            "unknown_token": self.unknown_token,
        }


class WordpieceTokenizer(TensorOperation, _Wordpiece):
    """Splits words into the longest pieces that are in a vocabulary; a word without any becomes `unknown_token`.

    With an empty `unknown_token` the word is kept. Offsets are those within each word.
    """

    def __init__(
        self,
        vocab,
        suffix_indicator="##",
        max_bytes_per_token=100,
        unknown_token="[UNK]",
        with_offsets: bool = False,
    ) -> None:
        self.take(vocab, suffix_indicator, max_bytes_per_token, unknown_token)
        self.with_offsets = check.require_type("WordpieceTokenizer", "with_offsets", with_offsets, bool)

    def entry(self) -> tuple[str, dict[str, Any]]:
        """(name, attributes) of the native transform."""
        return "wordpiece_tokenizer", {**self.pieces(), "with_offsets": self.with_offsets}


class _Basic:
    """Base class of tokenizers that clean a string before splitting."""

    def take_basic(
        self,
        lower_case: bool,
        keep_whitespace: bool,
        normalization_form: NormalizeForm,
        preserve_unused_token: bool,
        with_offsets: bool,
    ) -> None:
        """Checks and keeps them."""
        owner = type(self).__name__
        self.lower_case = check.require_type(owner, "lower_case", lower_case, bool)
        self.keep_whitespace = check.require_type(owner, "keep_whitespace", keep_whitespace, bool)
        self.normalization_form = check.require_type(
            owner, "normalization_form", normalization_form, NormalizeForm
        )
        self.preserve_unused_token = check.require_type(
            owner, "preserve_unused_token", preserve_unused_token, bool
        )
        self.with_offsets = check.require_type(owner, "with_offsets", with_offsets, bool)

    def basics(self) -> dict:
        """They as attributes of a native transform."""
        fold = functools.partial(
            basic_fold, self.lower_case, self.normalization_form, self.preserve_unused_token
        )
        return {
            **fold_attributes(self.lower_case, fold),
            "keep_whitespace": self.keep_whitespace,
            "preserve_unused_token": self.preserve_unused_token,
            "with_offsets": self.with_offsets,
            "punctuation": [code for run in category_ranges("P") for code in run],
        }


class BasicTokenizer(TensorOperation, _Basic):
    """Splits a string at white space, punctuation and Chinese characters, after cleaning.

    In lower case the string loses its accents; otherwise it is converted to a normal form. With preservation, special
    tokens such as [CLS] and [unused7] stay whole. Offsets are those in the cleaned string.
    """

    def __init__(
        self,
        lower_case: bool = False,
        keep_whitespace: bool = False,
        normalization_form=NormalizeForm.NONE,
        preserve_unused_token: bool = True,
        with_offsets: bool = False,
    ) -> None:
        self.take_basic(lower_case, keep_whitespace, normalization_form, preserve_unused_token, with_offsets)

    def entry(self) -> tuple[str, dict[str, Any]]:
        """(name, attributes) of the native transform."""
        return "basic_tokenizer", self.basics()


class BertTokenizer(TensorOperation, _Basic, _Wordpiece):
    """A basic tokenizer whose words are then split into pieces."""

    def __init__(
        self,
        vocab,
        suffix_indicator="##",
        max_bytes_per_token=100,
        unknown_token="[UNK]",
        lower_case: bool = False,
        keep_whitespace: bool = False,
        normalization_form=NormalizeForm.NONE,
        preserve_unused_token: bool = True,
        with_offsets: bool = False,
    ) -> None:
        self.take(vocab, suffix_indicator, max_bytes_per_token, unknown_token)
        self.take_basic(lower_case, keep_whitespace, normalization_form, preserve_unused_token, with_offsets)

    def entry(self) -> tuple[str, dict[str, Any]]:
        """(name, attributes) of the native transform."""
        return "bert_tokenizer", {**self.pieces(), **self.basics()}


class PythonTokenizer(PyTensorOperation):
    """A Python function from a str to a list of tokens, for every string of a column."""

    def __init__(self, tokenizer: Callable) -> None:
        if not callable(tokenizer):
            raise TypeError(f"PythonTokenizer: tokenizer is {tokenizer!r}; need a function of a str")
        self.tokenizer = tokenizer

    def apply(self, columns, random) -> tuple:
        """The columns that it makes of a tuple of columns."""
        texts = numpy.asarray(columns[0])
        if texts.dtype.kind not in "US":
            raise TypeError(f"PythonTokenizer: got an array of {texts.dtype}; need text")
        if texts.ndim == 0:
            return (numpy.array(self.tokenizer(_as_str(texts.item()))),)
        tokens = [self.tokenizer(_as_str(text)) for text in texts.ravel().tolist()]
        return (numpy.array(tokens).reshape(*texts.shape, -1),)


def _as_str(text):
    return text.decode() if isinstance(text, bytes) else text
