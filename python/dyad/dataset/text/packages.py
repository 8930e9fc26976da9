"""Tokenizers of other packages: jieba, sentencepiece."""

import enum
import io
import os
from typing import Any

import numpy

from dyad._src.base.lazy_import import load
from dyad.dataset import _arguments as check
from dyad.dataset._operation import PyTensorOperation


class JiebaMode(enum.IntEnum):
    """Method of Jieba: by its dictionary (MP), by its character model (HMM), or by both (MIX)."""

    MIX = 0
    MP = 1
    HMM = 2


class SentencePieceModel(enum.IntEnum):
    """Kinds of models of SentencePiece."""

    UNIGRAM = 0
    BPE = 1
    CHAR = 2
    WORD = 3


class SPieceTokenizerOutType(enum.IntEnum):
    """Results of a SentencePiece tokenizer: pieces or their ids."""

    STRING = 0
    INT = 1


class SPieceTokenizerLoadType(enum.IntEnum):
    """Source of a SentencePiece tokenizer's model: a file or a vocabulary."""

    FILE = 0
    MODEL = 1


def _package(owner, name):
    try:
        return load(name)
    except ModuleNotFoundError as error:
        raise RuntimeError(
            f"{owner}: needs the package {name}, which is not installed; run `pip install {name}`"
        ) from error


def _one_text(owner, columns):
    text = numpy.asarray(columns[0])
    if len(columns) != 1 or text.ndim or text.dtype.kind not in "US":
        raise RuntimeError(
            f"{owner}: got {len(columns)} columns, the first of shape {text.shape}; need one text"
        )
    return text.item().decode() if text.dtype.kind == "S" else text.item()


def _existing_file(owner, name, path):
    check.require_type(owner, name, path, str)
    if not os.path.isfile(path):
        raise ValueError(f"{owner}: {name} is {path!r}; need a file that exists")
    return path


