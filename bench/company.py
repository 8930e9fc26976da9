"""Measures programs under load: next to busy threads, next to copies of themselves, on fewer CPUs.

A program that shares the machine should get its fair share of it. That follows from numbers of threads: of t threads
that want c CPUs a program with n of them gets c * n / t, so that what takes a second alone takes t / c. Every call is
timed; the median may be 1.3 times the fair share, the 99th percentile twice.
Usage: company.py [--rows KEY,...] [--forms FORM,...] [--company KEY,...] [--seconds N] [--table FILE]; started by
`./dev bench company`.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import math
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from process import Worker, WorkerEnded, warn_if_busy
from report import ROOT, machine, ratio_text, shown

ROWS = {
    "resnet": "ResNet-50 forward, batch 1",
    "bert": "BERT-base forward, 1x128",
    "mlp": "MLP 784-512-512-10, batch 64, forward",
    "gpt": "GPT 4x256, batch 8, train, Adam",
}
FORMS = {"dyad": "Dyad, static", "dyad-dynamic": "Dyad, dynamic", "torch": "PyTorch", "jax": "JAX"}
MEDIAN_BAR, LATE_BAR = 1.3, 2.0  # times the fair share
QUOTA = 0.5  # CPUs
PERIOD = 100_000  # microseconds, of the quota
# Threads that compute and never wait; hashing releases the interpreter's lock.
BUSY = """
import hashlib, sys, threading
work = lambda: [hashlib.pbkdf2_hmac("sha256", b"", b"", 100_000) for _ in iter(int, 1)]
for _ in range(int(sys.argv[1])): threading.Thread(target=work).start()
"""


@dataclass(frozen=True)
class Company:
    name: str
    busy: int = 0  # threads of another process
    twice: bool = False  # another process runs the same program
    cpus: float | None = None  # that it may use, by affinity or quota
    held_to_bars: bool = True

    def fair(self, cores: int) -> float:
        """Factor by which its fair share slows down a program with a thread for each core."""
        if self.cpus is not None:
            return cores / self.cpus
        return 2 if self.twice else (cores + self.busy) / cores


COMPANY = {
    "alone": Company("alone", held_to_bars=False),
    "busy": Company("one busy thread", busy=1),
    "busy2": Company("a process of two busy threads", busy=2),
    "twice": Company("another one of its kind", twice=True),
    "core": Company("on one core", cpus=1, held_to_bars=False),
    "quota": Company("half a core by quota", cpus=QUOTA, held_to_bars=False),
}


class Group:
    """A control group with a CPU quota, where one can be made; used as a context that may hold None."""

    def __init__(self, folder: Path, version: int) -> None:
        self.folder = folder
        folder.mkdir()
        if version == 1:
            (folder / "cpu.cfs_period_us").write_text(str(PERIOD))
            (folder / "cpu.cfs_quota_us").write_text(str(int(QUOTA * PERIOD)))
        else:
            (folder / "cpu.max").write_text(f"{int(QUOTA * PERIOD)} {PERIOD}")

    def add(self, process: int) -> None:
        (self.folder / "cgroup.procs").write_text(str(process))

    def remove(self) -> None:
        with contextlib.suppress(OSError):
            self.folder.rmdir()


def make_group() -> Group | None:
    """A group below the one this process is in."""
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        found = [(2, "/sys/fs/cgroup")] if not controllers else [(1, f"/sys/fs/cgroup/{controllers}")]
        if controllers and "cpu" not in controllers.split(","):
            continue
        for version, mounted in found:
            with contextlib.suppress(OSError):
                return Group(Path(f"{mounted}{path.rstrip('/')}/dyad-bench-{os.getpid()}"), version)
    return None


@contextlib.contextmanager
def busy_process(threads: int) -> Iterator[None]:
    process = subprocess.Popen([sys.executable, "-c", BUSY, str(threads)]) if threads else None
    try:
        yield
    finally:
        if process:
            process.kill()
            process.wait()


@dataclass
class Times:
    median: float
    late: float  # the 99th percentile

    @classmethod
    def of(cls, times: list[float]) -> Times:
        return cls(statistics.median(times), statistics.quantiles(times, n=100, method="inclusive")[98])


class Bench:
    """One program in one form: a worker that is measured and, where asked for, a second one."""

    def __init__(self, program: str, form: str, folder: Path, seconds: float) -> None:
        self.program, self.form, self.folder, self.seconds = program, form, folder, seconds

    @contextlib.contextmanager
    def worker(self) -> Iterator[Worker]:
        stores = ("DYAD_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR")
        variables = {name: f"{self.folder}/store" for name in stores}
        variables["BENCH_THREADS"] = str(len(os.sched_getaffinity(0)))
        # OMP_NUM_THREADS would keep a framework from following the CPUs that it may use.
        worker = Worker("graph_worker.py", self.form, variables=variables, folder=self.folder, threads=None)
        try:
            yield worker
        finally:
            worker.close()

    def measure(self, company: Company) -> Times | None:
        with contextlib.ExitStack() as stack:
            group = None
            if company.cpus == QUOTA:
                if (group := make_group()) is None:
                    return None
                stack.callback(group.remove)
            workers = [stack.enter_context(self.worker()) for _ in range(2 if company.twice else 1)]
            cpus = os.sched_getaffinity(0)
            for worker in workers:
                if group:
                    group.add(worker.process.pid)
                elif company.cpus is not None:
                    os.sched_setaffinity(worker.process.pid, {min(cpus)})
                worker.try_to_ask(prepare=self.program)
            stack.enter_context(busy_process(company.busy))
            # The second one works a little longer than the first, which is the one measured.
            for worker, more in zip(workers, (0.0, 1.0), strict=False):
                worker.send(times=self.seconds + more)
            answers = [worker.receive() for worker in workers]
            return Times.of(answers[0]["times"])


def cell(company: Company, times: Times | None, alone: Times | None, cores: int) -> str:
    if times is None or alone is None:
        return "-"
    fair = alone.median * company.fair(cores)
    ratios = zip((times.median / fair, times.late / fair), (MEDIAN_BAR, LATE_BAR), strict=True)
    texts = [ratio_text(ratio, bar if company.held_to_bars else math.inf) for ratio, bar in ratios]
    return " · ".join([shown(times.median), *texts])


def table(
    results: dict[tuple[str, str], dict[str, Times | None]], options: argparse.Namespace, cores: int
) -> str:
    heads = ["workload", "company", *(FORMS[form] for form in options.forms)]
    lines = ["| " + " | ".join(heads) + " |", "|---|---|" + "--:|" * len(options.forms)]
    for program in options.rows:
        for key in options.company:
            found = [results.get((program, form), {}) for form in options.forms]
            cells = [cell(COMPANY[key], times.get(key), times.get("alone"), cores) for times in found]
            lines.append("| " + " | ".join([ROWS[program], COMPANY[key].name, *cells]) + " |")
    return "\n".join(lines)


def introduction(options: argparse.Namespace, cores: int, busy: str) -> str:
    text = f"""\
