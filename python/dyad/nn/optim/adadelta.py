"""Adadelta."""

from dyad._src.base.argument_checks import require_at_least, require_fraction
from dyad._src.operators import adadelta_step
from dyad.nn.optim.optimizer import Optimizer

__all__ = ["Adadelta"]


class Adadelta(Optimizer):
    """Adadelta: moves by the gradient times the root mean square of past updates over that of past gradients.

    a = rho * a + (1 - rho) * g * g; u = sqrt(d + epsilon) / sqrt(a + epsilon) * g; d = rho * d + (1 - rho) * u * u; p
    -= lr * u.
    """

    def __init__(
        self,
        params,
        learning_rate=1.0,
        rho: float = 0.9,
        epsilon: float = 1e-6,
        loss_scale=1.0,
        weight_decay=0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.rho = float(require_fraction(self.cls_name, "rho", rho))
        self.epsilon = require_at_least(self.cls_name, "epsilon", epsilon, 0)
        self.accum = self._state("accum")
        self.accum_update = self._state("accum_update")

    def construct(self, grads):
        """One step with one gradient per Parameter, in their order."""
        return self._fused_step(
            adadelta_step,
            grads,
            (self.accum, self.accum_update),
            self.rho,
            self.epsilon,
            1.0 / self.loss_scale,
        )
