"""DataLoader: batches of a dataset, computed in this process or in others."""

import itertools
import multiprocessing
import multiprocessing.context
import weakref
from collections.abc import Callable, Iterable
from typing import Any

import numpy

from dyad._src.base.argument_checks import require_bool
from dyad.dataset.dataloader.collate import default_collate, default_convert
from dyad.dataset.dataloader.datasets import IterableDataset
from dyad.dataset.dataloader.samplers import BatchSampler, RandomSampler, SequentialSampler, require_count
from dyad.dataset.dataloader.worker_batches import BatchMaker, Workers

_OWNER = "DataLoader"
_AHEAD = 2  # batches requested of each worker in advance


class DataLoader:
    """An iterable over batches of a dataset; each `iter` is an epoch.

    A dataset has `__getitem__` and `__len__`, or is an IterableDataset. Its samples are in the order of `sampler`, or
    random with `shuffle`, in batches of `batch_size`, or as `batch_sampler` groups them; with `batch_size=None` there
    are no batches. `collate_fn` converts a list of samples to a batch.

    `num_workers` processes compute batches, up to `prefetch_factor` each in advance. With `persistent_workers` they
    remain for the next epoch. `worker_init_fn` is called with the number of each. An error in one, or a batch that
    takes longer than `timeout` seconds, is a RuntimeError. Without `in_order` a batch is returned as soon as it is
    complete. `pin_memory` has no effect: Tensors are in memory of the host.

    Example:
        >>> from dyad.dataset.dataloader import DataLoader
        >>> [batch.tolist() for batch in DataLoader([10, 20, 30], batch_size=2)]
        [[10, 20], [30]]
    """

    def __init__(
        self,
        dataset,
        batch_size=1,
        shuffle=None,
        sampler=None,
        batch_sampler=None,
        num_workers=0,
        collate_fn: Callable | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout=0.0,
        worker_init_fn=None,
        multiprocessing_context=None,
        generator=None,
        *,
        prefetch_factor=None,
        persistent_workers: bool = False,
        in_order: bool = True,
    ) -> None:
        for name, value in (("pin_memory", pin_memory), ("drop_last", drop_last), ("in_order", in_order)):
            require_bool(_OWNER, name, value)
        self.dataset, self.pin_memory, self.in_order = dataset, pin_memory, in_order
        self.generator, self.drop_last = generator, drop_last
        self._set_workers(
            num_workers, timeout, worker_init_fn, multiprocessing_context, prefetch_factor, persistent_workers
        )
        self._set_samplers(batch_size, shuffle, sampler, batch_sampler)
        if collate_fn is not None and not callable(collate_fn):
            raise TypeError(f"{_OWNER}: collate_fn is of type {type(collate_fn).__name__}; need a function")
        self.collate_fn = collate_fn or (default_collate if self._is_batched else default_convert)
        self._workers = None

    def _set_workers(self, num_workers, timeout, init, context, prefetch_factor, persistent_workers):
        self.num_workers = require_count(_OWNER, "num_workers", num_workers, 0)
        if isinstance(timeout, bool) or not isinstance(timeout, int | float):
            raise TypeError(
                f"{_OWNER}: timeout is of type {type(timeout).__name__}; need a number of seconds"
            )
        if timeout < 0:
            raise ValueError(f"{_OWNER}: timeout is {timeout}; need 0 or more seconds")
        self.timeout = timeout
        if init is not None and not callable(init):
            raise TypeError(f"{_OWNER}: worker_init_fn is of type {type(init).__name__}; need a function")
        self.worker_init_fn = init
        self.persistent_workers = require_bool(_OWNER, "persistent_workers", persistent_workers)
        if prefetch_factor is not None:
            require_count(_OWNER, "prefetch_factor", prefetch_factor, 1)
        self.prefetch_factor = prefetch_factor or _AHEAD
        needing = [name for name, given in (("prefetch_factor", prefetch_factor), ("persistent_workers",
                   persistent_workers)) if given]  # fmt: skip
        if needing and not num_workers:
            raise ValueError(
                f"{_OWNER}: {needing[0]} is given and num_workers is 0; need one or more workers"
            )
        if isinstance(context, str):
            context = multiprocessing.get_context(context)
        if context is not None and not isinstance(context, multiprocessing.context.BaseContext):
            raise TypeError(
                f"{_OWNER}: multiprocessing_context is of type {type(context).__name__}; need a str or a context"
            )
        self.multiprocessing_context = context

    def _set_samplers(self, batch_size, shuffle, sampler, batch_sampler):
        if shuffle is not None:
            require_bool(_OWNER, "shuffle", shuffle)
        self._is_iterable = isinstance(self.dataset, IterableDataset)
        if self._is_iterable and (shuffle or sampler is not None or batch_sampler is not None):
            raise ValueError(
                f"{_OWNER}: an IterableDataset has its own order; need no shuffle and no sampler"
            )
        if sampler is not None and shuffle:
            raise ValueError(f"{_OWNER}: sampler and shuffle are both given; need one of them")
        for name, given in (("sampler", sampler), ("batch_sampler", batch_sampler)):
            if given is not None and not isinstance(given, Iterable):
                raise TypeError(f"{_OWNER}: {name} is of type {type(given).__name__}; need an iterable")
        if batch_sampler is not None and (
            batch_size != 1 or shuffle or sampler is not None or self.drop_last
        ):
            raise ValueError(
                f"{_OWNER}: batch_sampler says what a batch is; need no batch_size, shuffle, sampler or drop_last"
            )
        if batch_size is not None:
            require_count(_OWNER, "batch_size", batch_size, 1)
        self.batch_size = batch_size if batch_sampler is None else None
        if sampler is None and not self._is_iterable:
            drawn = RandomSampler(self.dataset, generator=self.generator)
            sampler = drawn if shuffle else SequentialSampler(self.dataset)
        self.sampler = sampler
        if batch_sampler is None and batch_size is not None and not self._is_iterable:
            batch_sampler = BatchSampler(sampler, batch_size, self.drop_last)
        self.batch_sampler = batch_sampler

    @property
    def _is_batched(self):
        return self.batch_sampler is not None or self.batch_size is not None

    def __len__(self) -> int:
        if not self._is_iterable:
            return len(self.batch_sampler if self._is_batched else self.sampler)
        size = len(self.dataset)
        if not self._is_batched:
            return size
        batch_size: Any = self.batch_size
        return size // batch_size if self.drop_last else -(-size // batch_size)

    def __iter__(self):
        if self.num_workers:
            return self._from_workers()
        fetch = _Fetch(self)
        if self._is_iterable:
            return fetch.each(self.dataset)
        return (fetch.at(self.dataset, indices) for indices in self._requests())

    def _requests(self):
        if self._is_iterable:
            return itertools.repeat(None)
        return iter(self.batch_sampler if self._is_batched else self.sampler)

    def _from_workers(self):
        workers = self._workers or self._new_workers()
        if self.persistent_workers:
            self._workers = workers
        try:
            yield from workers.batches(
                self._requests(), self.prefetch_factor, self.in_order, self.timeout or None
            )
        finally:
            if workers is not self._workers:
                workers.close()

    def _new_workers(self):
        draw = numpy.random.randint if self.generator is None else self.generator.integers
        maker = BatchMaker(
            self.dataset, _Fetch(self), self.num_workers, int(draw(1 << 31)), self.worker_init_fn
        )
        workers = Workers(maker, self.num_workers, self.multiprocessing_context)
        if self.persistent_workers:
            weakref.finalize(self, workers.close)
        return workers


class _Fetch:
    """Samples fetched and collated."""

    def __init__(self, loader):
        self._collate, self._is_batched = loader.collate_fn, loader._is_batched
        self._batch_size, self._drop_last = loader.batch_size, loader.drop_last

    def at(self, dataset, indices):
        """The batch of these numbers, or the sample of this one."""
        return self._collate([dataset[index] for index in indices] if self._is_batched else dataset[indices])

    def each(self, dataset):
        """The batches of an iterable dataset."""
        samples = iter(dataset)
        if not self._is_batched:
            yield from map(self._collate, samples)
            return
        while batch := list(itertools.islice(samples, self._batch_size)):
            if len(batch) == self._batch_size or not self._drop_last:
                yield self._collate(batch)
