"""Writes build/docs/coverage.md: which names of the MindSpore API, as used in public programs, work in Dyad.

tools/api_usage.csv lists the names, with the number of tutorials, user programs and tests in which each was seen. A
name works when it is there and something here runs it: the samples of its operator, an example, or a test.
Usage: coverage.py [--check]; with --check nothing is written, and each name without a reason that is not there, or that
tutorials or user programs use and nothing here runs, is a fault.
"""

from __future__ import annotations

import csv
import functools
import importlib
import inspect
import re
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import dyad
from dyad._src.base.no_effect import NO_EFFECT
from stays_out import DOCUMENTED, NOT_YET, STAYS_OUT, TESTS, reason_in

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "build/docs/coverage.md"
USAGE = ROOT / "tools/api_usage.csv"


@dataclass(frozen=True)
class Row:
    name: str
    kind: str
    tutorials: int
    programs: int
    tests: int

    @property
    def used(self) -> bool:
        """True if tutorials or user programs use the name, not only MindSpore's tests."""
        return self.tutorials + self.programs > 0


def read_rows() -> list[Row]:
    with USAGE.open() as file:
        return [
            Row(
                r["name"],
                r["kind"],
                int(r["tutorial_files"]),
                int(r["user_code_files"]),
                int(r["test_files"]),
            )
            for r in csv.DictReader(file)
        ]


def find_module_member(path: str) -> bool:
    """True if dyad.<path> exists. Imports submodules on the way."""
    found: object = dyad
    name = "dyad"
    for part in path.split("."):
        name = f"{name}.{part}"
        if not hasattr(found, part):
            try:
                importlib.import_module(name)
            except ImportError:
                return False
        found = getattr(found, part, None)
        if found is None:
            return False
    return True


def find_member_of(make: Callable[[], object]) -> Callable[[str], bool]:
    """Looks a name up on an instance, since attributes like Cell.training exist only there."""
    return lambda member: hasattr(make(), member)


def has_context_key(key: str) -> bool:
    try:
        dyad.get_context(key)
    except (ValueError, AttributeError):
        return False
    return True


def has_parallel_key(key: str) -> bool:
    try:
        dyad.get_auto_parallel_context(key)
    except (ValueError, AttributeError):
        return False
    return True


def has_jit_option(option: str) -> bool:
    """True if `jit` accepts an option, written as `name=value` or as a name alone."""
    name, _, value = option.partition("=")
    if name not in inspect.signature(dyad.jit).parameters:
        return f"jit({name}=)" in NO_EFFECT
    if not value:
        return True
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            dyad.jit(**{name: value})
    except (TypeError, ValueError):
        return False
    return True


def make_tensor() -> object:
    return dyad.Tensor([[1.0, 2.0]])


def make_parameter() -> object:
    return dyad.Parameter(make_tensor(), name="weight")


# How a name is looked up: the first pattern that matches decides; a name that matches none is not there.
LOOKUPS: list[tuple[re.Pattern, Callable[[str], bool]]] = [
    (re.compile(r"mindspore\.(.+)"), find_module_member),
    (re.compile(r"Tensor\.(\w+)"), find_member_of(make_tensor)),
    (re.compile(r"Parameter\.(\w+)"), find_member_of(make_parameter)),
    (re.compile(r"Cell\.(\w+)"), find_member_of(lambda: dyad.nn.Cell())),
    (re.compile(r"context:(\w+)"), has_context_key),
    (re.compile(r"parallel context:(\w+)"), has_parallel_key),
    (re.compile(r"jit\((\w+=\w*)\)"), has_jit_option),
]


def is_there(name: str) -> bool:
    for pattern, lookup in LOOKUPS:
        match = pattern.fullmatch(name)
        if match:
            return lookup(match[1])
    return False


@functools.cache
def words_run() -> frozenset[str]:
    """Words of tests and examples; names of `ops`, whose docstrings are run; faces of operators with their samples."""
    files = [path for folder in ("tests", "examples") for path in (ROOT / folder).rglob("*.py")]
    words = {word for path in files for word in re.findall(r"\w+", path.read_text())}
    kinds = ("functions", "methods", "primitives")
    faces = {face["name"] for op in dyad._core.op_table() for kind in kinds for face in op[kind]}
    inplace = {name for op in dyad._core.op_table() for name in op["inplace_methods"]}
    return frozenset(words | faces | inplace | set(dyad.ops.__all__))


def is_run(name: str) -> bool:
    """True if a test or program here uses the last word of the name."""
    return re.findall(r"\w+", name.partition("=")[0])[-1] in words_run()


