"""Layers with the names and constructors of PyTorch, over those of `dyad.nn`."""

from dyad import _core, nn, ops
from dyad._src.base.argument_checks import require_bool, require_fraction
from dyad._src.cell.weights import make_parameter
from dyad.mint.nn import convolution, normalization, pooling
from dyad.mint.nn import functional as functional
from dyad.mint.nn.applied import Applied
from dyad.mint.nn.convolution import *  # noqa: F403
from dyad.mint.nn.embedding import Embedding
from dyad.mint.nn.normalization import *  # noqa: F403
from dyad.mint.nn.pooling import *  # noqa: F403
from dyad.nn import (
    AdaptiveAvgPool1d,
    AdaptiveAvgPool2d,
    AdaptiveAvgPool3d,
    BCELoss,
    ConstantPad1d,
    ConstantPad2d,
    ConstantPad3d,
    CosineEmbeddingLoss,
    CrossEntropyLoss,
    Identity,
    L1Loss,
    Linear,
    LogSigmoid,
    Mish,
    MSELoss,
    NLLLoss,
    PixelShuffle,
    ReflectionPad1d,
    ReflectionPad2d,
    ReflectionPad3d,
    ReplicationPad1d,
    ReplicationPad2d,
    ReplicationPad3d,
    Sigmoid,
    SoftMarginLoss,
    Tanh,
    Upsample,
)
from dyad.nn import Cell as Cell
from dyad.nn import HShrink as Hardshrink
from dyad.nn import HSigmoid as Hardsigmoid
from dyad.nn import HSwish as Hardswish
from dyad.nn import SeLU as SELU
from dyad.nn import SoftShrink as Softshrink

__all__ = [
    "ELU",
    "GELU",
    "GLU",
    "SELU",
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "BCELoss",
    "BCEWithLogitsLoss",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "CosineEmbeddingLoss",
    "CrossEntropyLoss",
    "Dropout",
    "Dropout2d",
    "Embedding",
    "Flatten",
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "Identity",
    "KLDivLoss",
    "L1Loss",
    "LeakyReLU",
    "Linear",
    "LogSigmoid",
    "LogSoftmax",
    "MSELoss",
    "Mish",
    "NLLLoss",
    "PReLU",
    "PixelShuffle",
    "ReLU",
    "ReLU6",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "SiLU",
    "Sigmoid",
    "SmoothL1Loss",
    "SoftMarginLoss",
    "Softmax",
    "Softplus",
    "Softshrink",
    "Tanh",
    "Threshold",
    "Upsample",
    "functional",
    *convolution.__all__,
    *normalization.__all__,
    *pooling.__all__,
]


class Dropout(nn.Dropout):
    """Dropout: while training, zeroes elements with probability `p`, in place with `inplace`."""

    def __init__(self, p=0.5, inplace=False):
        super().__init__(p=0.0 if p == 1 else p)
        self.p = require_fraction("Dropout", "p", p)
        self.keep_prob = 1 - self.p
        self._given = f"p={p}"
        self.inplace = require_bool("Dropout", "inplace", inplace)

    def construct(self, x):
        """A Tensor of the shape of the input, or the input."""
        result = super().construct(x)
        return x.copy_(result) if self.inplace else result


class Dropout2d(nn.Dropout2d):
    """Dropout of whole channels: while training, zeroes channels with probability `p`, in place with `inplace`."""

    def __init__(self, p=0.5, inplace=False):
        super().__init__(p=p)
        self.inplace = require_bool("Dropout2d", "inplace", inplace)

    def construct(self, x):
        """A Tensor of the shape of the input, or the input."""
        result = super().construct(x)
        return x.copy_(result) if self.inplace else result


class PReLU(Applied):
    """Parametric ReLU: x where positive, else w · x with a learned `weight` for all channels, or for each."""

    def __init__(self, num_parameters=1, init=0.25, dtype=None):
        super().__init__()
        self.num_parameters = num_parameters
        self.weight = make_parameter("PReLU", init, (num_parameters,), dtype or _core.float32, "weight")

    def construct(self, input):
        """A Tensor of the shape of the input."""
        return functional.prelu(input, self.weight)


