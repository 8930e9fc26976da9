"""Text datasets whose files are read as a whole when they are opened: JSON, tables of tags, pairs of languages."""

import functools
import json
import os
from collections.abc import Callable

import numpy as np

from dyad._src.base.argument_checks import require_choice
from dyad.dataset._annotated_files import AnnotatedFiles
from dyad.dataset._row_files import RowFilesDataset, find_files
from dyad.dataset._shuffle import Shuffle
from dyad.dataset.text_datasets import _FolderOfTexts

_CLUE_TEXT_PAIR: dict = {"train": {"label": str, "sentence1": str, "sentence2": str}}
_CLUE_TEXT_PAIR["test"] = {"id": int, "sentence1": str, "sentence2": str}
_CLUE_SPANS = {"span1_index": int, "span1_text": str, "span2_index": int, "span2_text": str}
_CLUE = {
    "AFQMC": _CLUE_TEXT_PAIR,
    "TNEWS": {
        "train": {"keywords": str, "label": str, "label_desc": str, "sentence": str},
        "test": {"id": int, "keywords": str, "sentence": str},
    },
    "IFLYTEK": {
        "train": {"label": str, "label_des": str, "sentence": str},
        "test": {"id": int, "sentence": str},
    },
    "CMNLI": _CLUE_TEXT_PAIR,
    "WSC": {
        "train": {"idx": int, "label": str, **_CLUE_SPANS, "text": str},
        "test": {"idx": int, **_CLUE_SPANS, "text": str},
    },
    "CSL": {
        "train": {"abst": str, "id": int, "keyword": list, "label": str},
        "test": {"abst": str, "id": int, "keyword": list},
    },
}
_NO_ANSWER = {"text": "", "answer_start": (1 << 32) - 1}


def read_text(owner, path) -> str:
    """The contents of a file; bytes that are not UTF-8 are an error with their position."""
    with open(path, "rb") as file:
        contents = file.read()
    try:
        return contents.decode()
    except UnicodeDecodeError as error:
        raise RuntimeError(
            f"{owner}: the file {path} has a byte that is not UTF-8 at offset {error.start}"
        ) from None


def read_lines(owner, path) -> list:
    """The lines of a file that are not empty, with their numbers from 1."""
    return [(number, line) for number, line in enumerate(read_text(owner, path).split("\n"), 1) if line]


