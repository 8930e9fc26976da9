"""A figure of a run that callbacks watch for improvement: the loss of a step, or what `Model.fit` found."""

import math

from dyad import log
from dyad._src.base import lazy_numpy as numpy
from dyad._src.base.argument_checks import require_choice, require_number
from dyad.train.callback._run_context import loss_of

_SMALLER_IS_BETTER = (
    "eval_loss",
    "hausdorff_distance",
    "loss",
    "mae",
    "mean_surface_distance",
    "mse",
    "perplexity",
    "root_mean_square_distance",
)


class Monitored:
    """Says whether a new value is better than another one by more than `min_delta`."""

    def __init__(self, owner, monitor, mode, min_delta):
        if not isinstance(monitor, str):
            raise TypeError(f"{owner}: monitor is {monitor!r} of type {type(monitor).__name__}; need a str")
        self._owner, self._name = owner, monitor
        require_choice(owner, "mode", mode, ("auto", "min", "max"))
        self._falls = mode == "min" or (mode == "auto" and monitor in _SMALLER_IS_BETTER)
        self._min_delta = abs(require_number(owner, "min_delta", min_delta))

    @property
    def worst(self):
        """The value that any other value improves on."""
        return math.inf if self._falls else -math.inf

    def improves(self, value, other):
        """Returns whether `value` is better than `other`."""
        return value < other - self._min_delta if self._falls else value > other + self._min_delta

    def value(self, run):
        """The value at the end of an epoch; None, with a warning, where the run does not have it."""
        found = run.get("eval_results") or {}
        value = loss_of(run.get("net_outputs")) if self._name == "loss" else found.get(self._name)
        if value is None:
            known = ", ".join(sorted({"loss", *found}))
            log.warning(
                "%s: monitor is %r, which this epoch does not have; it has %s", self._owner, self._name, known
            )
            return None
        if numpy.ndim(value) != 0:
            raise ValueError(
                f"{self._owner}: monitor is {self._name!r}, which has shape {numpy.shape(value)}; need one number"
            )
        return float(value)
