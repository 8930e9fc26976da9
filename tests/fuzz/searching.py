"""Gives the graphs of a seed to worker processes and collects what they say."""

import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from .graph import parsed
from .minimising import minimised

_ROOT = Path(__file__).resolve().parents[1]
_CRASH_ATTEMPTS = 60


@dataclass
class Tally:
    compared: int = 0
    refused: int = 0  # forms with a symbolic dimension that asked for a known one
    faults: list[str] = field(default_factory=list)

    def join(self, other: "Tally"):
        self.compared += other.compared
        self.refused += other.refused
        self.faults += other.faults


def search(count: int, seed: int, start: int = 0, workers: int = 1, every: bool = False, forms=(), show=None):
    """Compares graphs `start` to `start + count` of a seed. `every`: each in all forms; `show` is told each fault."""
    share = -(-count // workers)
    ranges = [
        (first, min(first + share, start + count)) for first in range(start, start + count, max(share, 1))
    ]
    tally = Tally()
    with ThreadPoolExecutor(workers) as pool:
        for part in pool.map(
            lambda bounds: _range(seed, *bounds, every, forms, show or (lambda _: None)), ranges
        ):
            tally.join(part)
    return tally


def _range(seed, first, last, every, forms, show):
    """One range of graphs; after a crash a new worker goes on behind the graph that crashed."""
    tally = Tally()
    while first < last:
        command = [*_worker(), *map(str, (seed, first, last, int(every))), *forms]
        # A pipe is full after 64 KiB of warnings and would block the worker; a file is not.
        with (
            tempfile.TemporaryFile("w+") as written,
            subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=written, text=True, **_surroundings()
            ) as worker,
        ):
            current = None
            for line in worker.stdout:
                said = json.loads(line)
                current = said if said["what"] in ("writing", "running") else None
                if said["what"] == "agrees":
                    tally.compared += 1
                    tally.refused += said["refused"]
                elif said["what"] == "fault":
                    tally.compared += 1
                    tally.faults.append(f"graph {said['number']} of seed {seed}: {said['text']}")
                    show(tally.faults[-1])
            worker.wait()
            written.seek(0)
            errors = written.read()
        if worker.returncode == 0:
            break
        if current is None:
            raise RuntimeError(f"the worker ended between two graphs with {worker.returncode}:\n{errors}")
        tally.compared += 1
        tally.faults.append(
            f"graph {current['number']} of seed {seed}: {_crash(current, forms)}\n{errors[-2000:]}"
        )
        show(tally.faults[-1])
        first = current["number"] + 1
    return tally


def _surroundings():
    """Where a worker finds this package and the library that is tried here."""
    return {
        "cwd": _ROOT,
        "env": {**os.environ, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))},
    }


def _worker():
    return [sys.executable, "-m", f"{__package__.split('.')[-1]}.work"]


def _crash(said, forms):
    """The report of a crash, with the smallest graph that a new process does not survive."""
    if said["what"] == "writing":
        return "the dynamic graph crashes while the graph is written"

    def crashes(graph):
        command = [sys.executable, "-m", f"{__package__.split('.')[-1]}.survives", *forms]
        return (
            subprocess.run(
                command, input=repr(graph), capture_output=True, text=True, **_surroundings()
            ).returncode
            != 0
        )

    return f"a crash\n\n{minimised(parsed(said['text']), crashes, _CRASH_ATTEMPTS).script()}"
