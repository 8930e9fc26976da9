"""Measures programs with 1, 2, 4, 8 and 16 threads: more threads must never make one slower.

Every form runs with every number of threads in a process of its own; all take turns, and stand still while another one
is measured. A time is the median over the turns of the fastest batch of calls in a turn. The table is written again
after every program, so that a run that is cut short leaves what it has found.
Usage: threads.py [--counts 1,2,...] [--rows KEY,...] [--forms FORM,...] [--turns N] [--table FILE]; started by
`./dev bench threads`, or on another machine by tools/on_many_cores.sh.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import statistics
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from process import Worker, WorkerEnded, warn_if_busy
from report import machine, shown

ROWS = {
    "loop": "`while`, 100 x tanh(x@x), 64x64",
    "mlp_momentum": "MLP 784-512-512-10, batch 64, train, Momentum",
    "bert": "BERT-base forward, 1x128",
    "gpt": "GPT 4x256, batch 8, train, Adam",
    "resnet": "ResNet-50 forward, batch 1",
}
FORMS = {"dyad-dynamic": "Dyad, dynamic", "dyad": "Dyad, static", "torch": "PyTorch"}
COUNTS = (1, 2, 4, 8, 16)
SLOWER_AT_MOST = 1.05  # than with fewer threads
SECONDS = 0.3  # of one turn

Times = dict[int, list[float]]  # by number of threads


@dataclass
class Found:
    """Times of one program in one form, for each turn and number of threads, or the reason why there are none."""

    times: Times
    failure: str = ""

    def median(self, count: int) -> float | None:
        return statistics.median(self.times[count]) if self.times.get(count) else None

    def slowdown(self) -> float:
        """Largest ratio of a time with more threads to a time with fewer."""
        medians = [time for count in sorted(self.times) if (time := self.median(count)) is not None]
        return max((later / min(medians[:i]) for i, later in enumerate(medians) if i), default=1.0)

    def spread(self) -> float:
        """Largest range of the turns, as a fraction of their median."""
        turns = [each for each in self.times.values() if each]
        return max(((max(each) - min(each)) / statistics.median(each) for each in turns), default=0.0)


def measure(program: str, workers: dict[tuple[str, int], Worker], turns: int) -> dict[str, Found]:
    found = {form: Found({}) for form, _ in workers}
    ready = {}
    for (form, count), worker in workers.items():
        try:
            worker.try_to_ask(prepare=program)
        except WorkerEnded as ended:
            found[form].failure = str(ended)
        else:
            ready[form, count] = worker
            found[form].times[count] = []
    for turn in range(turns):
        for form, count in list(ready) if turn % 2 == 0 else reversed(ready):
            found[form].times[count].append(ready[form, count].ask(measure=SECONDS)["seconds"])
    return found


def table(results: dict[str, dict[str, Found]], counts: list[int]) -> str:
    heads = ["workload", "form", *map(str, counts), "more ÷ fewer", "met", "spread"]
    lines = ["| " + " | ".join(heads) + " |", "|---|---|" + "--:|" * (len(heads) - 2)]
    for program, forms in results.items():
        for form, found in forms.items():
            cells = [ROWS[program], FORMS[form]]
            for count in counts:
                time, peer = found.median(count), forms["torch"].median(count) if "torch" in forms else None
                text = "-" if time is None else shown(time)
                above = form != "torch" and time is not None and peer is not None and time > peer
                cells.append(f"**{text}**" if above else text)
            worst = found.slowdown()
            held = "" if form == "torch" else "yes" if worst <= SLOWER_AT_MOST else "**no**"
            cells += [f"{worst:.2f}", found.failure or held, f"{found.spread():.0%}"]
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def introduction(turns: int, busy: str) -> str:
    return (
        f"# Threads: {machine()}, {len(os.sched_getaffinity(0))} cores\n\n"
        f"Written by `./dev bench threads`: times with so many threads, medians of {turns} turns. In bold: above\n"
        "PyTorch with as many. *More ÷ fewer* is the worst time against the best with fewer threads, which must be at\n"
        f"most {SLOWER_AT_MOST}; *spread* is how far turns of one cell lie apart. Threads are set by\n"
        "`OMP_NUM_THREADS` here. Without it, and without `set_context(runtime_num_threads=...)`, there are as many as\n"
        "CPUs that the process may use: its affinity mask and the CPU quota of its control group, also when these\n"
        "change; next to busy processes fewer of them work ([company](bench-company.md)).\n"
        f"{busy}".rstrip()
    )


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="measure programs with different numbers of threads")
    parser.add_argument("--counts", default=",".join(map(str, COUNTS)), help="numbers of threads")
    parser.add_argument("--rows", default=",".join(ROWS), help="only these programs")
    parser.add_argument("--forms", default=",".join(FORMS), help="only these forms")
    parser.add_argument("--turns", type=int, default=5, help="how often each is measured")
    parser.add_argument("--table", type=Path, help="also write the table there")
    options = parser.parse_args()
    cores = len(os.sched_getaffinity(0))
    options.counts = [int(count) for count in options.counts.split(",")]
    options.left_out = [count for count in options.counts if count > cores]
    options.counts = [count for count in options.counts if count <= cores]
    options.rows, options.forms = options.rows.split(","), options.forms.split(",")
    for given, known in ((options.rows, ROWS), (options.forms, FORMS)):
        if unknown := set(given) - set(known):
            parser.error(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    return options


def main() -> None:
    options = parse_arguments()
    notes = [f"Left out: {count} threads, the machine has fewer cores." for count in options.left_out]
    if "torch" in options.forms and importlib.util.find_spec("torch") is None:
        options.forms.remove("torch")
        notes.append("Left out: PyTorch, which is not installed.")
    busy = warn_if_busy()
    results: dict[str, dict[str, Found]] = {}
    with tempfile.TemporaryDirectory() as folder:
        stores = ("DYAD_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR")
        for program in options.rows:
            workers = {
                (form, count): Worker(
                    "graph_worker.py",
                    form,
                    variables={name: f"{folder}/store" for name in stores},
                    folder=Path(folder),
                    threads=count,
                )
                for form in options.forms
                for count in options.counts
            }
            results[program] = measure(program, workers, options.turns)
            for worker in workers.values():
                worker.close()
            text = table(results, options.counts)
            if options.table:
                page = "\n\n".join([introduction(options.turns, busy), text, *notes])
                options.table.write_text(f"{page}\n")
            print(text.splitlines()[-len(options.forms) :], file=sys.stderr, flush=True)
    print("\n\n".join([introduction(options.turns, busy), table(results, options.counts), *notes]))


if __name__ == "__main__":
    main()
