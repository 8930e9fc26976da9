"""Compiling the call of a Cell, hooks and casts included."""

from dyad._src.jit.call_compiler import CallCompiler


class CellCompiler(CallCompiler):
    """Compiles the calls of one Cell. What `construct` takes is for the Cell to check."""

    def _fits_signature(self, args, kwargs):
        return True
