"""Adam and its forms."""

from dyad._core import Tensor, float32
from dyad._src.base.argument_checks import require_above, require_bool, require_fraction
from dyad._src.operators import adam_step, adam_weight_decay_step
from dyad._src.tensor.parameter import Parameter
from dyad.nn.optim.optimizer import Optimizer

__all__ = ["Adam", "AdamOffload", "AdamWeightDecay", "LazyAdam"]


class _AdamBase(Optimizer):
    """The settings and state that all forms of Adam with corrected means share."""

    def __init__(
        self,
        params,
        learning_rate,
        beta1: float,
        beta2: float,
        eps: float,
        use_locking: bool,
        use_nesterov: bool,
        weight_decay,
        loss_scale,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        owner = self.cls_name
        self.beta1 = float(require_fraction(owner, "beta1", beta1, "(0, 1)"))
        self.beta2 = float(require_fraction(owner, "beta2", beta2, "(0, 1)"))
        self.eps = require_above(owner, "eps", eps, 0)
        require_bool(owner, "use_locking", use_locking)
        self.use_nesterov = require_bool(owner, "use_nesterov", use_nesterov)
        self.beta1_power = self._power("beta1_power")
        self.beta2_power = self._power("beta2_power")
        self.moment1 = self._state("moment1")
        self.moment2 = self._state("moment2")
        self.vhat = ()

    _power_shape: tuple = (1,)

    def _power(self, name):
        one = Tensor(1.0, float32).reshape(self._power_shape)
        return Parameter(one, name, requires_grad=False)

    def construct(self, gradients):
        return self._fused_step(
            adam_step,
            gradients,
            (self.moment1, self.moment2, self.vhat, (self.beta1_power, self.beta2_power)),
            (self.beta1, self.beta2),
            self.eps,
            1.0 / self.loss_scale,
            self.use_nesterov,
        )


class Adam(_AdamBase):
    """Adam: moves by the running mean of the gradients over the root of the running mean of their squares.

    m = beta1 * m + (1 - beta1) * g; v = beta2 * v + (1 - beta2) * g * g; p -= lr * sqrt(1 - beta2^t) / (1 - beta1^t)
    * m / (sqrt(v) + eps). With `use_nesterov`, beta1 * m + (1 - beta1) * g replaces m. With `use_amsgrad`, the
    maximum of all v replaces v. `use_lazy` and `use_offload` are for sparse gradients and other devices and have no
    effect.
    """

    _power_shape = ()

    def __init__(
        self,
        params,
        learning_rate=1e-3,
        beta1=0.9,
        beta2=0.999,
        eps=1e-8,
        use_locking: bool = False,
        use_nesterov: bool = False,
        weight_decay=0.0,
        loss_scale=1.0,
        use_amsgrad=False,
        **kwargs,
    ) -> None:
        _require_known_modes(use_amsgrad, kwargs)
        super().__init__(
            params, learning_rate, beta1, beta2, eps, use_locking, use_nesterov, weight_decay, loss_scale
        )
        self.use_amsgrad = use_amsgrad
        if use_amsgrad:
            self.vhat = self._state("vhat")


def _require_known_modes(use_amsgrad, modes):
    require_bool("Adam", "use_amsgrad", use_amsgrad)
    for name, value in modes.items():
        if name not in ("use_lazy", "use_offload"):
            raise KeyError(f"Adam: unexpected keyword {name!r}; further ones are use_lazy and use_offload")
        require_bool("Adam", name, value)
    if modes.get("use_lazy") and modes.get("use_offload"):
        raise ValueError("For 'Adam', 'use_lazy' and 'use_offload' can not both be True")
    if use_amsgrad and any(modes.values()):
        raise ValueError(
            "Adam: use_amsgrad is True together with use_lazy or use_offload. "
            "For lazy Adam and Adam with offload, there is no parameter named 'use_amsgrad'."
        )


class LazyAdam(_AdamBase):
    """Adam for sparse gradients. Dense gradients, which all operators return here, are applied as in `Adam`.

    The arguments are those of `Adam`.
    """

    def __init__(
        self,
        params,
        learning_rate=1e-3,
        beta1=0.9,
        beta2=0.999,
        eps=1e-8,
        use_locking: bool = False,
        use_nesterov: bool = False,
        weight_decay=0.0,
        loss_scale=1.0,
    ) -> None:
        super().__init__(
            params, learning_rate, beta1, beta2, eps, use_locking, use_nesterov, weight_decay, loss_scale
        )


class AdamOffload(LazyAdam):
    """Adam that runs on the host; the CPU always does. The arguments are those of `Adam`."""


class AdamWeightDecay(Optimizer):
    """Adam without bias correction, with decoupled weight decay.

    p -= lr * (m / (sqrt(v) + eps) + weight_decay * p), with m and v as in `Adam`.
    """

    def __init__(
        self,
        params,
        learning_rate=1e-3,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-6,
        weight_decay=0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay)
        owner = self.cls_name
        self.beta1 = float(require_fraction(owner, "beta1", beta1, "(0, 1)"))
        self.beta2 = float(require_fraction(owner, "beta2", beta2, "(0, 1)"))
        self.eps = require_above(owner, "eps", eps, 0)
        self.moments1 = self._state("adam_m")
        self.moments2 = self._state("adam_v")

    def construct(self, gradients):
        """One step with one gradient per Parameter, in their order."""
        gradients = self._centralize(gradients)
        return self._run(
            adam_weight_decay_step,
            gradients,
            self.moments1,
            self.moments2,
            self._rates(),
            self._decays_now(),
            (self.beta1, self.beta2),
            self.eps,
        )
