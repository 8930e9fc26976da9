"""Reports of compilations: one line for each, and advice where a program compiles more often than it should."""

import dataclasses
import sys
import weakref
from collections.abc import Callable

from dyad._src.capture.progress import in_progress
from dyad._src.context import environment
from dyad._src.jit.cache.cause import Cause, most_frequent
from dyad._src.jit.options.options import JitOptions

# From this many graphs of one callable on, something in its arguments most likely changes with every call.
MANY_GRAPHS = 8

# Groups of operators that a message names.
_NAMED = 3

# A callable that compiles with every call must not fill the memory with what is said about it.
_REMEMBERED = 64


@dataclasses.dataclass(frozen=True)
class Compilation:
    """One graph of a callable: why it was compiled, in what time, and with what options.

    `stages` are the seconds of capture, of the passes, and of the memory plan with its code; `captures` is how often
    the program was read, `retries` what was changed when it was read again. `entry` returns the compiled entry as long
    as it is kept.
    """

    number: int
    cause: Cause
    seconds: float
    options: JitOptions
    entry: Callable = dataclasses.field(repr=False)
    stages: dict = dataclasses.field(default_factory=dict)
    captures: int = 1
    retries: dict = dataclasses.field(default_factory=dict)


# Source location -> the callable that was compiled from there first, and whether the hint was given.
_first_at: dict = {}


def _nothing():
    """Stands for a reference to an entry where a compilation left none."""


def _stages_of(entry, seconds):
    """Stage -> seconds, for an entry that was captured and compiled in so many seconds."""
    program = None if entry is None else entry.program
    compiled = (
        {name: milliseconds / 1e3 for name, milliseconds, _ in program.report["stages"]} if program else {}
    )
    plan = compiled.pop("plan", 0.0)
    passes = sum(compiled.values())
    return {"capture": max(seconds - passes - plan, 0.0), "passes": passes, "plan and code": plan}


def stages_text(stages, captures):
    """The stages of compilations with their times, in words."""
    often = f" ({captures} attempts)" if captures > 1 else ""
    shown = [
        f"{name} {time_text(seconds)}{often if name == 'capture' else ''}" for name, seconds in stages.items()
    ]
    return ", ".join(shown)


def time_text(seconds):
    """Seconds in the unit that suits them."""
    return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1e3:.1f} ms"


def location_of(function):
    """(file, line) that a function begins at, or None."""
    code = getattr(function, "__code__", None) or getattr(
        getattr(function, "__wrapped__", None), "__code__", None
    )
    return (code.co_filename, code.co_firstlineno) if code else None


class CompileReport:
    """The latest compilations of one callable, oldest first. With `hints` it tells when one is decorated repeatedly.

    Of what is `inner`, a part of a function or something that host code calls, nothing is said as a warning: the
    program did not ask for it to be compiled.
    """

    def __init__(self, name, location, hints=True, inner=False):
        self.name = name
        self.location = location
        self.compilations = []
        self.slower = []  # in words: what makes its graphs slower than they could be
        self._hints = hints
        self._inner = inner

    def describe(self):
        """The name of the callable and where it stands."""
        return f"{self.name} ({self.location[0]}:{self.location[1]})" if self.location else self.name

    def started(self):
        """Announces a compilation where progress is shown."""
        if environment.shows_progress():
            print(f"Start compiling {self.describe()}", file=sys.stderr, flush=True)

    def progress(self, cause):
        """A context: the compilation that is made inside, because of `cause`, is reported if it takes long."""
        return in_progress(self.describe(), str(cause), self._next_number())

    def finished(self, cause, seconds, options, entry, captures=1, retries=()):
        """Note and log one compilation; `cause` says why the graphs at hand did not fit. Returns its stages as text."""
        from dyad import log

        number = self._next_number()
        known = _nothing if entry is None else weakref.ref(entry)
        stages = _stages_of(entry, seconds)
        self.compilations.append(
            Compilation(number, cause, seconds, options, known, stages, captures, dict(retries))
        )
        del self.compilations[:-_REMEMBERED]
        if environment.shows_progress():
            print(f"End compiling {self.describe()}: {seconds:.3f} s", file=sys.stderr, flush=True)
        log.info("jit: compiled %s, graph %d, in %.1f ms: %s", self.describe(), number, seconds * 1e3, cause)
        if entry is not None and entry.program is not None and options.optimises:
            self._note_missing_code(entry.program)
        if number == 1:
            self._hint_if_created_again()
        elif number == MANY_GRAPHS + 1:
            say = log.info if self._inner else log.warning
            say("jit: %s was compiled %d times; %s", self.describe(), number, self._advice())
        return stages_text(stages, captures)

    def _next_number(self):
        return self.compilations[-1].number + 1 if self.compilations else 1

    def falls_back(self, text):
        """Note, and log once, that a slower way is taken."""
        if text not in self.slower:
            from dyad import log

            self.slower.append(text)
            say = log.info if self._inner else log.warning
            say("jit: %s: %s", self.describe(), text)

    def splits(self, because, line=None):
        """Log that Python runs a statement of the callable, or, without a line, a part of it."""
        from dyad import log

        where = self.describe() if line is None else f"{self.location[0]}:{line}"
        log.info("jit: %s runs in Python: %s", where, because)
        if environment.shows_host_code():
            print(f"{where} runs in Python: {because}", file=sys.stderr, flush=True)

    def runs_slowly(self, timing):
        """Advice where host code takes most of the time of a call."""
        self.falls_back(
            f"{timing.host * 1e3:.1f} of {timing.whole * 1e3:.1f} ms of a call are host code; dyad.explain shows its "
            "lines: use operators there, or take them out of the function"
        )

    def compilation_of(self, entry):
        """The compilation that an entry comes from, or None."""
        return next((each for each in self.compilations if each.entry() is entry), None)

    def _note_missing_code(self, program):
        made = program.report
        if not made["code_generator"]:
            self.falls_back(
                "there is no code generator for this machine, so operators are not computed together"
            )
        elif made["without_code"]:
            names = made["without_code"]
            more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
            shown = ", ".join(names[:_NAMED]) + more
            self.falls_back(f"no code can be made for {shown}, whose operators run one by one")

    def _advice(self):
        """Returns what changes most often, and advice."""
        found = most_frequent([compilation.cause for compilation in self.compilations])
        if found is None:
            return f"the last time because {self.compilations[-1].cause}"
        cause, times = found
        return f"{times} times {cause.subject} had changed ({cause}, the last time): {cause.advice}"

    def _hint_if_created_again(self):
        """A function that is decorated anew in a loop compiles anew each time, which its author may not expect."""
        location = self.location
        if location is None or not self._hints:
            return
        first, hinted = _first_at.get(location, (None, False))
        if first is None:
            _first_at[location] = (weakref.ref(self), False)
        elif not hinted and first() is not self:
            from dyad import log

            _first_at[location] = (first, True)
            log.warning(
                "jit: %s is compiled again because it was decorated again; decorate it once, or reuse its graphs "
                "with hash_args or compile_once",
                self.describe(),
            )
