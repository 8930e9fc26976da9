"""Compares Dyad with PyTorch, both in dynamic form on two threads, and writes docs/bench-eager.md.

Each framework runs in a process of its own. Row by row the two are measured in turn, several times, so that a slow
moment of the machine meets both; a row's time is the median over the turns of the fastest batch in a turn.
Usage: eager.py [--wheel FILE] [--only TEXT] [--turns N]; started by `./dev bench eager`.
"""

from __future__ import annotations

import argparse
import math
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy

from process import THREADS, Worker, warn_if_busy
from report import machine, mark, ratio_text, shown, spread, spread_text, write_table
from rows import ROWS, Row

SECONDS_PER_TURN = 0.25
NOISE, MORE_TURNS = (
    0.1,
    3,
)  # spread of the turns from which on there are more of them, and how many times as many
ROW_BAR = 1.2
# Where both compute -> the most that the mean of all rows and the small add may be.
MEAN_BARS, ADD_BARS = {"cpu": 0.95, "gpu": 0.9}, {"cpu": 1.0, "gpu": 0.6}
IMPORT_BAR_MS, MEMORY_BAR_MB, WHEEL_BAR_MB = 150, 60, 40


def compare_results(row: Row, workers: dict[str, Worker]) -> None:
    """Checks that both frameworks return the same result; a time counts only then."""
    with tempfile.TemporaryDirectory() as folder:
        arrays = []
        for name, worker in workers.items():
            path = f"{folder}/{name}.npy"
            worker.ask(save=path)
            arrays.append(numpy.load(path).astype(numpy.float64))
    ours, theirs = arrays
    if ours.shape != theirs.shape:
        sys.exit(f"bench: {row.name}: shapes differ: Dyad {ours.shape}, PyTorch {theirs.shape}")
    difference = float(numpy.max(numpy.abs(ours - theirs)) / max(numpy.max(numpy.abs(theirs)), 1e-6))
    if not difference < 1e-3:
        sys.exit(f"bench: {row.name}: results differ by {difference:.2g} of the largest value")


def measure(index: int, workers: dict[str, Worker], turns: int) -> dict[str, list[float]]:
    """Times of the turns; turns are added while their spread is large."""
    for worker in workers.values():
        worker.ask(prepare=index)
    compare_results(ROWS[index], workers)
    times: dict[str, list[float]] = {name: [] for name in workers}
    for turn in range(MORE_TURNS * turns):
        if turn >= turns and max(map(spread, times.values())) <= NOISE:
            break
        order = list(workers) if turn % 2 == 0 else list(reversed(workers))
        for name in order:
            times[name].append(workers[name].ask(measure=SECONDS_PER_TURN)["seconds"])
    return times


def medians(turns: dict[str, list[float]]) -> dict[str, float]:
    return {name: statistics.median(values) for name, values in turns.items()}


def import_cost(module: str) -> tuple[float, float]:
    """Milliseconds that `import module` takes and megabytes resident afterwards, each the median of seven processes."""
    program = (
        "import time; start = time.perf_counter()\n"
        f"import {module}\n"
        "spent = time.perf_counter() - start\n"
        "import re; status = open('/proc/self/status').read()\n"
        "print(spent * 1e3, int(re.search(r'VmRSS:\\s*(\\d+)', status)[1]) / 1024)"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True
        ).stdout.split()
        for _ in range(7)
    ]
    return tuple(statistics.median(float(run[i]) for run in runs) for i in (0, 1))


