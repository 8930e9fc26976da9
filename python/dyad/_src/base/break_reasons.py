"""Kinds of graph breaks: each rejection and each `CaptureError` has one. Logs and `Unsupported` show them."""

import types
from typing import Any

from dyad._core import CaptureError

LOOP = "loop unsupported"
LOOP_TRACE = "loop trace failed"
ITERABLE = "unsupported iterable type"
CONDITION = "data-dependent condition"
ARGUMENT = "unsupported function argument"
FUNCTION = "unsupported function"
CALLEE = "callee trace failed"
BYTECODE = "unsupported bytecode"
FREE_VARIABLE = "free variable written or deleted"
EXCEPTION = "exception, with or try in an unsupported position"
OUTPUT = "graph output type unsupported"
DATA_TYPE = "data type unsupported in graph"
FOLDING = "constant folding failed"
DELETED = "deleted global or attribute read"
YIELD = "yield from iterator"
CELL = "creating a Cell inside the captured code"
NOTHING = "nothing captured"
UNKNOWN = "unknown"

ALL = (
    LOOP, LOOP_TRACE, ITERABLE, CONDITION, ARGUMENT, FUNCTION, CALLEE, BYTECODE, FREE_VARIABLE, EXCEPTION, OUTPUT,
    DATA_TYPE, FOLDING, DELETED, YIELD, CELL, NOTHING, UNKNOWN,
)  # fmt: skip


def kind_of_type(cls):
    """Returns the kind of a break that the contents of a Python object cause."""
    return DATA_TYPE if cls in (dict, set, types.FunctionType) else UNKNOWN


def capture_error(kind, message):
    """Returns a CaptureError of a kind, for code outside of capture that a static graph cannot hold."""
    error: Any = CaptureError(message)
    error.kind = kind
    return error
