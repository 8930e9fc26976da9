"""Callbacks: what a program does at the beginning and the end of training, of each epoch and of each step."""

import math
import time

from dyad._core import Tensor

__all__ = ["Callback", "History", "LambdaCallback", "LossMonitor", "RunContext", "TimeMonitor"]

_MOMENTS = ("begin", "epoch_begin", "step_begin", "step_end", "epoch_end", "end")


class CallbackFields(dict):
    """What a run tells its callbacks, read as attributes. One that is not there raises KeyError."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if name not in self:
            raise KeyError(f"original_args: there is no {name!r}; there are {', '.join(sorted(self))}")
        return self[name]

    def __setattr__(self, name, value):
        self[name] = value


class RunContext:
    """What a callback is given: the state of the run, and the means to stop it."""

    def __init__(self, original_args):
        if not isinstance(original_args, dict):
            raise TypeError(
                f"RunContext: original_args is of type {type(original_args).__name__}; need a dict"
            )
        self._args, self._stop_requested = original_args, False

    def original_args(self):
        """The state of the run: `cur_epoch_num`, `cur_step_num`, `batch_num`, `net_outputs` and others."""
        return self._args

    def request_stop(self):
        """Training ends after this step."""
        self._stop_requested = True

    def get_stop_requested(self):
        """Whether a callback asked to stop."""
        return self._stop_requested


class Callback:
    """Base of all callbacks; a subclass writes the moments that it acts at.

    The moments without a prefix count for training and for evaluation alike.
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


def as_list(owner, callbacks):
    """The callbacks of a run, which may be one, several or none."""
    found = [] if callbacks is None else callbacks if isinstance(callbacks, (list, tuple)) else [callbacks]
    for callback in found:
        if not isinstance(callback, Callback):
            raise TypeError(f"{owner}: callbacks holds a {type(callback).__name__}; need a Callback")
    return list(found)


def require_prefixed(owner, callbacks):
    """Where training and evaluation take turns, a moment must say which of them it means."""
    for callback in callbacks:
        own = [name for name in _MOMENTS if getattr(type(callback), name) is not getattr(Callback, name)]
        if own:
            raise ValueError(
                f"{owner}: {type(callback).__name__} has {own[0]}, which both training and evaluation would call; "
                f"need on_train_{own[0]} or on_eval_{own[0]}"
            )


def call(callbacks, moment, run_context):
    """Tell every callback that a moment has come."""
    for callback in callbacks:
        getattr(callback, moment)(run_context)


def loss_of(outputs):
    """The loss among what a training step returned, as a float; None if the first is no Tensor."""
    first = outputs[0] if isinstance(outputs, (tuple, list)) and outputs else outputs
    return float(first.mean().item()) if isinstance(first, Tensor) else None


class LossMonitor(Callback):
    """Prints the loss every `per_print_times` steps, and raises ValueError when it is not a finite number."""

    def __init__(self, per_print_times=1):
        if not isinstance(per_print_times, int) or per_print_times < 0:
            raise ValueError(
                f"LossMonitor: per_print_times is {per_print_times!r}; need an int of at least 0"
            )
        self._every, self._last = per_print_times, 0

    def on_train_step_end(self, run_context):
        """Prints the loss if it is due."""
        run = run_context.original_args()
        loss = loss_of(run.net_outputs)
        step = (run.cur_step_num - 1) % run.batch_num + 1
        where = f"epoch: {run.cur_epoch_num} step: {step}"
        if loss is not None and not math.isfinite(loss):
            raise ValueError(f"LossMonitor: {where}, the loss is {loss}; need a finite number to go on")
        if self._every and run.cur_step_num - self._last >= self._every:
            self._last = run.cur_step_num
            print(f"{where}, loss is {loss}", flush=True)

    def on_train_epoch_end(self, run_context):
        """Prints the metrics if `fit` evaluated."""
        run = run_context.original_args()
        if "eval_results" in run:
            print(f"Eval result: epoch {run.cur_epoch_num}, metrics: {run.eval_results}", flush=True)


class TimeMonitor(Callback):
    """Prints how long each epoch took, and a step of it."""

    def __init__(self, data_size=None):
        self._data_size, self._began = data_size, 0.0

    def on_train_epoch_begin(self, run_context):
        """Starts the clock."""
        self._began = time.perf_counter()

    def on_train_epoch_end(self, run_context):
        """Prints the time."""
        took = 1000 * (time.perf_counter() - self._began)
        steps = self._data_size or run_context.original_args().batch_num
        print(f"Train epoch time: {took:.3f} ms, per step time: {took / steps:.3f} ms", flush=True)


class History(Callback):
    """Keeps the loss and the metrics of each epoch in `history`; it grows over several runs."""

    def __init__(self):
        self.history, self.epoch = {}, {"epoch": []}

    def on_train_epoch_end(self, run_context):
        """Keeps what the epoch gave."""
        run = run_context.original_args()
        self.epoch["epoch"].append(run.cur_epoch_num)
        seen = {"net_output": loss_of(run.net_outputs), **run.get("eval_results", {})}
        for name, value in seen.items():
            self.history.setdefault(name, []).append(value)


class LambdaCallback(Callback):
    """A callback made of functions, each for the moment it is named for."""

    def __init__(self, **functions):
        known = {f"on_{phase}_{moment}" for phase in ("train", "eval") for moment in _MOMENTS}
        for name, function in functions.items():
            if name not in known:
                raise TypeError(f"LambdaCallback: there is no {name!r}; there are {', '.join(sorted(known))}")
            if function is not None:
                setattr(self, name, function)
