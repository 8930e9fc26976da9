"""Reports compilations that last long: one line when the limit passes, one at the end."""

import collections
import contextlib
import threading
import time

from dyad import _core

# Seconds after which a compilation is reported.
LONG = 2.0


class Progress:
    """One compilation. `reason` says why it is made, `number` which graph of its owner it is."""

    def __init__(self, name, reason, number=None):
        self.name = name
        self.captures = 0  # times that the program was read, given up attempts included
        self.retries: collections.Counter = collections.Counter()  # what a retry changed -> retries
        self.place = None  # a callable that returns the line that is captured
        self.outcome = ""  # what came of it, in words
        self.depth = 0  # compilations inside
        self._reason = reason
        self._number = number  # None where graphs are not counted
        self._start = time.perf_counter()
        self._is_shown = False

    @property
    def seconds(self):
        """The time since the begin."""
        return time.perf_counter() - self._start

    def look(self, stage):
        """Reports the compilation once, when it has lasted long, with the stage that it is in."""
        if self._is_shown or self.seconds < LONG:
            return
        self._is_shown = True
        place = self.place() if self.place is not None and stage == "capture" else None
        where = f" of {place.filename}:{place.line}" if place is not None else ""
        often = f", attempt {self.captures}" if self.captures > 1 else ""
        from dyad import log

        log.warning(
            "jit: compiling %s has taken %.1f s so far (%s); now %s%s%s",
            *(self.name, self.seconds, self._why(), stage, where, often),
        )

    def end(self):
        """Reports how long it took, if that was long."""
        if self.seconds >= LONG:
            from dyad import log

            outcome = f": {self.outcome}" if self.outcome else ""
            log.warning("jit: compiling %s took %.1f s (%s)%s", self.name, self.seconds, self._why(), outcome)

    def _why(self):
        return self._reason if self._number is None else f"graph {self._number}, because {self._reason}"


class _Here(threading.local):
    progress: "Progress | None" = None


_here = _Here()


class _Observer:
    """Is told by the core of graphs that are compiled; those inside of a compilation that is known are its stages."""

    def begin(self, name, purpose):
        """A graph of this name is compiled, for a purpose that may be empty."""
        if _here.progress is None:
            _here.progress = Progress(f"the graph {name}", purpose or "as it was captured")
        else:
            _here.progress.depth += 1

    def look(self, stage):
        """The compilation goes on with this stage."""
        if _here.progress is not None:
            _here.progress.look(stage)

    def end(self):
        """The compilation that began last ends."""
        progress = _here.progress
        if progress is None:
            return
        if progress.depth:
            progress.depth -= 1
        else:
            _here.progress = None
            progress.end()


@contextlib.contextmanager
def in_progress(name, reason, number):
    """Inside: what is captured and compiled belongs to this compilation."""
    before, progress = _here.progress, Progress(name, reason, number)
    _here.progress = progress
    try:
        yield progress
    finally:
        _here.progress = before
        progress.end()


def captures(place):
    """Notes that the program is read from its start; `place()` returns the line that is worked on."""
    if _here.progress is not None:
        _here.progress.captures += 1
        _here.progress.place = place


def note_retry(change):
    """Notes that the program is read again with something changed."""
    if _here.progress is not None:
        _here.progress.retries[change] += 1


_core.observe_compilations(_Observer())
