"""Datasets of sentences in two languages, and of reviews that are files of their own."""

import functools
import html
import os
import re

from dyad import _core
from dyad._src.base.argument_checks import require_choice
from dyad.dataset import _arguments as arguments
from dyad.dataset._mappable import MappableDataset
from dyad.dataset._shuffle import Shuffle
from dyad.dataset.samplers import chosen_sampler
from dyad.dataset.text_datasets_structured import _TextTable, read_text

_SEGMENT = re.compile(r"<seg\b[^>]*>(.*?)</seg>", re.DOTALL)
_TED_SETS = ("dev2010", "tst2010", "tst2011", "tst2012", "tst2013", "tst2014")
_IWSLT2016_PAIRS = ("ar-en", "cs-en", "de-en", "fr-en", "en-ar", "en-cs", "en-de", "en-fr")
_IWSLT2017_LANGUAGES = ("en", "nl", "de", "it", "ro")


class _Pairs(_TextTable):
    """Columns `text` and `translation` from pairs of files."""

    def _column_kinds(self):
        return {"text": str, "translation": str}

    def _check(self, dataset_dir, usage, accepted):
        owner = type(self).__name__
        self.dataset_dir = arguments.require_folder(owner, dataset_dir)
        self.usage = "all" if usage is None else require_choice(owner, "usage", usage, [*accepted, "all"])
        self._usages = list(accepted) if self.usage == "all" else [self.usage]

    def _languages(self, language_pair, default):
        owner = type(self).__name__
        pair = default if language_pair is None else language_pair
        if not isinstance(pair, (list, tuple)) or any(not isinstance(name, str) for name in pair):
            raise TypeError(f"{owner}: language_pair is {pair!r}; need a list of two str")
        if len(pair) != 2:
            raise ValueError(f"{owner}: language_pair is {pair!r}; need two languages")
        return tuple(pair)

    def _pair_paths(self, usage):
        """The paths of the file and of its translation."""
        raise TypeError(f"{type(self).__name__}: the class names no files; override _pair_paths")

    def _files(self):
        return [self._pair_paths(usage) for usage in self._usages]

    def _sentences(self, path):
        raise TypeError(f"{type(self).__name__}: the class reads no files; override _sentences")

    def _read_file(self, paths):
        owner = type(self).__name__
        for path in paths:
            if not os.path.isfile(path):
                raise RuntimeError(f"{owner}: the file {path!r} does not exist")
        sides = [self._sentences(path) for path in paths]
        if len(sides[0]) != len(sides[1]):
            raise RuntimeError(
                f"{owner}: {paths[0]} has {len(sides[0])} sentences and {paths[1]} {len(sides[1])}; need as many"
            )
        return [{"text": text, "translation": other} for text, other in zip(*sides, strict=True)]


class Multi30kDataset(_Pairs):
    """Multi30k: columns `text` and `translation`.

    Args:
        dataset_dir: directory with training, validation and mmt16_task1_test.
        usage: "train", "test", "valid" or "all"; None is all.
        language_pair: the languages of the columns, ["en", "de"] or ["de", "en"]; None is the first.
        num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache: as for `TextFileDataset`.
    """

    _stems = (("train", "training/train"), ("test", "mmt16_task1_test/test"), ("valid", "validation/val"))

    def __init__(self, dataset_dir, usage=None, language_pair=None, num_samples=None, num_parallel_workers=None,
                 shuffle=None, num_shards=None, shard_id=None, cache=None):  # fmt: skip
        super().__init__(num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache)
        self._check(dataset_dir, usage, dict(self._stems))
        self.language_pair = self._languages(language_pair, ("en", "de"))
        if sorted(self.language_pair) != ["de", "en"]:
            raise ValueError(
                f"Multi30kDataset: language_pair is {language_pair!r}; need ['en', 'de'] or ['de', 'en']"
            )

    def _pair_paths(self, usage):
        stem = os.path.join(self.dataset_dir, dict(self._stems)[usage])
        return [f"{stem}.{language}" for language in self.language_pair]

    def _sentences(self, path):
        text = read_text("Multi30kDataset", path)
        return text.removesuffix("\n").split("\n") if text else []


class _Iwslt(_Pairs):
    """Talks: tagged lines for training, XML for tests."""

    language_pair: list[str]

    def _folder(self):
        raise TypeError(f"{type(self).__name__}: the class names no folder; override _folder")

    def _stem(self, usage):
        raise TypeError(f"{type(self).__name__}: the class names no files; override _stem")

    def _pair_paths(self, usage):
        pair = "-".join(self.language_pair)
        folder = os.path.join(self.dataset_dir, self._folder())
        if usage == "train":
            return [os.path.join(folder, f"train.tags.{pair}.{language}") for language in self.language_pair]
        return [
            os.path.join(folder, f"{self._stem(usage)}.{pair}.{language}.xml")
            for language in self.language_pair
        ]

    def _sentences(self, path):
        text = read_text(type(self).__name__, path)
        if path.endswith(".xml"):
            return [html.unescape(sentence).strip() for sentence in _SEGMENT.findall(text)]
        lines = (line.strip() for line in text.split("\n"))
        return [line for line in lines if line and not line.startswith("<")]


