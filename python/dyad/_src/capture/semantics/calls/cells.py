"""Cells: what calling one does."""

from dyad._src.abstract_cell import AbstractCell
from dyad._src.capture.errors import Thrown
from dyad._src.capture.semantics.part import Part
from dyad._src.precision import call_in_precision, call_with_autocast, cast_floats


class Cells(Part):
    """Knows Cells, and calls them with their hooks and their precision."""

    def is_cell(self, value):
        """Whether a value is a Cell."""
        return self.is_cell_class(type(value))

    def is_cell_class(self, cls):
        """Whether a class is one of Cells."""
        return issubclass(cls, AbstractCell)

    def call_cell(self, cell, args, kwargs):
        """What calling a Cell does: hooks, precision, construct."""
        if self.interpreter.attributes.read_attribute(cell, "_plain_call"):
            try:
                return self.interpreter.calls.call(
                    self.interpreter.attributes.read_attribute(cell, "construct"), args, kwargs
                )
            except Thrown as thrown:
                self.interpreter.host.native(cell._require_taken, thrown.error, args, kwargs)
                raise
        given = self.interpreter.calls.call(
            self.interpreter.attributes.read_attribute(cell, "_run_forward_pre_hooks"), (args, kwargs), {}
        )
        split = self.interpreter.branches.split  # which arguments there are may depend on data
        return split(
            given,
            lambda pair: split(
                pair[0], lambda args: split(pair[1], lambda kwargs: self._call_between(cell, args, kwargs))
            ),
        )

    def _call_between(self, cell, args, kwargs):
        """What comes behind the forward pre-hooks."""
        if not isinstance(args, tuple):  # on a path that no run takes: a hook gave None there
            self.interpreter.throwing.throw(
                TypeError(f"Value after * must be an iterable, not {type(args).__name__}")
            )
        hooks = self.interpreter.own_backward.backward_hooks_of(cell)
        if hooks is not None:
            args = self.interpreter.host.native(hooks.mark_inputs, args)
        output = self._run_in_precision(cell, args, kwargs)
        output = self.interpreter.calls.call(
            self.interpreter.attributes.read_attribute(cell, "_run_forward_hooks"), (args, kwargs, output), {}
        )
        return output if hooks is None else self.interpreter.host.native(hooks.mark_output, output)

    def _run_in_precision(self, cell, args, kwargs):
        compute_dtype, rule, output_dtype = (
            self.interpreter.attributes.read_attribute(cell, f"_{name}")
            for name in ("compute_dtype", "autocast", "output_dtype")
        )
        called = self.interpreter.own_backward.run_construct, (cell, args, kwargs), {}
        output = call_in_precision(compute_dtype, call_with_autocast, (rule, *called), {})
        if output_dtype is None:
            return output
        return self.interpreter.calls.call(cast_floats, (output_dtype, output), {})
