"""Saves in the background: one at a time, in a thread or in a child process.

A second save, a load and the end of the program wait for the one that is under way, and raise its error.
"""

import atexit
import os
import threading
import warnings

from dyad._src.base.fork_lock import new_lock

_lock = new_lock()
_pending = None


def start(kind, path, write):
    """Call `write()` in a "thread" or a "process"; an earlier one is waited for first."""
    global _pending
    with _lock:
        _wait()
        _pending = (_Process if kind == "process" else _Thread)(path, write)


def wait():
    """Return when nothing is under way; an error of what was is raised as RuntimeError."""
    with _lock:
        _wait()


def _wait():
    global _pending
    pending, _pending = _pending, None
    if pending is None:
        return
    failure = pending.failure()
    if failure is not None:
        raise RuntimeError(
            f"save_checkpoint: {pending.path} could not be saved in the background: {failure}"
        ) from (failure if isinstance(failure, Exception) else None)


def is_running():
    """Returns whether a save is under way."""
    pending = _pending
    return pending is not None and pending.is_running()


class _Thread:
    def __init__(self, path, write):
        self.path = path
        self._write = write
        self._failure = None
        self._thread = threading.Thread(target=self._run, name="save_checkpoint")
        self._thread.start()

    def _run(self):
        try:
            self._write()
        except BaseException as error:
            self._failure = error

    def is_running(self):
        return self._thread.is_alive()

    def failure(self):
        """Wait for the end; what was raised, or None."""
        self._thread.join()
        return self._failure


class _Process:
    """A child of fork: it sees the values as they were at that moment, without a copy."""

    def __init__(self, path, write):
        self.path = path
        self._reader, writer = os.pipe()
        with warnings.catch_warnings():
            # The child uses nothing that another thread may have locked: it writes and exits.
            warnings.simplefilter("ignore", DeprecationWarning)
            self._child = os.fork()
        if self._child == 0:
            _write_and_leave(write, writer)
        os.close(writer)

    def is_running(self):
        return os.waitid(os.P_PID, self._child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None

    def failure(self):
        """Wait for the end; what the child said of an error, or None."""
        with os.fdopen(self._reader, "rb") as reader:
            said = reader.read().decode()
        status = os.waitstatus_to_exitcode(os.waitpid(self._child, 0)[1])
        if said or status == 0:
            return said or None
        return f"the child process ended with status {status}"


def _write_and_leave(write, writer):
    status = 0
    try:
        write()
    except BaseException as error:
        status = 1
        os.write(writer, f"{type(error).__name__}: {error}".encode()[: 2**12])
    finally:
        os._exit(status)


def _forget():
    """Forgets the saves in a forked child: its parent waits for them."""
    global _pending
    _pending = None


os.register_at_fork(after_in_child=_forget)
atexit.register(wait)
