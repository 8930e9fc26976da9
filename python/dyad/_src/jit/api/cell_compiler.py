"""Compiling the call of a Cell, hooks and casts included."""

import types

from dyad._src.base.lazy_import import load
from dyad._src.context.settings import settings
from dyad._src.jit.api.metadata import dress, signature_with_receiver
from dyad._src.jit.cache.call_compiler import CallCompiler, make_compiled
from dyad._src.jit.cache.report import CompileReport, location_of
from dyad._src.jit.dynamic_shapes.argument_shapes import ArgumentShapes, cell_templates
from dyad._src.jit.dynamic_shapes.enable_dynamic import TEMPLATES
from dyad._src.jit.graph_break.bytecode.calls import BytecodeCalls
from dyad._src.jit.graph_break.bytecode.code_extra import remember_compiled
from dyad._src.jit.options.config import JitConfig
from dyad._src.jit.options.options import JitOptions


def call_cell(cell, *args, **kwargs):
    """A Cell as a function: what is compiled when a Cell is called as a static graph."""
    return cell(*args, **kwargs)


# Inside another graph it is read too, so that gradients see the Parameters of the Cell.
call_cell.__dict__["_is_program"] = True


class _CellShapes(ArgumentShapes):
    """A compiled Cell is the function `call_cell(cell, ...)`; templates are those of the Cell."""

    def of_call(self, args, kwargs, remember=True):
        cell = args[0]
        templates = self._templates or cell_templates(cell)
        if getattr(type(cell).construct, TEMPLATES, None) is not None:
            raise ValueError(
                f"{type(cell).__name__}: enable_dynamic has no meaning for a Cell that is compiled as a whole; "
                "use set_inputs"
            )
        if templates is None:
            return super().of_call(args, kwargs, remember)
        signature = signature_with_receiver(cell.construct)
        return templates.shapes(args, kwargs, signature, receivers=1)


class CellCompiler(CallCompiler):
    """Compiles the calls of one Cell. It says itself what `construct` takes."""

    def __init__(self, function, options, templates=None):
        super().__init__(function, options, templates)
        self.shapes = _CellShapes(function, options, templates)

    def split_at(self, compiled, refusal, options):
        # What is split is `construct`; hooks and casts around it run as in the dynamic graph.
        parts = load("dyad._src.jit.graph_break.parts")
        kind = parts.CellInPython if self.function is call_cell else parts.ConstructInPython
        self.split = kind(options, self.callees)
        self._refusal = refusal if refusal.callees else None
        compiled.clear()
        compiled.python_form = self.split
        self.report.splits(refusal.because)

    def run_in_python(self, args, kwargs):
        return args[0]._run_in_python(args[0].construct, args[1:], kwargs)

    def known_refusal(self, args):
        construct = getattr(args[0].construct, "__func__", None)
        if self.callees is None or construct is None or not self.callees.knows(construct, args[0]):
            return None
        return self.capture.Refusal(None, *self.callees.reason)

    def takes(self, args, kwargs):
        cell = args[0]
        if not cell._forward_pre_hooks:  # else what reaches `construct` is for them to say
            cell._require_bindable(args[1:], kwargs)
        return True


def graph_mode_options(target):
    """Returns the options of Graph mode, from the context and the JitConfig of a Cell."""
    told = "O1" if settings.read("enable_graph_kernel") else ""
    options = JitOptions(
        jit_level=settings.read("jit_config").get("jit_level", told),
        syntax_level=settings.read("jit_syntax_level"),
        debug_level=settings.read("debug_level"),
    )
    config = getattr(target, "__dict__", {}).get("_jit_config")
    return options.replace(**config.changes()) if isinstance(config, JitConfig) else options


class GraphModeCompiler(CellCompiler):
    """Compiles a Cell that is called in Graph mode."""

    def current_options(self, args):
        return graph_mode_options(args[0])


class BytecodeCellCompiler(BytecodeCalls, CellCompiler):
    """Compiles the calls of one Cell from the bytecode of its `construct`."""


def compiled_cell(cell, options=None, templates=None, program=call_cell):
    """The compiled callable of a Cell, which takes the Cell first; without options, as Graph mode calls it."""
    kind = GraphModeCompiler if options is None else CellCompiler
    if options is not None and options.capture_mode == "bytecode":
        kind = BytecodeCellCompiler
    compiled, compiler = make_compiled(program, options or JitOptions(), templates, kind)
    construct = getattr(cell.construct, "__func__", cell.construct)
    compiler.report = CompileReport(type(cell).__qualname__, location_of(construct), hints=False)
    dress(compiled, compiler, construct, signature_with_receiver(cell.construct))
    compiled.__wrapped__ = program
    if kind is BytecodeCellCompiler and isinstance(construct, types.FunctionType):
        compiler.code = construct.__code__
        remember_compiled(compiled, construct)
    return compiled
