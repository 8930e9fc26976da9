"""Measurements of a run: gradient norms, rates, times and memory."""

import time

from dyad import _core, ops
from dyad._core import Tensor
from dyad._src.tensor.parameter import Parameter
from dyad._src.tensor.summary_values import note

_MEGABYTE = 2**20


class GradientNorms:
    """Records the norm of every gradient that an optimizer receives, and of all together, in the steps that are due.

    It is a hook before the optimizer's call: part of a compiled step, and skipped by a branch there in the other
    steps.
    """

    def __init__(self, optimizer):
        names = (parameter.name for parameter in optimizer.parameters)
        self._due = Parameter(Tensor(False), "gradient_norms_due", requires_grad=False)
        hook = _norm_hook(self._due, ("gradient_norm/auto", *(f"gradient_norm/{name}" for name in names)))
        self._handle = optimizer.register_forward_pre_hook(hook)

    def set_due(self, due) -> None:
        """Sets whether the next step is recorded."""
        self._due.set_data(Tensor(due))

    def remove(self) -> None:
        """Removes the hook."""
        self._handle.remove()


def _norm_hook(due, names):
    def note_norms(optimizer, inputs):
        if due:
            norms = ops.stack([_norm(gradient) for gradient in inputs[0]])
            note("scalars", names, ops.concat((ops.norm(norms).reshape(1), norms)))

    note_norms.__dict__["_is_program"] = True
    return note_norms


def _norm(gradient):
    """The norm in float32, which what is narrower may overflow."""
    return ops.norm(gradient.astype(_core.float32))


_norm.__dict__["_is_program"] = True


def learning_rates(optimizer) -> list:
    """(tag, rate) of the step that comes next: one rate, or the distinct ones of groups in their order."""
    rates = optimizer.get_lr()
    if not isinstance(rates, tuple):
        return [("learning_rate/auto", rates)]
    distinct = list({id(rate): rate for rate in rates}.values())
    return [(f"learning_rate/group_{number}", rate) for number, rate in enumerate(distinct)]


class StepClock:
    """Milliseconds that a step takes, and between two steps; the mean since it was last read."""

    def __init__(self):
        self._computing = self._waiting = 0.0
        self._steps = 0
        self._began = self._ended = None

    def begin(self) -> None:
        """Starts a step."""
        self._began = time.perf_counter()
        if self._ended is not None:
            self._waiting += self._began - self._ended

    def end(self) -> None:
        """Ends a step."""
        if self._began is not None:
            self._computing += time.perf_counter() - self._began
            self._steps += 1

    def resume(self) -> None:
        """Excludes the time since the end of the step, which was spent on recording."""
        self._ended = time.perf_counter()

    def means(self):
        """(tag, milliseconds)."""
        if not self._steps:
            return []
        found = [
            ("time/step_ms", 1e3 * self._computing / self._steps),
            ("time/wait_ms", 1e3 * self._waiting / self._steps),
        ]
        self._computing = self._waiting = 0.0
        self._steps = 0
        return found


def memory_in_use():
    """(tag, megabytes): of living tensors, the most that they had, and of the process."""
    now = _core.memory_statistics()
    found = [
        ("memory/tensors_mb", now["allocated"] / _MEGABYTE),
        ("memory/peak_mb", now["max_allocated"] / _MEGABYTE),
    ]
    resident = _resident_bytes()
    return found if resident is None else [*found, ("memory/process_mb", resident / _MEGABYTE)]


def _resident_bytes():
    """Resident memory of the process; None if the system does not report it."""
    try:
        with open("/proc/self/status", encoding="ascii", errors="replace") as status:
            lines = dict(line.split(":", 1) for line in status if ":" in line)
    except OSError:
        return None
    text = lines.get("VmRSS", "").split()
    return int(text[0]) * 1024 if text else None