class JiebaTokenizer(PyTensorOperation):
    """Splits Chinese text into words with the package jieba and the dictionary `mp_path`.

    The package has a character model of its own, which replaces the file `hmm_path`.
    """

    def __init__(
        self, hmm_path, mp_path, mode: JiebaMode = JiebaMode.MIX, with_offsets: bool = False
    ) -> None:
        self.hmm_path = _existing_file("JiebaTokenizer", "hmm_path", hmm_path)
        self.mp_path = _existing_file("JiebaTokenizer", "mp_path", mp_path)
        self.mode = check.require_type("JiebaTokenizer", "mode", mode, JiebaMode)
        self.with_offsets = check.require_type("JiebaTokenizer", "with_offsets", with_offsets, bool)
        self._words: dict = {}
        self._tokenizer: Any = None
        _package("JiebaTokenizer", "jieba")

    def add_word(self, word: str, freq: int | None = None) -> None:
        """Adds a word to the dictionary; without a frequency one is chosen so that it is found."""
        check.require_type("JiebaTokenizer.add_word", "word", word, str)
        if not word:
            raise ValueError("JiebaTokenizer.add_word: word is ''; need a word")
        if freq is not None:
            check.require_int("JiebaTokenizer.add_word", "freq", freq)
        self._words[word] = freq
        self._tokenizer = None

    def add_dict(self, user_dict: str | dict) -> None:
        """Adds the words of a dict of frequencies, or of a file with a word and its frequency per line."""
        owner = "JiebaTokenizer.add_dict"
        check.require_type(owner, "user_dict", user_dict, str, dict)
        if isinstance(user_dict, dict):
            for word, freq in user_dict.items():
                self.add_word(word, freq)
            return
        with open(_existing_file(owner, "user_dict", user_dict), encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                word, *rest = line.split()[:2] or [""]
                if not word or (rest and not rest[0].isdigit()):
                    raise ValueError(
                        f"{owner}: line {number} of {user_dict} is {line!r}; need a word and a frequency"
                    )
                self.add_word(word, int(rest[0]) if rest else None)

    def _jieba(self):
        if self._tokenizer is None:
            self._tokenizer = _package("JiebaTokenizer", "jieba").Tokenizer(self.mp_path)
            for word, freq in self._words.items():
                self._tokenizer.add_word(word, freq)
        return self._tokenizer

    def __getstate__(self):
        return {**super().__getstate__(), "_tokenizer": None}

    def apply(self, columns, random):
        """The columns that it makes of a tuple of columns."""
        text = _one_text("JiebaTokenizer", columns)
        if self.mode == JiebaMode.HMM:
            tokens = list(_package("JiebaTokenizer", "jieba.finalseg").cut(text))
        else:
            tokens = list(self._jieba().cut(text, HMM=self.mode == JiebaMode.MIX))
        tokens = tokens or [""]
        if not self.with_offsets:
            return (numpy.array(tokens),)
        ends = numpy.cumsum([len(token.encode()) for token in tokens]).astype(numpy.uint32)
        return numpy.array(tokens), numpy.concatenate([[0], ends[:-1]]).astype(numpy.uint32), ends


class SentencePieceVocab:
    """A model of SentencePiece, trained by one of the `from_` methods."""

    def __init__(self):
        self._model = None

    @classmethod
    def from_dataset(cls, dataset, col_names, vocab_size, character_coverage, model_type, params):
        """Trains on the strings of columns of a dataset; by default on all of them."""
        names = [col_names] if isinstance(col_names, str) else col_names
        check.require_type("SentencePieceVocab", "col_names", names, list, type(None))
        rows = dataset.create_dict_iterator(num_epochs=1, output_numpy=True)
        sentences = (
            text
            for row in rows
            for name in names or row
            for text in numpy.asarray(row[name]).ravel().tolist()
        )
        return cls._trained(vocab_size, character_coverage, model_type, params, sentence_iterator=sentences)

    @classmethod
    def from_file(cls, file_path: list, vocab_size, character_coverage, model_type, params):
        """Trains on the lines of files."""
        check.require_type("SentencePieceVocab", "file_path", file_path, list)
        files = [_existing_file("SentencePieceVocab", "file_path", path) for path in file_path]
        return cls._trained(vocab_size, character_coverage, model_type, params, input=files)

    @classmethod
    def _trained(cls, vocab_size, character_coverage, model_type, params, **texts):
        owner = "SentencePieceVocab"
        check.require_int(owner, "vocab_size", vocab_size, 1)
        check.require_type(owner, "character_coverage", character_coverage, int, float)
        check.require_range(owner, "character_coverage", character_coverage, 0, 1)
        check.require_type(owner, "model_type", model_type, SentencePieceModel)
        check.require_type(owner, "params", params, dict)
        model = io.BytesIO()
        _package(owner, "sentencepiece").SentencePieceTrainer.train(
            model_writer=model,
            vocab_size=vocab_size,
            character_coverage=character_coverage,
            model_type=model_type.name.lower(),
            **texts,
            **params,
        )
        made = cls()
        made._model = model.getvalue()
        return made

    @classmethod
    def save_model(cls, vocab: "SentencePieceVocab", path: str, filename: str) -> None:
        """Writes the model into a directory."""
        check.require_type("SentencePieceVocab.save_model", "vocab", vocab, SentencePieceVocab)
        check.require_type("SentencePieceVocab.save_model", "path", path, str)
        check.require_type("SentencePieceVocab.save_model", "filename", filename, str)
        if not os.path.isdir(path):
            raise RuntimeError(f"SentencePieceVocab.save_model: path is {path!r}; need a folder that exists")
        with open(os.path.join(path, filename), "wb") as file:
            file.write(vocab.model())

    def model(self):
        """The model as bytes."""
        if self._model is None:
            raise RuntimeError("SentencePieceVocab: it has no model; need one of from_dataset and from_file")
        return self._model


class SentencePieceTokenizer(PyTensorOperation):
    """Splits a string with a SentencePiece model: the path of a file or a SentencePieceVocab."""

    def __init__(self, mode: str | SentencePieceVocab, out_type: SPieceTokenizerOutType) -> None:
        owner = "SentencePieceTokenizer"
        check.require_type(owner, "mode", mode, str, SentencePieceVocab)
        self.out_type = check.require_type(owner, "out_type", out_type, SPieceTokenizerOutType)
        _package(owner, "sentencepiece")
        if isinstance(mode, str):
            with open(_existing_file(owner, "mode", mode), "rb") as file:
                self._model = file.read()
        else:
            self._model = mode.model()
        self._processor: Any = None

    def __getstate__(self):
        return {**super().__getstate__(), "_processor": None}

    def apply(self, columns, random) -> tuple:
        """The columns that it makes of a tuple of columns."""
        if self._processor is None:
            package = _package("SentencePieceTokenizer", "sentencepiece")
            self._processor = package.SentencePieceProcessor(model_proto=self._model)
        text = _one_text("SentencePieceTokenizer", columns)
        if self.out_type == SPieceTokenizerOutType.INT:
            return (numpy.array(self._processor.encode(text, out_type=int), numpy.int32),)
        return (numpy.array(self._processor.encode(text, out_type=str) or [""]),)
