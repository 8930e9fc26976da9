"""AdaFactor."""

from dyad import ops
from dyad._core import Tensor, float16, float32
from dyad._src.base.argument_checks import require_above, require_at_least, require_bool, require_fraction
from dyad._src.operators import adafactor_step
from dyad._src.tensor.parameter import Parameter, ParameterTuple
from dyad.nn.optim.optimizer import Optimizer

__all__ = ["AdaFactor"]


class AdaFactor(Optimizer):
    """Adafactor: Adam in little memory. Of a matrix's mean squares only the row and column means are kept.

    Without a learning rate (`relative_step`) it is min(1e-2, 1 / sqrt(t)), with `warmup_init` min(1e-6 * t, 1 /
    sqrt(t)). `scale_parameter` multiplies it by each Parameter's root mean square, at least `eps[1]`. Updates are
    clipped to the root mean square `clip_threshold`. The new squares have the weight t^-decay_rate in the running
    mean. `beta1` above 0 averages the updates. `compression` stores the squares of vectors in float16.
    """

    def __init__(
        self,
        params,
        learning_rate=None,
        eps: tuple | list = (1e-30, 1e-3),
        clip_threshold: float = 1.0,
        decay_rate: float = 0.8,
        beta1=0.9,
        weight_decay=0.0,
        scale_parameter: bool = True,
        relative_step: bool = True,
        warmup_init: bool = False,
        compression: bool = False,
        loss_scale=1.0,
    ) -> None:
        owner = type(self).__name__
        self_paced = require_bool(owner, "relative_step", relative_step)
        if (learning_rate is None) != self_paced:
            raise ValueError(
                f"{owner}: learning_rate is {learning_rate!r} with relative_step {relative_step}; "
                "need a rate or relative_step, and not both"
            )
        if require_bool(owner, "warmup_init", warmup_init) and not self_paced:
            raise ValueError(f"{owner}: warmup_init is True without relative_step; it needs relative_step")
        super().__init__(0.0 if learning_rate is None else learning_rate, params, weight_decay, loss_scale)
        if not isinstance(eps, (tuple, list)):
            raise TypeError(f"{owner}: eps is of type {type(eps).__name__}; need a tuple of two numbers")
        if len(eps) != 2:
            raise ValueError(f"{owner}: eps has {len(eps)} entries; need two")
        self.eps = tuple(require_at_least(owner, f"eps[{i}]", entry, 0) for i, entry in enumerate(eps))
        self.clip_threshold = require_above(owner, "clip_threshold", clip_threshold, 0)
        self.decay_rate = float(require_fraction(owner, "decay_rate", decay_rate, "(0, 1)"))
        self.beta1 = float(require_fraction(owner, "beta1", 0.0 if beta1 is None else beta1, "[0, 1)"))
        self.scale_parameter = require_bool(owner, "scale_parameter", scale_parameter)
        self.relative_step = self_paced
        self.warmup_init = warmup_init
        self.compression = require_bool(owner, "compression", compression)
        self._start_states()

    def _start_states(self):
        self.exp_avg = self._state("exp_avg") if self.beta1 > 0 else ()
        rows, columns, squares = [], [], []
        for parameter in self.parameters:
            shape, matrix = parameter.shape, parameter.ndim > 1
            stored = float16 if self.compression and not matrix else parameter.dtype
            name = parameter.name
            rows.append(_zeros(f"exp_avg_sq_row_{name}", shape[:-1] if matrix else (1,), parameter.dtype))
            columns.append(
                _zeros(f"exp_avg_sq_col_{name}", shape[:-2] + shape[-1:] if matrix else (1,), parameter.dtype)
            )
            squares.append(_zeros(f"exp_avg_sq_{name}", (1,) if matrix else shape, stored))
        self.exp_avg_sq_row = ParameterTuple(rows)
        self.exp_avg_sq_col = ParameterTuple(columns)
        self.exp_avg_sq = ParameterTuple(squares)
        self.step = Parameter(Tensor([0.0], float32), "afactor_step", requires_grad=False)

    def construct(self, gradients):
        """One step with one gradient per Parameter, in their order."""
        step = self.step + 1.0
        gradients = self.scale_grad(self._centralize(gradients))
        result = self._run(
            self._step_each if self.is_group else adafactor_step,
            gradients,
            self.exp_avg,
            self.exp_avg_sq_row,
            self.exp_avg_sq_col,
            self.exp_avg_sq,
            (1.0 - step**-self.decay_rate).reshape(()),
            self._own_rates(step) if self.is_group else self._own_rate(step).reshape(()),
            self._at_step(self.weight_decay) if self.is_group else self._at_step((self.weight_decay,))[0],
            (*self.eps, self.clip_threshold, self.beta1),
            self.scale_parameter,
        )
        self.step.add_(1)
        return result

    def _step_each(
        self, parameters, gradients, means, rows, columns, squares, decay, rates, decays, *settings
    ):
        """A step for each Parameter, with the rate and the weight decay of its group."""
        for i, parameter in enumerate(parameters):
            mean = (means[i],) if means else ()
            states = (mean, (rows[i],), (columns[i],), (squares[i],))
            adafactor_step((parameter,), (gradients[i],), *states, decay, rates[i], decays[i], *settings)

    def _own_rates(self, step):
        """The rate of each Parameter."""
        if self.is_group_lr and not self.relative_step:
            return tuple(rate.reshape(()) for rate in self.get_lr())
        return (self._own_rate(step).reshape(()),) * len(self.parameters)

    def _own_rate(self, step):
        if not self.relative_step:
            return self.get_lr()
        most = step * 1e-6 if self.warmup_init else 1e-2
        return ops.minimum(1.0 / ops.sqrt(step), most)


def _zeros(name, shape, dtype):
    return Parameter(ops.zeros(shape, dtype), name, requires_grad=False)
