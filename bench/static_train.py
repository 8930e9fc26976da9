"""Training steps as one static graph beside the same steps in the dynamic graph, each form in processes of its own."""

from __future__ import annotations

import sys

from process import Worker
from report import mark, shown
from train_rows import ROWS

# Seconds that making the graph of a row may take; the row whose peak of memory may not be above the dynamic graph's.
BARS = {"MLP 784-512-512-10, batch 64, Adam": 0.15, "ResNet-50, batch 8, Momentum": 1.5}
MEMORY_BAR = "ResNet-50, batch 8, Momentum"


def figures_of(index: int, form: str, turns: int) -> dict:
    """The best of several processes: everything that disturbs a run makes it slower or larger."""
    found = []
    for _ in range(turns):
        worker = Worker("static_worker.py", form)
        found.append(worker.ask(train=index))
        worker.close()
    best = {key: min(figures[key] for figures in found) for key in found[0] if key != "losses"}
    return {**best, "losses": found[0]["losses"]}


def measure(only: str, turns: int) -> dict[str, tuple[dict, dict]]:
    """(figures of the dynamic graph, of the static one) by the names of the rows whose name contains the text."""
    measured = {}
    for index, row in enumerate(ROWS):
        name = f"train step: {row.name}"
        if only not in name:
            continue
        dynamic, static = (figures_of(index, form, turns) for form in ("dyad", "dyad-jit"))
        if dynamic["losses"] != static["losses"]:
            sys.exit(
                f"bench: {name}: the static graph gives the losses {static['losses']}, not {dynamic['losses']}"
            )
        measured[row.name] = dynamic, static
        print(
            f"{name}: first {shown(static['first'])}, step {shown(static['later'])} (dynamic "
            f"{shown(dynamic['later'])}), peak {megabytes(static)} (dynamic {megabytes(dynamic)})",
            file=sys.stderr,
            flush=True,
        )
    return measured


def megabytes(figures: dict) -> str:
    return f"{figures['bytes'] / 1e6:.0f} MB"


def training_table(measured: dict[str, tuple[dict, dict]]) -> list[str]:
    if not measured:
        return []
    lines = [
        "| Training step | Making the graph | Step, dynamic | Step, static | Peak, dynamic | Peak, static |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for name, (dynamic, static) in measured.items():
        times = (static["first"], dynamic["later"], static["later"])
        cells = [*map(shown, times), megabytes(dynamic), megabytes(static)]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return lines


def training_bars(measured: dict[str, tuple[dict, dict]]) -> list[str]:
    lines = []
    for name, (dynamic, static) in measured.items():
        if name in BARS:
            spent, bar = static["first"], BARS[name]
            lines.append(f"| making the graph: {name} | {shown(spent)} | {shown(bar)} | {mark(spent, bar)} |")
        if name == MEMORY_BAR:
            kept = mark(static["bytes"], dynamic["bytes"])
            lines.append(f"| peak memory: {name} | {megabytes(static)} | {megabytes(dynamic)} | {kept} |")
    return lines
