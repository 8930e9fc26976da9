"""Datasets of text files: lines, and records of CSV files."""

import os

from dyad import _core
from dyad._src.base.argument_checks import require_choice
from dyad.dataset import _arguments as arguments
from dyad.dataset._row_files import RowFilesDataset, find_files
from dyad.dataset._shuffle import Shuffle

_native = _core.data
_KINDS = {int: "int", float: "float", str: "string"}


class _Lines(RowFilesDataset):
    """Lines that are not empty. A subclass returns the files, and may keep empty lines."""

    _keep_empty = False

    def _files(self):
        raise TypeError(f"{type(self).__name__}: the class names no files; override _files")

    def open_source(self):
        owner = type(self).__name__
        attributes = {
            "owner": owner,
            "files": self._files(),
            "column": "text",
            "keep_empty": self._keep_empty,
        }
        return _native.open_source("lines", attributes)


class TextFileDataset(_Lines):
    """The lines of text files, in one column `text`. Empty lines are skipped.

    Args:
        dataset_files: path or pattern, or a list of them.
        num_samples: maximum number of rows.
        num_parallel_workers: number of threads that compute rows.
        shuffle: a bool, or `Shuffle.GLOBAL` for rows and `Shuffle.FILES` for files.
        num_shards, shard_id: number of shards, and the index of this one.
        cache: only None is supported.
    """

    def __init__(self, dataset_files, num_samples=None, num_parallel_workers=None, shuffle=Shuffle.GLOBAL,
                 num_shards=None, shard_id=None, cache=None):  # fmt: skip
        super().__init__(num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache)
        self.dataset_files = find_files("TextFileDataset", dataset_files)

    def _files(self):
        return self.dataset_files


class _FolderOfTexts(RowFilesDataset):
    """A dataset in a directory with fixed file names: `_names` returns them for each usage."""

    _names: tuple = ()  # (usage, name of the file)
    _all = True  # whether the usage "all" means all of them
    _default_usage = "all"

    def __init__(
        self,
        dataset_dir,
        usage: str | None,
        num_samples,
        num_parallel_workers,
        shuffle,
        num_shards,
        shard_id,
        cache,
    ) -> None:
        super().__init__(num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache)
        owner = type(self).__name__
        self.dataset_dir = arguments.require_folder(owner, dataset_dir)
        accepted = [*dict(self._names), *(["all"] if self._all else [])]
        self.usage = self._default_usage if usage is None else require_choice(owner, "usage", usage, accepted)

    def _usages(self):
        return list(dict(self._names)) if self.usage == "all" else [self.usage]

    def _files(self):
        return [self._path(dict(self._names)[usage]) for usage in self._usages()]

    def _path(self, name):
        path = os.path.join(self.dataset_dir, name)
        if not os.path.isfile(path):
            raise RuntimeError(f"{type(self).__name__}: the file {name!r} is missing in {self.dataset_dir!r}")
        return path


class _FolderOfLines(_FolderOfTexts, _Lines):
    pass


class WikiTextDataset(_FolderOfLines):
    """WikiText: the lines of its files that are not empty, in one column `text`.

    Args:
        dataset_dir: directory with wiki.train.tokens, wiki.test.tokens and wiki.valid.tokens.
        usage: "train", "test", "valid" or "all"; None is all.
        num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache: as for `TextFileDataset`.
    """

    _names = (("train", "wiki.train.tokens"), ("test", "wiki.test.tokens"), ("valid", "wiki.valid.tokens"))

    def __init__(self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None, shuffle=Shuffle.GLOBAL,
                 num_shards=None, shard_id=None, cache=None):  # fmt: skip
        super().__init__(
            dataset_dir, usage, num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache
        )


class PennTreebankDataset(_FolderOfLines):
    """Penn Treebank: the lines of its files that are not empty, in one column `text`.

    Args:
        dataset_dir: directory with ptb.train.txt, ptb.test.txt and ptb.valid.txt.
        usage: "train", "test", "valid" or "all"; None is all.
        num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache: as for `TextFileDataset`.
    """

    _names = (("train", "ptb.train.txt"), ("test", "ptb.test.txt"), ("valid", "ptb.valid.txt"))

    def __init__(self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None, shuffle=Shuffle.GLOBAL,
                 num_shards=None, shard_id=None, cache=None):  # fmt: skip
        super().__init__(
            dataset_dir, usage, num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache
        )


class EnWik9Dataset(_FolderOfLines):
    """EnWik9: all lines of the file, empty ones too, in one column `text`.

    Args:
        dataset_dir: directory with the file enwik9.
        num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache: as for `TextFileDataset`.
    """

    _names = (("train", "enwik9"),)
    _keep_empty = True

    def __init__(self, dataset_dir, num_samples=None, num_parallel_workers=None, shuffle=True, num_shards=None,
                 shard_id=None, cache=None) -> None:  # fmt: skip
        super().__init__(
            dataset_dir, None, num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache
        )