WORKS, UNTRIED, SILENT, OUT, COMING = "works", "there, untried", "accepted, no effect", "stays out", "not yet"


def state_of(name: str) -> str:
    if name in NO_EFFECT:
        return SILENT
    if is_there(name):
        return WORKS if is_run(name) else UNTRIED
    return OUT if reason_in(STAYS_OUT, name) else COMING


def page() -> str:
    rows = read_rows()
    states = {row.name: state_of(row.name) for row in rows}
    kinds = list(dict.fromkeys(row.kind for row in rows))
    lines = [
        "# Coverage of the MindSpore API",
        "",
        "Written by `tools/coverage.py`. Each name was seen in public programs: the numbers are tutorials / user",
        "programs / tests of MindSpore. A name works when Dyad has it under the same path and something here runs it:",
        "the samples of its operator, an example or a test; one that nothing runs is listed as untried, not counted.",
        "Names that are accepted and change nothing are listed with the reason, and their first use is logged;",
        "so are [those that stay out](#what-stays-out).",
        "",
        *summary(rows, kinds, states),
    ]
    for kind in kinds:
        lines += ["", f"## {kind}", "", "| Name | Seen in | State |", "|---|---|---|"]
        for row in rows:
            if row.kind == kind:
                lines.append(
                    f"| `{row.name}` | {row.tutorials} / {row.programs} / {row.tests} | {states[row.name]} |"
                )
    lines += ["", "## Accepted, no effect", "", "| Name | Why |", "|---|---|"]
    lines += [f"| `{name}` | {reason} |" for name, reason in sorted(NO_EFFECT.items())]
    return "\n".join([*lines, *what_stays_out(states)]) + "\n"


def summary(rows: list[Row], kinds: list[str], states: dict[str, str]) -> list[str]:
    """Table of the names of each kind by state: all of them, and those that tutorials and user programs use."""
    lines = [
        "| Kind | Works | Of | In tutorials or user programs | Of | Untried | No effect | Stays out | Not yet |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for kind in [*kinds, None]:
        own = [row for row in rows if kind in (row.kind, None)]
        used = [row for row in own if row.used]
        found = Counter(states[row.name] for row in own)
        working = sum(states[row.name] == WORKS for row in used)
        others = " | ".join(str(found[state]) for state in (UNTRIED, SILENT, OUT, COMING))
        lines.append(
            f"| {kind or 'all'} | {found[WORKS]} | {len(own)} | {working} | {len(used)} | {others} |"
        )
    return lines


def what_stays_out(states: dict[str, str]) -> list[str]:
    """Names by reason, and kinds of MindSpore's tests."""
    names: dict[str, list[str]] = {}
    for name, state in states.items():
        if state == OUT:
            names.setdefault(str(reason_in(STAYS_OUT, name)), []).append(name)
    lines = ["", "## What stays out", "", "| Why | Names |", "|---|---|"]
    lines += [f"| {why} | {', '.join(f'`{name}`' for name in sorted(names[why]))} |" for why in sorted(names)]
    lines += ["", "Not yet:", "", "| Why | Names |", "|---|---|"]
    for pattern, why in NOT_YET:
        coming = [f"`{name}`" for name in states if re.fullmatch(pattern, name)]
        lines.append(f"| {why} | {', '.join(coming)} |")
    for title, rows in (
        ("Of what MindSpore documents", DOCUMENTED),
        ("Of the reference's public tests", TESTS),
    ):
        lines += ["", f"{title}:", "", "| What | Why |", "|---|---|"]
        lines += [f"| {what} | {why} |" for what, why in rows]
    return lines


def faults(rows: list[Row]) -> Iterator[str]:
    """Names missing without a reason, used names that nothing runs, and reasons that match no name."""
    states = {row.name: state_of(row.name) for row in rows}
    for row in rows:
        state = states[row.name]
        if state == COMING and not reason_in(NOT_YET, row.name):
            yield f"{row.name}: is not there; add it, or say in tools/stays_out.py why not"
        if state == UNTRIED and row.used:
            yield f"{row.name}: is used by programs and run by no sample, example or test here"
    for table, state in ((STAYS_OUT, None), (NOT_YET, COMING)):
        for pattern, _ in table:
            named = [name for name in states if re.fullmatch(pattern, name)]
            if not named or (state and all(states[name] != state for name in named)):
                yield f"tools/stays_out.py: {pattern}: no name needs this reason any more"


def main() -> None:
    text = page()
    if "--check" in sys.argv[1:]:
        found = list(faults(read_rows()))
        print(*found, sep="\n", end="\n" if found else "")
        sys.exit(bool(found))
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(text)
    print(f"coverage: {PAGE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
