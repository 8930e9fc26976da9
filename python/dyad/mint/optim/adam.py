"""Adam and its relatives."""

from dyad._src.base.argument_checks import require_above, require_at_least
from dyad._src.operators import adamax_counted_step, adamw_step, nadam_step, radam_step
from dyad.mint.optim.optimizer import Optimizer, decays_of, rates_of, require_betas, require_flags, sign_of

__all__ = ["Adam", "AdamW", "Adamax", "NAdam", "RAdam"]


class Adam(Optimizer):
    """Moves by the corrected running mean of the gradients over the root of that of their squares.

    m = beta1 * m + (1 - beta1) * g; v = beta2 * v + (1 - beta2) * g * g;
    p -= lr * m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + eps).
    With `amsgrad` the largest v so far takes the place of v. Weight decay joins the gradient.
    """

    _decoupled = False

    def __init__(
        self,
        params,
        lr=1e-3,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=0.0,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr,
                "betas": betas,
                "eps": eps,
                "weight_decay": weight_decay,
                "amsgrad": amsgrad,
                "maximize": maximize,
            },
        )
        self.state_step = self._counter("state_step")

    _states = (("exp_avg", 0.0), ("exp_avg_sq", 0.0), ("max_exp_avg_sq", 0.0))

    def _check_group(self, group):
        require_betas(self.cls_name, group)
        require_at_least(self.cls_name, "eps", group["eps"], 0)
        require_flags(self.cls_name, group, "amsgrad", "maximize")

    def _step(self, group, gradients, members):
        adamw_step(
            group["params"],
            gradients,
            self.exp_avg[members],
            self.exp_avg_sq[members],
            self.max_exp_avg_sq[members] if group["amsgrad"] else (),
            self.state_step,
            rates_of(group),
            decays_of(group),
            group["betas"],
            group["eps"],
            sign_of(group),
            self._decoupled,
        )

    def _count(self):
        self.state_step.add_(1)


class AdamW(Adam):
    """Adam whose weight decay shrinks the Parameters, p *= 1 - lr * weight_decay, beside the gradient."""

    _decoupled = True

    def __init__(
        self,
        params,
        lr=1e-3,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, maximize=maximize)


class _CountedAdam(Optimizer):
    """Settings and counting that the further relatives share."""

    def __init__(self, params, defaults):
        super().__init__(params, defaults)
        self.step_t = self._counter("step_t")

    def _check_group(self, group):
        require_betas(self.cls_name, group)
        require_above(self.cls_name, "eps", group["eps"], 0)
        if "maximize" in self.defaults:
            require_flags(self.cls_name, group, "maximize")
        if "momentum_decay" in self.defaults:
            require_at_least(self.cls_name, "momentum_decay", group["momentum_decay"], 0)

    def _count(self):
        self.step_t.add_(1)


class Adamax(_CountedAdam):
    """Adam over the largest gradient so far, which fades, in place of the root of the mean square.

    m = beta1 * m + (1 - beta1) * g; u = max(beta2 * u, |g| + eps); p -= lr / (1 - beta1^t) * m / u.
    """

    _states = (("exp_avg", 0.0), ("exp_inf", 0.0))

    def __init__(
        self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0, *, maximize: bool = False
    ) -> None:
        super().__init__(
            params,
            {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "maximize": maximize},
        )

    def _step(self, group, gradients, members):
        adamax_counted_step(
            group["params"],
            gradients,
            self.exp_avg[members],
            self.exp_inf[members],
            self.step_t,
            rates_of(group),
            decays_of(group),
            group["betas"],
            group["eps"],
            sign_of(group),
        )


class NAdam(_CountedAdam):
    """Adam that looks ahead as Nesterov does, with a momentum that grows from step to step.

    mu_t = beta1 * (1 - 0.96^(t * momentum_decay) / 2); the gradient moves by (1 - mu_t) / (1 - mu_1 ... mu_t), the
    mean m by mu_{t+1} / (1 - mu_1 ... mu_{t+1}), both over sqrt(v / (1 - beta2^t)) + eps.
    """

    _states = (("exp_avg", 0.0), ("exp_avg_sq", 0.0))
    _numbers = (("mu_product", 1.0),)

    def __init__(self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0, momentum_decay=4e-3):
        super().__init__(
            params,
            {
                "lr": lr,
                "betas": betas,
                "eps": eps,
                "weight_decay": weight_decay,
                "momentum_decay": momentum_decay,
            },
        )

    def _step(self, group, gradients, members):
        nadam_step(
            group["params"],
            gradients,
            self.exp_avg[members],
            self.exp_avg_sq[members],
            self.mu_product[members],
            self.step_t,
            rates_of(group),
            decays_of(group),
            group["betas"],
            group["eps"],
            group["momentum_decay"],
        )


class RAdam(_CountedAdam):
    """Adam whose rate is rectified by how well the variance of the gradients is known.

    While too few were seen to know it, the corrected mean alone moves the Parameters.
    """

    _states = (("exp_avg", 0.0), ("exp_avg_sq", 0.0))

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0):
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})

    def _step(self, group, gradients, members):
        radam_step(
            group["params"],
            gradients,
            self.exp_avg[members],
            self.exp_avg_sq[members],
            self.step_t,
            rates_of(group),
            decays_of(group),
            group["betas"],
            group["eps"],
        )
