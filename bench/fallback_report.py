"""Writes the table of `./dev bench fallback` and its page."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field

from fallback_rows import BYTECODE, CUTS, DYNAMIC, ROWS, THREADS, TITLES, FallbackRow, Times, shown_difference
from report import ROOT, machine, mark, spread

ANOTHER_RESULT = "gives another result"  # begins a failure of who runs a row but is not measured
PACKAGES = ("Python", "torch", "mindspore")
INTRODUCTION = """# Python in static graphs: Dyad and its peers on the CPU

Written by `./dev bench fallback` in one run on {machine}, each with {threads} thread, as all that
lies between graphs has no more, {named}.
A function that no graph can hold as a whole is cut: Python runs the statements that need it, the rest are graphs.
torch.compile is in its default form, which breaks graphs in such places; MindSpore's `jit` is at its default level,
with its fallback. *Bytecode* is `jit(capture_mode="bytecode")`, which takes code objects apart in place of the source.
*Met* is said of Dyad's `jit`, then of its bytecode mode. The programs are in `bench/fallback_dyad.py` and
`bench/fallback_torch.py`; what only Python can do in them is to call a NumPy generator, which draws other numbers each
time, or to read a stream.

- A captured call: a function that is one graph, without a cut.
- A cut: a cached call, and the same with the two graphs jitted by hand and the statement between them in Python. The
  difference is what the cut adds beyond the statement and the graphs.
- All host code: the jitted function, and the function itself.
- First call: of a function with {cuts} cuts, beyond a later call, in a fresh process that finds nothing compiled.
- Loop: the jitted function, and the function in the dynamic form's process. *Without jit* is the function itself in the
  process in which the other one is jitted.
- Train step: augmentation, forward, gradients and update as one jitted function, and the augmentation in Python with
  the rest jitted.
- The example's train step: of a training loop in plain Python, and the same in the dynamic form's process.

Every form runs in a process of its own, in turns with the others, which stand still meanwhile, and must give the same
results in the first three calls. Within a turn a function and what it is held against alternate, and the fastest calls
of both give the figure; times and figures are medians over the turns, so a figure may differ a little from that of the
times shown. *Spread* is how far the middle half of the turns of Dyad's `jit` lies apart."""


@dataclass
class Found:
    """Measurements of a row, by form."""

    turns: dict[str, list[Times]] = field(default_factory=dict)
    cuts: dict[str, int | None] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    profile: str = ""

    def add(self, form: str, times: Times) -> None:
        self.turns.setdefault(form, []).append(times)

    def median(self, form: str, name: str) -> float | None:
        values = [times[name] for times in self.turns.get(form, []) if name in times]
        return statistics.median(values) if values else None

    def figure(self, row: FallbackRow, form: str) -> float | None:
        """Median of the figures of the turns: forms that are compared are measured at nearly the same time."""
        values = [row.figure(times) for times in self.compared(row, form)]
        return statistics.median(values) if values and None not in values else None

    def compared(self, row: FallbackRow, form: str) -> list[Times]:
        turns = self.turns.get(form, [])
        if not row.in_own_process:
            return turns
        dynamic = self.turns.get(DYNAMIC.get(form, ""), [])
        pairs = zip(turns, dynamic, strict=False)
        return [{"whole": times["whole"], "other": other["whole"]} for times, other in pairs]


def missed(row: FallbackRow, found: Found, form: str = "dyad") -> bool:
    reached = found.figure(row, form)
    return reached is not None and reached > row.bar_of(form)


def line(*cells: str) -> str:
    return "| " + " | ".join(cells) + " |"


def shown_or(value: float | None, show, otherwise: str) -> str:
    return otherwise if value is None else show(value)


def row_lines(row: FallbackRow, found: Found) -> list[str]:
    """Cells of a row: times of a call and of the form it is compared with, the figure with its bar, and the cuts."""

    missing = {
        form: "another result" if ANOTHER_RESULT in why else "cannot run it"
        for form, why in found.failures.items()
    }

    def cells(values: dict[str, float | None], show) -> list[str]:
        return [missing.get(form) or shown_or(values[form], show, "-") for form in TITLES]

    def times(name: str) -> list[str]:
        return cells({form: found.median(form, name) for form in TITLES}, shown_difference)

    figures = {form: found.figure(row, form) for form in TITLES}
    ours = [each["whole"] for each in found.turns.get("dyad", [])]
    judged = ["", "", ""]
    if figures["dyad"] is not None:
        judged = [f"≤ {row.show(row.bar)}", mark(figures["dyad"], row.bar), f"{spread(ours):.0%}"]
    if figures[BYTECODE] is not None:
        judged = judged_with_bytecode(row, judged, figures[BYTECODE])
    lines = [line(row.name, "first call" if row.is_first else "a call", *times("whole"), "", "", "")]
    if row.other:
        lines.append(line("", row.other, *times("other"), "", "", ""))
    lines.append(line("", f"**{row.figure_name}**", *cells(figures, row.show), *judged))
    cuts = {form: found.cuts.get(form) for form in TITLES}
    return [*lines, line("", "cuts, graph breaks", *cells(cuts, str), "", "", "")]


def judged_with_bytecode(row: FallbackRow, judged: list[str], reached: float) -> list[str]:
    """Cells of the bar, followed by the figures of bytecode mode."""
    bar = row.bar_of(BYTECODE)
    bars = dict.fromkeys(filter(None, (judged[0], f"≤ {row.show(bar)}")))
    return ["; ".join(bars), "; ".join(filter(None, (judged[1], mark(reached, bar)))), judged[2]]


def table_text(results: dict[str, Found]) -> str:
    heads = ["row", "", *TITLES.values(), "bar", "met", "spread"]
    lines = [line(*heads), "|---|---|" + "--:|" * (len(heads) - 2)]
    for row in ROWS:
        if row.key in results:
            lines += row_lines(row, results[row.key])
    return "\n".join(lines)


def short_line(row: FallbackRow, found: Found) -> str:
    figures = {form: found.figure(row, form) for form in ("dyad", BYTECODE)}
    reached = ", ".join(f"{form} {shown_or(value, row.show, '-')}" for form, value in figures.items())
    failed = "".join(f"; {form}: {why}" for form, why in found.failures.items())
    return f"{row.key}: {row.figure_name}: {reached}; bar {row.show(row.bar)}{failed}"


def failures(results: dict[str, Found]) -> list[str]:
    lines = [
        f"- {row.name}, {TITLES[form]}: {why}"
        for row in ROWS
        for form, why in results[row.key].failures.items()
    ]
    return ["Who is not measured, and why:", "", *lines] if lines else []


def profiles(results: dict[str, Found]) -> list[str]:
    lines = []
    for row in ROWS:
        if missed(row, results[row.key]):
            lines += [f"### {row.name}", "", "```text", results[row.key].profile, "```", ""]
    return ["## Where the time goes in the rows that miss their bar", "", *lines] if lines else []


def introduction(versions: dict[str, str]) -> str:
    named = ", ".join(f"{name} {versions[name]}" for name in PACKAGES if name in versions)
    return INTRODUCTION.format(machine=machine(), threads=THREADS, named=named, cuts=CUTS)


def write_page(results: dict[str, Found], versions: dict[str, str], busy: str) -> None:
    rest = ["\n".join(lines) for lines in (failures(results), profiles(results)) if lines]
    parts = [introduction(versions), *([busy] if busy else []), table_text(results), *rest]
    (ROOT / "docs/bench-fallback.md").write_text("\n\n".join(part.rstrip() for part in parts) + "\n")
