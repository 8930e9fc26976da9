"""Measures the time of the first call of a compiled function, which must not grow faster than the program.

Each program is written for several sizes, in a file of its own, and compiled from source and from bytecode. Shown is
the processor time of the first call, which other work of the machine does not change, in a process that has compiled
a small program before; and the fastest of a few later calls. *Growth* is the time at the largest size as a multiple of
the one at the size before, next to the multiple of the sizes.
Usage: compile.py [--rows KEY,...] [--forms FORM,...] [--sizes N]; started by `./dev bench compile`.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from graph_rows import GUARDED_CELLS
from process import warn_if_busy
from report import machine, shown

FORMS = {"source": "ast", "bytecode": "bytecode"}
LONGEST = 120  # seconds for all sizes of a row in one form
ABOVE_LINEAR = 1.5  # how far growth may be above that of the sizes
GUARDS_BAR = 12e-6  # seconds


@dataclass(frozen=True)
class Row:
    """A program: `head`, `turn` as often as the size says with `{i}` for the number of each, and `tail`."""

    title: str
    turn: str
    sizes: tuple[int, ...]
    head: str = ""
    tail: str = ""
    differentiated: bool = False
    nests: bool = False  # each turn is inside of the one before, and `tail` ends them, innermost first

    def text(self, size: int) -> str:
        turns = [self.turn.format(i=i) for i in range(size)]
        lines = ["def program(x):", *indented(self.head, 1)]
        if self.nests:
            for depth, turn in enumerate(turns, 1):
                lines += indented(turn, depth)
            lines += indented("x = x + 1.0", size + 1)
            for depth in reversed(range(size)):
                lines += indented(self.tail.format(i=depth + 5), depth + 2)
        else:
            lines += [line for turn in turns for line in indented(turn, 1)] + indented(self.tail, 1)
        return "\n".join([*lines, "    return x", ""])


ROWS = {
    "ifs": Row(
        "n `if/else` on data in a row",
        "if x.sum() > {i}.0:\n    x = x + 1.0\nelse:\n    x = x * 0.5",
        (20, 40, 80, 160, 320, 1000),
    ),
    "dicts": Row(
        "n with a write to a dict",
        "if x.sum() > {i}.0:\n    held['a{i}'] = x + 1.0\nelse:\n    held['a{i}'] = x * 0.5",
        (20, 40, 80, 160, 320, 1000),
        "held = {}",
        "for value in held.values():\n    x = x + value",
    ),
    "numbers": Row(
        "n ints chosen by data",
        "if x.sum() > {i}.0:\n    k{i} = 1\nelse:\n    k{i} = 2\nx = x + k{i}",
        (20, 40, 80, 160, 320, 1000),
    ),
    "gradient": Row(
        "gradient of n `if/else`",
        "if x.sum() > {i}.0:\n    x = x + 1.0\nelse:\n    x = x * 0.5",
        (20, 40, 80, 160, 320, 1000),
        differentiated=True,
    ),
    "returns": Row(
        "n early returns",
        "if x.sum() > {i}e9:\n    return x + {i}\nx = x + 1.0",
        (20, 40, 80, 160, 320, 1000),
    ),
    "host": Row(
        "n lines that need Python",
        "x = x * 1.5 + {i}\nh{i} = float(numpy.sin(x.asnumpy()).sum())\nx = x + h{i}",
        (20, 40, 80, 160, 320, 1000),
    ),
    "nested": Row(
        "n nested `for range(2)`, each with a `break` on data",
        "for i{i} in range(2):",
        (4, 5, 6, 7, 8, 9, 10),
        tail="if x.sum() > {i}.0:\n    break",
        nests=True,
    ),
    "cells": Row(
        "n Cells of one `SequentialCell`, gradient by all weights", "", (20, 40, 80, 160, 320, 1000)
    ),
}


def indented(text: str, depth: int) -> list[str]:
    return ["    " * depth + line for line in text.splitlines()]


# ---- in a process of its own


def program_of(row: Row, size: int, folder: Path):
    import numpy

    from dyad import ops

    path = folder / f"program_{size}.py"
    path.write_text(row.text(size))
    names = {"numpy": numpy, "ops": ops}
    exec(compile(path.read_text(), str(path), "exec"), names)
    return names["program"]


def compiled_form(row: Row, size: int, form: str, folder: Path):
    import dyad
    from dyad import nn

    if row is ROWS["cells"]:
        network = nn.SequentialCell(*[nn.Dense(2, 2) for _ in range(size)])
        weights = network.trainable_params()
        function = dyad.value_and_grad(lambda x: network(x).sum(), None, weights)
        return dyad.jit(lambda x: function(x), capture_mode=FORMS[form])
    program = program_of(row, size, folder)
    if row.differentiated:
        function = dyad.grad(lambda x: program(x).sum())
        return dyad.jit(lambda x: function(x), capture_mode=FORMS[form])
    return dyad.jit(program, capture_mode=FORMS[form])


def measure(key: str, form: str, sizes: list[int]) -> None:
    """Prints a line for each size: the size, and the seconds of the first call and of a later one."""
    import numpy

    from dyad import Tensor

    row = ROWS[key]
    with tempfile.TemporaryDirectory() as folder:
        x = Tensor(numpy.array([[0.1, 0.2]] if key == "cells" else [0.1, 0.2], numpy.float32))
        compiled_form(row, 2, form, Path(folder))(x)
        for size in sizes:
            function = compiled_form(row, size, form, Path(folder))
            start = time.process_time()
            function(x)
            first = time.process_time() - start
            function(x)  # with all breaks known a function is written again
            later = []
            for _ in range(5):
                start = time.perf_counter()
                function(x)
                later.append(time.perf_counter() - start)
            print(json.dumps([size, first, min(later)]), flush=True)


def measure_guards() -> None:
    """Prints how many guards a Cell with many Cells has, and the seconds that checking them takes."""
    from graph_figures import guards

    found = guards()
    print(json.dumps([found["count"], found["seconds"]]))


# ---- the table


def line_of_guards() -> str:
    command = [sys.executable, __file__, "--measure", "guards"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    found = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    count, seconds = json.loads(found.stdout.splitlines()[-1])
    met = "" if seconds <= GUARDS_BAR else ": **not met**"
    return (
        f"Before a call the guards of its graph are checked: of a Cell with {GUARDED_CELLS} Cells inside {count} in\n"
        f"{shown(seconds)} (bar {shown(GUARDS_BAR)}{met})."
    )


def measured(key: str, form: str, sizes: list[int]) -> dict[int, tuple[float, float]]:
    command = [sys.executable, __file__, "--measure", key, "--forms", form]
    command += ["--sizes", ",".join(map(str, sizes))]
    with tempfile.TemporaryDirectory() as store:  # nothing compiled before is found
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "DYAD_CACHE_DIR": store}
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        try:
            text, _ = process.communicate(timeout=LONGEST)
        except subprocess.TimeoutExpired:
            process.kill()
            text, _ = process.communicate()
    return {size: (first, later) for size, first, later in map(json.loads, text.splitlines())}


def lines_of(key: str, forms: list[str], largest: int) -> list[str]:
    row = ROWS[key]
    sizes = [size for size in row.sizes if size <= largest]
    lines = []
    for form in forms:
        found = measured(key, form, sizes)
        for what, number in (("first call", 0), ("later call", 1)):
            cells = [
                f"{size}: {shown(found[size][number])}" if size in found else f"{size}: -" for size in sizes
            ]
            growth = ""
            if number == 0 and not row.nests and len(sizes) > 1 and sizes[-1] in found:
                times = found[sizes[-1]][0] / found[sizes[-2]][0]
                of_sizes = sizes[-1] / sizes[-2]
                growth = f"{times:.1f} of {of_sizes:.1f}"
                growth = f"**{growth}**" if times > ABOVE_LINEAR * of_sizes else growth
            lines.append("| " + " | ".join([row.title, form, what, ", ".join(cells), growth]) + " |")
    return lines


def introduction(busy: str) -> str:
    return (
        "# How long compiling takes\n\n"
        f"Written by `./dev bench compile` in one run on {machine()}, 1 thread, Python {platform.python_version()}.\n"
        "A first call captures the program, compiles it and runs it: shown is its processor time at each size `n`,\n"
        "in a process that has compiled a small program before. A later call is the fastest of five. *Growth* is\n"
        "the time at the largest size as a multiple of the one before it, and of what multiple the sizes are; in\n"
        f"bold where it is more than {ABOVE_LINEAR} times that. Turns of nested loops multiply, so from some depth on\n"
        f"Python runs the outer loops. {busy}".rstrip()
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="measure first calls of growing programs")
    parser.add_argument("--rows", default=",".join(ROWS), help="only these programs")
    parser.add_argument("--forms", default=",".join(FORMS), help="only these forms")
    parser.add_argument("--sizes", default="", help="the largest size; with --measure all sizes")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure == "guards":
        measure_guards()
        return
    if options.measure:
        measure(options.measure, options.forms, [int(size) for size in options.sizes.split(",")])
        return
    rows, forms = options.rows.split(","), options.forms.split(",")
    for given, known in ((rows, ROWS), (forms, FORMS)):
        if unknown := set(given) - set(known):
            parser.error(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    busy = warn_if_busy()
    largest = (
        int(options.sizes) if options.sizes else max(size for row in ROWS.values() for size in row.sizes)
    )
    lines = ["| program | from | what | n: time | growth |", "|---|---|---|---|---|"]
    for key in rows:
        lines += lines_of(key, forms, largest)
        print("\n".join(lines[-2 * len(forms) :]), flush=True)
    guards = line_of_guards()
    print(guards)
    if rows == list(ROWS) and forms == list(FORMS) and not options.sizes:
        page = Path(__file__).resolve().parent.parent / "docs/bench-compile.md"
        page.write_text(f"{introduction(busy)}\n\n" + "\n".join(lines) + f"\n\n{guards}\n")


if __name__ == "__main__":
    main()
