"""Differentiation of a Cell: its backward hooks, its own `bprop`, recomputation, and recording on request."""

from collections.abc import Callable
from typing import Any

from dyad._core import grad_enabled, tape_depth, track, untrack
from dyad._src.autodiff.custom import call_with_backward
from dyad._src.autodiff.recompute import call_recomputed
from dyad._src.base.argument_checks import require_bool
from dyad._src.base.host_only import building, host_only
from dyad._src.tensor.parameter import Parameter

_RECOMPUTE_FLAGS = ("mp_comm_recompute", "parallel_optimizer_comm_recompute", "recompute_slice_activation")


class CellBackward:
    """The differentiation side of a Cell. A Cell that uses none of it never comes here."""

    _backward_pre_hooks: dict
    _backward_hooks: dict
    _recompute_options: Any
    _requires_grad: bool
    _choose_call_path: Callable[[], None]
    bprop: Callable
    trainable_params: Callable

    def _start_backward(self):
        self.__dict__.update(_requires_grad=False, _recompute_options=None)

    def _needs_backward_path(self):
        return bool(
            self._backward_pre_hooks
            or self._backward_hooks
            or self._recompute_options is not None
            or self._requires_grad
            or hasattr(type(self), "bprop")
        )

    @property
    def requires_grad(self):
        """True if plain calls are recorded; see `set_grad`."""
        return self._requires_grad

    @requires_grad.setter
    def requires_grad(self, value):
        self.__dict__["_requires_grad"] = bool(value)
        self._choose_call_path()

    @building
    def set_grad(self, requires_grad=True):
        """Marks this Cell so that a plain call is recorded: `backward()` of a result then reaches its Parameters.

        Transforms such as `grad` record by themselves; their results do not depend on this.
        """
        self.requires_grad = requires_grad
        return self

    @host_only
    def recompute(
        self, *, use_reentrant=True, output_recompute=False, early_stop=True, context_fn=None, **kwargs
    ):
        """Ask that the backward pass recomputes what is inside instead of keeping it; results do not change.

        The Cells inside are covered too. `mp_comm_recompute`, `parallel_optimizer_comm_recompute` and
        `recompute_slice_activation` belong to distributed runs.
        """
        if context_fn is not None and not callable(context_fn):
            raise TypeError(
                f"recompute: context_fn is of type {type(context_fn).__name__}; need a function or None"
            )
        for name, value in kwargs.items():
            if name not in _RECOMPUTE_FLAGS:
                raise ValueError(
                    f"recompute: there is no option {name!r}; need one of {', '.join(_RECOMPUTE_FLAGS)}"
                )
            require_bool("recompute", name, value)
        self.__dict__["_recompute_options"] = {
            "use_reentrant": use_reentrant,
            "output_recompute": output_recompute,
            "early_stop": early_stop,
            "context_fn": context_fn,
        }
        self._choose_call_path()

    def _run_construct(self, construct, args, kwargs):
        if hasattr(type(self), "bprop"):
            return self._construct_with_bprop(construct, args, kwargs)
        if self._recompute_options is not None:
            context_fn = self._recompute_options["context_fn"]
            return call_recomputed(
                type(self).__name__, self.trainable_params(), construct, args, kwargs, context_fn
            )
        return construct(*args, **kwargs)

    def _construct_with_bprop(self, construct, args, kwargs):
        attributes = self.__dict__
        parameters, used = attributes.get("internal_params", ()), attributes.get("used_bprop_inputs")
        self._require_bprop(self.bprop, parameters, used)
        name = type(self).__name__
        return call_with_backward(name, construct, self.bprop, args, kwargs, parameters, used)

    def _require_bprop(self, bprop, parameters, used):
        """Checks the declarations of a Cell with a backward of its own."""
        name = type(self).__name__
        if not callable(bprop):
            raise TypeError(f"{name}: bprop is of type {type(bprop).__name__}; need a method")
        if not all(isinstance(parameter, Parameter) for parameter in parameters):
            raise TypeError(f"{name}: internal_params is {parameters!r}; need a list of Parameters")
        if used is not None and not all(isinstance(number, int) for number in used):
            raise TypeError(f"{name}: used_bprop_inputs is {used!r}; need a list of ints")

    def _records_plain_calls(self):
        return self._requires_grad and tape_depth() == 0 and grad_enabled()

    def _recording_call(self, run, args, kwargs):
        parameters = self.trainable_params()
        for parameter in parameters:
            track(parameter)
        try:
            return run(args, kwargs)
        finally:
            for parameter in parameters:
                untrack(parameter)