# Company: {machine()}, {cores} cores

Written by `./dev bench company`: programs of {cores} threads alone, next to other processes and on fewer CPUs,
each for {options.seconds:g} seconds in a process of its own. A cell has the median of all calls, then median and 99th
percentile as multiples of the fair share. That is the median alone, times the threads that want a CPU for each CPU
there is (on two cores 1.5 next to one busy thread, 2 next to two or to another of its kind), or divided by the part of
the machine that is left. In company the median may be {MEDIAN_BAR} and the 99th percentile {LATE_BAR:g} times the fair
share; in bold: above. A call that is shorter than a time slice of the scheduler, some milliseconds, waits at times for
a whole one, and a quota stops a process for up to a tenth of a second at a time, whatever the program does.
Dyad sees within 0.3 seconds that others keep CPUs busy, and lets as many threads work as have a CPU to themselves;
convolutions that the library computes as products of matrices, and gradients of convolutions, stay on all threads,
since their number decides the last bits.
"""
    return f"{text}{busy}".rstrip()


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="measure programs next to other processes and on fewer CPUs")
    parser.add_argument("--rows", default=",".join(ROWS), help="only these programs")
    parser.add_argument("--forms", default=",".join(FORMS), help="only these forms")
    parser.add_argument("--company", default=",".join(COMPANY), help="only this company")
    parser.add_argument("--seconds", type=float, default=8, help="how long each is measured")
    parser.add_argument(
        "--table", type=Path, default=ROOT / "docs/bench-company.md", help="where the page goes"
    )
    options = parser.parse_args()
    for name, known in (("rows", ROWS), ("forms", FORMS), ("company", COMPANY)):
        given = getattr(options, name).split(",")
        if unknown := set(given) - set(known):
            parser.error(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(known)}")
        setattr(options, name, given)
    if "alone" not in options.company:
        options.company.insert(0, "alone")  # what all are compared with
    return options


def main() -> None:
    options = parse_arguments()
    cores = len(os.sched_getaffinity(0))
    notes = []
    for form, package in (("torch", "PyTorch"), ("jax", "JAX")):
        if form in options.forms and importlib.util.find_spec(form) is None:
            options.forms.remove(form)
            notes.append(f"Left out: {package}, which is not installed.")
    busy = warn_if_busy()
    results: dict[tuple[str, str], dict[str, Times | None]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for program in options.rows:
            for form in options.forms:
                bench = Bench(program, form, Path(folder), options.seconds)
                found = results[program, form] = {}
                for key in options.company:
                    try:
                        found[key] = bench.measure(COMPANY[key])
                    except WorkerEnded as ended:
                        notes.append(f"{ROWS[program]}, {FORMS[form]}, {COMPANY[key].name}: {ended}.")
                        found[key] = None
                # Written again after every program, so that a run that is cut short leaves what it has found.
                page = [introduction(options, cores, busy), table(results, options, cores), *notes]
                options.table.write_text("\n\n".join(page) + "\n")
            print("\n".join(page[1].splitlines()[-len(options.company) :]), file=sys.stderr, flush=True)
    print("\n\n".join(page))


if __name__ == "__main__":
    main()