def report(turns: dict[str, dict[str, list[float]]], wheel: Path | None, device: str) -> str:
    mean_bar, add_bar = MEAN_BARS[device], ADD_BARS[device]
    times = {name: medians(each) for name, each in turns.items()}
    ratios = {name: time["dyad"] / time["torch"] for name, time in times.items()}
    mean = math.exp(statistics.fmean(math.log(ratio) for ratio in ratios.values()))
    worst = max(ratios, key=ratios.get)
    lines = ["| Row | Dyad | PyTorch | Dyad / PyTorch | spread |", "|---|--:|--:|--:|--:|"]
    for group in dict.fromkeys(row.group for row in ROWS):
        for row in ROWS:
            if row.group == group and row.name in times:
                time, ratio = times[row.name], ratios[row.name]
                lines.append(
                    f"| {group}: {row.name} | {shown(time['dyad'])} | {shown(time['torch'])} "
                    f"| {ratio_text(ratio, ROW_BAR)} | {spread_text(turns[row.name])} |"
                )
    lines += ["", "| Bar | Value | At most | Met |", "|---|--:|--:|---|"]
    lines.append(
        f"| slowest row: {worst} | {ratios[worst]:.2f} | {ROW_BAR} | {mark(ratios[worst], ROW_BAR)} |"
    )
    lines.append(
        f"| geometric mean of {len(ratios)} rows | {mean:.2f} | {mean_bar} | {mark(mean, mean_bar)} |"
    )
    if "add" in ratios:
        lines.append(f"| small add | {ratios['add']:.2f} | {add_bar} | {mark(ratios['add'], add_bar)} |")
    spent, resident = import_cost("dyad")
    lines.append(f"| `import dyad` | {spent:.0f} ms | {IMPORT_BAR_MS} ms | {mark(spent, IMPORT_BAR_MS)} |")
    lines.append(
        f"| resident after it | {resident:.0f} MB | {MEMORY_BAR_MB} MB | {mark(resident, MEMORY_BAR_MB)} |"
    )
    if wheel:
        size = wheel.stat().st_size / 1e6
        lines.append(f"| wheel | {size:.1f} MB | {WHEEL_BAR_MB} MB | {mark(size, WHEEL_BAR_MB)} |")
    return "\n".join(lines)


def introduction(turns: int, torch_version: str, busy: str) -> str:
    return (
        "# Dynamic graph: Dyad and PyTorch\n\n"
        f"Written by `./dev bench eager` in one run on {machine()}, {THREADS} threads each, float32, without\n"
        f"gradients, PyTorch {torch_version}, Python {platform.python_version()}. A row's time is the median\n"
        f"over {turns} turns or more of the fastest batch in a turn; the two take turns, and one stands still while\n"
        "the other is measured. *Spread* is how far the middle half of the turns lies apart, Dyad's and PyTorch's. A\n"
        f"ratio below 1 means that Dyad is faster; bold marks a ratio above {ROW_BAR}. {busy}".rstrip()
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="compare Dyad with PyTorch in dynamic form")
    parser.add_argument("--wheel", type=Path, help="the wheel whose size is reported")
    parser.add_argument("--only", default="", help="measure only rows whose group or name contains this text")
    parser.add_argument("--turns", type=int, default=7, help="how often each framework is measured on a row")
    parser.add_argument("--device", choices=("cpu", "gpu"), default="cpu", help="where both compute")
    parser.add_argument("--table", type=Path, help="write the table to this file, not to docs")
    options = parser.parse_args()
    os.environ["BENCH_DEVICE"] = options.device

    import torch

    busy = warn_if_busy()
    workers = {name: Worker("worker.py", name) for name in ("dyad", "torch")}
    times = {}
    for index, row in enumerate(ROWS):
        if options.only in f"{row.group}: {row.name}":
            times[row.name] = measure(index, workers, options.turns)
            found = medians(times[row.name])
            ratio = found["dyad"] / found["torch"]
            print(f"{row.group}: {row.name}: {ratio:.2f}", file=sys.stderr, flush=True)
    if not times:
        sys.exit(f"bench: no row contains {options.only!r}")
    table = report(times, options.wheel, options.device)
    print(table)
    if options.table:
        options.table.write_text(table + "\n")
    elif not options.only:
        write_table("eager", introduction(options.turns, torch.__version__, busy), table)


if __name__ == "__main__":
    main()
