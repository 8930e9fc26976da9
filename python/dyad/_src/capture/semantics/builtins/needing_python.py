"""Functions that run, read or stop Python itself: no graph can hold a call of them."""

from dyad._src.base.break_reasons import FUNCTION
from dyad._src.capture.semantics.builtins.registry import refused

for _function in (eval, exec, compile, open, input, breakpoint, __import__):
    refused(
        _function,
        FUNCTION,
        f"{_function.__name__}: it needs the Python interpreter when the graph runs",
        "Call it outside of the compiled function.",
    )
