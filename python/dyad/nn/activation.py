"""Activation functions as layers. Each keeps its operator under the attribute name that subclasses use."""

from dyad import _core, ops
from dyad._core import Tensor
from dyad._src.base.argument_checks import require_bool, require_int, require_number
from dyad._src.base.missing import nearest
from dyad._src.tensor.parameter import Parameter
from dyad.nn.cell import Cell
from dyad.nn.initializer import initializer
from dyad.nn.softmax import LogSoftmax, Softmax, Softmax2d, Softmin

__all__ = [
    "CELU",
    "ELU",
    "GELU",
    "GLU",
    "LRN",
    "FastGelu",
    "HShrink",
    "HSigmoid",
    "HSwish",
    "Hardtanh",
    "LeakyReLU",
    "LogSigmoid",
    "Mish",
    "PReLU",
    "RReLU",
    "ReLU",
    "ReLU6",
    "SeLU",
    "SiLU",
    "Sigmoid",
    "SoftShrink",
    "Softsign",
    "Tanh",
    "Tanhshrink",
    "Threshold",
    "get_activation",
]


class ReLU(Cell):
    """Rectified linear unit, max(x, 0)."""

    def __init__(self):
        super().__init__()
        self.relu = ops.ReLU()

    def construct(self, input: Tensor) -> Tensor:
        """Returns a tensor of the shape and dtype of `input`."""
        return ops.relu(input)


class ReLU6(Cell):
    """ReLU6: min(max(x, 0), 6)."""

    def __init__(self):
        super().__init__()
        self.relu6 = ops.ReLU6()

    def construct(self, x: Tensor) -> Tensor:
        """Returns a tensor of the shape and dtype of `x`."""
        return ops.relu6(x)


class LeakyReLU(Cell):
    """Leaky ReLU: x where positive, else alpha · x."""

    def __init__(self, alpha: float = 0.2) -> None:
        super().__init__()
        self.alpha = require_number("LeakyReLU", "alpha", alpha)

    def construct(self, x: Tensor) -> Tensor:
        """Returns a tensor of the shape and dtype of `x`."""
        return ops.leaky_relu(x, self.alpha)


class PReLU(Cell):
    """Parametric ReLU: x where positive, else w · x with a learned slope for all channels or for each of `channel`."""

    def __init__(self, channel: int = 1, w=0.25) -> None:
        super().__init__()
        channel = require_int("PReLU", "channel", channel, low=1)
        if isinstance(w, list):
            w = Tensor(w, _core.float32)
        if isinstance(w, Tensor) and tuple(w.shape) not in ((1,), (channel,)):
            raise ValueError(f"PReLU: w has shape {tuple(w.shape)}; need ({channel},)")
        self.w = Parameter(initializer(w, w.shape if isinstance(w, Tensor) else [channel]), name="a")
        self.prelu = ops.PReLU()

    def construct(self, x: Tensor) -> Tensor:
        """Returns a tensor of the shape and dtype of `x`."""
        return ops.prelu(x, self.w)


class RReLU(Cell):
    """Randomized leaky ReLU: x where positive, else x times a slope drawn uniformly from [lower, upper] per element."""

    def __init__(self, lower: float = 1 / 8, upper: float = 1 / 3) -> None:
        super().__init__()
        self.lower = require_number("RReLU", "lower", lower)
        self.upper = require_number("RReLU", "upper", upper)
        if self.lower > self.upper:
            raise ValueError(f"RReLU: lower is {lower} and upper is {upper}; need lower <= upper")
        self.sign = ops.Sign()

    def construct(self, x: Tensor) -> Tensor:
        """Returns a tensor of the shape and dtype of `x`."""
        return ops.rrelu(x, self.lower, self.upper)


class ELU(Cell):
    """Exponential linear unit (ELU): x where positive, else alpha · (exp(x) - 1)."""

    def __init__(self, alpha: float = 1.0) -> None:
        super().__init__()
        self.alpha = require_number("ELU", "alpha", alpha)
        self.elu = ops.Elu(self.alpha)

    def construct(self, x: Tensor) -> Tensor:
        """Returns a tensor of the shape and dtype of `x`."""
        return ops.elu(x, self.alpha)


