"""`Callback`, the base class of all callbacks, and the calls of several of them in a run."""

import os
from contextlib import ExitStack
from typing import Any

from dyad import log
from dyad.train.callback._run_context import InternalCallbackParam, RunContext, _handle_loss

__all__ = ["Callback", "CallbackManager", "InternalCallbackParam", "RunContext", "_handle_loss"]

MOMENTS = ("begin", "epoch_begin", "step_begin", "step_end", "epoch_end", "end")


class Callback:
    """Base class of all callbacks; a subclass overrides the events that it handles.

    Events without a prefix occur in training and in evaluation. A callback is a context manager that a run enters
    before its first event and leaves after its last one, also when an error ends the run.
    """

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None

    def begin(self, run_context):
        """Once, before the first step."""

    def epoch_begin(self, run_context):
        """Before each epoch."""

    def step_begin(self, run_context):
        """Before each step."""

    def step_end(self, run_context):
        """After each step."""

    def epoch_end(self, run_context):
        """After each epoch."""

    def end(self, run_context):
        """Once, after the last step."""

    def on_train_begin(self, run_context):
        """Once, before the first step of training."""
        self.begin(run_context)

    def on_train_epoch_begin(self, run_context):
        """Before each epoch of training."""
        self.epoch_begin(run_context)

    def on_train_step_begin(self, run_context):
        """Before each step of training."""
        self.step_begin(run_context)

    def on_train_step_end(self, run_context):
        """After each step of training."""
        self.step_end(run_context)

    def on_train_epoch_end(self, run_context):
        """After each epoch of training."""
        self.epoch_end(run_context)

    def on_train_end(self, run_context):
        """Once, after the last step of training."""
        self.end(run_context)

    def on_eval_begin(self, run_context):
        """Once, before the first step of evaluation."""
        self.begin(run_context)

    def on_eval_epoch_begin(self, run_context):
        """Before each epoch of evaluation."""
        self.epoch_begin(run_context)

    def on_eval_step_begin(self, run_context):
        """Before each step of evaluation."""
        self.step_begin(run_context)

    def on_eval_step_end(self, run_context):
        """After each step of evaluation."""
        self.step_end(run_context)

    def on_eval_epoch_end(self, run_context):
        """After each epoch of evaluation."""
        self.epoch_end(run_context)

    def on_eval_end(self, run_context):
        """Once, after the last step of evaluation."""
        self.end(run_context)


class CallbackManager(Callback):
    """One callback in place of one, several or none: enters them, forwards each event, and leaves them."""

    def __init__(self, callbacks):
        self._callbacks = callback_list("CallbackManager", callbacks)
        self._stack: Any = None

    def __enter__(self):
        if self._stack is None:
            with ExitStack() as stack:  # leaves those that were entered if another cannot be
                self._callbacks = [_entered(callback, stack) for callback in self._callbacks]
                self._stack = stack.pop_all()
        return self

    def __exit__(self, *error):
        return self._stack.__exit__(*error)


def _entered(callback, stack):
    target = stack.enter_context(callback)
    if isinstance(target, Callback):
        return target
    log.warning("%s: __enter__ gave %r; need self or another Callback", type(callback).__name__, target)
    return callback


def _tell_all(moment):
    def tell(self, run_context):
        for callback in self._callbacks:
            getattr(callback, moment)(run_context)

    tell.__name__, tell.__doc__ = moment, getattr(Callback, moment).__doc__
    return tell


for _moment in (*MOMENTS, *(f"on_{phase}_{moment}" for phase in ("train", "eval") for moment in MOMENTS)):
    setattr(CallbackManager, _moment, _tell_all(_moment))


def callback_list(owner, callbacks):
    """The callbacks of a run, which may be one, several or none, in a new list."""
    found = [] if callbacks is None else callbacks if isinstance(callbacks, (list, tuple)) else [callbacks]
    for callback in found:
        if not isinstance(callback, Callback):
            raise TypeError(
                f"{owner}: callbacks has {callback!r} of type {type(callback).__name__}; need a Callback"
            )
    return list(found)


def require_prefixed(owner, callbacks):
    """Checks the events of a user's callback if training and evaluation alternate: each needs a prefix that names
    one.
    """
    package = __name__.rpartition(".")[0] + "."
    for callback in callbacks:
        for base in type(callback).__mro__:
            own = [name for name in MOMENTS if name in vars(base)]
            if own and not base.__module__.startswith(package):
                raise ValueError(
                    f"{owner}: {type(callback).__name__} has {own[0]}, which both training and evaluation would call; "
                    f"need on_train_{own[0]} or on_eval_{own[0]}"
                )


def acts_on_evaluation(callback):
    """Returns whether a callback overrides events of evaluation."""
    return any(
        getattr(getattr(callback, name), "__func__", None) is not getattr(Callback, name)
        for name in (f"on_eval_{moment}" for moment in MOMENTS)
    )


def set_cur_net(net):
    """Names the network of which another back end would write checkpoints by itself; none does so here."""


def made_directory(owner, name, path):
    """The absolute path of a directory, which is created if it does not exist."""
    if not isinstance(path, str) or not path.strip():
        raise TypeError(
            f"{owner}: {name} is {path!r} of type {type(path).__name__}; need the path of a folder"
        )
    path = os.path.realpath(path)
    os.makedirs(path, exist_ok=True)
    return path
