"""SGD."""

from dyad._core import Tensor, float32
from dyad._src.base.argument_checks import require_at_least, require_bool
from dyad._src.operators import sgd_step
from dyad._src.tensor.parameter import Parameter
from dyad.nn.optim.optimizer import Optimizer

__all__ = ["SGD"]


class SGD(Optimizer):
    """Stochastic gradient descent, optionally with momentum: v = momentum * v + (1 - dampening) * g; p -= lr * v.

    The first step sets v = g. `nesterov` moves by g + momentum * v; it requires momentum and no dampening.
    """

    def __init__(
        self,
        params,
        learning_rate=0.1,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay=0.0,
        nesterov: bool = False,
        loss_scale=1.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        momentum = require_at_least(self.cls_name, "momentum", momentum, 0)
        self.dampening = require_at_least(self.cls_name, "dampening", dampening, 0)
        self.nesterov = require_bool(self.cls_name, "nesterov", nesterov)
        if nesterov and (momentum == 0 or dampening != 0):
            raise ValueError(
                f"SGD: nesterov is True with momentum {momentum} and dampening {dampening}; "
                "need a momentum above 0 and dampening 0"
            )
        self.momentum = Parameter(Tensor(momentum, float32), "momentum", requires_grad=False)
        self.accum = self._state("accum")
        self.stat = self._state("stat", 1.0)

    def construct(self, gradients):
        """One step with one gradient per Parameter, in their order."""
        return self._fused_step(
            sgd_step,
            gradients,
            (self.accum, self.stat),
            self.momentum,
            self.dampening,
            1.0 / self.loss_scale,
            self.nesterov,
        )
