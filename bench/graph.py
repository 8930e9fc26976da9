"""Compares static graphs with PyTorch, torch.compile, JAX, MindSpore's graph mode and ONNX Runtime.

Every form runs in a process of its own. They are measured in turns, so that a slow moment of the machine meets all; a
time is the median over the turns of the fastest batch of calls in a turn. All must give the same result. What is
measured goes to a file at once, from which a run that was interrupted can be resumed and the pages written again.
Usage: graph.py [--rows KEY,...] [--peers FORM,...] [--dyad-only] [--turns N] [--resume] [--report] [--write]; started
by `./dev bench graph`.
"""

from __future__ import annotations

import argparse
import datetime
import json
import platform
import statistics
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy

from graph_report import short_line, terminal_text, write_pages
from graph_rows import KEEPS_COMPILED, LAYER_COUNTS, OURS, PEERS, ROWS, GraphRow
from process import THREADS, Worker, WorkerEnded, warn_if_busy
from report import ROOT, spread

MINDSPORE_PYTHON = ROOT / ".venv-bench-mindspore/bin/python"
FEW_TURNS = 1  # for whoever is far behind
FAR_BEHIND = 4.0
NOISE = 0.1  # of the median, which the middle half of the turns may lie apart
MORE_TURNS = 3  # times as many on a noisy machine
SHORT_FIRST_CALL = 0.5  # seconds; shorter ones are taken three times
Found = dict  # what was measured of a row


class Workers:
    """Processes of the forms: lasting ones by form, and fresh ones with a store of compiled code of their own."""

    def __init__(self, folder: Path, script: str = "graph_worker.py", threads: int = THREADS) -> None:
        self.folder = folder
        self.script = script
        self.threads = threads
        self.lasting: dict[str, Worker] = {}
        self.stores = 0

    def of(self, form: str) -> Worker:
        worker = self.lasting.get(form)
        if worker is None or worker.process.poll() is not None:
            worker = self.lasting[form] = self.fresh(form, self.store())
        return worker

    def store(self) -> Path:
        self.stores += 1
        return self.folder / f"store-{self.stores}"

    def fresh(self, form: str, store: Path) -> Worker:
        names = ("DYAD_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR", "JAX_COMPILATION_CACHE_DIR")
        python = str(MINDSPORE_PYTHON) if form == "mindspore" else sys.executable
        variables = {**{name: str(store) for name in names}, "GLOG_v": "3"}
        return Worker(self.script, form, python, variables, self.folder, self.threads)


def measure(row: GraphRow, forms: list[str], workers: Workers, turns: int) -> Found:
    stores = {form: workers.store() for form in forms}
    running = {
        form: workers.fresh(form, stores[form]) if row.fresh(form) else workers.of(form) for form in forms
    }
    found: Found = {"times": {}, "turns": {}, "first": {}, "memory": {}, "failures": {}}
    for form in forms:
        try:
            first = running[form].try_to_ask(prepare=row.program)["first"]
        except WorkerEnded as ended:
            found["failures"][form] = str(ended)
            running.pop(form)
        else:
            found["first"][form] = {"cold": first}
    compare_results(row, running, found, workers.folder)
    found["turns"] = later_calls(row, running, turns)
    found["times"] = {form: statistics.median(spent) for form, spent in found["turns"].items()}
    for form, worker in running.items():
        if row.memory_bar is not None:
            found["memory"][form] = worker.ask(memory=True)["bytes"]
        if form == "dyad":
            found["profile"] = profile(worker)
        if row.fresh(form):
            worker.close()
    if row.first_bar is not None:
        for form in running:
            if form in KEEPS_COMPILED:
                first_calls(row, form, workers, stores[form], found["first"][form])
    return found


def later_calls(row: GraphRow, running: dict[str, Worker], turns: int) -> dict[str, list[float]]:
    """A time for each turn. Where the turns of Dyad or the fastest peer lie far apart there are more of them."""
    times: dict[str, list[float]] = {form: [] for form in running}
    fewest = min(turns, row.turns)
    for turn in range(MORE_TURNS * fewest):
        if turn >= fewest and not noisy(times):
            break
        for form in list(running) if turn % 2 == 0 else reversed(running):
            fastest = min((min(spent) for spent in times.values() if spent), default=0.0)
            far_behind = turn >= FEW_TURNS and min(times[form]) > FAR_BEHIND * fastest
            if not far_behind:
                times[form].append(running[form].ask(measure=row.seconds)["seconds"])
    return times


def noisy(times: dict[str, list[float]]) -> bool:
    peers = [form for form in times if form not in OURS]
    best = [min(peers, key=lambda form: statistics.median(times[form]))] if peers else []
    return any(spread(times[form]) > NOISE for form in ["dyad", *best] if form in times)


def first_calls(row: GraphRow, form: str, workers: Workers, store: Path, spent: dict[str, float]) -> None:
    """Adds the time of a process whose programs are already compiled; short calls are repeated."""

    def once(store: Path) -> float:
        worker = workers.fresh(form, store)
        first = worker.ask(prepare=row.program)["first"]
        worker.close()
        return first

    spent["warm"] = once(store)
    for way, place in (("cold", workers.store), ("warm", lambda: store)):
        if spent[way] < SHORT_FIRST_CALL:
            spent[way] = min(spent[way], *(once(place()) for _ in range(2)))


def profile(worker: Worker) -> str:
    try:
        return worker.try_to_ask(profile=True)["text"]
    except WorkerEnded as ended:
        return str(ended)


