"""Writes docs/coverage.md: which names of the MindSpore API, as used in public programs, Dyad has.

tools/api_usage.csv lists the names, with the number of tutorials, user programs and tests in which each was seen.
Usage: coverage.py [--check]; with --check nothing is written and an outdated page is a failure.
"""

from __future__ import annotations

import csv
import importlib
import inspect
import re
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import dyad
from dyad._src.no_effect import NO_EFFECT

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/coverage.md"
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
        """Whether programs for people, not only tests of the reference, use the name."""
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
    """Whether dyad.<path> exists, importing submodules on the way."""
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
    """A look-up on an instance, since attributes such as Cell.training exist only there."""
    return lambda member: hasattr(make(), member)


def has_context_key(key: str) -> bool:
    try:
        dyad.get_context(key)
    except (ValueError, AttributeError):
        return False
    return True


def has_jit_option(option: str) -> bool:
    """Whether `jit` takes an option as it is written, `name=value`, or by its name where no value is given."""
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
    (re.compile(r"jit\((\w+=\w*)\)"), has_jit_option),
]


def is_there(name: str) -> bool:
    for pattern, lookup in LOOKUPS:
        match = pattern.fullmatch(name)
        if match:
            return lookup(match[1])
    return False


def page() -> str:
    rows = read_rows()
    there = {row.name for row in rows if row.name not in NO_EFFECT and is_there(row.name)}
    kinds = list(dict.fromkeys(row.kind for row in rows))
    lines = [
        "# Coverage of the MindSpore API",
        "",
        "Written by `tools/coverage.py`; `./dev check` fails when it is out of date. Each name was seen in public",
        "programs: the numbers are tutorials / user programs / tests of the reference. A name counts as there when",
        "Dyad has it under the same path and it works; names that are accepted and change nothing are told apart,",
        "with the reason, and their first use is logged.",
        "",
        "| Kind | There | Of | In tutorials or user programs | Of |",
        "|---|--:|--:|--:|--:|",
    ]
    for kind in kinds:
        own = [row for row in rows if row.kind == kind]
        used = [row for row in own if row.used]
        lines.append(
            f"| {kind} | {sum(r.name in there for r in own)} | {len(own)} "
            f"| {sum(r.name in there for r in used)} | {len(used)} |"
        )
    for kind in kinds:
        lines += ["", f"## {kind}", "", "| Name | Seen in | State |", "|---|---|---|"]
        for row in rows:
            if row.kind == kind:
                lines.append(
                    f"| `{row.name}` | {row.tutorials} / {row.programs} / {row.tests} | {state_of(row.name, there)} |"
                )
    lines += ["", "## Accepted, no effect", "", "| Name | Why |", "|---|---|"]
    lines += [f"| `{name}` | {reason} |" for name, reason in sorted(NO_EFFECT.items())]
    return "\n".join(lines) + "\n"


def state_of(name: str, there: set[str]) -> str:
    if name in NO_EFFECT:
        return "accepted, no effect"
    return "there" if name in there else "not yet"


def main() -> None:
    text = page()
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(text)
    elif not PAGE.exists() or PAGE.read_text() != text:
        sys.exit("docs/coverage.md: out of date; run ./dev check --fix")


if __name__ == "__main__":
    main()
