"""Batches that worker processes make: what runs in one, and the order in which the parent gets them."""

import collections
import concurrent.futures
import dataclasses
import itertools
import random
from typing import Any

import numpy

from dyad.dataset._error_text import RemoteError, explained
from dyad.dataset._workers import WorkerPool

_STAGE = "DataLoader: the dataset"
_END = "end"  # the message of an exhausted IterableDataset in a worker


@dataclasses.dataclass(frozen=True)
class WorkerInfo:
    """Number of this worker process, number of workers, its seed, and its copy of the dataset."""

    id: int
    num_workers: int
    seed: int
    dataset: Any


_this_worker: WorkerInfo | None = None


def get_worker_info():
    """The WorkerInfo of this process; None outside of workers of a DataLoader.

    Example:
        >>> from dyad.dataset.dataloader import get_worker_info
        >>> print(get_worker_info())
        None
    """
    return _this_worker


class BatchMaker:
    """Computes batches in a worker process. `made` fetches and collates; of an IterableDataset from its own
    iterator.
    """

    def __init__(self, dataset, fetch, count, base_seed, init):
        self._dataset, self._fetch, self._count = dataset, fetch, count
        self._base_seed, self._init = base_seed, init
        self._epoch, self._batches = None, None

    def __call__(self, number, epoch, indices):
        if _this_worker is None:
            self._begin(number)
        if self._epoch != epoch:
            self._epoch, self._batches = epoch, None
        if indices is not None:
            return "batch", self._fetch.at(self._dataset, indices)
        if self._batches is None:
            self._batches = self._fetch.each(self._dataset)
        for batch in self._batches:
            return "batch", batch
        return _END, None

    def _begin(self, number):
        global _this_worker
        seed = self._base_seed + number
        random.seed(seed)
        numpy.random.seed(seed % (1 << 32))
        _this_worker = WorkerInfo(number, self._count, seed, self._dataset)
        if self._init is not None:
            self._init(number)


class Workers:
    """The worker processes of a DataLoader, each served by a thread of its own."""

    def __init__(self, maker, count, context):
        self._pool = WorkerPool(maker, count, _STAGE, context)
        self.count = count
        self._threads = [concurrent.futures.ThreadPoolExecutor(1) for _ in range(count)]
        self._epochs = itertools.count()

    def batches(self, requests, ahead, in_order, timeout):
        """The batches of an epoch. `requests` yields indices, or None without end; each worker has `ahead` requests."""
        asked: collections.deque = collections.deque()
        epoch, active = next(self._epochs), collections.deque(range(self.count))
        for request in itertools.islice(requests, self.count * ahead):
            self._ask(asked, active, epoch, request)
        while asked:
            done = _next_done(asked, in_order, timeout)
            number, future = done
            kind, batch = _result(future)
            if kind == _END:
                active = collections.deque(each for each in active if each != number)
            if active:
                for request in itertools.islice(requests, 1):
                    self._ask(asked, active, epoch, request)
            if kind != _END:
                yield batch

    def _ask(self, asked, active, epoch, request):
        number = active[0]
        active.rotate(-1)
        call = self._pool.workers[number].call
        asked.append((number, self._threads[number].submit(call, (number, epoch, request), _STAGE)))

    def close(self) -> None:
        """Ends the processes; threads that wait for them end with an error that is discarded."""
        for worker in self._pool.workers:
            worker.end()
        for thread in self._threads:
            thread.shutdown(wait=True, cancel_futures=True)
        self._pool.close()


def _next_done(asked, in_order, timeout):
    if in_order:
        future = asked[0][1]
        done, _ = concurrent.futures.wait([future], timeout)
    else:
        done, _ = concurrent.futures.wait(
            [future for _, future in asked], timeout, concurrent.futures.FIRST_COMPLETED
        )
    if not done:
        raise RuntimeError(
            f"DataLoader: no worker process has made a batch within {timeout} seconds, its timeout"
        )
    found = next(entry for entry in asked if entry[1] in done)
    asked.remove(found)
    return found


def _result(future):
    try:
        return future.result()
    except RemoteError as error:
        raise RuntimeError(explained(_STAGE)(error)) from None
