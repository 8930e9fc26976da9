"""Unicode tables for native tokenizers and patterns, from `unicodedata` and the table of scripts."""

import functools
import sys
import unicodedata

from dyad.dataset.text._script_runs import SCRIPT_RUNS


@functools.cache
def script_runs():
    """Runs of characters of one script: a list of first code points, and a list of the scripts' names."""
    begins = {}
    for line in SCRIPT_RUNS.replace("\n  ", " ").strip().splitlines():
        script, *points = line.split()
        begins.update({int(point, 16): script for point in points})
    starts = sorted(begins)
    return starts, [begins[start] for start in starts]


def numbered_scripts():
    """The runs of scripts with numbers in place of the names."""
    starts, scripts = script_runs()
    numbers = {script: number for number, script in enumerate(sorted(set(scripts)))}
    return starts, [numbers[script] for script in scripts]


@functools.cache
def script_ranges(script) -> list:
    """(first, last) of each run of a script; empty for a name that no script has."""
    starts, scripts = script_runs()
    lasts = [start - 1 for start in starts[1:]] + [sys.maxunicode]
    wanted = script.lower()
    return [
        (first, last)
        for first, last, name in zip(starts, lasts, scripts, strict=True)
        if name.lower() == wanted
    ]


@functools.cache
def _category_runs():
    """(first, last, category) of each run of characters of one general category."""
    runs = []
    first, current = 0, unicodedata.category("\0")
    for code, category in enumerate(map(unicodedata.category, map(chr, range(sys.maxunicode + 1)))):
        if category != current:
            runs.append((first, code - 1, current))
            first, current = code, category
    return [*runs, (first, sys.maxunicode, current)]


@functools.cache
def category_ranges(*categories) -> list:
    """(first, last) of each run of characters whose general category starts with one of these."""
    joined: list = []
    for first, last, category in _category_runs():
        if not category.startswith(categories):
            continue
        if joined and joined[-1][1] == first - 1:
            joined[-1] = (joined[-1][0], last)
        else:
            joined.append((first, last))
    return joined


def complement(ranges):
    """The ranges between the given ones."""
    gaps, start = [], 0
    for first, last in ranges:
        if first > start:
            gaps.append((start, first - 1))
        start = last + 1
    return [*gaps, (start, sys.maxunicode)] if start <= sys.maxunicode else gaps


def as_pattern(ranges) -> str:
    """The ranges as the inside of a set of Python's regular expressions."""
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in ranges)
