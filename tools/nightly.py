"""Runs every check that is too long for a change: random programs and graphs, mutated files, other Pythons, sanitizers.

Usage: nightly.py [--part P] [--seed S] [--only WORD ...] [--jobs N] [--write]. `--part 0.1` runs a tenth of each count.
Each row is one command; it fails if the command exits with another status than 0. `--write` puts the rows that were run
into the table in docs/testing.md, each with its command and commit; the others stay.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/testing.md"
BEGIN, END = "<!-- nightly: begin -->\n", "<!-- nightly: end -->"
GENERATORS = "tests/forms/generator"
# What is tried in many mixtures: gradients of gradients, transforms, forms. A change runs every second of these cases.
SAMPLED = (
    "tests/forms/test_differentiated_programs.py",
    "tests/forms/test_gradients_of_programs.py",
    "tests/ops/test_copies_and_views.py",
    "tests/ops/test_forward_mode.py",
    "tests/ops/test_gradient_variants.py",
    "tests/ops/test_second_order.py",
)
FORMS = ("jit", "bytecode", "graph_mode")


@dataclass
class Row:
    """A command and its number of cases; `{count}` and `{seed}` are filled in."""

    name: str
    command: str
    count: int = 0

    def arguments(self, part: float, seed: int) -> list[str]:
        count = max(1, round(self.count * part))
        return shlex.split(self.command.format(count=count, seed=seed, python=sys.executable))


@dataclass
class Outcome:
    row: Row
    command: str
    status: int
    seconds: float
    last_line: str


def rows() -> list[Row]:
    found = [
        Row("random graphs", "{python} -m tests.fuzz --count {count} --seed {seed}", 20_000),
        Row("mutated checkpoints", "{python} tools/mutate_files.py --count {count} --seed {seed}", 100_000),
        Row("awkward sizes", "{python} -m tests.sweep --count {count} --seed {seed}", 5_000),
    ]
    generators = {
        "plain programs": "many.py --survey",
        "programs with blocks": "many.py --blocks --survey",
        "programs over objects": "many_objects.py --survey",
        "programs about aliases": "many_aliasing.py --survey",
        "programs over containers": "many_containers.py --survey",
        "programs with host code": "many_hosting.py",
    }
    for form in FORMS:
        for name, script in generators.items():
            command = f"{{python}} {GENERATORS}/{script} --count {{count}} --seed {{seed}} --form {form}"
            found.append(Row(f"{name}, {form}", command, 5_000))
    # A trace keeps the branch of its first call, so that only programs without branches on data can agree.
    steady = f"{generators['programs over containers']} --steady"
    command = f"{{python}} {GENERATORS}/{steady} --count {{count}} --seed {{seed}} --form trace"
    found.append(Row("programs over containers, trace", command, 5_000))
    return [
        *found,
        Row("10,000 training steps", "./dev test tests/train/test_training_memory.py -k ten_thousand"),
        Row("a checkpoint killed while it is saved", "{python} tests/train/kill_a_save.py"),
        Row("all tests on Python 3.12", "./dev test --python 3.12"),
        Row("all tests on the newest Python", "./dev test --python newest"),
        Row("every mixture of which a change tries half", "./dev test " + " ".join(SAMPLED)),
        Row("clang-tidy on all sources", "./dev check 'lint C++'"),
        Row("threads", "./dev test --threads"),
        Row("all tests under the address sanitizer", "./dev test --debug"),
    ]


def run(row: Row, part: float, seed: int) -> Outcome:
    arguments = row.arguments(part, seed)
    began = time.monotonic()
    done = subprocess.run(
        arguments,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    seconds = time.monotonic() - began
    lines = [line for line in done.stdout.splitlines() if line.strip()]
    command = shlex.join(["python" if word == sys.executable else word for word in arguments])
    if done.returncode:
        print("\n".join(["", f"$ {command}", *lines[-40:]]), flush=True)
    return Outcome(row, command, done.returncode, seconds, lines[-1].strip("= ") if lines else "")


def table_row(outcome: Outcome, commit: str) -> str:
    result = outcome.last_line if outcome.status == 0 else f"**failed:** {outcome.last_line}"
    cells = [
        outcome.row.name,
        f"`{outcome.command}`",
        result.replace("|", "\\|"),
        f"{outcome.seconds:.0f} s",
        commit,
    ]
    return f"| {' | '.join(cells)} |"


def merged(page: str, outcomes: list[Outcome], commit: str) -> str:
    """Updates the rows of these outcomes in the page's table; other rows stay unchanged."""
    before, _, rest = page.partition(BEGIN)
    inside, _, after = rest.partition(END)
    kept = {
        line.split(" | ")[0].removeprefix("| "): line for line in inside.splitlines() if line.startswith("| ")
    }
    found = kept | {outcome.row.name: table_row(outcome, commit) for outcome in outcomes}
    lines = [found[row.name] for row in rows() if row.name in found]
    text = "\n".join(["| What | Command | Result | Time | Commit |", "|---|---|---|--:|---|", *lines])
    return f"{before}{BEGIN}\n{text}\n\n{END}{after}"


def write(outcomes: list[Outcome]) -> None:
    command = ["git", "rev-parse", "--short", "HEAD"]
    head = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    PAGE.write_text(merged(PAGE.read_text(), outcomes, head.stdout.strip()))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--part", type=float, default=1.0, help="which part of each count is run")
    parser.add_argument("--seed", type=int, default=1, help="another seed gives other cases")
    parser.add_argument("--only", nargs="*", default=[], help="rows whose name contains one of these words")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="commands at a time")
    parser.add_argument("--write", action="store_true", help="put the table into docs/testing.md")
    chosen = parser.parse_args()
    wanted = [row for row in rows() if not chosen.only or any(word in row.name for word in chosen.only)]
    if not wanted:
        sys.exit(
            f"nightly: --only is {' '.join(chosen.only)}; need words of: {', '.join(row.name for row in rows())}"
        )

    def run_and_show(row: Row) -> Outcome:
        outcome = run(row, chosen.part, chosen.seed)
        print(f"{'ok  ' if outcome.status == 0 else 'FAIL'} {row.name}: {outcome.last_line}", flush=True)
        return outcome

    with ThreadPoolExecutor(chosen.jobs) as pool:
        outcomes = list(pool.map(run_and_show, wanted))
    if chosen.write:
        write(outcomes)
    failed = sum(outcome.status != 0 for outcome in outcomes)
    print(f"{len(outcomes) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
