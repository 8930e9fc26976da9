"""A Cell as a static graph: calling it in Graph mode, compiling it ahead, and what is set for that."""

import inspect
from collections.abc import Callable
from typing import Any

from dyad import _core
from dyad._src.base.error_owner import warn_user
from dyad._src.base.host_only import host_only
from dyad._src.context.environment import jit_is_off
from dyad._src.context.settings import settings
from dyad._src.jit.api.cell_compiler import call_cell, compiled_cell
from dyad._src.jit.api.wrapping import wrap
from dyad._src.jit.cache.compile_cache import compiled_functions_of
from dyad._src.jit.dynamic_shapes.templates import require_parameter_names
from dyad._src.jit.options.config import JitConfig


class CellGraph:
    """The static-graph side of a Cell. In the dynamic graph none of it is looked at."""

    _graph_call: Any
    _graph_program: Callable
    _input_templates: Any
    _jit_config: Any
    construct: Callable
    __call__: Callable[..., Any]

    def _start_graph(self):
        self.__dict__.update(_input_templates=None, _jit_config=None, _graph_call=None)

    def _runs_as_graph(self):
        """Returns whether a call now is one of a compiled graph; inside a capture it is part of that graph instead."""
        return not settings.mode and not jit_is_off() and _core.current_graph() is None

    def _as_construct(self, value):
        """The value stored as `construct`: in place of the static form of the whole Cell, which would call itself,
        its own.
        """
        compiled: Any = getattr(value, "__func__", None)
        if (
            getattr(value, "__self__", None) is not self
            or getattr(compiled, "__wrapped__", None) is not call_cell
        ):
            return value
        return wrap(self.construct, compiled.__jit_compiler__.options)

    def _compiled_call(self):
        compiled = self._graph_call
        if compiled is None:
            compiled = self.__dict__["_graph_call"] = compiled_cell(self, program=self._graph_program())
        return compiled

    def _run_graph(self, args, kwargs):
        return self._compiled_call()(self, *args, **kwargs)

    @host_only
    def compile(self, *args, **kwargs):
        """Compiles for arguments like these without running; a later call in Graph mode uses the graph."""
        if not jit_is_off():
            compiled = self._compiled_call()
            compiler = compiled.__jit_compiler__
            compiler.takes((self, *args), kwargs)  # or raises the reason
            compiler.prepare(compiled, (self, *args), kwargs)

    @host_only
    def compile_and_run(self, *args, **kwargs):
        """Run as a static graph, whatever the mode is."""
        return self(*args, **kwargs) if jit_is_off() else self._run_graph(args, kwargs)

    @property
    def compile_cache(self):
        """The compiled graphs of this Cell: a set with one member for each."""
        return {entry for compiled in compiled_functions_of(self) for entry in compiled.entries}

    @host_only
    def set_jit_config(self, jit_config):
        """Say how this Cell is compiled in Graph mode. The first call counts, a later one is dropped with a warning."""
        if not isinstance(jit_config, JitConfig):
            raise TypeError(
                f"set_jit_config: jit_config is of type {type(jit_config).__name__}; need a JitConfig"
            )
        if self._jit_config is not None:
            warn_user(f"set_jit_config: {type(self).__name__} has a JitConfig already, which stays in force")
            return
        self.__dict__["_jit_config"] = jit_config

    @property
    def jit_config_dict(self):
        """The settings given to `set_jit_config`, by name; empty until then."""
        return {} if self._jit_config is None else dict(self._jit_config.jit_config_dict)

    @host_only
    def set_inputs(self, *inputs, **kwargs):
        """Sets templates for the arguments of `construct`, all by position or some by name.

        They apply to the static graph only: a Cell in the dynamic graph accepts any shape.
        """
        owner = f"{type(self).__name__}.set_inputs"
        if inputs and kwargs:
            raise ValueError(f"{owner}: got templates by position and by name; need one of both")
        signature = inspect.signature(self.construct)
        if kwargs:
            require_parameter_names(owner, kwargs, signature)
        try:
            bound = signature.bind_partial(*inputs, **kwargs)
        except TypeError as error:
            raise ValueError(f"{owner}: {error}; construct takes {signature}") from None
        self.__dict__["_input_templates"] = dict(bound.arguments) if kwargs else inputs

    def get_inputs(self):
        """The templates given to `set_inputs`: a tuple, a dict of those given by name, or None."""
        return self._input_templates

    @property
    def _dynamic_shape_inputs(self):
        """The same, under the name that programs read it by in a Cell of their own."""
        return self._input_templates
