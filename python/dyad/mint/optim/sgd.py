"""SGD, ASGD and Rprop: optimisers without means of squares."""

from dyad._core import Tensor, float32
from dyad._src.base.argument_checks import require_at_least, require_number
from dyad._src.operators import asgd_step, rprop_step, sgd_step
from dyad.mint.optim.optimizer import Optimizer, decays_of, rates_of, require_flags, sign_of
from dyad.nn.optim.rprop import read_rprop_settings

__all__ = ["ASGD", "SGD", "Rprop"]


class SGD(Optimizer):
    """Gradient descent, with momentum if asked for: v = momentum * v + (1 - dampening) * g; p -= lr * v.

    The first step takes v = g. `nesterov` moves by g + momentum * v.
    """

    _states = (("accum", 0.0), ("stat", 1.0))

    def __init__(
        self,
        params,
        lr,
        momentum=0,
        dampening=0,
        weight_decay=0.0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr,
                "momentum": momentum,
                "dampening": dampening,
                "weight_decay": weight_decay,
                "nesterov": nesterov,
                "maximize": maximize,
                "grad_centralization": False,
            },
        )

    def _check_group(self, group):
        owner = self.cls_name
        for name in ("momentum", "dampening"):
            group[name] = require_at_least(owner, name, group[name], 0)
        require_flags(owner, group, "nesterov", "maximize", "grad_centralization")
        if group["nesterov"] and (group["momentum"] == 0 or group["dampening"] != 0):
            raise ValueError(
                f"{owner}: nesterov is True with momentum {group['momentum']} and dampening "
                f"{group['dampening']}; need a momentum above 0 and dampening 0"
            )

    def _step(self, group, gradients, members):
        sgd_step(
            group["params"],
            gradients,
            self.accum[members],
            self.stat[members],
            rates_of(group),
            decays_of(group),
            Tensor(group["momentum"], float32),
            group["dampening"],
            sign_of(group),
            group["nesterov"],
        )


class ASGD(Optimizer):
    """Gradient descent with a falling rate, and the average of the Parameters from step `t0` on in `ax`.

    p = p * (1 - lambd * eta) - eta * g; ax += mu * (p - ax); then for the next step
    eta = lr / (1 + lambd * lr * t)^alpha and mu = 1 / max(1, t - t0).
    """

    _states = (("ax", 0.0),)
    _numbers = (("eta", 0.0), ("mu", 1.0))

    def __init__(
        self, params, lr=1e-2, lambd=1e-4, alpha=0.75, t0=1e6, weight_decay=0.0, maximize: bool = False
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr,
                "lambd": lambd,
                "alpha": alpha,
                "t0": t0,
                "weight_decay": weight_decay,
                "maximize": maximize,
            },
        )
        self.step_t = self._counter("step_t")

    def _check_group(self, group):
        for name in ("lambd", "alpha", "t0"):
            require_number(self.cls_name, name, group[name])
        require_flags(self.cls_name, group, "maximize")

    def _step(self, group, gradients, members):
        asgd_step(
            group["params"],
            gradients,
            self.ax[members],
            self.eta[members],
            self.mu[members],
            self.step_t,
            rates_of(group),
            decays_of(group),
            group["lambd"],
            group["alpha"],
            group["t0"],
            sign_of(group),
        )

    def _count(self):
        self.step_t.add_(1)


class Rprop(Optimizer):
    """Moves each element by a size of its own, against the sign of its gradient.

    The size starts at the learning rate, grows by `etas[1]` while the sign stays, shrinks by `etas[0]` when it turns,
    and is kept within `step_sizes`. An element whose gradient has turned rests for a step.
    """

    _states = (("prev", 0.0), ("step_size", 0.0))

    def __init__(
        self, params, lr=1e-2, etas=(0.5, 1.2), step_sizes=(1e-6, 50), *, maximize: bool = False
    ) -> None:
        super().__init__(params, {"lr": lr, "etas": etas, "step_sizes": step_sizes, "maximize": maximize})
        self.step_t = self._counter("step_t")

    def _check_group(self, group):
        read_rprop_settings(self.cls_name, group["etas"], group["step_sizes"])
        require_flags(self.cls_name, group, "maximize")

    def _step(self, group, gradients, members):
        rprop_step(
            group["params"],
            gradients,
            self.prev[members],
            self.step_size[members],
            self.step_t,
            rates_of(group),
            decays_of(group),
            group["etas"],
            group["step_sizes"],
            sign_of(group),
        )

    def _count(self):
        self.step_t.add_(1)