class LeakyReLU(Applied):
    """Leaky ReLU: x where positive, else negative_slope · x."""

    _function = staticmethod(functional.leaky_relu)

    def __init__(self, negative_slope=0.01, inplace=False):
        super().__init__(negative_slope=negative_slope)
        self.inplace = inplace

    def construct(self, input):
        """A Tensor of the shape of the input; with `inplace` the input, in which it is written."""
        result = super().construct(input)
        return ops.assign(input, result) if self.inplace else result


class Hardtanh(Applied):
    """Hard tanh: x clipped to [min_val, max_val]."""

    _function = staticmethod(functional.hardtanh)

    def __init__(self, min_val=-1.0, max_val=1.0, inplace=False):
        super().__init__(min_val=min_val, max_val=max_val, inplace=inplace)


class Threshold(Applied):
    """Threshold: x where x > threshold, else `value`."""

    _function = staticmethod(functional.threshold)

    def __init__(self, threshold, value, inplace=False):
        super().__init__(threshold=threshold, value=value, inplace=inplace)


class Softplus(Applied):
    """Softplus, log(1 + exp(beta · x)) / beta; x itself where beta · x exceeds the threshold."""

    _function = staticmethod(functional.softplus)

    def __init__(self, beta=1, threshold=20):
        super().__init__(beta=beta, threshold=threshold)


class ReLU(Applied):
    """Rectified linear unit, max(x, 0)."""

    _function = staticmethod(functional.relu)

    def __init__(self, inplace=False):
        super().__init__(inplace=inplace)


class ReLU6(Applied):
    """ReLU6: min(max(x, 0), 6)."""

    _function = staticmethod(functional.relu6)

    def __init__(self, inplace=False):
        super().__init__(inplace=inplace)


class SiLU(Applied):
    """SiLU (swish): x · sigmoid(x)."""

    _function = staticmethod(functional.silu)

    def __init__(self, inplace=False):
        super().__init__(inplace=inplace)


class ELU(Applied):
    """Exponential linear unit (ELU): x where positive, else alpha · (exp(x) - 1)."""

    _function = staticmethod(functional.elu)

    def __init__(self, alpha=1.0, inplace=False):
        super().__init__(alpha=alpha, inplace=inplace)


class GELU(Applied):
    """Gaussian error linear unit, x · Φ(x); 'tanh' approximates it."""

    _function = staticmethod(functional.gelu)

    def __init__(self, approximate="none"):
        super().__init__(approximate=approximate)


class GLU(Applied):
    """Gated linear unit: a · sigmoid(b), where a and b are the halves of the input along `dim`."""

    _function = staticmethod(functional.glu)

    def __init__(self, dim=-1):
        super().__init__(dim=dim)


class Softmax(Applied):
    """Softmax, exp(x) / Σ exp(x) along `dim`; by default 0 for 0, 1 or 3 dimensions, else 1."""

    _function = staticmethod(functional.softmax)

    def __init__(self, dim=None):
        super().__init__(dim=dim)


class LogSoftmax(Applied):
    """Log-softmax: the logarithm of Softmax."""

    _function = staticmethod(functional.log_softmax)

    def __init__(self, dim=None):
        super().__init__(dim=dim)


class Flatten(Applied):
    """Flattens the dimensions from `start_dim` to `end_dim`."""

    _function = staticmethod(functional.flatten)

    def __init__(self, start_dim=1, end_dim=-1):
        super().__init__(start_dim=start_dim, end_dim=end_dim)


class BCEWithLogitsLoss(nn.BCEWithLogitsLoss):
    """Binary cross entropy of sigmoid(input)."""

    def __init__(self, weight=None, reduction="mean", pos_weight=None):
        super().__init__(reduction, weight, pos_weight)


class SmoothL1Loss(nn.SmoothL1Loss):
    """Smooth L1 loss: with d = |input - target|, d² / (2 beta) for d < beta, d - beta / 2 elsewhere."""

    def __init__(self, reduction="mean", beta=1.0):
        super().__init__(beta, reduction)


class KLDivLoss(nn.LossBase):
    """Kullback-Leibler divergence, target · (log(target) - input); inputs (with `log_target` targets too) are
    logarithms.
    """

    def __init__(self, reduction="mean", log_target=False):
        # The mean over the batch is one of all elements' sum.
        super().__init__("sum" if reduction == "batchmean" else reduction)
        self.reduction = reduction
        self.log_target = log_target

    def construct(self, input, target):
        """Returns a scalar, or one loss per element with the reduction 'none'."""
        return functional.kl_div(input, target, self.reduction, self.log_target)
