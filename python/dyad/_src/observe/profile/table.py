"""A profile as a table, and the limits of the machine for comparison."""

import functools
import os
import time
from typing import NamedTuple

from dyad import ops
from dyad._core import Tensor

MOST_STEPS = 30
WIDEST = 60  # maximum width of a kernel's name and of its line


def profile_text(profile):
    """Kernels by line of the program, then summed by kernel, then the time outside of kernels."""
    limits = profile.limits
    parts = [
        heading(profile, limits),
        table(profile, profile.steps, limits, by_line=True),
        "By kernel",
        table(profile, profile.kernels, limits, by_line=False),
    ]
    return "\n\n".join(parts)


def heading(profile, limits):
    inside = sum(run.seconds for run in profile.runs)
    calls = "a call" if profile.calls == 1 else f"{profile.calls} calls"
    return (
        f"{calls} in {duration(profile.seconds)}, {duration(inside)} of it in {len(profile.runs)} kernels; "
        f"limits of this machine: {limits.flop / 1e9:.0f} GFLOP/s, {limits.bytes / 1e9:.1f} GB/s"
    )


def table(profile, steps, limits, by_line):
    heads = ["kernel", "line"] if by_line else ["kernel"]
    rows = [[*heads, "calls", "time", "share", "GB/s", "GFLOP/s", "of limit"]]
    for step in steps[:MOST_STEPS]:
        named = [shortened(name_of(step)), shortened(line_of(step))] if by_line else [step.kernel]
        rows.append([*named, *figures(profile, step, limits)])
    lines = aligned(rows, len(heads))
    if len(steps) > MOST_STEPS:
        rest = sum(step.seconds for step in steps[MOST_STEPS:])
        lines.append(f"... and {len(steps) - MOST_STEPS} more in {duration(rest)}")
    return "\n".join(lines)


def figures(profile, step, limits):
    share = step.seconds / profile.seconds if profile.seconds else 0.0
    rates = [amount / step.seconds / 1e9 if step.seconds else 0.0 for amount in (step.bytes, step.flop)]
    return [
        str(step.calls),
        duration(step.seconds),
        f"{share:.1%}",
        *(f"{rate:.3g}" for rate in rates),
        f"{step.of_limit(limits):.0%}",
    ]


def name_of(step):
    """Generated code by its operators: its own name starts with them as well."""
    return f"fused {step.operators}" if step.operators else step.kernel


def line_of(step):
    return f"{os.path.basename(step.file)}:{step.line}" if step.file else ""


def shortened(text):
    return text if len(text) <= WIDEST else text[: WIDEST - 3] + "..."


def aligned(rows, left):
    """Lines of columns, the first `left` of them aligned to the left."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(w) if i < left else cell.rjust(w)
            for i, (cell, w) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return [lines[0], "-" * max(map(len, lines)), *lines[1:]]


def duration(seconds):
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


REPEATS = 12
MATRIX = 1024
ELEMENTS = 1 << 24  # far more than caches hold


class Limits(NamedTuple):
    flop: float  # per second, in a large product
    bytes: float  # per second, read and written in a large copy


@functools.cache
def machine_limits():
    matrix = ops.ones((MATRIX, MATRIX))
    source, target = ops.ones((ELEMENTS,)), Tensor(ops.ones((ELEMENTS,)))
    product = fastest(lambda: ops.matmul(matrix, matrix))
    copy = fastest(lambda: target.copy_(source))
    return Limits(2 * MATRIX**3 / product, 2 * 4 * ELEMENTS / copy)


def fastest(work):
    work()
    spent = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        work()
        spent.append(time.perf_counter() - start)
    return min(spent)
