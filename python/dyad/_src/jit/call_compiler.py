"""What happens when a jitted callable is called and no compiled graph fits the arguments."""

import inspect
import time
import weakref

from dyad import _core
from dyad._src.jit import environment
from dyad._src.jit.report import CompileReport, cause_of

# Compiled graphs that one callable keeps; the least recently used goes first.
CACHE_LIMIT = 64

every_compiled_function: weakref.WeakSet = weakref.WeakSet()


class CallCompiler:
    """Compiles the calls of one function. It is what `_core.CompiledFunction` asks when its entries do not fit."""

    def __init__(self, function, options):
        self.function = function
        self.options = options
        self.report = CompileReport(function)

    def __call__(self, compiled, args, kwargs):
        function = self.function
        if environment.jit_is_off() or _core.current_graph() is not None:
            # While another graph is being captured this call is part of that one.
            return function(*args, **kwargs)
        if not self._fits_signature(args, kwargs):
            # Python refuses such a call with its own words before it runs anything.
            return function(*args, **kwargs)
        entry = self.compile(compiled, args, kwargs)
        compiled.add(entry)
        return compiled.run(entry, args, kwargs)

    def compile(self, compiled, args, kwargs):
        """A new entry for a call like this one."""
        from dyad._src.capture.entry import compile_call

        options = self._options_for(args, kwargs)
        self.report.started()
        start = time.perf_counter()
        entry = compile_call(compiled, self.function, args, kwargs, options)
        self.report.finished(cause_of(compiled, args, kwargs), time.perf_counter() - start)
        return entry

    def _options_for(self, args, kwargs):
        return self.options.replace(syntax_level=environment.syntax_level(self.options.syntax_level))

    def _fits_signature(self, args, kwargs):
        try:
            inspect.signature(self.function, follow_wrapped=False).bind(*args, **kwargs)
        except TypeError:
            return False
        return True


def make_compiled(function, options, compiler_kind=CallCompiler):
    """The compiled callable over a function: entries first, `CallCompiler` when none fits."""
    compiler = compiler_kind(function, options)
    compiled = _core.CompiledFunction(compiler, limit=CACHE_LIMIT, name=function.__qualname__)
    every_compiled_function.add(compiled)
    return compiled, compiler
