"""The records of a profile."""

from typing import NamedTuple


class KernelRun(NamedTuple):
    """One kernel run, as the core recorded it."""

    kernel: str  # the operator's name, or that of generated code
    operators: str  # what generated code computes, in order; else empty
    operands: str  # dtypes and shapes
    file: str
    line: int
    start: int  # nanoseconds of a steady clock
    end: int
    thread: int
    flop: float
    bytes: int

    @property
    def seconds(self):
        """Duration of the run."""
        return (self.end - self.start) * 1e-9


class Step:
    """The runs of one kernel for one line of the program on operands of one kind."""

    def __init__(self, runs):
        first = runs[0]
        self.kernel = first.kernel
        self.operators = first.operators
        self.operands = first.operands
        self.file, self.line = first.file, first.line
        self.calls = len(runs)
        self.seconds = sum(run.seconds for run in runs)
        self.flop = sum(run.flop for run in runs)
        self.bytes = sum(run.bytes for run in runs)

    def of_limit(self, limits):
        """The minimum time that the machine needs for this work, divided by the actual time."""
        least = max(self.flop / limits.flop, self.bytes / limits.bytes)
        return least / self.seconds if self.seconds else 0.0


def grouped(runs, key):
    """Steps of the runs with an equal key, the longest first."""
    groups: dict = {}
    for run in runs:
        groups.setdefault(key(run), []).append(run)
    return sorted((Step(group) for group in groups.values()), key=lambda step: -step.seconds)