def compare_results(row: GraphRow, running: dict[str, Worker], found: Found, folder: Path) -> None:
    """Compares results: a framework whose result differs from the median of all is not measured."""
    arrays = {}
    for form, worker in running.items():
        path = folder / f"{form}.npy"
        worker.ask(save=str(path))
        arrays[form] = numpy.load(path).astype(numpy.float64)
    if len({array.shape for array in arrays.values()}) > 1:
        sys.exit(f"bench: {row.name}: shapes differ: { {form: a.shape for form, a in arrays.items()} }")
    if not arrays:
        return
    middle = numpy.median(numpy.stack(list(arrays.values())), 0)
    for form, array in arrays.items():
        difference = float(numpy.max(numpy.abs(array - middle)) / max(numpy.max(numpy.abs(middle)), 1e-6))
        if not difference < row.tolerance:
            found["failures"][form] = f"gives another result ({difference:.2g} of the largest number)"
            running.pop(form)


def measure_limits(workers: Workers, forms: list[str]) -> dict[str, float]:
    """Largest rates that any framework reaches on this machine."""
    found = [workers.of(form).ask(limits=True) for form in ("dyad-dynamic", "torch") if form in forms]
    return {key: max(each[key] for each in found) for key in ("flop", "bytes")}


def measure_layers(workers: Workers) -> dict[str, float]:
    spent = {}
    for count in LAYER_COUNTS:
        worker = workers.fresh("dyad", workers.store())
        spent[str(count)] = worker.ask(layers=count)["first"]
        worker.close()
    return spent


def versions() -> dict[str, str]:
    found = {"Python": platform.python_version()}
    for package in ("torch", "jax", "onnxruntime"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    for folder in (MINDSPORE_PYTHON.parent.parent / "lib").glob(
        "python*/site-packages/mindspore-*.dist-info"
    ):
        found["mindspore"] = folder.name.removesuffix(".dist-info").split("-")[1]
    return found


def started() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="compare static graphs of Dyad with those of other frameworks"
    )
    parser.add_argument("--rows", default="", help=f"only these: {','.join(row.key for row in ROWS)}")
    parser.add_argument("--peers", default=",".join(PEERS), help="only against these")
    parser.add_argument("--dyad-only", action="store_true", help="peers as they were measured before")
    parser.add_argument("--turns", type=int, default=7, help="how often each form is measured at most")
    parser.add_argument("--resume", action="store_true", help="measure only what the results do not hold")
    parser.add_argument("--report", action="store_true", help="measure nothing; write the pages again")
    parser.add_argument("--write", action="store_true", help="write the pages though rows are missing")
    parser.add_argument("--results", type=Path, default=ROOT / "build/bench-graph.json")
    options = parser.parse_args()
    keys = options.rows.split(",") if options.rows else [row.key for row in ROWS]
    unknown = set(keys) - {row.key for row in ROWS}
    if unknown:
        parser.error(
            f"unknown rows {', '.join(sorted(unknown))}; there are {', '.join(row.key for row in ROWS)}"
        )
    options.chosen = [row for row in ROWS if row.key in keys]
    options.forms = list(OURS) if options.dyad_only else [*OURS, *options.peers.split(",")]
    if not MINDSPORE_PYTHON.exists() and "mindspore" in options.forms:
        options.forms.remove("mindspore")
    return options


def merged(before: Found, found: Found) -> Found:
    """Merges new measurements with earlier ones of forms that were not measured again."""
    kinds = ("times", "turns", "first", "memory", "failures")
    return {**found, **{kind: {**before.get(kind, {}), **found[kind]} for kind in kinds}}


def main() -> None:
    options = parse_arguments()
    partial = options.resume or options.dyad_only or options.report or options.rows
    results: dict = {"rows": {}, "run": started()}
    if partial and options.results.exists():
        results = json.loads(options.results.read_text())
        if not (options.resume or options.report):  # rows measured again belong to another run
            results["run"] = started()
    if not options.report:
        measure_all(options, results)
    print(terminal_text(results, options.chosen))
    runs = {found.get("run") for found in results["rows"].values()}
    if len(runs) > 1 or "" in runs:
        return print("bench: the results are of several runs; pages are written of one", file=sys.stderr)
    complete = all(row.key in results["rows"] for row in ROWS)
    if options.report or options.write or complete:
        write_pages(results)
    return None


def measure_all(options: argparse.Namespace, results: dict) -> None:
    def save() -> None:
        options.results.parent.mkdir(parents=True, exist_ok=True)
        options.results.write_text(json.dumps(results, indent=1))

    results["versions"], results["busy"] = versions(), warn_if_busy()
    with tempfile.TemporaryDirectory() as folder:
        workers = Workers(Path(folder))
        if "limits" not in results or not (options.resume or options.rows or options.dyad_only):
            results["limits"] = measure_limits(workers, options.forms)
        for row in options.chosen:
            if options.resume and row.key in results["rows"]:
                continue
            forms = [form for form in options.forms if form in row.forms]
            found = measure(row, forms, workers, options.turns)
            before = results["rows"].get(row.key, {}) if options.dyad_only else {}
            results["rows"][row.key] = {
                **merged(before, found),
                "run": "" if options.dyad_only else results["run"],
            }
            save()
            print(short_line(row, results), file=sys.stderr, flush=True)
        if not options.rows and not (options.resume and "figures" in results):
            results["layers"] = measure_layers(workers)
            results["figures"] = workers.of("dyad-dynamic").ask(figures=True)
            save()


if __name__ == "__main__":
    main()
