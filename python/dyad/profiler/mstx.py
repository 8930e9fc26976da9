"""Moments and stretches that a program marks in its trace."""

import itertools

from dyad._src.base.argument_checks import require_int
from dyad._src.base.host_only import host_only
from dyad._src.observe.profile.recording import now

__all__ = ["Mstx"]

_numbers = itertools.count(1)
_open: dict = {}  # open ranges, by number
_listeners: list = []  # the listeners of profilers


def _require_text(owner, name, value):
    if not isinstance(value, str) or not value:
        raise TypeError(f"mstx.{owner}: {name} is {value!r}; need a text that is not empty")


class Mstx:
    """Marks in the trace of a profiler whose `_ExperimentalConfig` has `mstx=True`; without one they do nothing.

    Operators on the CPU have finished when they return, so `stream` has no effect.
    """

    @staticmethod
    @host_only
    def mark(message, stream=None, domain="default") -> None:
        """Marks this moment."""
        _require_text("mark", "message", message)
        _require_text("mark", "domain", domain)
        moment = now()
        for listener in _listeners:
            listener(message, domain, moment, moment)

    @staticmethod
    @host_only
    def range_start(message, stream=None, domain="default"):
        """Starts a range; returns its number, or 0 while marks are not recorded."""
        _require_text("range_start", "message", message)
        _require_text("range_start", "domain", domain)
        if not _listeners:
            return 0
        number = next(_numbers)
        _open[number] = (message, domain, now())
        return number

    @staticmethod
    @host_only
    def range_end(range_id: int, domain="default") -> None:
        """Ends the stretch of that number and domain."""
        require_int("mstx.range_end", "range_id", range_id, low=0)
        if _open.get(range_id, ("", None))[1] != domain:
            return
        message, domain, start = _open.pop(range_id)
        for listener in _listeners:
            listener(message, domain, start, now())


def listen(listener) -> None:
    """Calls `listener(message, domain, start, end)` for marks from now on."""
    _listeners.append(listener)


def stop_listening(listener) -> None:
    _listeners.remove(listener)
    if not _listeners:
        _open.clear()
