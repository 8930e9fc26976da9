"""The transforms under MindSpore 1's module path."""

from dyad.dataset._operation import Implementation, TensorOperation
from dyad.dataset.text.folding import CaseFold, NormalizeForm, NormalizeUTF8
from dyad.dataset.text.packages import JiebaTokenizer, SentencePieceTokenizer
from dyad.dataset.text.regex import RegexReplace, RegexTokenizer
from dyad.dataset.text.sequences import (
    AddToken,
    FilterWikipediaXML,
    Ngram,
    SlidingWindow,
    ToNumber,
    Truncate,
    TruncateSequencePair,
)
from dyad.dataset.text.tokenizers import (
    BasicTokenizer,
    BertTokenizer,
    PythonTokenizer,
    UnicodeCharTokenizer,
    UnicodeScriptTokenizer,
    WhitespaceTokenizer,
    WordpieceTokenizer,
)
from dyad.dataset.text.vectors import ToVectors
from dyad.dataset.text.vocab import Lookup

__all__ = [
    "AddToken",
    "BasicTokenizer",
    "BertTokenizer",
    "CaseFold",
    "FilterWikipediaXML",
    "Implementation",
    "JiebaTokenizer",
    "Lookup",
    "Ngram",
    "NormalizeUTF8",
    "PythonTokenizer",
    "RegexReplace",
    "RegexTokenizer",
    "SentencePieceTokenizer",
    "SlidingWindow",
    "TextTensorOperation",
    "ToNumber",
    "ToVectors",
    "Truncate",
    "TruncateSequencePair",
    "UnicodeCharTokenizer",
    "UnicodeScriptTokenizer",
    "WhitespaceTokenizer",
    "WordpieceTokenizer",
]


class TextTensorOperation(TensorOperation):
    """Base class of user-defined transforms of text."""


# Packages hand this on to an operation: a form is its own name there.
DE_C_INTER_NORMALIZE_FORM = {form: form for form in NormalizeForm}
