"""Compares functions that a graph cannot hold as a whole: with PyTorch, torch.compile and MindSpore's jit.

Every form runs in a process of its own. They are measured in turns, so that a slow moment of the machine meets all. In
a turn a function as a whole and what it is held against alternate, and the row's figure is taken of their fastest
calls; shown are medians over the turns. All must give the same results. Writes docs/bench-fallback.md.
Usage: fallback.py [--rows KEY,...] [--forms FORM,...] [--turns N]; started by `./dev bench fallback`.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from fallback_report import Found, missed, short_line, table_text, write_page
from fallback_rows import ROWS, THREADS, TITLES, FallbackRow
from graph import MINDSPORE_PYTHON, SHORT_FIRST_CALL, Workers, compare_results, versions
from process import Worker, WorkerEnded, warn_if_busy
from report import spread

NOISE, MORE_TURNS = 0.1, 2  # spread of the turns from which on there are more, and how many times as many
FRESH_PROCESSES = 3  # for a first call, unless it takes long
ALARM = "the worker ended with status -14"  # a process that was still preparing when its time was over


def measure(row: FallbackRow, forms: list[str], workers: Workers, turns: int) -> Found:
    found = Found()
    able = filter(row.runs_in, forms)
    running = {form: worker for form in able if (worker := prepared(row, form, workers, found))}
    failures = {"failures": found.failures}
    compare_results(row, running, failures, workers.folder)
    if row.is_first:
        first_calls(row, running, workers, found)
    else:
        later_calls(row, running, turns, found)
    if "dyad" in running and missed(row, found):
        found.profile = running["dyad"].ask(profile=True)["text"]
    for worker in running.values():
        worker.close()
    return found


def prepared(row: FallbackRow, form: str, workers: Workers, found: Found) -> Worker | None:
    """Process of the form after it has called the row's function; None if the call fails."""
    worker = workers.fresh(form, workers.store())
    try:
        answer = worker.try_to_ask(prepare=row.key)
    except WorkerEnded as ended:
        answer = {"failure": "takes minutes to compile" if ALARM in str(ended) else str(ended)}
    if "failure" in answer:
        found.failures[form] = answer["failure"]
        worker.close()
        return None
    found.cuts[form] = answer["cuts"]
    if row.is_first:
        found.add(form, {"whole": answer["first"]})
    return worker


def first_calls(row: FallbackRow, running: dict[str, Worker], workers: Workers, found: Found) -> None:
    for _ in range(FRESH_PROCESSES - 1):
        short = [form for form in running if found.median(form, "whole") < SHORT_FIRST_CALL]
        for form in short:
            worker = workers.fresh(form, workers.store())
            found.add(form, {"whole": worker.ask(prepare=row.key)["first"]})
            worker.close()


def later_calls(row: FallbackRow, running: dict[str, Worker], turns: int, found: Found) -> None:
    for turn in range(MORE_TURNS * turns):
        if turn >= turns and not noisy(found):
            break
        for form in list(running) if turn % 2 == 0 else reversed(running):
            found.add(form, running[form].ask(measure=row.seconds))


def noisy(found: Found) -> bool:
    ours = [times["whole"] for times in found.turns.get("dyad", [])]
    return bool(ours) and spread(ours) > NOISE


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="compare functions that Python runs in part")
    parser.add_argument("--rows", default="", help=f"only these: {','.join(row.key for row in ROWS)}")
    parser.add_argument("--forms", default=",".join(TITLES), help="only these forms")
    parser.add_argument("--turns", type=int, default=7, help="how often each form is measured at least")
    options = parser.parse_args()
    keys = options.rows.split(",") if options.rows else [row.key for row in ROWS]
    options.forms = options.forms.split(",")
    options.all_forms = options.forms == list(TITLES)
    for given, known in ((keys, [row.key for row in ROWS]), (options.forms, list(TITLES))):
        if unknown := set(given) - set(known):
            parser.error(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    options.chosen = [row for row in ROWS if row.key in keys]
    if not MINDSPORE_PYTHON.exists() and "mindspore" in options.forms:
        options.forms.remove("mindspore")
    return options


def main() -> None:
    options = parse_arguments()
    busy, results = warn_if_busy(), {}
    with tempfile.TemporaryDirectory() as folder:
        workers = Workers(Path(folder), "fallback_worker.py", THREADS)
        for row in options.chosen:
            results[row.key] = measure(row, options.forms, workers, options.turns)
            print(short_line(row, results[row.key]), file=sys.stderr, flush=True)
    print(table_text(results))
    if len(results) == len(ROWS) and options.all_forms:
        write_page(results, versions(), busy)


if __name__ == "__main__":
    main()
