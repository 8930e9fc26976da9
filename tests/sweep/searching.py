"""Gives the cases of a seed to worker processes and collects what they say."""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[1]


@dataclass
class Tally:
    compared: int = 0
    faults: list[str] = field(default_factory=list)


def sweep(count: int, seed: int, families: list[str], start: int = 0, workers: int = 1, show=None) -> Tally:
    """Checks cases `start` to `start + count` of a seed; `show` is told each fault."""
    share = max(-(-count // workers), 1)
    ranges = [(first, min(first + share, start + count)) for first in range(start, start + count, share)]
    tally = Tally()
    with ThreadPoolExecutor(workers) as pool:
        for part in pool.map(
            lambda bounds: _range(seed, *bounds, families, show or (lambda _: None)), ranges
        ):
            tally.compared += part.compared
            tally.faults += part.faults
    return tally


def _range(seed, first, last, families, show):
    """One range of cases; after a crash a new worker goes on behind the case that crashed."""
    tally = Tally()

    def fault(number, text):
        tally.faults.append(f"case {number} of seed {seed}: {text}")
        show(tally.faults[-1])

    while first < last:
        with subprocess.Popen(
            [*_worker(), *map(str, (seed, first, last)), *families],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **_surroundings(),
        ) as worker:
            current = None
            for line in worker.stdout:
                said = json.loads(line)
                current = said if said["what"] == "running" else None
                tally.compared += said["what"] != "running"
                if said["what"] == "fault":
                    fault(said["number"], said["text"])
                first = said["number"] + (said["what"] != "running")
            errors = worker.stderr.read()
        if worker.returncode == 0:
            break
        # What a case leaves damaged may only show behind it, at the latest when the process ends.
        where = current["text"] if current else "behind this case"
        tally.compared += current is not None
        fault(first, f"the worker ended with {worker.returncode}: {where}\n{errors[-4000:]}")
        first += 1
    return tally


def _surroundings():
    """Where a worker finds this package and the library; its memory is guarded against reads and writes behind it."""
    path = os.pathsep.join(map(os.path.abspath, sys.path))
    return {"cwd": _ROOT, "env": {**os.environ, "PYTHONPATH": path, "DYAD_GUARD_MEMORY": "1"}}


def _worker():
    return [sys.executable, "-m", f"{__package__.split('.')[-1]}.work"]
