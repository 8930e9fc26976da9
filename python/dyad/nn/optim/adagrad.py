"""Adagrad, ProximalAdagrad and FTRL: optimizers that accumulate squared gradients."""

from dyad._src.base.argument_checks import require_above, require_at_least, require_bool, require_number
from dyad._src.operators import adagrad_step, ftrl_step, proximal_adagrad_step
from dyad.nn.optim.optimizer import Optimizer

__all__ = ["FTRL", "Adagrad", "ProximalAdagrad"]


class Adagrad(Optimizer):
    """Adagrad: divides each gradient by the root of the sum of its squares. a += g * g; p -= lr * g / sqrt(a).

    The sums start at `accum`; without `update_slots` they are not updated.
    """

    def __init__(
        self,
        params,
        accum: float = 0.1,
        learning_rate=0.001,
        update_slots: bool = True,
        loss_scale=1.0,
        weight_decay=0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        accum = require_at_least(self.cls_name, "accum", accum, 0)
        self.update_slots = require_bool(self.cls_name, "update_slots", update_slots)
        self.accum = self._state("accum", accum)

    def construct(self, grads):
        """One step with one gradient per Parameter, in their order."""
        return self._fused_step(
            adagrad_step,
            grads,
            (self.accum,),
            0.0,
            1.0 / self.loss_scale,
            self.update_slots,
        )


class ProximalAdagrad(Optimizer):
    """Adagrad that pulls every element towards zero after each step, by `l1` and in proportion by `l2`.

    a += g * g; r = lr / sqrt(a); q = p - r * g; p = sign(q) * max(|q| - r * l1, 0) / (1 + r * l2).
    """

    def __init__(
        self,
        params,
        accum: float = 0.1,
        learning_rate=0.001,
        l1: float = 0.0,
        l2: float = 0.0,
        use_locking: bool = False,
        loss_scale=1.0,
        weight_decay=0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        owner = self.cls_name
        accum = require_at_least(owner, "accum", accum, 0)
        self.l1 = require_at_least(owner, "l1", l1, 0)
        self.l2 = require_at_least(owner, "l2", l2, 0)
        self.use_locking = require_bool(owner, "use_locking", use_locking)
        self.accum = self._state("accum", accum)

    def construct(self, grads):
        """One step with one gradient per Parameter, in their order."""
        return self._fused_step(
            proximal_adagrad_step,
            grads,
            (self.accum,),
            self.l1,
            self.l2,
            1.0 / self.loss_scale,
        )


class FTRL(Optimizer):
    """FTRL (follow the regularized leader) with the L1 and L2 penalties `l1` and `l2`.

    b = a; a += g * g; z += g - (a^-lr_power - b^-lr_power) / lr * p; p = (sign(z) * l1 - z) / (a^-lr_power / lr + 2 *
    l2) where |z| > l1, else 0. Weight decay applies to all Parameters, whatever their names.
    """

    def __init__(
        self,
        params,
        initial_accum: float = 0.1,
        learning_rate=0.001,
        lr_power: float = -0.5,
        l1: float = 0.0,
        l2: float = 0.0,
        use_locking: bool = False,
        loss_scale=1.0,
        weight_decay=0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        owner = self.cls_name
        initial_accum = require_at_least(owner, "initial_accum", initial_accum, 0)
        if require_number(owner, "lr_power", lr_power) > 0:
            raise ValueError(f"{owner}: lr_power is {lr_power}; need a number of at most 0")
        if not (self.dynamic_lr or self.is_group_lr):
            require_above(owner, "learning_rate", float(self.learning_rate), 0)
        self.lr_power = float(lr_power)
        self.l1 = require_at_least(owner, "l1", l1, 0)
        self.l2 = require_at_least(owner, "l2", l2, 0)
        self.use_locking = require_bool(owner, "use_locking", use_locking)
        self.moments = self._state("moments", initial_accum)
        self.linear = self._state("linear")

    def _spares(self, name):
        return False

    def construct(self, grads):
        """One step with one gradient per Parameter, in their order."""
        return self._fused_step(
            ftrl_step,
            grads,
            (self.moments, self.linear),
            self.l1,
            self.l2,
            self.lr_power,
            1.0 / self.loss_scale,
        )