def _as_label(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


class _TextTable(RowFilesDataset):
    """Rows that are read as a whole, file by file. A subclass returns the rows of a file as dicts of columns."""

    _files: Callable[[], list[str]]

    @functools.cached_property
    def _tables(self):
        """The rows of each file."""
        tables = [self._read_file(path) for path in self._files()]
        if not any(tables):
            raise RuntimeError(f"{type(self).__name__}: no rows were found in {self._files()}")
        return tables

    def _read_file(self, path):
        raise TypeError(f"{type(self).__name__}: the class reads no files; override _read_file")

    def _column_kinds(self):
        """Type of each column by name: str, int, or list of strings."""
        raise TypeError(f"{type(self).__name__}: the class names no columns; override _column_kinds")

    def rows_per_file(self) -> list:
        return [len(table) for table in self._tables]

    def open_source(self):
        rows = [row for table in self._tables for row in table]
        table = AnnotatedFiles(type(self).__name__)
        add = {str: table.texts, list: table.text_lists}
        for name, kind in self._column_kinds().items():
            values = [row[name] for row in rows]
            if kind is int:
                table.array(name, values, np.uint32)
            else:
                add[kind](name, values)
        return table.open()

    def _broken(self, path, number, what):
        return RuntimeError(f"{type(self).__name__}: the file {path} cannot be read at line {number}: {what}")


class CLUEDataset(_TextTable):
    """CLUE: tasks of understanding Chinese, in JSON lines. The columns are those of the task, sorted by name.

    Args:
        dataset_files: path or pattern, or a list of them.
        task: "AFQMC", "TNEWS", "IFLYTEK", "CMNLI", "WSC" or "CSL".
        usage: "train", "test" or "eval".
        num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache: as for `TextFileDataset`.
    """

    def __init__(self, dataset_files, task: str = "AFQMC", usage: str = "train", num_samples=None,
                 num_parallel_workers=None, shuffle=Shuffle.GLOBAL, num_shards=None, shard_id=None,
                 cache=None) -> None:  # fmt: skip
        super().__init__(num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache)
        self.dataset_files = find_files("CLUEDataset", dataset_files)
        self.task = require_choice("CLUEDataset", "task", task, list(_CLUE))
        self.usage = require_choice("CLUEDataset", "usage", usage, ["train", "test", "eval"])

    def _files(self):
        return self.dataset_files

    def _column_kinds(self):
        return _CLUE[self.task]["test" if self.usage == "test" else "train"]

    def _read_file(self, path):
        return [
            self._row(path, number, line) for number, line in read_lines("CLUEDataset", path) if line.strip()
        ]

    def _row(self, path, number, line):
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise self._broken(path, number, f"it is no JSON ({error})") from None
        if not isinstance(record, dict):
            raise self._broken(path, number, "it is no JSON object")
        target = record.get("target")
        record = {**record, **(target if isinstance(target, dict) else {})}
        return {
            name: self._value(path, number, record, name, kind) for name, kind in self._column_kinds().items()
        }

    def _value(self, path, number, record, name, kind):
        if name not in record:
            raise self._broken(path, number, f"there is no key {name!r}, which task {self.task} has")
        value = record[name]
        if kind is int and isinstance(value, (int, str)) and str(value).isdigit() and int(value) < 1 << 32:
            return int(value)
        if kind is str and isinstance(value, (str, int, float)):
            return _as_label(value)
        if kind is list and isinstance(value, list):
            return [str(text) for text in value]
        need = {int: "a number that uint32 holds", str: "a text", list: "a list of texts"}[kind]
        raise self._broken(path, number, f"{name!r} is {value!r}; need {need}")


class SST2Dataset(_FolderOfTexts, _TextTable):
    """SST-2: columns `sentence` and `label`, both strings; without `label` for "test".

    Args:
        dataset_dir: directory with train.tsv, test.tsv and dev.tsv.
        usage: "train", "test" or "dev"; None is "train".
        num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache: as for `TextFileDataset`.
    """

    _names = (("train", "train.tsv"), ("test", "test.tsv"), ("dev", "dev.tsv"))
    _all = False
    _default_usage = "train"

    def __init__(self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None, shuffle=Shuffle.GLOBAL,
                 num_shards=None, shard_id=None, cache=None):  # fmt: skip
        super().__init__(
            dataset_dir, usage, num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache
        )

    def _column_kinds(self):
        return {"sentence": str} if self.usage == "test" else {"sentence": str, "label": str}

    def _read_file(self, path):
        lines = [(number, line.rstrip("\r").split("\t")) for number, line in read_lines("SST2Dataset", path)]
        names = lines[0][1] if lines else []
        for name in self._column_kinds():
            if name not in names:
                raise self._broken(path, 1, f"the first line names {names}; need a column {name!r}")
        for number, fields in lines[1:]:
            if len(fields) != len(names):
                raise self._broken(path, number, f"the line has {len(fields)} fields; need {len(names)}")
        return [dict(zip(names, fields, strict=True)) for _, fields in lines[1:]]


class SQuADDataset(_FolderOfTexts, _TextTable):
    """SQuAD 1.1 or 2.0: columns `context` and `question`, strings, and `text` and `answer_start`, the answers and
    their starts. A question without an answer has one empty string that starts at 4294967295.

    Args:
        dataset_dir: directory with train-v1.1.json and dev-v1.1.json, or those of version 2.0.
        usage: "train", "dev" or "all"; None is all.
        num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache: as for `TextFileDataset`.
    """

    _names = (("train", "train-v{}.json"), ("dev", "dev-v{}.json"))

    def __init__(self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None, shuffle=Shuffle.GLOBAL,
                 num_shards=None, shard_id=None, cache=None):  # fmt: skip
        super().__init__(
            dataset_dir, usage, num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache
        )

    def _path(self, name):
        for version in ("1.1", "2.0"):
            path = os.path.join(self.dataset_dir, name.format(version))
            if os.path.isfile(path):
                return path
        return super()._path(name.format("1.1"))

    def _read_file(self, path):
        try:
            content = json.loads(read_text("SQuADDataset", path))
            paragraphs = [paragraph for article in content["data"] for paragraph in article["paragraphs"]]
            return [self._row(paragraph, asked) for paragraph in paragraphs for asked in paragraph["qas"]]
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            raise RuntimeError(
                f"SQuADDataset: the file {path} is not in the format of SQuAD: {type(error).__name__}: {error}"
            ) from None

    def _row(self, paragraph, asked):
        answers = asked["answers"] or [_NO_ANSWER]
        starts = np.array([answer["answer_start"] for answer in answers])
        if starts.dtype.kind != "i" or starts.min() < 0 or starts.max() >= 1 << 32:
            raise ValueError(f"answer_start is {starts.tolist()}")
        texts = [paragraph["context"], asked["question"], *(answer["text"] for answer in answers)]
        if not all(isinstance(text, str) for text in texts):
            raise TypeError(f"one of {texts!r:.200} is no text")
        return {"context": texts[0], "question": texts[1], "text": texts[2:], "answer_start": starts.tolist()}

    def open_source(self):
        rows = [row for table in self._tables for row in table]
        table = AnnotatedFiles("SQuADDataset")
        table.texts("context", [row["context"] for row in rows])
        table.texts("question", [row["question"] for row in rows])
        table.text_lists("text", [row["text"] for row in rows])
        table.number_lists("answer_start", [row["answer_start"] for row in rows], np.uint32)
        return table.open()


class _Tagged(_FolderOfTexts, _TextTable):
    """Sentences with a word and its tags per line and an empty line between them."""

    _columns: tuple = ()
    _separator = " "

    def _column_kinds(self):
        return dict.fromkeys(self._columns, list)

    def _read_file(self, path):
        sentences, words = [], []
        text = read_text(type(self).__name__, path).replace("\r\n", "\n")
        for number, line in enumerate([*text.split("\n"), ""], 1):
            if line.strip():
                words.append(self._word(path, number, line))
            elif words:
                columns = zip(*words, strict=True)
                sentences.append(dict(zip(self._columns, map(list, columns), strict=True)))
                words = []
        return sentences

    def _word(self, path, number, line):
        fields = line.split(self._separator)
        if len(fields) != len(self._columns):
            raise self._broken(path, number, f"it has {len(fields)} fields; need {', '.join(self._columns)}")
        return fields


class CoNLL2000Dataset(_Tagged):
    """CoNLL-2000: one row per sentence, columns `word`, `pos_tag` and `chunk_tag`, each an array of strings.

    Args:
        dataset_dir: directory with train.txt and test.txt.
        usage: "train", "test" or "all"; None is all.
        num_samples, shuffle, num_shards, shard_id, num_parallel_workers, cache: as for `TextFileDataset`.
    """

    _names = (("train", "train.txt"), ("test", "test.txt"))
    _columns = ("word", "pos_tag", "chunk_tag")

    def __init__(self, dataset_dir, usage=None, num_samples=None, shuffle=Shuffle.GLOBAL, num_shards=None,
                 shard_id=None, num_parallel_workers=None, cache=None):  # fmt: skip
        super().__init__(
            dataset_dir, usage, num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache
        )


class UDPOSDataset(_Tagged):
    """UDPOS: one row per sentence, columns `word`, `universal` and `stanford`, each an array of strings.

    Args:
        dataset_dir: directory with en-ud-tag.v2.train.txt, en-ud-tag.v2.test.txt and en-ud-tag.v2.dev.txt.
        usage: "train", "test", "valid" or "all"; None is all.
        num_samples, shuffle, num_shards, shard_id, num_parallel_workers, cache: as for `TextFileDataset`.
    """

    _names = (
        ("train", "en-ud-tag.v2.train.txt"),
        ("test", "en-ud-tag.v2.test.txt"),
        ("valid", "en-ud-tag.v2.dev.txt"),
    )
    _columns = ("word", "universal", "stanford")
    _separator = "\t"

    def __init__(self, dataset_dir, usage=None, num_samples=None, shuffle=Shuffle.GLOBAL, num_shards=None,
                 shard_id=None, num_parallel_workers=None, cache=None):  # fmt: skip
        super().__init__(
            dataset_dir, usage, num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache
        )
