"""Compares static graphs with the dynamic graph and with other frameworks, and writes docs/bench-static.md.

Each form of each framework runs in a process of its own. Later calls are measured in turns, as in eager.py; first
calls in fresh processes, the fastest of several.
Usage: static.py [--only TEXT] [--turns N]; started by `./dev bench static`.
"""

from __future__ import annotations

import argparse
import platform
import statistics
import sys
import tempfile

import numpy

from process import THREADS, Worker, warn_if_busy
from report import machine, mark, shown, write_table
from static_rows import EVERY_FORM, MAKES_GRAPHS, ROWS, StaticRow
from static_train import measure as measure_training
from static_train import training_bars, training_table

SECONDS_PER_TURN = 0.25
GUARDED_CELLS = 160
PLANNED = {"resnet50": "ResNet-50, batch 1", "bert_base": "BERT-base, batch 1, length 128"}
TITLES = {
    "dyad": "Dyad, dynamic",
    "dyad-jit": "Dyad, static",
    "torch": "PyTorch",
    "torch-compile": "torch.compile",
    "torch-capture": "torch.compile, capture alone",
    "jax-jit": "jax.jit",
    "jax-trace": "jax.jit, trace and lower",
}


def compare_results(row: StaticRow, workers: dict[str, Worker]) -> None:
    """Speed only counts for the right answer: every form must agree with PyTorch's dynamic graph."""
    with tempfile.TemporaryDirectory() as folder:
        arrays = {}
        for form, worker in workers.items():
            path = f"{folder}/{form}.npy"
            worker.ask(save=path)
            arrays[form] = numpy.load(path).astype(numpy.float64)
    truth = arrays["torch"]
    for form, array in arrays.items():
        difference = float(numpy.max(numpy.abs(array - truth)) / max(numpy.max(numpy.abs(truth)), 1e-6))
        if array.shape != truth.shape or not difference < 1e-3:
            sys.exit(
                f"bench: {row.name}: {form} gives another result than torch ({difference:.2g} of the largest)"
            )


def later_calls(index: int, everyone: dict[str, Worker], turns: int) -> dict[str, float]:
    workers = {form: everyone[form] for form in ROWS[index].forms}
    for worker in workers.values():
        worker.ask(prepare=index)
    compare_results(ROWS[index], workers)
    times: dict[str, list[float]] = {form: [] for form in workers}
    for turn in range(turns):
        for form in list(workers) if turn % 2 == 0 else reversed(workers):
            times[form].append(workers[form].ask(measure=SECONDS_PER_TURN)["seconds"])
    return {form: statistics.median(values) for form, values in times.items()}


def first_call(index: int, turns: int) -> dict[str, float]:
    times = {}
    for form in ROWS[index].forms:
        spent = []
        for _ in range(turns):
            worker = Worker("static_worker.py", form)
            spent.append(worker.ask(first=index)["seconds"])
            worker.close()
        times[form] = min(spent)
    return times


def rows_table(times: dict[int, dict[str, float]], first: bool, forms: tuple[str, ...]) -> list[str]:
    lines = [
        f"| {'First call' if first else 'Later call'} | " + " | ".join(TITLES[form] for form in forms) + " |"
    ]
    lines.append("|---|" + "--:|" * len(forms))
    for index, measured in times.items():
        if ROWS[index].first == first:
            cells = [shown(measured[form]) if form in measured else "" for form in forms]
            lines.append(f"| {ROWS[index].name} | " + " | ".join(cells) + " |")
    return lines if len(lines) > 2 else []


def bars_table(times: dict[int, dict[str, float]], trained: dict[str, tuple[dict, dict]]) -> list[str]:
    lines = ["| Bar | Value | At most | Met |", "|---|--:|--:|---|", *training_bars(trained)]
    for index, measured in times.items():
        row = ROWS[index]
        if row.bar is not None:
            name = f"{'first' if row.first else 'later'} call: {row.name}"
            spent = measured["dyad-jit"]
            lines.append(f"| {name} | {shown(spent)} | {shown(row.bar)} | {mark(spent, row.bar)} |")
    return lines if len(lines) > 2 else []


