"""Hooks of a Cell: functions that receive, and may replace, its inputs and outputs."""

import itertools
from collections.abc import Callable

from dyad._src.base.argument_checks import a_value
from dyad._src.base.host_only import host_only

_hook_numbers = itertools.count()


__all__ = ["HookHandle"]


class HookHandle:
    """Returned by every registration; `remove()` detaches the hook and may be called more than once."""

    def __init__(self, hooks, number, on_change):
        self._hooks, self._number, self._on_change = hooks, number, on_change

    def remove(self):
        """Removes the hook; a second call does nothing."""
        self._hooks.pop(self._number, None)
        self._on_change()


class _Hook:
    __slots__ = ("always_call", "function", "with_kwargs")

    def __init__(self, function, with_kwargs=False, always_call=False):
        self.function, self.with_kwargs, self.always_call = function, with_kwargs, always_call


class CellHooks:
    """Registration of hooks, and running a call with its forward hooks."""

    _forward_pre_hooks: dict
    _forward_hooks: dict
    _backward_pre_hooks: dict
    _backward_hooks: dict
    _choose_call_path: Callable[[], None]

    def _start_hooks(self):
        attributes = self.__dict__
        attributes["_forward_pre_hooks"] = {}
        attributes["_forward_hooks"] = {}
        attributes["_backward_pre_hooks"] = {}
        attributes["_backward_hooks"] = {}

    @host_only
    def register_forward_pre_hook(self, hook_fn, *, prepend=False, with_kwargs=False):
        """`hook_fn(cell, args)` runs before `construct`; what it returns, if not None, replaces the arguments.

        With `with_kwargs` it is called as `hook_fn(cell, args, kwargs)` and returns None or (args, kwargs).
        """
        return self._register(
            "register_forward_pre_hook", self._forward_pre_hooks, _Hook(hook_fn, with_kwargs), prepend
        )

    @host_only
    def register_forward_hook(self, hook_fn, *, prepend=False, with_kwargs=False, always_call=False):
        """`hook_fn(cell, args, output)` runs after `construct`; a result other than None replaces the output.

        With `with_kwargs` it is called as `hook_fn(cell, args, kwargs, output)`. With `always_call` it also runs when
        the call raises, with None as output. The hook is ignored for a Cell with its own `bprop`.
        """
        hook = _Hook(hook_fn, with_kwargs, always_call)
        hooks = {} if hasattr(type(self), "bprop") else self._forward_hooks
        return self._register("register_forward_hook", hooks, hook, prepend)

    @host_only
    def register_backward_pre_hook(self, hook_fn):
        """`hook_fn(cell, grad_output)` runs before this Cell's backward computation.

        What it returns, if not None, replaces the tuple of output gradients.
        """
        return self._register("register_backward_pre_hook", self._backward_pre_hooks, _Hook(hook_fn))

    @host_only
    def register_backward_hook(self, hook_fn):
        """`hook_fn(cell, grad_input, grad_output)` runs after this Cell's backward computation.

        Both are tuples of gradients, by the positional Tensor arguments and by the outputs; `grad_input` has None for
        an argument that needs no gradient. What the hook returns, if not None, replaces `grad_input`.
        """
        return self._register("register_backward_hook", self._backward_hooks, _Hook(hook_fn))

    def _watch_calls(self, before, after):
        """Runs `before(cell, args)` ahead of all hooks of a call and `after(cell, args, output)` behind them, also when
        the call raises, and whatever the Cell's `bprop`; neither may return anything. Gives two handles."""
        return (
            self._register("watch_calls", self._forward_pre_hooks, _Hook(before), prepend=True),
            self._register("watch_calls", self._forward_hooks, _Hook(after, always_call=True)),
        )

    def _register(self, caller, hooks, hook, prepend=False):
        if not callable(hook.function):
            raise TypeError(f"{caller}: the hook is of type {type(hook.function).__name__}; need a callable")
        number = next(_hook_numbers)
        if prepend:
            later = dict(hooks)
            hooks.clear()
            hooks[number] = hook
            hooks.update(later)
        else:
            hooks[number] = hook
        self._choose_call_path()
        return HookHandle(hooks, number, self._choose_call_path)

    def _run_forward_pre_hooks(self, args, kwargs):
        for hook in tuple(self._forward_pre_hooks.values()):
            if hook.with_kwargs:
                result = hook.function(self, args, kwargs)
                if result is None:
                    continue
                if not isinstance(result, tuple) or len(result) != 2:
                    raise RuntimeError(
                        f"{type(self).__name__}: a forward pre-hook with kwargs returned "
                        f"{a_value(result)}; need None or a tuple (args, kwargs)"
                    )
                args, kwargs = result
                args = args if isinstance(args, tuple) else (args,)
            else:
                result = hook.function(self, args)
                if result is not None:
                    args = result if isinstance(result, tuple) else (result,)
        return args, kwargs

    def _run_forward_hooks(self, args, kwargs, output):
        for hook in tuple(self._forward_hooks.values()):
            output = self._call_forward_hook(hook, args, kwargs, output)
        return output

    def _run_hooks_after_failure(self, args, kwargs):
        for hook in tuple(self._forward_hooks.values()):
            if hook.always_call:
                self._call_forward_hook(hook, args, kwargs, None)

    def _call_forward_hook(self, hook, args, kwargs, output):
        arguments = (args, kwargs, output) if hook.with_kwargs else (args, output)
        result = hook.function(self, *arguments)
        return output if result is None else result
