"""The base class of samplers, and samplers that a program defines."""

import itertools
import numbers
from typing import Any, cast

import numpy as np

from dyad import _core
from dyad._src.base.argument_checks import require_int
from dyad.dataset._error_text import explained
from dyad.dataset._shuffle import Shuffle

_native = _core.data


def _optional_count(owner, num_samples):
    """The maximum number of rows; 0 and None mean all."""
    return 0 if num_samples is None else require_int(owner, "num_samples", num_samples, 0)


class BuiltinSampler:
    """Base class of samplers. A sampler with a child selects from the rows that the child has selected."""

    _shuffles = False

    def __init__(self, num_samples=None):
        self.num_samples = num_samples
        self.child_sampler = None
        _optional_count(type(self).__name__, num_samples)

    def add_child(self, sampler):
        """Makes `sampler` select first. Only one child can be added; it may have a child itself."""
        if self.child_sampler is not None:
            raise RuntimeError(f"{type(self).__name__}: a child was added before; need a sampler without one")
        if sampler is not None and not isinstance(sampler, BuiltinSampler):
            raise TypeError(f"{type(self).__name__}: the child is {sampler!r}; need a sampler")
        self.child_sampler = sampler

    def get_child(self):
        """The sampler that chooses first, or None."""
        return self.child_sampler

    def get_num_samples(self):
        """The maximum number of rows of this sampler and its child, or None if that depends on the source."""
        counts = [self.num_samples or None]
        if self.child_sampler is not None:
            counts.append(self.child_sampler.get_num_samples())
        known = [count for count in counts if count is not None]
        return min(known) if known else None

    def get_shuffle_mode(self):
        """The order of rows, as a member of `Shuffle`."""
        return Shuffle.GLOBAL if self.is_shuffled() else Shuffle.FALSE

    def is_shuffled(self):
        """Returns whether the order is random."""
        return self._shuffles or (self.child_sampler is not None and self.child_sampler.is_shuffled())

    def is_sharded(self):
        """Returns whether the rows are one shard of several."""
        return self.child_sampler is not None and self.child_sampler.is_sharded()

    def count_of(self, rows):
        """Number of rows that it selects from a source of `rows` rows."""
        if self.child_sampler is not None:
            rows = self.child_sampler.count_of(rows)
        return self.own_count(rows)

    def order(self, rows, classes=None):
        """The native order for a source of `rows` rows; `classes()` returns the class of each."""
        if self.child_sampler is None:
            return self.own_order(rows, classes)
        below = self.child_sampler.order(rows, classes)
        return _native.chained_order(self.own_order(self.child_sampler.count_of(rows), classes), below)

    def own_count(self, rows):
        """Number of rows that it selects from `rows`, without its child."""
        return min(rows, self.num_samples) if self.num_samples else rows

    def own_order(self, rows, classes):
        """The native order without that of its child."""
        raise TypeError(f"{type(self).__name__}: the class chooses no rows; override own_order")


class Sampler(BuiltinSampler):
    """Base class of user-defined samplers: override `__iter__`, which yields indexes of rows in every epoch.

    While it runs, `dataset_size` is the number of rows to select from.
    """

    def __init__(self, num_samples=None):
        super().__init__(num_samples)
        self.dataset_size = 0
        self.child_sampler = None

    def __iter__(self):
        raise TypeError("it gives no rows; override __iter__")

    def own_count(self, rows):
        self.dataset_size = rows
        if hasattr(type(self), "__len__"):
            count = len(cast(Any, self))
            return min(count, self.num_samples) if self.num_samples else count
        return len(self._indices(rows))

    def _indices(self, rows):
        self.dataset_size = rows
        chosen = itertools.islice(iter(self), self.num_samples or None)
        return [self._index(index, rows) for index in chosen]

    def _index(self, index, rows):
        if isinstance(index, np.ndarray) and index.size == 1:
            index = index.item()
        if isinstance(index, bool) or not isinstance(index, numbers.Integral):
            raise TypeError(f"it gave {index!r}; need an int, the number of a row")
        if not 0 <= int(index) < rows:
            raise ValueError(f"it gave {index}; need an int in [0, {rows - 1}]")
        return int(index)

    def own_order(self, rows, classes):
        def choose(epoch):
            return np.array(self._indices(rows), dtype=np.int64)

        return _native.python_order(choose, explained(f"the sampler {type(self).__name__}"))


class IterSampler(Sampler):
    """The indexes of rows that an iterable yields, or an object with `__getitem__` and `__len__` contains."""

    def __init__(self, sampler, num_samples=None):
        if num_samples is None and not hasattr(sampler, "__len__"):
            sampler = list(sampler) if hasattr(sampler, "__next__") else sampler
        self.sampler = sampler
        super().__init__(num_samples)

    def __iter__(self):
        if hasattr(self.sampler, "__iter__"):
            return iter(self.sampler)
        return (self.sampler[at] for at in range(len(self.sampler)))
