"""What `./dev bench fallback` measures, against whom, and which bars functions that Python runs in part are held to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from graph_rows import TITLES as GRAPH_TITLES
from report import shown

# The form that runs the function as it is written.
DYNAMIC = {"dyad": "dyad-dynamic", "torch-compile": "torch"}
TITLES = {
    "dyad-dynamic": GRAPH_TITLES["dyad-dynamic"],
    "dyad": "Dyad, jit",
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


def shown_difference(seconds: float) -> str:
    return shown(seconds) if seconds >= 0 else f"-{shown(-seconds)}"


def shown_ratio(value: float) -> str:
    return f"{value:.2f}"


@dataclass(frozen=True)
class FallbackRow:
    """A program of the workers' frameworks, jitted as a whole, and another form of it to hold that against."""

    key: str  # for --rows, and the method of the frameworks
    name: str
    figure: Callable[[Times], float | None]  # of the times of one turn
    figure_name: str
    show: Callable[[float], str]
    bar: float  # the most that Dyad's figure may be
    other: str = ""  # what the other form is; empty if there is none
    in_own_process: bool = False  # the other form is the dynamic one, in a process in which nothing is jitted
    is_first: bool = False  # measured is the first call, each time in a fresh process
    seconds: float = 0.3  # of one turn
    tolerance: float = 1e-3  # of the largest number of the result


ROWS: list[FallbackRow] = [
    FallbackRow(
        "cut",
        "one cut: 3 operators, a NumPy statement, 3 operators, 16 floats",
        difference,
        "a cut adds",
        shown_difference,
        5e-6,
        BY_HAND,
    ),
    FallbackRow(
        "host",
        "all host code: lines, words, a dict",
        ratio,
        "jit ÷ undecorated",
        shown_ratio,
        1.5,
        UNDECORATED,
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
        UNDECORATED,
        in_own_process=True,
    ),
    FallbackRow(
        "step",
        "MLP train step, Momentum, a NumPy augmentation in front",
        ratio,
        "one function ÷ split by hand",
        shown_ratio,
        1.05,
        BY_HAND,
        seconds=0.8,
    ),
]