class CELU(Cell):
    """CELU: max(x, 0) + min(alpha · (exp(x / alpha) - 1), 0)."""

    def __init__(self, alpha: float = 1.0) -> None:
        super().__init__()
        self.alpha = require_number("CELU", "alpha", alpha)
        self.celu = ops.CeLU(self.alpha)

    def construct(self, x: Tensor) -> Tensor:
        """Returns a tensor of the shape and dtype of `x`."""
        return ops.celu(x, self.alpha)


class SeLU(Cell):
    """Scaled exponential linear unit (SELU): ELU scaled so that activations keep mean 0 and variance 1."""

    def __init__(self):
        super().__init__()
        self.selu = ops.SeLU()

    def construct(self, input_x: Tensor) -> Tensor:
        """Returns a tensor of the shape and dtype of `input_x`."""
        return ops.selu(input_x)


class GELU(Cell):
    """Gaussian error linear unit, x · Φ(x); with `approximate` by the tanh formula."""

    def __init__(self, approximate: bool = True) -> None:
        super().__init__()
        self.approximate = require_bool("GELU", "approximate", approximate)
        self._formula = "tanh" if approximate else "none"

    def construct(self, x: Tensor) -> Tensor:
        """Returns a tensor of the shape and dtype of `x`."""
        return ops.gelu(x, self._formula)


class FastGelu(Cell):
    """Fast GELU: GELU by the sigmoid formula."""

    def __init__(self):
        super().__init__()
        self.fast_gelu = ops.FastGeLU()

    def construct(self, x: Tensor) -> Tensor:
        """Returns a tensor of the shape and dtype of `x`."""
        return ops.fast_gelu(x)


class SiLU(Cell):
    """SiLU (swish): x · sigmoid(x)."""

    def construct(self, x: Tensor) -> Tensor:
        """Returns a tensor of the shape and dtype of `x`."""
        return ops.silu(x)


class Mish(Cell):
    """Mish: x · tanh(softplus(x))."""

    def __init__(self):
        super().__init__()
        self.mish = ops.Mish()

    def construct(self, input_x: Tensor) -> Tensor:
        """Returns a tensor of the shape and dtype of `input_x`."""
        return ops.mish(input_x)


class Sigmoid(Cell):
    """Logistic sigmoid, 1 / (1 + exp(-x))."""

    def __init__(self):
        super().__init__()
        self.sigmoid = ops.Sigmoid()

    def construct(self, x: Tensor) -> Tensor:
        """Returns a tensor of the shape and dtype of `x`."""
        return ops.sigmoid(x)


class LogSigmoid(Cell):
    """Logarithm of the sigmoid, log(sigmoid(x))."""

    def construct(self, input_x: Tensor) -> Tensor:
        """Returns a tensor of the shape and dtype of `input_x`."""
        return ops.logsigmoid(input_x)


class HSigmoid(Cell):
    """Hard sigmoid, (x + 3) / 6 clipped to [0, 1]."""

    def __init__(self):
        super().__init__()
        self.hsigmoid = ops.HSigmoid()

    def construct(self, input: Tensor) -> Tensor:
        """Returns a tensor of the shape and dtype of `input`."""
        return ops.hardsigmoid(input)


class HSwish(Cell):
    """Hard swish, x · hard_sigmoid(x)."""

    def __init__(self):
        super().__init__()
        self.hswish = ops.HSwish()

    def construct(self, input: Tensor) -> Tensor:
        """Returns a tensor of the shape and dtype of `input`."""
        return ops.hardswish(input)


class Tanh(Cell):
    """Hyperbolic tangent."""

    def __init__(self):
        super().__init__()
        self.tanh = ops.Tanh()

    def construct(self, x: Tensor) -> Tensor:
        """Returns a tensor of the shape and dtype of `x`."""
        return ops.tanh(x)


class Tanhshrink(Cell):
    """Tanh shrinkage, x - tanh(x)."""

    def construct(self, x: Tensor) -> Tensor:
        """Returns a tensor of the shape and dtype of `x`."""
        return ops.tanhshrink(x)


