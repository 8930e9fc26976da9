"""Kernels as they run, written down between two moments."""

import threading
import time
from typing import NamedTuple

from dyad import _core
from dyad._src.base.error_owner import package_directory
from dyad._src.observe.profile.kernel_run import KernelRun

_taken = threading.Lock()  # the core writes down for one at a time


class Span(NamedTuple):
    """A stretch of time that a program named; `end` is `start` for a moment."""

    name: str
    category: str
    start: int  # nanoseconds of the clock of KernelRun
    end: int
    thread: int


def now():
    """The time on the clock of KernelRun."""
    return time.monotonic_ns()


class Recording:
    """All kernels of the process from `start` to `stop`, in `runs`, and the entries of `spans`.

    There is one at a time.
    """

    def __init__(self):
        self.runs: list = []
        self.spans: list = []
        self.seconds = 0.0

    def start(self):
        """Starts recording; RuntimeError while another one is under way."""
        if not _taken.acquire(blocking=False):
            raise RuntimeError("profile: another profile is under way; stop it before the next one starts")
        self._start = time.perf_counter()
        _core.start_profile(package_directory())

    def stop(self):
        """Up to now; what ran is in `runs`."""
        self.seconds = time.perf_counter() - self._start
        self.runs = [KernelRun(*run) for run in _core.stop_profile()]
        _taken.release()

    def span(self, name, category, start, end=None):
        """Puts down a stretch from `start` to `end`, or to now."""
        end = now() if end is None else end
        self.spans.append(Span(name, category, start, end, threading.get_ident()))
