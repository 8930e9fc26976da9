"""Worker processes for Python functions: a thread of the pipeline sends a call to one and waits for the result.

Arrays are passed in a segment of shared memory; what does not fit is sent through the pipe.
"""

import mmap
import multiprocessing
import os
import pickle
import queue
import random
import select
import signal
import time
import warnings
import weakref
from typing import Any

import numpy as np

from dyad import log
from dyad.dataset import config
from dyad.dataset._error_text import RemoteError, described

_WINDOW = 64 << 20  # bytes of address space each way; memory is used as rows need it
_SMALLEST_SHARED = 4096  # bytes; a smaller array is part of the message
_ALIGNMENT = 64
_GOODBYE = 1.0  # seconds a process gets to end by itself

_pools: "weakref.WeakSet[WorkerPool]" = weakref.WeakSet()


class Window:
    """Memory in which one side lays the arrays of a message and the other copies them out."""

    def __init__(self):
        self._shared = config.get_enable_shared_mem() and config.get_multiprocessing_start_method() == "fork"
        self._memory: Any = mmap.mmap(-1, _WINDOW) if self._shared else None

    def __getstate__(self):
        return {"_shared": False, "_memory": None}  # for a process that does not inherit the memory

    def lay(self, value):
        """A message for `value`: a pickle, and for each of its buffers the offset, or its bytes."""
        places: list[bytes | tuple[int, int]] = []
        at = 0

        def place(buffer):
            nonlocal at
            raw = buffer.raw()
            if not self._shared or raw.nbytes < _SMALLEST_SHARED:
                return True
            if at + raw.nbytes > _WINDOW:
                places.append(bytes(raw))
                return False
            self._memory[at : at + raw.nbytes] = raw
            places.append((at, raw.nbytes))
            at += -(-raw.nbytes // _ALIGNMENT) * _ALIGNMENT
            return False

        return pickle.dumps(value, protocol=5, buffer_callback=place), places

    def pick_up(self, message):
        """The value of a message, in memory of its own."""
        data, places = message
        buffers = [self._copy(place) for place in places]
        return pickle.loads(data, buffers=buffers)

    def _copy(self, place):
        if isinstance(place, bytes):
            return bytearray(place)
        with memoryview(self._memory) as memory, memory[place[0] : place[0] + place[1]] as part:
            return bytearray(part)


class Worker:
    """One process, seen from the parent."""

    def __init__(self, context, function, number, others):
        self._there, self._back = Window(), Window()
        self.connection, theirs = context.Pipe()
        arguments = (function, number, theirs, self._there, self._back, [*others, self.connection])
        self.process = context.Process(target=_serve, args=arguments, daemon=True)
        with warnings.catch_warnings():
            # From 3.12 on Python warns of a fork in a process with threads. The child runs none but this thread, and
            # takes no lock that another one may have held.
            warnings.simplefilter("ignore", DeprecationWarning)
            self.process.start()
        theirs.close()
        self._poll = select.poll()
        self._poll.register(self.connection.fileno(), select.POLLIN)

    def call(self, arguments, stage):
        """The result of a call in the process. A process that ends, or takes too long, is an error."""
        self._send(arguments, stage)
        kind, message = self._answer(stage)
        if kind == "error":
            raise RemoteError(*message)
        return self._back.pick_up(message)

    def _send(self, arguments, stage):
        try:
            self.connection.send(self._there.lay(arguments))
        except (BrokenPipeError, ConnectionResetError, OSError):
            raise self._died(stage) from None

    def _answer(self, stage):
        limit = config.get_multiprocessing_timeout_interval()
        started = time.monotonic()
        while not self._poll.poll(
            limit * 1000
        ):  # the end of the process counts: it closes its end of the pipe
            _warn_of_waiting(stage, self.process.pid, time.monotonic() - started)
        try:
            return self.connection.recv()
        except (EOFError, ConnectionResetError, OSError):
            raise self._died(stage) from None

    def _died(self, stage):
        self.process.join(_GOODBYE)
        code = self.process.exitcode
        how = f"with exit code {code}"
        if code is not None and code < 0:
            how = f"killed by signal {-code} ({signal.Signals(-code).name})"
        work = stage.partition(": ")[2]
        return RuntimeError(f"worker process {self.process.pid}, which runs {work}, has ended, {how}")

    def end(self):
        """Ends the process, whatever it is doing."""
        self.process.terminate()
        self.process.join(_GOODBYE)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


class WorkerPool:
    """Processes that all run one function. Each is used by one thread at a time."""

    def __init__(self, function, count, stage, context=None):
        self.stage = stage
        self._closed = False
        context = context or _context()
        self.workers: list = []
        self._idle: queue.SimpleQueue = queue.SimpleQueue()
        others = [worker.connection for pool in list(_pools) for worker in pool.workers]
        try:
            for number in range(count):
                known = others + [worker.connection for worker in self.workers]
                worker = Worker(context, function, number, _inherited(context, known))
                self.workers.append(worker)
                self._idle.put(worker)
        except BaseException:
            self.close()
            raise
        _pools.add(self)

    def __call__(self, *arguments):
        worker = self._idle.get()
        try:
            if worker is None or self._closed:
                raise RuntimeError("the worker processes are closed")
            return worker.call(arguments, self.stage)
        finally:
            self._idle.put(worker)

    def close(self):
        """Ends all processes. A thread that waits for an answer gets an error, and only then its pipe is closed."""
        if self._closed:
            return
        self._closed = True
        for worker in self.workers:
            worker.end()
        for _ in self.workers:
            self._idle.get().connection.close()
        self._idle.put(None)


def _forget_processes():
    """Forgets the parent's processes in a forked child: they are not joined when it ends."""
    for pool in list(_pools):
        for worker in pool.workers:
            vars(multiprocessing.process)["_children"].discard(worker.process)
            worker.connection.close()
        pool._closed = True


os.register_at_fork(after_in_child=_forget_processes)


def _context():
    return multiprocessing.get_context(config.get_multiprocessing_start_method())


def _inherited(context, connections):
    """Ends of pipes that a child of fork has and must close, or a parent's death would go unseen."""
    return connections if context.get_start_method() == "fork" else []


def _warn_of_waiting(stage, pid, seconds):
    if config.get_enable_watchdog():
        log.warning("%s: worker process %d has worked at one row for %.0f seconds", stage, pid, seconds)


def _serve(function, number, channel, there, back, others):
    """The life of a worker process: calls until the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for other in others:
        other.close()
    _seed(number)
    while True:
        try:
            message = channel.recv()
        except (EOFError, OSError):
            break
        channel.send(_carried_out(function, there, back, message))
    os._exit(0)


def _seed(number):
    """Every process draws other numbers; the same ones in every run with a seed."""
    if config.is_seeded():
        random.seed(config.get_seed() + number)
        np.random.seed((config.get_seed() + number) % (1 << 32))
    else:
        random.seed()
        np.random.seed()


def _carried_out(function, there, back, message):
    try:
        return "made", back.lay(function(*there.pick_up(message)))
    except BaseException as error:
        return "error", described(error)
