"""Pretrained word vectors from files."""

import os
from typing import Any

import numpy

from dyad.dataset import _arguments as check
from dyad.dataset._operation import TensorOperation


class Vectors:
    """Vectors by word, loaded by `from_file`."""

    _from_grams = False

    def __init__(self):
        self._words = None
        self._table = None

    @classmethod
    def from_file(cls, file_path: str, max_vectors: int | None = None):
        """Reads lines of a word and its numbers; a first line with only two numbers, counts, is skipped.

        At most `max_vectors` vectors are kept; None and 0 keep all. The first entry of a word counts.
        """
        owner = cls.__name__
        check.require_type(owner, "file_path", file_path, str)
        limit = 0 if max_vectors is None else check.require_int(owner, "max_vectors", max_vectors)
        cls._require_name(file_path)
        made = cls()
        made._words, made._table = _read(owner, file_path, limit)
        return made

    @classmethod
    def _require_name(cls, file_path):
        """Raises if the file cannot be of this kind by its name."""


class GloVe(Vectors):
    """Vectors in GloVe's files, `glove.*.txt`."""

    @classmethod
    def _require_name(cls, file_path):
        name = os.path.basename(file_path)
        if not (name.startswith("glove.") and name.endswith(".txt")):
            raise RuntimeError(f"GloVe: the file is {file_path}; need a name like glove.*.txt")


class FastText(Vectors):
    """Vectors in FastText's files, `*.vec`."""

    @classmethod
    def _require_name(cls, file_path):
        if not file_path.endswith(".vec"):
            raise RuntimeError(f"FastText: the file is {file_path}; need a name that ends in .vec")


class CharNGram(Vectors):
    """Vectors of n-grams of characters; that of a word is the mean of those of its n-grams of 2 to 4 characters."""

    _from_grams = True


def _read(owner, file_path, limit):
    lines: list = []
    words = {}
    try:
        with open(file_path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                word, *values = line.rstrip().split(" ")
                if number == 1 and len(values) == 1:
                    continue  # number of vectors, and their length
                vector = _vector(f"{owner}: line {number} of {file_path}", values)
                if lines and len(vector) != len(lines[0]):
                    raise RuntimeError(
                        f"{owner}: line {number} of {file_path} has {len(vector)} numbers; those before have "
                        f"{len(lines[0])}"
                    )
                if word not in words:
                    words[word] = len(lines)
                    lines.append(vector)
                if len(lines) == limit:
                    break
    except (OSError, UnicodeDecodeError) as error:
        raise RuntimeError(f"{owner}: the file {file_path} cannot be read: {error}") from error
    if not lines:
        raise RuntimeError(f"{owner}: the file {file_path} has no vectors")
    return words, numpy.stack(lines)


def _vector(place, values):
    try:
        vector = numpy.array(values, dtype=numpy.float32)
    except ValueError as error:
        raise RuntimeError(f"{place} has something other than numbers behind the word: {error}") from error
    if len(vector) < 2:
        raise RuntimeError(f"{place} has {len(vector)} numbers; a vector has at least two")
    return vector


class ToVectors(TensorOperation):
    """The vectors of words; an unknown word has `unk_init`, or zeros.

    With `lower_case_backup` an unknown word is looked up in lower case as well.
    """

    def __init__(self, vectors: Vectors, unk_init=None, lower_case_backup: bool = False) -> None:
        self.vectors = check.require_type("ToVectors", "vectors", vectors, Vectors)
        if vectors._table is None:
            raise ValueError(
                f"ToVectors: vectors is empty; need one made by {type(vectors).__name__}.from_file"
            )
        width = vectors._table.shape[1]
        check.require_type("ToVectors", "unk_init", unk_init, list, tuple, type(None))
        self.unk_init = [0.0] * width if unk_init is None else list(unk_init)
        for value in self.unk_init:
            check.require_type("ToVectors", "a number of unk_init", value, int, float)
        if len(self.unk_init) != width:
            raise ValueError(
                f"ToVectors: unk_init has {len(self.unk_init)} numbers; the vectors have {width}"
            )
        self.lower_case_backup = check.require_type("ToVectors", "lower_case_backup", lower_case_backup, bool)

    def entry(self) -> tuple[str, dict[str, Any]]:
        """(name, attributes) of the native transform."""
        return "to_vectors", {
            "words": self.vectors._words,
            "table": self.vectors._table,
            "unknown": numpy.array(self.unk_init, numpy.float32),
            "lower_too": self.lower_case_backup,
            "from_grams": self.vectors._from_grams,
        }
