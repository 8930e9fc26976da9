"""A run: the native stages that one iterator has built from a dataset, and resources that end with them."""

import atexit
import contextlib
import os
import secrets
import threading
import weakref

from dyad import _core
from dyad.dataset import config

_live: "weakref.WeakSet[Run]" = weakref.WeakSet()


class Run:
    """State shared by the stages of one iterator: the seed, the number of threads, and resources to close
    at the end.
    """

    def __init__(self, workers, seed=None):
        self.seed = _new_seed() if seed is None else seed
        self.seed_is_set = config.is_seeded()
        self.workers = workers
        self.closed = False
        self.pipeline = None
        self.rows_per_batch = 1  # number of rows of the stage being built that later stages stack
        self._process = os.getpid()
        self._closers = []
        self._lock = threading.Lock()
        _live.add(self)

    @contextlib.contextmanager
    def stacking(self, size):
        """Stages built within produce rows that are stacked by `size`, if that is a number."""
        outer = self.rows_per_batch
        self.rows_per_batch = outer if callable(size) else outer * size
        try:
            yield
        finally:
            self.rows_per_batch = outer

    def start(self, stage, epochs):
        """Sets the threads to work."""
        if self.closed:
            raise RuntimeError("the iterator was closed")
        prefetch = 1 if config.get_debug_mode() else config.get_prefetch_size()
        self.pipeline = _core.data.Pipeline(
            stage, self.seed, self.workers, prefetch, epochs, seed_is_set=self.seed_is_set
        )
        return self

    def on_close(self, function):
        """`function` is called before the threads are joined: it must wake those that wait for it."""
        with self._lock:
            if not self.closed:
                self._closers.append(function)
                return
        function()

    def forget(self, function):
        """Removes a function given to `on_close`, whose resource has ended by itself."""
        with self._lock:
            if function in self._closers:
                self._closers.remove(function)

    def next(self, as_tensors):
        """The next row as a list; None at the end of an epoch. StopIteration comes after the last one."""
        if self._process != os.getpid():
            raise RuntimeError("this iterator was made before a fork; make a new one in the child process")
        pipeline = self.pipeline
        if pipeline is None:
            raise RuntimeError("the iterator was closed")
        return pipeline.next(as_tensors)

    def close(self):
        """Ends all threads and processes of the run, and releases its stages: their functions may refer to the run."""
        with self._lock:
            closers = [] if self.closed else self._closers[::-1]
            was_closed, self.closed = self.closed, True
            self._closers.clear()
        if was_closed or self._process != os.getpid():
            return
        for function in closers:
            function()
        pipeline, self.pipeline = self.pipeline, None
        if pipeline is not None:
            pipeline.close()

    def child(self, part):
        """A run inside this one, for the stages below one that Python carries out; it ends with this one."""
        inner = Run(self.workers, _core.data.mix_keys(self.seed, part))
        self.on_close(inner.close)
        return inner


def _new_seed():
    """The seed that was set; without one, a number from the operating system."""
    return config.get_seed() if config.is_seeded() else secrets.randbits(63)


def start(dataset, epochs):
    """Builds the stages of a dataset and sets them to work."""
    run = Run(threads_for(dataset))
    try:
        return run.start(dataset.build(run), epochs)
    except BaseException:
        run.close()
        raise


def threads_for(dataset):
    """The largest number of threads that a stage requests; one in debug mode.

    Also one if no stage requests more and a Python function has one worker: it may keep state, so its calls follow
    the order of the rows. Also one if Python reads the rows and there is nothing else to do: threads would only wait
    for each other.
    """
    nodes = list(dataset.walk())
    asking = [node for node in nodes if node.num_parallel_workers]
    most = max((node.num_parallel_workers for node in asking), default=0)
    in_order = any(node.calls_functions() for node in asking)
    only_read = any(node.reads_in_python() for node in nodes) and not any(map(_works_natively, nodes))
    if config.get_debug_mode() or (most <= 1 and (in_order or only_read)):
        return 1
    return max(config.get_num_parallel_workers(), most)


def _works_natively(node):
    return node.works_natively()


def _close_all():
    for run in list(_live):
        run.close()


def _forget_lock():
    """Resets the lock in a forked child, whose threads are gone: nothing is closed, and no lock is held."""
    for run in list(_live):
        run._lock = threading.Lock()


atexit.register(_close_all)
os.register_at_fork(after_in_child=_forget_lock)
