"""Compares training steps of Dyad and PyTorch, both in dynamic form on two threads, and writes docs/bench-train.md.

Each framework runs each row in a fresh process, so that its peak of resident memory is that row's. The two are measured
in turn, several times, so that a slow moment of the machine meets both; a row's time is the median over the turns of
the fastest batch of steps in a turn.
Usage: train.py [--only TEXT] [--turns N]; started by `./dev bench train`.
"""

from __future__ import annotations

import argparse
import math
import os
import platform
import statistics
import sys
from pathlib import Path

from process import THREADS, Worker, warn_if_busy
from report import machine, mark, ratio_text, shown, spread, spread_text, write_table
from train_rows import ROWS, TrainRow

SECONDS_PER_TURN = 2.0
NOISE, MORE_TURNS = (
    0.1,
    3,
)  # spread of the turns from which on there are more of them, and how many times as many
MEAN_BAR, MEMORY_BAR = 0.9, 1.0
ROW_BARS = {"cpu": 1.15, "gpu": 0.9}  # by where both compute
LOSS_TOLERANCE = 0.01

Figures = dict[str, float]  # by framework


def compare_losses(row: TrainRow, losses: dict[str, list[float]]) -> None:
    """Checks that the losses of both frameworks agree; a time counts only then."""
    for ours, theirs in zip(losses["dyad"], losses["torch"], strict=True):
        if not abs(ours - theirs) <= LOSS_TOLERANCE * max(abs(theirs), 1.0):
            sys.exit(f"bench: {row.name}: losses differ: Dyad {losses['dyad']}, PyTorch {losses['torch']}")


def measure(index: int, turns: int) -> tuple[dict[str, list[float]], Figures]:
    """Seconds of a step in each turn, with turns added while their spread is large, and peak memory."""
    workers = {name: Worker("train_worker.py", name) for name in ("dyad", "torch")}
    compare_losses(
        ROWS[index], {name: worker.ask(prepare=index)["losses"] for name, worker in workers.items()}
    )
    times: dict[str, list[float]] = {name: [] for name in workers}
    for turn in range(MORE_TURNS * turns):
        if turn >= turns and max(map(spread, times.values())) <= NOISE:
            break
        for name in list(workers) if turn % 2 == 0 else list(reversed(workers)):
            times[name].append(workers[name].ask(measure=SECONDS_PER_TURN)["seconds"])
    memory = {name: worker.ask(memory=True)["bytes"] for name, worker in workers.items()}
    for worker in workers.values():
        worker.close()
    return times, memory


def medians(turns: dict[str, list[float]]) -> Figures:
    return {name: statistics.median(values) for name, values in turns.items()}


def report(turns: dict[str, dict[str, list[float]]], memory: dict[str, Figures], device: str) -> str:
    row_bar = ROW_BARS[device]
    times = {name: medians(each) for name, each in turns.items()}
    ratios = {name: time["dyad"] / time["torch"] for name, time in times.items()}
    mean = math.exp(statistics.fmean(math.log(ratio) for ratio in ratios.values()))
    worst = max(ratios, key=ratios.get)
    lines = ["| Row | Dyad | PyTorch | Dyad / PyTorch | spread |", "|---|--:|--:|--:|--:|"]
    for name, time in times.items():
        text = ratio_text(ratios[name], row_bar)
        lines.append(
            f"| {name} | {shown(time['dyad'])} | {shown(time['torch'])} | {text} | {spread_text(turns[name])} |"
        )
    for name, peak in memory.items():
        text = ratio_text(peak["dyad"] / peak["torch"], MEMORY_BAR)
        lines.append(
            f"| {name}: peak memory | {peak['dyad'] / 1e9:.2f} GB | {peak['torch'] / 1e9:.2f} GB | {text} | |"
        )
    lines += ["", "| Bar | Value | At most | Met |", "|---|--:|--:|---|"]
    lines.append(
        f"| slowest row: {worst} | {ratios[worst]:.2f} | {row_bar} | {mark(ratios[worst], row_bar)} |"
    )
    lines.append(
        f"| geometric mean of {len(ratios)} rows | {mean:.2f} | {MEAN_BAR} | {mark(mean, MEAN_BAR)} |"
    )
    if memory:
        most = max(peak["dyad"] / peak["torch"] for peak in memory.values())
        lines.append(f"| peak memory | {most:.2f} | {MEMORY_BAR} | {mark(most, MEMORY_BAR)} |")
    return "\n".join(lines)


def introduction(turns: int, torch_version: str, busy: str) -> str:
    return (
        "# Training in the dynamic graph: Dyad and PyTorch\n\n"
        f"Written by `./dev bench train` in one run on {machine()}, {THREADS} threads each, float32, PyTorch\n"
        f"{torch_version}, Python {platform.python_version()}. A step is forward pass, gradients and update of\n"
        "all weights: `value_and_grad` and `nn.Momentum` or `nn.Adam` in Dyad; `zero_grad(set_to_none=True)`,\n"
        "`backward` and `torch.optim.SGD` or `Adam` with `fused=True` in PyTorch. Both start\n"
        "from the same weights and must show the same losses. A row's time is the median over\n"
        f"{turns} turns of the fastest steps in a turn; the two take turns, each row in fresh processes, whose\n"
        "peak of resident memory is reported too. A ratio below 1 means that Dyad is faster or smaller; bold\n"
        f"marks a ratio above {ROW_BARS['cpu']} (memory: {MEMORY_BAR}). *Spread* is how far the middle half of the\n"
        "turns lies apart, Dyad's and PyTorch's; there are more turns where that is more than "
        f"{NOISE:.0%}. {busy}".rstrip()
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="compare training steps of Dyad and PyTorch")
    parser.add_argument("--only", default="", help="measure only rows whose name contains this text")
    parser.add_argument("--turns", type=int, default=7, help="how often each framework is measured on a row")
    parser.add_argument("--device", choices=("cpu", "gpu"), default="cpu", help="where both compute")
    parser.add_argument("--table", type=Path, help="write the table to this file, not to docs")
    options = parser.parse_args()
    os.environ["BENCH_DEVICE"] = options.device

    import torch

    busy = warn_if_busy()
    times, memory = {}, {}
    for index, row in enumerate(ROWS):
        if options.only not in row.name:
            continue
        times[row.name], peak = measure(index, options.turns)
        if row.memory:
            memory[row.name] = peak
        found = medians(times[row.name])
        ratio = found["dyad"] / found["torch"]
        print(f"{row.name}: {ratio:.2f}", file=sys.stderr, flush=True)
    if not times:
        sys.exit(f"bench: no row contains {options.only!r}")
    table = report(times, memory, options.device)
    print(table)
    if options.table:
        options.table.write_text(table + "\n")
    elif not options.only:
        write_table("train", introduction(options.turns, torch.__version__, busy), table)


if __name__ == "__main__":
    main()
