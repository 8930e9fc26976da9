"""Formats the measurements and writes the tables."""

from __future__ import annotations

import platform
import re
import statistics
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SUMMARY = ROOT / "docs/benchmarks.md"


def shown(seconds: float) -> str:
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def spread(times: list[float]) -> float:
    """Interquartile range of the turns, as a fraction of the median."""
    if len(times) < 4:
        return (max(times) - min(times)) / statistics.median(times)
    low, middle, high = statistics.quantiles(times, n=4)
    return (high - low) / middle


def spread_text(turns: dict[str, list[float]]) -> str:
    return ", ".join(f"{spread(times):.0%}" for times in turns.values())


def ratio_text(ratio: float, bar: float) -> str:
    """Two digits; bold above the bar."""
    return f"**{ratio:.2f}**" if ratio > bar else f"{ratio:.2f}"


def mark(value: float, bar: float) -> str:
    return "yes" if value <= bar else "**no**"


def machine() -> str:
    names = re.findall(r"model name\s*: (.+)", Path("/proc/cpuinfo").read_text())
    return names[0] if names else platform.machine()


def write_table(bench: str, introduction: str, table: str) -> None:
    """Writes docs/bench-<bench>.md, and the table alone to docs/benchmarks.md."""
    (ROOT / f"docs/bench-{bench}.md").write_text(f"{introduction}\n\n{table}\n")
    write_summary(bench, table)


def write_summary(bench: str, table: str) -> None:
    """Replaces what is between the marks of a benchmark in docs/benchmarks.md."""
    begin, end = f"<!-- bench {bench}: begin -->\n", f"<!-- bench {bench}: end -->"
    before, _, rest = SUMMARY.read_text().partition(begin)
    SUMMARY.write_text(f"{before}{begin}\n{table}\n\n{end}{rest.partition(end)[2]}")