def guards_table() -> list[str]:
    worker = Worker("static_worker.py", "dyad")
    found = worker.ask(guards=GUARDED_CELLS)
    worker.close()
    each = found["seconds"] / GUARDED_CELLS
    return [
        "| Guards of a Cell | Guards | Check of all | Per Cell inside |",
        "|---|--:|--:|--:|",
        f"| {GUARDED_CELLS} Cells inside | {found['count']} | {shown(found['seconds'])} | {shown(each)} |",
    ]


def memory_table() -> list[str]:
    lines = [
        "| Memory of the values between input and result | Planned | Without reuse | Peak, static | Peak, dynamic |",
        "|---|--:|--:|--:|--:|",
    ]
    for model, name in PLANNED.items():
        worker = Worker("static_worker.py", "dyad")
        found = worker.ask(memory=model)
        worker.close()
        figures = [f"{found[key] / 1e6:.1f} MB" for key in ("planned", "unplanned", "static", "dynamic")]
        lines.append(f"| {name} | " + " | ".join(figures) + " |")
    return lines


def introduction(turns: int, versions: dict[str, str]) -> str:
    return (
        "# Static graphs: Dyad, PyTorch and JAX\n\n"
        f"Written by `./dev bench static` in one run on {machine()}, {THREADS} threads each, float32,\n"
        f"PyTorch {versions['torch']}, JAX {versions['jax']}, Python {platform.python_version()}. The same\n"
        "programs in every form, with the same result. The steps of Dyad's static graphs are the kernels of its\n"
        "dynamic graph: there is no code generator yet, as torch.compile and JAX have one.\n\n"
        f"Later calls find their graph in the cache; a time is the median over {turns} turns of the fastest batch\n"
        "in a turn. A first call captures the program, runs the passes over the graph and plans its memory; the\n"
        "time is for that alone (`Cell.compile`; for functions, what the first call takes beyond a later one), the\n"
        "fastest of three fresh processes in which another small program was compiled and this one run in dynamic\n"
        'form before. For the others it is what corresponds to that: `torch.compile(backend="eager")`, which\n'
        "captures and generates no code, beyond a later call, and `jax.jit(f).lower`.\n\n"
        "A training step is forward pass, gradients and update of all weights as one graph, beside the same step\n"
        "in the dynamic graph, with the same losses to the last bit; peak memory is that of the process."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="compare static graphs of Dyad, PyTorch and JAX")
    parser.add_argument("--only", default="", help="measure only rows whose name contains this text")
    parser.add_argument("--turns", type=int, default=7, help="how often each form is measured on a row")
    options = parser.parse_args()

    import jax
    import torch

    warning = warn_if_busy()
    workers = {form: Worker("static_worker.py", form) for form in EVERY_FORM}
    times = {}
    for index, row in enumerate(ROWS):
        if options.only in row.name:
            times[index] = first_call(index, 3) if row.first else later_calls(index, workers, options.turns)
            figures = ", ".join(f"{form} {shown(spent)}" for form, spent in times[index].items())
            print(
                f"{'first' if row.first else 'later'} call: {row.name}: {figures}",
                file=sys.stderr,
                flush=True,
            )
    trained = measure_training(options.only, 3)
    if not times and not trained:
        sys.exit(f"bench: no row contains {options.only!r}")
    tables = [rows_table(times, False, EVERY_FORM), rows_table(times, True, MAKES_GRAPHS)]
    if not options.only:
        tables += [guards_table(), memory_table()]
    tables += [training_table(trained), bars_table(times, trained)]
    table = "\n\n".join("\n".join(lines) for lines in [[warning] if warning else [], *tables] if lines)
    print(table)
    if not options.only:
        versions = {"torch": torch.__version__, "jax": jax.__version__}
        write_table("static", introduction(options.turns, versions), table)


if __name__ == "__main__":
    main()