class Hardtanh(Cell):
    """Hard tanh: x clipped to [min_val, max_val]."""

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0) -> None:
        super().__init__()
        self.min_val = require_number("Hardtanh", "min_val", min_val)
        self.max_val = require_number("Hardtanh", "max_val", max_val)
        if min_val >= max_val:
            raise ValueError(
                f"Hardtanh: min_val is {min_val} and max_val is {max_val}; need min_val < max_val"
            )

    def construct(self, x: Tensor) -> Tensor:
        """Returns a tensor of the shape and dtype of `x`."""
        return ops.hardtanh(x, self.min_val, self.max_val)


class HShrink(Cell):
    """Hard shrinkage: x where |x| > lambd, else 0."""

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = require_number("HShrink", "lambd", lambd)
        self.hshrink = ops.HShrink(self.lambd)

    def construct(self, input: Tensor) -> Tensor:
        """Returns a tensor of the shape and dtype of `input`."""
        return ops.hardshrink(input, self.lambd)


class SoftShrink(Cell):
    """Soft shrinkage, sign(x) · max(|x| - lambd, 0)."""

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = require_number("SoftShrink", "lambd", lambd)
        self.softshrink = ops.SoftShrink(self.lambd)

    def construct(self, input: Tensor) -> Tensor:
        """Returns a tensor of the shape and dtype of `input`."""
        return ops.softshrink(input, self.lambd)


class Softsign(Cell):
    """Softsign, x / (1 + |x|)."""

    def __init__(self):
        super().__init__()
        self.softsign = ops.Softsign()

    def construct(self, x: Tensor) -> Tensor:
        """Returns a tensor of the shape and dtype of `x`."""
        return ops.softsign(x)


class Threshold(Cell):
    """Threshold: x where x > threshold, else `value`."""

    def __init__(self, threshold: float, value: float) -> None:
        super().__init__()
        self.threshold = require_number("Threshold", "threshold", threshold)
        self.value = require_number("Threshold", "value", value)

    def construct(self, input_x: Tensor) -> Tensor:
        """Returns a tensor of the shape and dtype of `input_x`."""
        return ops.threshold(input_x, self.threshold, self.value)


class GLU(Cell):
    """Gated linear unit, a · sigmoid(b), where a and b are the halves of x along `axis`."""

    def __init__(self, axis=-1):
        super().__init__()
        self.axis = axis

    def construct(self, x: Tensor) -> Tensor:
        """`x` with half the size along `axis`, which must be even."""
        return ops.glu(x, self.axis)


class LRN(Cell):
    """Local response normalization across channels."""

    def __init__(self, depth_radius=5, bias=1.0, alpha=1.0, beta=0.5, norm_region="ACROSS_CHANNELS"):
        super().__init__()
        self._settings = (depth_radius, bias, alpha, beta, norm_region)
        self.lrn_op = ops.LRN(*self._settings)

    def construct(self, input_x: Tensor) -> Tensor:
        """Returns a tensor of the shape and dtype of `input_x`."""
        return ops.lrn(input_x, *self._settings)


_by_name = {
    "elu": ELU,
    "fast_gelu": FastGelu,
    "gelu": GELU,
    "hardtanh": Hardtanh,
    "hshrink": HShrink,
    "hsigmoid": HSigmoid,
    "hswish": HSwish,
    "leakyrelu": LeakyReLU,
    "logsigmoid": LogSigmoid,
    "logsoftmax": LogSoftmax,
    "mish": Mish,
    "prelu": PReLU,
    "relu": ReLU,
    "relu6": ReLU6,
    "rrelu": RReLU,
    "sigmoid": Sigmoid,
    "silu": SiLU,
    "softmax": Softmax,
    "softmax2d": Softmax2d,
    "softmin": Softmin,
    "softshrink": SoftShrink,
    "softsign": Softsign,
    "tanh": Tanh,
    "tanhshrink": Tanhshrink,
    "threshold": Threshold,
}


def get_activation(name, prim_name=None):
    """A new activation layer by name; None for None."""
    if name is None:
        return None
    if name not in _by_name:
        near = nearest(str(name), _by_name)
        hint = f"; nearest is {near!r}" if near else f"; known names are {', '.join(sorted(_by_name))}"
        raise KeyError(f"{prim_name or 'get_activation'}: there is no activation called {name!r}{hint}")
    return _by_name[name]()
