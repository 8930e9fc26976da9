"""`mindspore.common._pijit_context`: bytecode capture as an object that decorates, and what it raises."""

from dyad._src.jit.api.jit import jit
from dyad._src.jit.graph_break.bytecode.unsupported import Unsupported
from dyad._src.jit.options.bytecode_switch import switch_on

__all__ = ["PIJitCaptureContext", "Unsupported"]


class PIJitCaptureContext:
    """Captures the bytecode of the functions that it is called with; each of them keeps its own graphs."""

    def __init__(self, fullgraph=False, jit_config=None, input_signature=None):
        self._options = {"fullgraph": fullgraph, "jit_config": jit_config, "input_signature": input_signature}

    def __enter__(self):
        """Itself. What it makes is captured wherever it is called, unless the mode is switched off."""
        switch_on()
        return self

    def __exit__(self, *raised):
        return False

    def __call__(self, fn):
        """The compiled form of a function, method, Cell or Cell class."""
        return jit(fn, capture_mode="bytecode", **self._options)