class IWSLT2016Dataset(_Iwslt):
    """IWSLT 2016: columns `text` and `translation`.

    Args:
        dataset_dir: directory with the directory texts.
        usage: "train", "valid", "test" or "all"; None is all.
        language_pair: the languages of the columns, one of them "en"; None is ("de", "en").
        valid_set, test_set: which talks, "dev2010" or "tst2010" to "tst2014"; None is "tst2013" and "tst2014".
        num_samples, shuffle, num_shards, shard_id, num_parallel_workers, cache: as for `TextFileDataset`.
    """

    def __init__(self, dataset_dir, usage=None, language_pair=None, valid_set: str | None = None,
                 test_set: str | None = None, num_samples=None, shuffle=Shuffle.GLOBAL, num_shards=None,
                 shard_id=None, num_parallel_workers=None, cache=None) -> None:  # fmt: skip
        super().__init__(num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache)
        owner = "IWSLT2016Dataset"
        self._check(dataset_dir, usage, ("train", "valid", "test"))
        self.language_pair = self._languages(language_pair, ("de", "en"))
        if "-".join(self.language_pair) not in _IWSLT2016_PAIRS:
            raise ValueError(
                f"{owner}: language_pair is {language_pair!r}; need one of {', '.join(_IWSLT2016_PAIRS)}"
            )
        self.valid_set = (
            "tst2013" if valid_set is None else require_choice(owner, "valid_set", valid_set, _TED_SETS)
        )
        self.test_set = (
            "tst2014" if test_set is None else require_choice(owner, "test_set", test_set, _TED_SETS)
        )

    def _folder(self):
        source, target = self.language_pair
        return os.path.join("texts", source, target, f"{source}-{target}")

    def _stem(self, usage):
        return f"IWSLT16.TED.{self.valid_set if usage == 'valid' else self.test_set}"


class IWSLT2017Dataset(_Iwslt):
    """IWSLT 2017: columns `text` and `translation`.

    Args:
        dataset_dir: directory with the directory texts.
        usage: "train", "valid", "test" or "all"; None is all.
        language_pair: two of "en", "nl", "de", "it" and "ro"; None is ("de", "en").
        num_samples, shuffle, num_shards, shard_id, num_parallel_workers, cache: as for `TextFileDataset`.
    """

    def __init__(self, dataset_dir, usage=None, language_pair=None, num_samples=None, shuffle=Shuffle.GLOBAL,
                 num_shards=None, shard_id=None, num_parallel_workers=None, cache=None):  # fmt: skip
        super().__init__(num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache)
        self._check(dataset_dir, usage, ("train", "valid", "test"))
        self.language_pair = self._languages(language_pair, ("de", "en"))
        known = set(self.language_pair) <= set(_IWSLT2017_LANGUAGES)
        if not known or self.language_pair[0] == self.language_pair[1]:
            raise ValueError(
                f"IWSLT2017Dataset: language_pair is {language_pair!r}; need two of {', '.join(_IWSLT2017_LANGUAGES)}"
            )

    def _folder(self):
        return os.path.join("texts", "DeEnItNlRo", "DeEnItNlRo", "DeEnItNlRo-DeEnItNlRo")

    def _stem(self, usage):
        return "IWSLT17.TED.dev2010" if usage == "valid" else "IWSLT17.TED.tst2010"


class IMDBDataset(MappableDataset):
    """IMDb reviews: columns `text` and `label`, an int32 that is 0 for a negative and 1 for a positive review.

    Args:
        dataset_dir: directory with train and test, each with the directories pos and neg.
        usage: "train", "test" or "all"; None is all.
        num_samples: maximum number of rows.
        num_parallel_workers: number of threads that compute rows.
        shuffle: whether rows are in random order; None is True.
        sampler: selects the rows, in place of `shuffle`, `num_samples` and shards.
        num_shards, shard_id: number of shards, and the index of this one.
        cache: only None is supported.
    """

    def __init__(self, dataset_dir, usage: str | None = None, num_samples=None, num_parallel_workers=None, shuffle=None,
                 sampler=None, num_shards=None, shard_id=None, cache=None) -> None:  # fmt: skip
        super().__init__(num_parallel_workers=num_parallel_workers, cache=cache)
        owner = "IMDBDataset"
        arguments.check_row_choice(owner, num_samples, shuffle, sampler, num_shards, shard_id)
        self.sampler = chosen_sampler(owner, num_samples, sampler, shuffle, num_shards, shard_id)
        self.dataset_dir = arguments.require_folder(owner, dataset_dir)
        self.usage = (
            "all" if usage is None else require_choice(owner, "usage", usage, ["train", "test", "all"])
        )

    def _listed(self):
        """(path, label) of each review."""
        halves = ["train", "test"] if self.usage == "all" else [self.usage]
        for half in halves:
            for label, kind in ((1, "pos"), (0, "neg")):
                folder = os.path.join(self.dataset_dir, half, kind)
                if not os.path.isdir(folder):
                    raise RuntimeError(f"IMDBDataset: the folder {folder!r} does not exist")
                names = sorted(name for name in os.listdir(folder) if name.endswith(".txt"))
                yield from ((os.path.join(folder, name), label) for name in names)

    @functools.cached_property
    def source(self):
        """The native source, opened at the first use."""
        listed = list(self._listed())
        if not listed:
            raise RuntimeError(f"IMDBDataset: no file that ends in '.txt' was found in {self.dataset_dir!r}")
        attributes = {"owner": "IMDBDataset", "files": [path for path, _ in listed]}
        return _core.data.open_source("text_files", {**attributes, "labels": [label for _, label in listed]})

    def source_size(self) -> int:
        return len(self.source)

    def open_rows(self, run):
        return self.source

    def read_source(self, index):
        """A row by its number."""
        return self.source[index]

    def classes(self):
        return self.source.classes

    def columns(self):
        return self.source.columns

    def num_classes(self) -> int:
        """Two: negative and positive."""
        return 2

    def get_class_indexing(self) -> dict:
        """From names of classes to their numbers."""
        return {"neg": 0, "pos": 1}
