"""What the programs of `./dev bench fallback` have in common in every framework."""

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
    """What no framework can look into: each of its calls is one of Python's, with another result each time."""
    return numpy.random.default_rng(7)


def count_words(text):
    """A function that is all host code; what a stream gives is not known when the function is captured."""
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
    """A function of `x` with as many cuts as the row has: a statement for a graph and one for Python, again and again.

    It is the text of a file, as every framework wants to read it.
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
