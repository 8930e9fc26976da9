"""`dyad.profile`: runs a call and reports the time of its kernels."""

import functools
from collections.abc import Callable

from dyad._src.observe.profile.kernel_run import grouped
from dyad._src.observe.profile.recording import Recording
from dyad._src.observe.profile.table import duration, machine_limits, profile_text
from dyad._src.observe.profile.trace import write_trace


class Profile:
    """The kernels of a call; `str` of it is a table.

    `result` is the result of the call, `seconds` its duration, `runs` every kernel in order. `steps` sums them up by
    kernel, line of the program and operands, `kernels` by kernel, the longest first. `limits` are the measured maxima
    of the machine.
    """

    def __init__(self, result, seconds, calls, runs, limits):
        self.result = result
        self.seconds = seconds
        self.calls = calls
        self.runs = runs
        self.limits = limits
        self.steps = grouped(runs, lambda run: (run.kernel, run.file, run.line, run.operands))
        self.kernels = grouped(runs, lambda run: run.kernel)

    def __str__(self):
        return profile_text(self)

    def __repr__(self):
        return f"<Profile: {len(self.runs)} kernels in {duration(self.seconds)}>"

    def write_trace(self, path):
        """Writes the kernels as a trace that Chrome and Perfetto show."""
        write_trace(self.runs, path)


def profile(function: Callable, *, trace=None, warmup=1, repeat=1, show: bool = True):
    """A callable that runs a call of `function`, prints the kernels with their time, and returns the Profile.

    `function` is any callable: a jitted function, a Cell, a function of the dynamic graph. It is called `warmup`
    times first, so that compilations are not measured, and then `repeat` times. Each kernel is shown with its line of
    the program, its throughput in bytes and operations per second, and their share of the machine's limits; generated
    code with the operators that it computes. `trace` names a file to write a Chrome trace to; without `show` nothing
    is printed.
    """
    if not callable(function):
        raise TypeError(f"profile: function is {function!r}; need a callable")
    if not (isinstance(repeat, int) and repeat > 0 and isinstance(warmup, int) and warmup >= 0):
        raise ValueError(
            f"profile: warmup is {warmup!r} and repeat {repeat!r}; need a repeat of at least 1 and a "
            "warmup of at least 0"
        )

    @functools.wraps(function, assigned=("__name__", "__qualname__", "__doc__"), updated=())
    def profiled(*args, **kwargs):
        limits = machine_limits()
        for _ in range(warmup):
            function(*args, **kwargs)
        made = _watched(lambda: function(*args, **kwargs), repeat, limits)
        if trace is not None:
            made.write_trace(trace)
        if show:
            print(made)
        return made

    return profiled


def _watched(call, repeat, limits):
    result = None
    recording = Recording()
    recording.start()
    try:
        for _ in range(repeat):
            result = call()
    finally:
        recording.stop()
    return Profile(result, recording.seconds, repeat, recording.runs, limits)
