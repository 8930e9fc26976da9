"""Compiling what transforms made, as Graph mode calls it: a gradient function is one graph."""

import inspect

from dyad._src.autodiff.transformed import TransformedFunction
from dyad._src.autodiff.vmap import VectorizedFunction
from dyad._src.base.lazy_import import load
from dyad._src.jit.api.cell_compiler import graph_mode_options
from dyad._src.jit.api.metadata import dress, signature_with_receiver
from dyad._src.jit.cache.call_compiler import CallCompiler, make_compiled
from dyad._src.jit.cache.report import CompileReport, location_of
from dyad._src.jit.options.options import JitOptions


def call_transformed(transformed, *args, **kwargs):
    """The function that is compiled. Guards check which transform it is, and of what."""
    return transformed(*args, **kwargs)


class _TransformCompiler(CallCompiler):
    """Compiles the calls of all that transforms made of one function."""

    def takes(self, args, kwargs):
        return True  # the function itself says what it takes

    def split_at(self, compiled, refusal, options):
        self.split = load("dyad._src.jit.graph_break.parts").TransformInPython(options, refusal, self.callees)
        compiled.clear()
        compiled.python_form = self.split
        self.report.splits(refusal.because)

    def run_unrecorded(self, error, args, kwargs):
        if isinstance(args[0], VectorizedFunction):
            raise error  # a transform of a graph
        return super().run_unrecorded(error, args, kwargs)

    def run_in_python(self, args, kwargs):
        form, *args = args
        return form.run(args, kwargs) if isinstance(form, TransformedFunction) else form(*args, **kwargs)

    def current_options(self, args):
        # What is only called, for a transform outside of the graph, is the function itself.
        return graph_mode_options(getattr(args[0], "root", args[0]))


def compiled_transform(root):
    """The compiled callable of what transforms made of a function, a Cell or another callable."""
    compiled, compiler = make_compiled(call_transformed, JitOptions(), None, _TransformCompiler)
    name = getattr(root, "__qualname__", type(root).__qualname__)
    construct = getattr(type(root), "construct", root)
    compiler.report = CompileReport(name, location_of(construct), hints=False)
    dress(compiled, compiler, call_transformed, _signature(root))
    return compiled


def _signature(root):
    """Names for the arguments: those of the function, where it says them."""
    try:
        return signature_with_receiver(getattr(root, "construct", root))
    except (TypeError, ValueError):
        return inspect.signature(call_transformed)
