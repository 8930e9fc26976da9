"""Lamb and LARS: rates that follow the norms of whole Parameters."""

from collections.abc import Callable

from dyad._src.base.argument_checks import require_above, require_bool, require_fraction, require_number
from dyad._src.operators import lamb_step, lars_gradients
from dyad.nn.cell import Cell
from dyad.nn.optim.optimizer import Optimizer

__all__ = ["LARS", "Lamb"]


class Lamb(Optimizer):
    """LAMB: Adam's direction with weight decay, scaled by the norm of each Parameter.

    r = m' / (sqrt(v') + eps) + weight_decay * p, with the corrected means m' and v' of Adam; p -= lr * |p| / |r| * r.
    """

    def __init__(
        self,
        params,
        learning_rate,
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
        self.moments1 = self._state("lamb_m")
        self.moments2 = self._state("lamb_v")

    def construct(self, gradients):
        """One step with one gradient per Parameter, in their order."""
        gradients = self._centralize(gradients)
        return self._run(
            lamb_step,
            gradients,
            self.moments1,
            self.moments2,
            self.global_step,
            self._rates(),
            self._decays_now(),
            (self.beta1, self.beta2),
            self.eps,
        )


def _is_layer(parameter):
    return "LayerNorm" not in parameter.name and "bias" not in parameter.name


class LARS(Optimizer):
    """LARS: wraps an optimizer and scales the gradient of each Parameter that `lars_filter` accepts by its norm.

    The gradient becomes coefficient * |p| / (|g| + weight_decay * |p| + epsilon) * (g + weight_decay * p). With
    `use_clip` the factor over the learning rate is at most 1. Loss scale and weight decay of the wrapped optimizer
    are applied here and disabled there; Parameters that the filter rejects have no weight decay.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        epsilon: float = 1e-05,
        coefficient: float = 0.001,
        use_clip: bool = False,
        lars_filter: Callable = _is_layer,
    ) -> None:
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"LARS: optimizer is of type {type(optimizer).__name__}; need an Optimizer")
        Cell.__init__(self, auto_prefix=False)
        self.epsilon = float(require_number("LARS", "epsilon", epsilon))
        self.coefficient = float(require_number("LARS", "coefficient", coefficient))
        self.use_clip = require_bool("LARS", "use_clip", use_clip)
        if not callable(lars_filter):
            raise TypeError(f"LARS: lars_filter is of type {type(lars_filter).__name__}; need a callable")
        self.opt = optimizer
        # The wrapped optimizer owns these; as plain attributes they are not listed twice.
        owned = {name: value for name, value in vars(optimizer).items() if name in _SHARED}
        self.__dict__.update(owned)
        self.lars_flag = tuple(bool(lars_filter(parameter)) for parameter in self.parameters)
        self._layers = [i for i, flag in enumerate(self.lars_flag) if flag]
        optimizer.exec_weight_decay = False
        optimizer.loss_scale = 1.0
        optimizer.need_scale = False

    def construct(self, gradients):
        """One step with one gradient per Parameter, in their order, done by the wrapped optimizer."""
        if not isinstance(gradients, (tuple, list)):
            self._require_gradients(gradients)
        rates = self.opt._rates() if self.use_clip else ()
        try:
            gradients = lars_gradients(
                self.parameters,
                gradients,
                self._decays_now(),
                rates,
                self._layers,
                self.epsilon,
                self.coefficient,
                1.0 / self.loss_scale,
            )
        except (TypeError, ValueError) as error:
            self._explain(error, gradients)
        return self.opt(gradients)


_SHARED = (
    "_centralized",
    "_decays",
    "_decays_made_of",
    "_unique",
    "decay_flags",
    "dynamic_lr",
    "dynamic_weight_decay",
    "exec_weight_decay",
    "global_step",
    "is_group",
    "is_group_lr",
    "learning_rate",
    "loss_scale",
    "need_scale",
    "parameters",
    "weight_decay",
)
