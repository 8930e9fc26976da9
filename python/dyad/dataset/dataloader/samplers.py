"""Samplers of a DataLoader: selection, order and grouping of samples."""

import itertools
import math
from collections.abc import Iterable
from typing import Any

import numpy

from dyad._src.base.argument_checks import require_bool
from dyad._src.context import process_groups


def require_count(owner, name, value, least) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{owner}: {name} is of type {type(value).__name__}; need an int")
    if value < least:
        raise ValueError(f"{owner}: {name} is {value}; need {least} or more")
    return value


class Sampler:
    """The indexes of samples, in order: a subclass has `__iter__`."""

    def __init__(self, data_source=None):
        self.data_source = data_source

    def __iter__(self):
        raise NotImplementedError(f"{type(self).__name__} is a Sampler without __iter__; write one")


class SequentialSampler(Sampler):
    """All samples of a dataset, the first one first."""

    def __iter__(self):
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler):
    """Random samples; without `replacement` each occurs once before any occurs again.

    `num_samples` are drawn, by default as many as there are, by a NumPy `generator` or by NumPy's global one.
    """

    def __init__(
        self, data_source, replacement: bool = False, num_samples: int | None = None, generator=None
    ) -> None:
        super().__init__(data_source)
        self.replacement = require_bool("RandomSampler", "replacement", replacement)
        if num_samples is not None:
            require_count("RandomSampler", "num_samples", num_samples, 1)
        if generator is not None and not isinstance(generator, numpy.random.Generator):
            raise TypeError(
                f"RandomSampler: generator is of type {type(generator).__name__}; need a numpy.random.Generator"
            )
        self._num_samples, self.generator = num_samples, generator

    @property
    def num_samples(self) -> int:
        """Number of samples that are drawn."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self):
        size, wanted = len(self.data_source), self.num_samples
        if size == 0:
            return
        if self.replacement:
            draw = numpy.random.randint if self.generator is None else self.generator.integers
            yield from draw(0, size, wanted).tolist()
            return
        permutation = (numpy.random if self.generator is None else self.generator).permutation
        for taken in range(0, wanted, size):
            yield from permutation(size)[: wanted - taken].tolist()

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler):
    """Lists of `batch_size` numbers of a sampler; a shorter last one is left out with `drop_last`."""

    def __init__(self, sampler: Iterable, batch_size: int, drop_last: bool) -> None:
        super().__init__()
        if not isinstance(sampler, Iterable):
            raise TypeError(f"BatchSampler: sampler is of type {type(sampler).__name__}; need an iterable")
        self.sampler: Any = sampler
        self.batch_size = require_count("BatchSampler", "batch_size", batch_size, 1)
        self.drop_last = require_bool("BatchSampler", "drop_last", drop_last)

    def __iter__(self):
        numbers = iter(self.sampler)
        while batch := list(itertools.islice(numbers, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self) -> int:
        whole, rest = divmod(len(self.sampler), self.batch_size)
        return whole + (rest > 0 and not self.drop_last)


class DistributedSampler(Sampler):
    """The samples of process `rank` out of `num_replicas`: every `num_replicas`-th.

    All have the same number: samples from the start are repeated, or with `drop_last` those at the end left out. With
    `shuffle` their order is drawn from `seed` and the number of the epoch, the same in all processes.
    """

    def __init__(
        self,
        dataset,
        num_replicas=None,
        rank=None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ) -> None:
        super().__init__(dataset)
        owner = "DistributedSampler"
        ranks = process_groups.ranks_of(owner, None)
        count = len(ranks) if num_replicas is None else num_replicas
        self.dataset, self.num_replicas = dataset, require_count(owner, "num_replicas", count, 1)
        self.rank = require_count(owner, "rank", ranks[0] if rank is None else rank, 0)
        if self.rank >= self.num_replicas:
            raise ValueError(f"{owner}: rank is {rank}; need one below num_replicas, which is {num_replicas}")
        self.shuffle = require_bool(owner, "shuffle", shuffle)
        self.seed = require_count(owner, "seed", seed, 0)
        self.drop_last = require_bool(owner, "drop_last", drop_last)
        self.epoch = 0

    def set_epoch(self, epoch: int) -> None:
        """Says which epoch comes next, so that it is shuffled otherwise."""
        self.epoch = require_count("DistributedSampler", "epoch", epoch, 0)

    def __iter__(self):
        size, total = len(self.dataset), len(self) * self.num_replicas
        order = range(size)
        if self.shuffle:
            order = numpy.random.default_rng(self.seed + self.epoch).permutation(size).tolist()
        repeated = itertools.islice(itertools.cycle(order), total)
        return itertools.islice(repeated, self.rank, None, self.num_replicas)

    def __len__(self) -> int:
        share = len(self.dataset) / self.num_replicas
        return math.floor(share) if self.drop_last else math.ceil(share)
