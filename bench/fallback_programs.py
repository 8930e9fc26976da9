"""Inputs and constants shared by the programs of `./dev bench fallback` in every framework."""

from __future__ import annotations

import importlib.util
import io
import sys
import tempfile
from pathlib import Path

import numpy

from fallback_rows import CUTS

TURNS = 1000  # of the loop
FLOATS = numpy.linspace(-1, 1, 16, dtype=numpy.float32)
LINES = "The quick brown fox\njumps over the lazy dog\nand runs away from it.\n" * 24


def generator() -> numpy.random.Generator:
    """Random generator that no framework can capture: every call runs in Python and returns another result."""
    return numpy.random.default_rng(7)


def count_words(text):
    """A function of host code only: the lines of a stream are not known when the function is captured."""
    counts = {}
    for line in io.StringIO(text):
        for word in line.split():
            word = word.lower().strip(".")
            counts[word] = counts.get(word, 0) + 1
    longest = ""
    for word, count in counts.items():
        if count > 2 and len(word) > len(longest):
            longest = word
    return len(longest) + sum(counts.values())


def function_with_cuts(graph: str, host: str, names: dict):
    """A function of `x` with as many cuts as the row has: statements for a graph and for Python alternate.

    It is written to a file, since every framework reads the source.
    """
    body = "".join(f"    x = {graph}\n    x = {host}\n" for _ in range(CUTS))
    path = Path(tempfile.mkdtemp(dir=".")) / "many_cuts.py"
    path.write_text(f"def many_cuts(x):\n{body}    return x\n")
    spec = importlib.util.spec_from_file_location("many_cuts", path.resolve())
    module = importlib.util.module_from_spec(spec)
    sys.modules["many_cuts"] = module
    spec.loader.exec_module(module)
    vars(module).update(names)
    return module.many_cuts
