"""Transforms inside a captured program: they run while it is captured, and write the gradient into the graph.

The tape sees symbolic Tensors as any others. All that is done here is to let the functions that a transform calls come
back to the interpreter, and to let it see what the program sees in place of objects from outside.
"""

import functools
import types

from dyad import _core
from dyad._src.autodiff.custom import call_with_backward
from dyad._src.autodiff.grad_operation import GradOperation
from dyad._src.autodiff.transformed import TransformedFunction
from dyad._src.capture.errors import rejection
from dyad._src.capture.frameworks import is_framework_module, module_of
from dyad._src.capture.functions import Bound, ClosureFunction, Interpreted
from dyad._src.cell.backward_hooks import BackwardHooks

_AUTODIFF = "dyad._src.autodiff"
_OWN_KINDS = (ClosureFunction, Bound, Interpreted)  # their calls come back by themselves


def is_autodiff(function):
    """Whether it is a function, method or object of the framework's transforms."""
    owner = getattr(function, "__self__", function)
    return module_of(function).startswith(_AUTODIFF) or module_of(type(owner)).startswith(_AUTODIFF)


class Gradients:
    def call_transformed(self, function, args, kwargs):
        """The call of what a transform made: the function it differentiates is read as a part of the program."""
        fn, parameters = function.__wrapped__, function.parameters
        if not self.world.is_own(function):
            fn = self.world.adopt_fixed(fn)
            parameters = tuple(map(self.world.adopt_fixed, parameters))
        self.transforms.append(self.heap.depth)
        try:
            return self.call_framework(function.over(self.callback(fn), parameters), args, kwargs)
        finally:
            self.transforms.pop()

    def autodiff_arguments(self, function, args, kwargs):
        """Arguments for a function of the framework's transforms: callables among them come back when called."""
        if isinstance(function, GradOperation):
            args, kwargs = self._with_listed_parameters(function, args, kwargs)
        return [self.callback(value) for value in args], {
            name: self.callback(value) for name, value in kwargs.items()
        }

    def _with_listed_parameters(self, operation, args, kwargs):
        """`GradOperation` asks a Cell for its Parameters; those that the program sees are meant."""
        flags = [self.read_attribute(operation, name) for name in ("get_all", "get_by_list", "sens_param")]
        if not flags[1] or not args or len(args) > 1 or kwargs.get("weights") is not None:
            return args, kwargs
        owner = args[0] if self.is_cell(args[0]) else getattr(args[0], "__self__", None)
        if owner is None or not self.is_cell(owner):
            return args, kwargs
        return (args[0], self.trainable_parameters(owner)), {}

    def trainable_parameters(self, cell):
        """What `trainable_params` of a Cell gives, as the program sees it."""
        self.world.tree.check_call(
            self.world.node_of(cell), _trainable_identities, _trainable_identities(cell)
        )
        return tuple(map(self.world.adopt_fixed, cell.trainable_params()))

    def callback(self, value):
        """A callable of the program as framework code may call it; anything else as it is."""
        if not callable(value) or isinstance(value, (_OWN_KINDS, type)):
            return value
        return Interpreted(self, value) if self._is_of_program(value) else value

    def _is_of_program(self, value):
        if isinstance(value, types.FunctionType):
            return self._is_captured(value)
        if isinstance(value, types.MethodType):
            return self._is_of_program(value.__func__) or isinstance(value.__func__, ClosureFunction)
        if isinstance(value, (TransformedFunction, functools.partial, _core.CompiledFunction)):
            return True
        return self.is_cell(value) or not is_framework_module(module_of(type(value)))

    # ---- functions with a backward of their own

    def with_own_backward(self, what):
        """Whether the tape takes note of a function that says itself what its gradient is, or of a hook.

        It does where every transform under way writes into the same function of the graph: then the callables of the
        program are called, and captured, when its backward pass is written.
        """
        if self.recording or any(depth != self.heap.depth for depth in self.transforms):
            raise rejection(
                self.place,
                f"{what}: it has a backward path of its own, which is captured only where the gradient is taken in the "
                "same function of the graph",
                "Take the gradient inside of the branch or loop, or take the jit away where the gradient is needed.",
            )
        self.world.tree.check_state("recording", False)
        return bool(self.transforms)

    def backward_hooks_of(self, cell):
        """What runs the backward hooks of one call of a Cell; None if there is nothing to run."""
        before, after = (self.read_attribute(cell, f"_backward{kind}_hooks") for kind in ("_pre", ""))
        if not (before or after) or not self.with_own_backward(
            f"{type(cell).__name__}, which has backward hooks"
        ):
            return None
        return BackwardHooks(cell, lambda function, *args: self.call(function, args, {}))

    def run_construct(self, cell, args, kwargs):
        """`construct` of a Cell, with what the Cell says of its gradient."""
        construct = self.read_attribute(cell, "construct")
        if hasattr(type(cell), "bprop"):
            name = type(cell).__name__
            if self.with_own_backward(f"{name}, which has a bprop"):
                return self._run_with_bprop(cell, name, construct, args, kwargs)
        return self.call(construct, args, kwargs)

    def _run_with_bprop(self, cell, name, construct, args, kwargs):
        bprop = self.read_attribute(cell, "bprop")
        parameters, used = (
            self.call(getattr, (cell, attribute, default), {})
            for attribute, default in (("internal_params", ()), ("used_bprop_inputs", None))
        )
        return self.native(
            call_with_backward,
            name,
            self.callback(construct),
            self.callback(bprop),
            args,
            kwargs,
            parameters,
            used,
        )


def _trainable_identities(cell):
    return tuple(map(id, cell.trainable_params()))
