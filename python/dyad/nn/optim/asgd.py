"""Averaged stochastic gradient descent."""

from dyad._src.base.argument_checks import require_float
from dyad._src.cell.optimizer_cell import one_number_each
from dyad._src.operators import asgd_step
from dyad.nn.optim.optimizer import Optimizer

__all__ = ["ASGD"]


class ASGD(Optimizer):
    """ASGD: gradient descent with a falling rate, and the average of the Parameters from step `t0` on in `ax`.

    p = p * (1 - lambd * eta) - eta * g; ax += mu * (p - ax); then for the next step eta = lr / (1 + lambd * lr *
    t)^alpha and mu = 1 / max(1, t - t0).
    """

    def __init__(
        self,
        params,
        learning_rate=0.1,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay=0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay)
        owner = self.cls_name
        self.lambd = require_float(owner, "lambd", lambd)
        self.alpha = require_float(owner, "alpha", alpha)
        self.t0 = require_float(owner, "t0", t0)
        self.mu = one_number_each(self.parameters, "mu", 1.0)
        self.eta = one_number_each(self.parameters, "eta", 0.0)
        self.ax = self._state("ax_")

    def construct(self, gradients):
        """One step with one gradient per Parameter, in their order."""
        return self._fused_step(
            asgd_step,
            gradients,
            (self.ax, self.eta, self.mu, self.global_step),
            self.lambd,
            self.alpha,
            self.t0,
        )
