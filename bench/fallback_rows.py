"""Rows of `./dev bench fallback`: programs, frameworks compared, and bars for functions run partly in Python."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from graph_rows import TITLES as GRAPH_TITLES
from report import shown

# The form that runs the function as it is written.
DYNAMIC = {"dyad": "dyad-dynamic", "dyad-bytecode": "dyad-dynamic", "torch-compile": "torch"}
BYTECODE = "dyad-bytecode"
TITLES = {
    "dyad-dynamic": GRAPH_TITLES["dyad-dynamic"],
    "dyad": "Dyad, jit",
    "dyad-bytecode": "Dyad, jit, bytecode",
    "torch": GRAPH_TITLES["torch"],
    "torch-compile": GRAPH_TITLES["torch-compile"],
    "mindspore": "MindSpore jit",
}
THREADS = 1  # of a framework: what lies between graphs has no more
CUTS = 20  # of the row that is about capture
BY_HAND, UNDECORATED = "split by hand", "without jit"
Times = dict[str, float]  # "whole" and, where there is one, "other"


def difference(times: Times) -> float | None:
    return times["whole"] - times["other"] if "other" in times else None


def ratio(times: Times) -> float | None:
    return times["whole"] / times["other"] if "other" in times else None


def per_cut(times: Times) -> float | None:
    return times["whole"] / CUTS


def whole(times: Times) -> float | None:
    return times["whole"]


def shown_difference(seconds: float) -> str:
    return shown(seconds) if seconds >= 0 else f"-{shown(-seconds)}"


def shown_ratio(value: float) -> str:
    return f"{value:.2f}"


@dataclass(frozen=True)
class FallbackRow:
    """A program of the workers' frameworks, jitted as a whole, and the form of it for comparison."""

    key: str  # for --rows, and the method of the frameworks
    name: str
    figure: Callable[[Times], float | None]  # of the times of one turn
    figure_name: str
    show: Callable[[float], str]
    bar: float  # the most that Dyad's figure may be
    bytecode_bar: float | None = None  # the same of bytecode mode, where it is another one
    other: str = ""  # what the other form is; empty if there is none
    in_own_process: bool = False  # the other form is the dynamic one, in a process in which nothing is jitted
    is_own: bool = False  # a program that is written for Dyad: its peers do not run it
    is_first: bool = False  # measured is the first call, each time in a fresh process
    seconds: float = 0.3  # of one turn
    tolerance: float = 1e-3  # of the largest number of the result

    def runs_in(self, form: str) -> bool:
        return not self.is_own or form.startswith("dyad")

    def bar_of(self, form: str) -> float:
        return self.bytecode_bar if form == BYTECODE and self.bytecode_bar is not None else self.bar


ROWS: list[FallbackRow] = [
    FallbackRow(
        "call",
        "a captured call: 3 operators, 16 floats",
        whole,
        "a call",
        shown_difference,
        5e-6,
    ),
    FallbackRow(
        "cut",
        "one cut: 3 operators, a NumPy statement, 3 operators, 16 floats",
        difference,
        "a cut adds",
        shown_difference,
        5e-6,
        bytecode_bar=10e-6,
        other=BY_HAND,
    ),
    FallbackRow(
        "host",
        "all host code: lines, words, a dict",
        ratio,
        "jit ÷ undecorated",
        shown_ratio,
        1.5,
        other=UNDECORATED,
    ),
    FallbackRow(
        "capture",
        f"first call with {CUTS} cuts",
        per_cut,
        "per cut",
        shown_difference,
        20e-3,
        is_first=True,
    ),
    FallbackRow(
        "loop",
        "loop of 1,000 turns: a NumPy draw, 4 operators",
        ratio,
        "jit ÷ dynamic",
        shown_ratio,
        1.3,
        other=UNDECORATED,
        in_own_process=True,
    ),
    FallbackRow(
        "step",
        "MLP train step, Momentum, a NumPy augmentation in front",
        ratio,
        "one function ÷ split by hand",
        shown_ratio,
        1.05,
        other=BY_HAND,
        seconds=0.8,
    ),
    FallbackRow(
        "plain",
        "train step of examples/plain_training_loop.py",
        ratio,
        "jit ÷ dynamic",
        shown_ratio,
        1.0,
        other=UNDECORATED,
        in_own_process=True,
        is_own=True,
        seconds=1.5,
    ),
]
