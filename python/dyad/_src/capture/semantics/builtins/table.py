"""The table of functions with every family in it."""

from dyad._src.capture.semantics.builtins import (  # noqa: F401
    attributes,
    containers,
    iteration,
    itertools_functions,
    library_functions,
    mutable_values,
    numbers,
    precision,
    reductions,
    text,
    type_checks,
)
from dyad._src.capture.semantics.builtins.registry import BUILTINS, UNDECIDED

__all__ = ["BUILTINS", "UNDECIDED"]
