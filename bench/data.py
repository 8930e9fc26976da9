"""Compares data pipelines: Dyad, MindSpore and PyTorch's DataLoader on two cores; writes docs/bench-data.md.

Every form runs in a process of its own over the same files, which are made first. They take turns, and the others stand
still meanwhile; a row's figure is the median over the turns of the fastest epoch in a turn. All must give the same
number of rows and, where nothing is random but the order, the same sums.
Usage: data.py [--rows KEY,...] [--forms FORM,...] [--turns N]; started by `./dev bench data`.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

from data_rows import ROWS, DataRow, make_files
from graph import MINDSPORE_PYTHON, versions
from process import THREADS, Worker, warn_if_busy
from report import machine, mark, spread, write_table

TITLES = {
    "dyad": "Dyad",
    "mindspore": "MindSpore",
    "torch": "DataLoader",
    "torch-workers": "DataLoader, 2 workers",
}
SECONDS_PER_TURN, SECONDS_OF_TRAINING = 1.5, 10.0
WAITING_BAR = 0.05


def worker(form: str) -> Worker:
    python = str(MINDSPORE_PYTHON) if form == "mindspore" else sys.executable
    return Worker("data_worker.py", form, python, {"GLOG_v": "3"})


def agree(row: DataRow, ours: dict, theirs: dict) -> bool:
    """True if two forms produced the same data."""
    if ours["rows"] != theirs["rows"]:
        return False
    pairs = zip(ours["sums"], theirs["sums"], strict=True)
    return not row.exact or all(abs(a - b) <= 1e-4 * max(abs(a), abs(b), 1.0) for a, b in pairs)


def measure(row: DataRow, forms: list[str], folder: Path, turns: int) -> dict[str, list[float] | str]:
    """Seconds of one row in each turn, by form; a string for a form that cannot be measured."""
    running, found, first = {}, {}, None
    for form in forms:
        process = worker(form)
        answer = process.ask(prepare=row.key, folder=str(folder))
        first = first or answer
        if "failure" in answer or not agree(row, first, answer):
            found[form] = answer.get("failure", "gives other data")
            process.close()
        else:
            running[form], found[form] = process, []
    for turn in range(turns):
        for form in list(running) if turn % 2 == 0 else reversed(running):
            found[form].append(running[form].ask(measure=SECONDS_PER_TURN)["seconds"])
    for process in running.values():
        process.close()
    return found


def rate(times: list[float] | str | None) -> float | None:
    """Rows per second; None for a form that was not measured."""
    return 1 / statistics.median(times) if isinstance(times, list) else None


def row_line(row: DataRow, found: dict[str, list[float] | str]) -> str:
    rates = {form: rate(found.get(form)) for form in TITLES}
    peers = [value for form, value in rates.items() if form != "dyad" and value]
    cells = [f"{value:,.0f}" if value else "-" for value in rates.values()]
    if not peers or not rates["dyad"]:
        return f"| {row.name} | {' | '.join(cells)} | - | ≥ {row.bar} | - | - |"
    ratio = rates["dyad"] / max(peers)
    met = mark(-ratio, -row.bar)
    return f"| {row.name} | {' | '.join(cells)} | {ratio:.2f} | ≥ {row.bar} | {met} | {spread(found['dyad']):.0%} |"


def table_text(results: dict[str, dict], waiting: float | None) -> str:
    head = f"| rows in a second | {' | '.join(TITLES.values())} | Dyad ÷ fastest peer | bar | met | spread |"
    lines = [head, "|---" + "|--:" * (len(TITLES) + 4) + "|"]
    lines += [row_line(row, results[row.key]) for row in ROWS if row.key in results]
    if waiting is not None:
        met = mark(waiting, WAITING_BAR)
        lines += ["", "| part of a training loop's time | Dyad | bar | met |", "|---|--:|--:|--:|"]
        waits = "MLP of 784-512-512-10 on digits waits for data"
        lines.append(f"| {waits} | {waiting:.1%} | ≤ {WAITING_BAR:.0%} | {met} |")
    return "\n".join(lines)


def introduction(results: dict[str, dict], busy: str) -> str:
    failures = [
        f"- {row.name}, {TITLES[form]}: {why}"
        for row in ROWS
        for form, why in results[row.key].items()
        if isinstance(why, str)
    ]
    listed = "\n\nWho is not measured, and why:\n\n" + "\n".join(failures) if failures else ""
    return (
        "# Data pipelines: Dyad, MindSpore and PyTorch's DataLoader on the CPU\n\n"
        f"Written by `./dev bench data` in one run on {machine()}, {THREADS} threads each,\n"
        f"{', '.join(' '.join(pair) for pair in versions().items())}.\n"
        "Every form runs in a process of its own over the same files; they take turns and must give the same data. A\n"
        "figure is the median over the turns of the fastest epoch in a turn. Dyad and MindSpore run the same program\n"
        "(`bench/data_mindspore.py`); PyTorch reads images with Pillow and text with Python, in the process itself or\n"
        f"in two worker processes that stay over the epochs (`bench/data_torch.py`). {busy}".rstrip()
        + listed
    )


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="compare data pipelines")
    parser.add_argument("--rows", default="", help=f"only these: {','.join(row.key for row in ROWS)}")
    parser.add_argument("--forms", default=",".join(TITLES), help="only these forms")
    parser.add_argument("--turns", type=int, default=5, help="how often each form is measured on a row")
    options = parser.parse_args()
    keys = options.rows.split(",") if options.rows else [row.key for row in ROWS]
    options.chosen = [row for row in ROWS if row.key in keys]
    options.forms = [form for form in options.forms.split(",") if form in TITLES]
    if not MINDSPORE_PYTHON.exists() and "mindspore" in options.forms:
        options.forms.remove("mindspore")
    return options


def main() -> None:
    options = parse_arguments()
    busy, results, waiting = warn_if_busy(), {}, None
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_files(folder)
        for row in options.chosen:
            results[row.key] = measure(row, options.forms, folder, options.turns)
            print(row_line(row, results[row.key]), file=sys.stderr, flush=True)
        if "digits" in results and "dyad" in options.forms:
            process = worker("dyad")
            waiting = process.ask(train=SECONDS_OF_TRAINING, folder=str(folder))["waiting"]
            process.close()
    table = table_text(results, waiting)
    print(table)
    if len(results) == len(ROWS) and len(options.forms) == len(TITLES):
        write_table("data", introduction(results, busy), table)


if __name__ == "__main__":
    main()
