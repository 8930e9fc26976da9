"""Transforms inside a captured program: they run while it is captured, and write the gradient into the graph.

The tape sees symbolic Tensors as any others. All that is done here is to let the functions that a transform calls come
back to the interpreter, and to let it see what the program sees in place of objects from outside.
"""

import functools
import types

from dyad import _core
from dyad._src.autodiff import recording
from dyad._src.autodiff.custom import custom_vjp
from dyad._src.autodiff.forward import LinearFunction, jvp, linearize
from dyad._src.autodiff.grad_operation import GradOperation
from dyad._src.autodiff.gradients import grad, value_and_grad
from dyad._src.autodiff.jacobians import jacfwd, jacrev
from dyad._src.autodiff.recompute import recompute
from dyad._src.autodiff.structures import map_tensors, tensors_in
from dyad._src.autodiff.taylor import derivative, jet
from dyad._src.autodiff.transform import Transform
from dyad._src.autodiff.transformed import TransformedFunction
from dyad._src.autodiff.vector_products import VectorProduct, vjp
from dyad._src.autodiff.vmap import vmap
from dyad._src.capture.semantics.calls.frameworks import is_captured, is_framework_module, module_of
from dyad._src.capture.semantics.calls.functions import Bound, ClosureFunction, Interpreted
from dyad._src.capture.semantics.part import Part

_AUTODIFF = "dyad._src.autodiff"
_MAKERS = (
    grad,
    value_and_grad,
    jacrev,
    jacfwd,
    vmap,
    Transform,
)  # they only keep the function they are given
_CALLING = (vjp, jvp, linearize, jet, derivative)  # they call it at once
_PRODUCTS = (TransformedFunction, VectorProduct, LinearFunction)
_RETURNING = (ClosureFunction, Bound, Interpreted)  # their calls come back by themselves


def is_autodiff(function):
    """Returns whether it is a function, method or object of the framework's transforms."""
    owner = getattr(function, "__self__", function)
    return module_of(function).startswith(_AUTODIFF) or module_of(type(owner)).startswith(_AUTODIFF)


class Gradients(Part):
    """Calls transforms (`grad`, `value_and_grad`, `jvp`, ...) inside of the captured program."""

    def __init__(self, interpreter):
        super().__init__(interpreter)
        self.recording_was_off = recording.switch.is_off  # whether this call is inside `no_grad`
        self.knows_recording_switch = False  # whether that is guarded
        self.transforms = []  # transforms under way inside the graph: the depth of the heap at which each began
        self.is_used = False  # whether a transform ran inside the graph

    def call_transformed(self, function, args, kwargs):
        """The call of what a transform made: the function it differentiates is read as a part of the program."""
        self.is_used = True
        fn = self.interpreter.attributes.read_attribute(function, "__wrapped__")
        parameters = self.interpreter.attributes.read_attribute(function, "parameters")
        for parameter in parameters:
            self.interpreter.own_backward.note_hooks(parameter)
        args = tuple(map(self.external.marks.marked, args))
        kwargs = {name: self.external.marks.marked(value) for name, value in kwargs.items()}
        return self.interpreter.calls.call_framework(
            function.over(self.callback(fn), parameters), args, kwargs
        )

    def call_autodiff(self, function, args, kwargs):
        """The call of a part of the framework's transforms."""
        if function is recompute:
            return self.interpreter.own_backward.call_recompute(*args, **kwargs)
        self._guard_recording_switch()
        if isinstance(function, GradOperation):
            args, kwargs = self._with_listed_parameters(function, args, kwargs)
        elif function not in _MAKERS:
            args = [self.callback(value) for value in args]
            kwargs = {name: self.callback(value) for name, value in kwargs.items()}
        if function not in _CALLING and not isinstance(function, _PRODUCTS):
            return self.interpreter.host.native(function, *args, **kwargs)
        for tensor in tensors_in((args, kwargs)):
            self.interpreter.own_backward.note_hooks(tensor)
        self.is_used = True
        self.transforms.append(self.heap.depth)
        try:
            result = self.interpreter.host.native(function, *args, **kwargs)
        finally:
            self.transforms.pop()
        if self.interpreter.own_backward.is_for_leaves():
            result = _detached(result, args)
        return self.note_births(result)

    def _guard_recording_switch(self):
        """Inside `no_grad` a transform is refused, also where the program around the graph is inside."""
        if not self.knows_recording_switch:
            self.knows_recording_switch = True
            tree = self.external.tree
            tree.check_call(tree.object(recording.switch), _is_off, self.recording_was_off)

    def note_births(self, value):
        """Lists and dicts in a structure that was built just now are the program's own."""
        if isinstance(value, (list, tuple)):
            for part in value:
                self.note_births(part)
        elif isinstance(value, dict):
            for part in value.values():
                self.note_births(part)
        return self.heap.note_birth(value) if isinstance(value, (list, dict)) else value

    def _with_listed_parameters(self, operation, args, kwargs):
        """`GradOperation` asks a Cell for its Parameters; those that the program sees are meant."""
        flags = [
            self.interpreter.attributes.read_attribute(operation, name)
            for name in ("get_all", "get_by_list", "sens_param")
        ]
        if not flags[1] or len(args) != 1 or kwargs.get("weights") is not None:
            return args, kwargs
        owner = args[0] if self.interpreter.cells.is_cell(args[0]) else getattr(args[0], "__self__", None)
        if owner is None or not self.interpreter.cells.is_cell(owner):
            return args, kwargs
        return (args[0], self.trainable_parameters(owner)), {}

    def trainable_parameters(self, cell):
        """Returns `trainable_params` of a Cell, as the program sees it."""
        self.external.tree.check_call(
            self.external.node_of(cell), _trainable_identities, _trainable_identities(cell)
        )
        return tuple(map(self.external.adopt_fixed, cell.trainable_params()))

    def callback(self, value):
        """A callable of the program as framework code may call it; anything else as it is."""
        if not callable(value) or isinstance(value, (*_RETURNING, type)):
            return value
        return Interpreted(self.interpreter, value) if self._is_of_program(value) else value

    def _is_of_program(self, value):
        if isinstance(value, types.FunctionType):
            return is_captured(value)
        if isinstance(value, types.MethodType):
            return isinstance(value.__func__, ClosureFunction) or self._is_of_program(value.__func__)
        if isinstance(value, (TransformedFunction, functools.partial, custom_vjp, _core.CompiledFunction)):
            return True
        return self.interpreter.cells.is_cell(value) or not is_framework_module(module_of(type(value)))

    def with_recording_switched(self, switch, body):
        """`body()` inside `no_grad` or `enable_grad`. However it ends, recording is as before afterwards."""
        with switch:
            return body()


def _is_off(switch):
    return switch.is_off


def _trainable_identities(cell):
    return tuple(map(id, cell.trainable_params()))


def _detached(result, args):
    """The result of an outermost transform as constants: `backward()` does not go through its recording."""
    given = set(map(id, tensors_in(args)))
    return map_tensors(lambda tensor: tensor if id(tensor) in given else tensor.detach(), result)
