"""Words and their numbers."""

import collections
from typing import Any

import numpy

from dyad.dataset import _arguments as check
from dyad.dataset._operation import TensorOperation
from dyad.dtype import int32

_LARGEST = 2147483647


def _distinct(name, words):
    """The words as a list of distinct strings."""
    check.require_type("Vocab", name, words, list)
    seen = set()
    for word in words:
        check.require_type("Vocab", f"a word of {name}", word, str)
        if word in seen:
            raise ValueError(f"Vocab: {name} has {word!r} twice; need distinct words")
        seen.add(word)
    return words


class Vocab:
    """Words and their ids, constructed by one of the `from_` methods."""

    def __init__(self):
        self._numbers = None
        self._words = None

    @classmethod
    def _of(cls, numbers):
        vocab = cls()
        vocab._numbers = numbers
        vocab._words = {number: word for word, number in reversed(numbers.items())}
        return vocab

    @classmethod
    def from_list(cls, word_list, special_tokens=None, special_first: bool = True):
        """Numbers words in their order; special tokens come before them, or after them."""
        words = _distinct("word_list", word_list)
        special = [] if special_tokens is None else _distinct("special_tokens", special_tokens)
        check.require_type("Vocab", "special_first", special_first, bool)
        common = sorted(set(words) & set(special))
        if common:
            raise ValueError(
                f"Vocab: {common} stand in special_tokens and among the words; need distinct words"
            )
        ordered = special + words if special_first else words + special
        return cls._of({word: number for number, word in enumerate(ordered)})

    @classmethod
    def from_dict(cls, word_dict: dict):
        """Words with ids from a dict."""
        check.require_type("Vocab", "word_dict", word_dict, dict)
        for word, number in word_dict.items():
            check.require_type("Vocab", "a word of word_dict", word, str)
            check.require_int("Vocab", f"word_dict[{word!r}]", number, 0, _LARGEST)
        return cls._of(dict(word_dict))

    @classmethod
    def from_file(
        cls,
        file_path: str,
        delimiter: str = "",
        vocab_size: int | None = None,
        special_tokens=None,
        special_first: bool = True,
    ):
        """Words of a file, one per line up to the delimiter, the first `vocab_size` of them."""
        check.require_type("Vocab", "file_path", file_path, str)
        check.require_type("Vocab", "delimiter", delimiter, str)
        if vocab_size is not None:
            check.require_int("Vocab", "vocab_size", vocab_size, 1, _LARGEST)
        try:
            with open(file_path, encoding="utf-8", newline="") as file:
                lines = [line.rstrip("\r\n") for line in file]
        except (OSError, UnicodeDecodeError) as error:
            raise RuntimeError(f"Vocab: the file {file_path} cannot be read: {error}") from error
        words = [line.split(delimiter, 1)[0] if delimiter else line for line in lines[:vocab_size]]
        return cls.from_list(words, special_tokens, special_first)

    @classmethod
    def from_dataset(
        cls,
        dataset,
        columns=None,
        freq_range=None,
        top_k: int | None = None,
        special_tokens=None,
        special_first: bool = True,
    ):
        """The words of columns of a dataset, the most frequent first, words as frequent in alphabetical order.

        Those whose frequency is in `freq_range`, (low, high) with None for no bound, and of them the first `top_k`.
        """
        low, high = _frequency_bounds(freq_range)
        if top_k is not None:
            check.require_int("Vocab", "top_k", top_k, 1, _LARGEST)
        counts = _word_counts(dataset, columns)
        ordered = sorted(counts, key=lambda word: (-counts[word], word.encode()))
        words = [word for word in ordered if low <= counts[word] <= high][:top_k]
        return cls.from_list(words, special_tokens, special_first)

    def _built(self):
        if self._numbers is None:
            raise RuntimeError(
                "Vocab: it has no words yet; need one of Vocab.from_list, from_dict, from_file and from_dataset"
            )
        return self

    def vocab(self) -> dict:
        """A dict of the words and their numbers."""
        return dict(self._built()._numbers)

    def tokens_to_ids(self, tokens):
        """The id of a word, or of each of a list; -1 for an unknown word."""
        check.require_type("Vocab", "tokens", tokens, str, list, numpy.ndarray)
        if isinstance(tokens, str):
            return self._built()._numbers.get(tokens, -1)
        words = tokens.tolist() if isinstance(tokens, numpy.ndarray) else tokens
        return [self.tokens_to_ids(check.require_type("Vocab", "a token", word, str)) for word in words]

    def ids_to_tokens(self, ids):
        """The word of a number, or of each of a list; "" for a number that no word has."""
        check.require_type("Vocab", "ids", ids, int, list, numpy.ndarray)
        if isinstance(ids, int):
            return self._built()._words.get(check.require_int("Vocab", "ids", ids, 0, _LARGEST), "")
        numbers = ids.tolist() if isinstance(ids, numpy.ndarray) else ids
        return [self.ids_to_tokens(check.require_type("Vocab", "an id", number, int)) for number in numbers]


def _frequency_bounds(freq_range):
    if freq_range is None:
        return 0, float("inf")
    check.require_type("Vocab", "freq_range", freq_range, tuple)
    if len(freq_range) != 2:
        raise ValueError(f"Vocab: freq_range is {freq_range}; need (low, high)")
    bounds = []
    for bound, default in zip(freq_range, (0, float("inf")), strict=True):
        bounds.append(default if bound is None else check.require_int("Vocab", "freq_range", bound))
    if bounds[0] > bounds[1]:
        raise ValueError(f"Vocab: freq_range is {freq_range}; need low <= high")
    return bounds


def _word_counts(dataset, columns):
    names = [columns] if isinstance(columns, str) else columns
    if names is not None:
        check.require_type("Vocab", "columns", names, list)
    counts: collections.Counter = collections.Counter()
    for row in dataset.create_dict_iterator(num_epochs=1, output_numpy=True):
        for name in row if names is None else names:
            if name not in row:
                raise RuntimeError(f"Vocab: the dataset has no column {name!r}; it has {sorted(row)}")
            texts = numpy.asarray(row[name])
            if texts.dtype.kind not in "US":
                raise RuntimeError(f"Vocab: column {name!r} has dtype {texts.dtype}; need text")
            words = texts.ravel().tolist()
            counts.update(word.decode() if isinstance(word, bytes) else word for word in words)
    return counts


class Lookup(TensorOperation):
    """The numbers of words; words that are not in the vocabulary have the number of `unknown_token`."""

    def __init__(self, vocab: Vocab, unknown_token=None, data_type=int32) -> None:
        self.words = check.require_type("Lookup", "vocab", vocab, Vocab).vocab()
        self.data_type = check.dtype_name("Lookup", "data_type", data_type)
        self.unknown_token = unknown_token
        if unknown_token is None:
            return
        check.require_type("Lookup", "unknown_token", unknown_token, str)
        if unknown_token not in self.words:
            raise ValueError(f"Lookup: unknown_token is {unknown_token!r}, which is not in the vocabulary")

    def entry(self) -> tuple[str, dict[str, Any]]:
        """(name, attributes) of the native transform."""
        unknown = -1 if self.unknown_token is None else self.words[self.unknown_token]
        return "lookup", {"words": self.words, "unknown": unknown, "dtype": self.data_type}
