"""Adadelta, Adagrad and RMSprop: optimisers that divide by the root of squared gradients."""

from dyad._src.base.argument_checks import require_above, require_at_least, require_fraction
from dyad._src.operators import adadelta_step, adagrad_step, rmsprop_step
from dyad.mint.optim.optimizer import Optimizer, decays_of, rates_of, require_flags, sign_of

__all__ = ["Adadelta", "Adagrad", "RMSprop"]


class Adadelta(Optimizer):
    """Moves by the gradient times the root mean square of past updates over that of past gradients.

    a = rho * a + (1 - rho) * g * g; u = sqrt(d + eps) / sqrt(a + eps) * g;
    d = rho * d + (1 - rho) * u * u; p -= lr * u.
    """

    _states = (("accum", 0.0), ("accum_update", 0.0))

    def __init__(
        self, params, lr=1.0, rho=0.9, eps=1e-6, weight_decay=0.0, *, maximize: bool = False
    ) -> None:
        super().__init__(
            params, {"lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize}
        )

    def _check_group(self, group):
        require_fraction(self.cls_name, "rho", group["rho"])
        require_above(self.cls_name, "eps", group["eps"], 0)
        require_flags(self.cls_name, group, "maximize")

    def _step(self, group, gradients, members):
        adadelta_step(
            group["params"],
            gradients,
            self.accum[members],
            self.accum_update[members],
            rates_of(group),
            decays_of(group),
            group["rho"],
            group["eps"],
            sign_of(group),
        )


class Adagrad(Optimizer):
    """Divides each gradient by the root of the sum of its squares: a += g * g; p -= r * g / (sqrt(a) + eps).

    The rate falls: r = lr / (1 + (t - 1) * lr_decay). The sums start at `initial_accumulator_value`.
    """

    def __init__(
        self,
        params,
        lr=1e-2,
        lr_decay=0.0,
        weight_decay=0.0,
        initial_accumulator_value=0.0,
        eps=1e-10,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr,
                "lr_decay": lr_decay,
                "eps": eps,
                "weight_decay": weight_decay,
                "initial_accumulator_value": initial_accumulator_value,
                "maximize": maximize,
            },
        )
        self.step_t = self._counter("step_t")

    def _check_group(self, group):
        owner = self.cls_name
        for name in ("lr_decay", "initial_accumulator_value"):
            require_at_least(owner, name, group[name], 0)
        require_above(owner, "eps", group["eps"], 0)
        require_flags(owner, group, "maximize")

    def _initial_states(self, group):
        return (("accum", group["initial_accumulator_value"]),)

    def _step(self, group, gradients, members):
        adagrad_step(
            group["params"],
            gradients,
            self.accum[members],
            rates_of(group),
            decays_of(group),
            group["eps"],
            sign_of(group),
            True,
            self.step_t,
            group["lr_decay"],
        )

    def _count(self):
        self.step_t.add_(1)


class RMSprop(Optimizer):
    """Divides gradients by the root of the running mean of their squares.

    s = alpha * s + (1 - alpha) * g * g; v = momentum * v + g / (sqrt(s) + eps); p -= lr * v.
    With `centered` the square of the running mean of g is taken from s under the root.
    """

    _states = (("mean_grad", 0.0), ("mean_square", 0.0), ("moment", 0.0))

    def __init__(
        self,
        params,
        lr=1e-2,
        alpha=0.99,
        eps=1e-8,
        weight_decay=0.0,
        momentum=0.0,
        centered: bool = False,
        maximize: bool = False,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr,
                "momentum": momentum,
                "alpha": alpha,
                "eps": eps,
                "centered": centered,
                "weight_decay": weight_decay,
                "maximize": maximize,
            },
        )

    def _check_group(self, group):
        owner = self.cls_name
        for name in ("alpha", "momentum"):
            require_at_least(owner, name, group[name], 0)
        require_above(owner, "eps", group["eps"], 0)
        require_flags(owner, group, "centered", "maximize")

    def _step(self, group, gradients, members):
        rmsprop_step(
            group["params"],
            gradients,
            self.mean_square[members],
            self.moment[members],
            self.mean_grad[members] if group["centered"] else (),
            rates_of(group),
            decays_of(group),
            group["alpha"],
            group["momentum"],
            group["eps"],
            sign_of(group),
            True,
        )