def _check_names(owner, column_names):
    if column_names is None:
        return []
    if not isinstance(column_names, list) or any(not isinstance(name, str) for name in column_names):
        raise TypeError(f"{owner}: column_names is {column_names!r}; need a list of str")
    if len(set(column_names)) < len(column_names):
        raise ValueError(f"{owner}: column_names is {column_names}; duplicate column names are not allowed")
    return column_names


def _check_defaults(owner, column_defaults):
    if column_defaults is None:
        return []
    if not isinstance(column_defaults, list):
        raise TypeError(f"{owner}: column_defaults is {column_defaults!r}; need a list of int, float and str")
    for value in column_defaults:
        if type(value) not in _KINDS:
            raise TypeError(f"{owner}: column_defaults has {value!r}; need int, float or str")
        if isinstance(value, int) and not -(1 << 31) <= value < 1 << 31:
            raise ValueError(f"{owner}: column_defaults has {value}; need an int that int32 holds")
    return column_defaults


def _open_csv(owner, files, columns, delimiter=",", defaults=()):
    attributes = {
        "owner": owner,
        "files": files,
        "delimiter": delimiter,
        "columns": columns,
        "kinds": [_KINDS[type(value)] for value in defaults],
        "defaults": [0.0 if isinstance(value, str) else float(value) for value in defaults],
    }
    return _native.open_source("csv", attributes)


class CSVDataset(RowFilesDataset):
    """Records of CSV files.

    Args:
        dataset_files: path or pattern, or a list of them.
        field_delim: the character between fields.
        column_defaults: a list with a value per column. An int makes the column int32, a float float32, a str a
            string; an empty field of a column of numbers has this value. Default: None, all columns are strings.
        column_names: names of the columns. Default: None, the first line of each file.
        num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache: as for `TextFileDataset`.
    """

    def __init__(self, dataset_files, field_delim: str = ",", column_defaults=None, column_names=None, num_samples=None,
                 num_parallel_workers=None, shuffle=Shuffle.GLOBAL, num_shards=None, shard_id=None,
                 cache=None) -> None:  # fmt: skip
        super().__init__(num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache)
        self.dataset_files = find_files("CSVDataset", dataset_files)
        if not isinstance(field_delim, str):
            raise TypeError(f"CSVDataset: field_delim is {field_delim!r}; need a str")
        if len(field_delim.encode()) != 1 or field_delim in '"\r\n\0':
            raise ValueError(
                f"CSVDataset: field_delim is {field_delim!r}, which is invalid; need one ASCII character"
            )
        self.field_delim = field_delim
        self.column_defaults = _check_defaults("CSVDataset", column_defaults)
        self.column_names = _check_names("CSVDataset", column_names)

    def open_source(self):
        return _open_csv(
            "CSVDataset", self.dataset_files, self.column_names, self.field_delim, self.column_defaults
        )


class _FolderOfRecords(_FolderOfTexts):
    """CSV files of strings without a header line."""

    _names = (("train", "train.csv"), ("test", "test.csv"))
    _columns: tuple = ()

    def open_source(self):
        return _open_csv(type(self).__name__, self._files(), list(self._columns))


class AGNewsDataset(_FolderOfRecords):
    """AG News: columns `index`, `title` and `description`, all strings.

    Args:
        dataset_dir: directory with train.csv and test.csv.
        usage: "train", "test" or "all"; None is all.
        num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache: as for `TextFileDataset`.
    """

    _columns: tuple = ("index", "title", "description")

    def __init__(self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None, shuffle=Shuffle.GLOBAL,
                 num_shards=None, shard_id=None, cache=None):  # fmt: skip
        super().__init__(
            dataset_dir, usage, num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache
        )


class DBpediaDataset(AGNewsDataset):
    """DBpedia: columns `class`, `title` and `content`, all strings. Arguments as for `AGNewsDataset`."""

    _columns: tuple = ("class", "title", "content")


class AmazonReviewDataset(AGNewsDataset):
    """Amazon reviews (full or polarity): columns `label`, `title` and `content`, all strings. Arguments as for
    `AGNewsDataset`.
    """

    _columns: tuple = ("label", "title", "content")


class YahooAnswersDataset(AGNewsDataset):
    """Yahoo! Answers: columns `class`, `title`, `content` and `answer`, all strings. Arguments as for
    `AGNewsDataset`.
    """

    _columns: tuple = ("class", "title", "content", "answer")


class YelpReviewDataset(_FolderOfRecords):
    """Yelp reviews (full or polarity): columns `label` and `text`, both strings. Arguments as for `AGNewsDataset`."""

    _columns: tuple = ("label", "text")

    def __init__(self, dataset_dir, usage=None, num_samples=None, shuffle=Shuffle.GLOBAL, num_shards=None,
                 shard_id=None, num_parallel_workers=None, cache=None):  # fmt: skip
        super().__init__(
            dataset_dir, usage, num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache
        )


class SogouNewsDataset(YelpReviewDataset):
    """Sogou news: columns `index`, `title` and `content`, all strings. Arguments as for `YelpReviewDataset`."""

    _columns: tuple = ("index", "title", "content")
