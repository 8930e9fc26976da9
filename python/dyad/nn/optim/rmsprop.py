"""RMSProp."""

from dyad._src.base.argument_checks import require_at_least_zero, require_bool, require_positive
from dyad._src.operators import rmsprop_step
from dyad.nn.optim.optimizer import Optimizer

__all__ = ["RMSProp"]


class RMSProp(Optimizer):
    """RMSProp: divides gradients by the root of the running mean of their squares, which starts at 1.

    s = decay * s + (1 - decay) * g * g; v = momentum * v + lr * g / sqrt(s + epsilon); p -= v. With `centered` the
    square of the running mean of g is subtracted from s under the root.
    """

    def __init__(
        self,
        params,
        learning_rate=0.1,
        decay: float = 0.9,
        momentum: float = 0.0,
        epsilon: float = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        loss_scale=1.0,
        weight_decay=0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        owner = self.cls_name
        self.decay = require_at_least_zero(owner, "decay", decay)
        self.momentum = require_at_least_zero(owner, "momentum", momentum)
        self.epsilon = require_positive(owner, "epsilon", epsilon)
        require_bool(owner, "use_locking", use_locking)
        self.centered = require_bool(owner, "centered", centered)
        self.mg = self._state("mean_grad") if centered else ()
        self.ms = self._state("mean_square", 1.0)
        self.moment = self._state("moment")

    def construct(self, gradients):
        """One step with one gradient per Parameter, in their order."""
        return self._fused_step(
            rmsprop_step,
            gradients,
            (self.ms, self.moment, self.mg),
            self.decay,
            self.momentum,
            self.epsilon,
            1.0 / self.loss_scale,
        )
