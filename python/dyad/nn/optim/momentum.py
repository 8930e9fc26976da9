"""Momentum."""

from dyad._core import Tensor, float32
from dyad._src.base.argument_checks import require_at_least, require_bool
from dyad._src.operators import momentum_step
from dyad._src.tensor.parameter import Parameter
from dyad.nn.optim.optimizer import Optimizer

__all__ = ["Momentum"]


class Momentum(Optimizer):
    """Gradient descent with momentum: v = momentum * v + g; p -= lr * v.

    With `use_nesterov`: p -= lr * (g + momentum * v).
    """

    def __init__(
        self,
        params,
        learning_rate,
        momentum: float,
        weight_decay=0.0,
        loss_scale=1.0,
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        momentum = require_at_least(self.cls_name, "momentum", momentum, 0)
        self.use_nesterov = require_bool(self.cls_name, "use_nesterov", use_nesterov)
        self.momentum = Parameter(Tensor(momentum, float32), "momentum", requires_grad=False)
        self.moments = self._state("moments")

    def construct(self, gradients):
        """One step with one gradient per Parameter, in their order."""
        return self._fused_step(
            momentum_step,
            gradients,
            (self.moments,),
            self.momentum,
            1.0 / self.loss_scale,
            self.use_nesterov,
        )
