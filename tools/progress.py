"""Runs a Ninja build and shows its progress and the remaining time.

On a terminal that is one line, kept up to date; elsewhere a line for each tenth. What the compilers say is shown as it
comes, the names of the files compiled are not.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

_STEP = re.compile(r"\[(\d+)/(\d+)\] ")
_SHOWN_FROM = 0.04  # of the work: before that an estimate says nothing
_FEWEST_STEPS = 20  # that are worth a line for each tenth


def run_build(command: list[str], folder: Path) -> int:
    """Runs `cmake --build …` in the folder and returns its status."""
    variables = {**os.environ, "NINJA_STATUS": "[%f/%t] "}
    view = _Line() if sys.stdout.isatty() else _Tenths()
    progress = Progress(time.monotonic())
    with subprocess.Popen(
        command, cwd=folder, env=variables, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as build:
        assert build.stdout
        for text in build.stdout:
            if step := _STEP.match(text):
                progress.advance(int(step[1]), int(step[2]), time.monotonic())
                view.show(progress)
            elif text.strip() and not text.startswith("ninja: "):
                view.interrupt(text)
    view.end(progress)
    return build.returncode


class Progress:
    """Counts finished build steps and estimates the time that the others will take."""

    def __init__(self, start: float) -> None:
        self._start = self._now = start
        self.done = self.total = 0

    def advance(self, done: int, total: int, now: float) -> None:
        if total < self.total:  # the earlier steps regenerated the build files
            self._start = self._now
        self.done, self.total, self._now = done, total, now

    @property
    def fraction(self) -> float:
        return self.done / self.total if self.total else 0.0

    @property
    def elapsed(self) -> float:
        return self._now - self._start

    def __str__(self) -> str:
        shown = f"building: {self.fraction:4.0%}, {self.done} of {self.total} steps"
        if _SHOWN_FROM < self.fraction < 1:
            left = self.elapsed * (1 - self.fraction) / self.fraction
            shown += f", about {_duration(left)} left"
        return shown


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:2} s" if minutes else f"{rest} s"


class _Line:
    """Shows the progress in one line of a terminal."""

    def show(self, progress: Progress) -> None:
        print(f"\r\033[K{progress}", end="", flush=True)

    def interrupt(self, text: str) -> None:
        print(f"\r\033[K{text}", end="", flush=True)

    def end(self, progress: Progress) -> None:
        print("\r\033[K", end="", flush=True)
        _say_end(progress)


class _Tenths:
    """Shows a line for each tenth of the work."""

    def __init__(self) -> None:
        self._shown = 0

    def show(self, progress: Progress) -> None:
        tenth = int(progress.fraction * 10)
        if tenth > self._shown and tenth < 10 and progress.total >= _FEWEST_STEPS:
            print(progress, flush=True)
        self._shown = tenth

    def interrupt(self, text: str) -> None:
        print(text, end="", flush=True)

    def end(self, progress: Progress) -> None:
        _say_end(progress)


def _say_end(progress: Progress) -> None:
    if progress.total:
        print(f"{progress.done} of {progress.total} steps in {_duration(progress.elapsed)}", flush=True)
