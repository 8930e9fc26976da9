"""AdaMax."""

from dyad._core import Tensor, float32
from dyad._src.base.argument_checks import require_above, require_fraction
from dyad._src.operators import adamax_step
from dyad._src.tensor.parameter import Parameter
from dyad.nn.optim.optimizer import Optimizer

__all__ = ["AdaMax"]


class AdaMax(Optimizer):
    """AdaMax: Adam with a decaying maximum of |g| in place of the root of the mean square.

    m = beta1 * m + (1 - beta1) * g; u = max(beta2 * u, |g|); p -= lr / (1 - beta1^t) * m / (u + eps).
    """

    def __init__(
        self,
        params,
        learning_rate=0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-08,
        weight_decay=0.0,
        loss_scale=1.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        owner = self.cls_name
        self.beta1 = float(require_fraction(owner, "beta1", beta1, "(0, 1)"))
        self.beta2 = float(require_fraction(owner, "beta2", beta2, "(0, 1)"))
        self.eps = require_above(owner, "eps", eps, 0)
        self.beta1_power = Parameter(Tensor([1.0], float32), "beta1_power", requires_grad=False)
        self.moment1 = self._state("moment1")
        self.moment2 = self._state("moment2")

    def construct(self, gradients):
        """One step with one gradient per Parameter, in their order."""
        return self._fused_step(
            adamax_step,
            gradients,
            (self.moment1, self.moment2, (self.beta1_power,)),
            (self.beta1, self.beta2),
            self.eps,
            1.0 / self.loss_scale,
        )
