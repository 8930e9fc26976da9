"""The fixed names of what ends a graph. Logs, `Unsupported` and tests speak of a break by its name."""

import re

from dyad._src.capture.errors import EFFECT

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

# The first pattern that is found in what a rejection says decides.
_BY_WORDS = [
    (re.compile(pattern), reason)
    for pattern, reason in (
        (r"^Unsupported (expression|statement) '(Yield|YieldFrom)'|generator function|^yield: ", YIELD),
        (r"^Unsupported (bytecode|expression|statement) |is an async function|coroutine function", BYTECODE),
        (r"^name '.*' of the program around the graph is assigned|free variable", FREE_VARIABLE),
        (
            r"^(raise|except|try|with|traceback): |a group of exceptions|an operator checks its data"
            r"|yields inside of try",
            EXCEPTION,
        ),
        (
            r"^\w+: (a Cell is made|.*a Cell that each call makes)|^Parameter: a Parameter cannot be made",
            CELL,
        ),
        (r"^return: ", OUTPUT),
        (r"^while: |^for: (whether a dict|an iterator gave)|takes more steps than", LOOP_TRACE),
        (r"^(for|loop): ", LOOP),
        (r"^(iter|len|range): |to iterate over|^\w+: (it has more than|how far this iterator)", ITERABLE),
        (
            r"^truth: |^if: |Cannot join|is a condition|^comparison: |^in: |whether a member|is compared",
            CONDITION,
        ),
        (r"^\w+: (the data of a Tensor is needed|it needs the value of a number)|^sorted: ", FUNCTION),
        (r"it is given (a|an object) |with a value that is known only", ARGUMENT),
        (r"called too deeply|nests branches|recurs", CALLEE),
        (r"needs (the )?Python|Python runs it|cannot be called|each call may|what it reads and", FUNCTION),
        (r"is known only when the graph runs|are known only when", CONDITION),
        (
            r"^(dict|set|copy|function|attribute '|\w+ of (a|the function) )|objects of a class derived",
            DATA_TYPE,
        ),
        (r"could not get source|source code|: .* (done once while compiling|is not captured)", FUNCTION),
    )
]


def reason_of(refusal):
    """The name of the break that a Refusal tells of."""
    if refusal.reason and refusal.reason != EFFECT:
        return refusal.reason
    return next((reason for pattern, reason in _BY_WORDS if pattern.search(refusal.because)), UNKNOWN)
