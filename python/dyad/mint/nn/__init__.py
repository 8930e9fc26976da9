"""Layers with the names and constructors of PyTorch, over those of `dyad.nn`."""

from collections.abc import Callable

from dyad import _core, nn
from dyad.mint.nn import functional as functional
from dyad.nn import (
    AdaptiveAvgPool1d,
    AdaptiveAvgPool2d,
    AdaptiveAvgPool3d,
    BCELoss,
    Cell,
    ConstantPad1d,
    ConstantPad2d,
    ConstantPad3d,
    CosineEmbeddingLoss,
    CrossEntropyLoss,
    Identity,
    L1Loss,
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
    "Conv2d",
    "CosineEmbeddingLoss",
    "CrossEntropyLoss",
    "Dropout",
    "Flatten",
    "GroupNorm",
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "Identity",
    "KLDivLoss",
    "L1Loss",
    "Linear",
    "LogSigmoid",
    "LogSoftmax",
    "MSELoss",
    "Mish",
    "NLLLoss",
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
    "Softshrink",
    "Tanh",
    "Upsample",
    "functional",
]


class Linear(nn.Dense):
    """x @ weight.T + bias."""

    def __init__(self, in_features, out_features, bias=True, weight_init=None, bias_init=None, dtype=None):
        super().__init__(
            in_features, out_features, weight_init, bias_init, bias, dtype=dtype or _core.float32
        )


class Conv2d(nn.Conv2d):
    """Convolution with a bias. `padding` is a size, one per dimension, 'same' or 'valid'."""

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        dilation=1,
        groups=1,
        bias=True,
        padding_mode="zeros",
        dtype=None,
    ):
        if padding_mode != "zeros":
            raise ValueError(f"Conv2d: padding_mode is {padding_mode!r}; need 'zeros'")
        named = isinstance(padding, str)
        margins = 0 if named else padding
        if isinstance(margins, (tuple, list)) and len(margins) == 2:
            rows, columns = margins
            margins = (rows, rows, columns, columns)
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding if named else "pad",
            margins,
            dilation,
            groups,
            bias,
            dtype=dtype or _core.float32,
        )


class GroupNorm(nn.GroupNorm):
    """Normalisation over groups of channels, scaled by `weight` and shifted by `bias` if `affine`."""

    def __init__(self, num_groups, num_channels, eps=1e-5, affine=True, dtype=None):
        super().__init__(num_groups, num_channels, eps, affine, dtype=dtype or _core.float32)
        weight, bias = self.gamma, self.beta
        del self.gamma, self.beta
        weight.name, bias.name = "weight", "bias"
        self.affine = affine
        self.weight, self.bias = (weight, bias) if affine else (None, None)

    def construct(self, input):
        return functional.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)


class Dropout(nn.Dropout):
    """While training: elements become 0 with probability `p`."""

    def __init__(self, p=0.5):
        super().__init__(p=p)


class _Applied(Cell):
    """A function of the input; constructor arguments are passed on to it."""

    _function: Callable

    def __init__(self, *settings):
        super().__init__()
        self._settings = settings

    def construct(self, input):
        return type(self)._function(input, *self._settings)


class ReLU(_Applied):
    """max(x, 0)."""

    _function = staticmethod(functional.relu)

    def __init__(self, inplace=False):
        super().__init__(inplace)


class ReLU6(_Applied):
    """min(max(x, 0), 6)."""

    _function = staticmethod(functional.relu6)

    def __init__(self, inplace=False):
        super().__init__(inplace)


class SiLU(_Applied):
    """x * sigmoid(x)."""

    _function = staticmethod(functional.silu)

    def __init__(self, inplace=False):
        super().__init__(inplace)


class ELU(_Applied):
    """x, or alpha * (exp(x) - 1) where it is negative."""

    _function = staticmethod(functional.elu)

    def __init__(self, alpha=1.0, inplace=False):
        super().__init__(alpha, inplace)


class GELU(_Applied):
    """x times the probability that a normal variable is less; 'tanh' approximates it."""

    _function = staticmethod(functional.gelu)

    def __init__(self, approximate="none"):
        super().__init__(approximate)


class GLU(_Applied):
    """One half of the input times the sigmoid of the other."""

    _function = staticmethod(functional.glu)

    def __init__(self, dim=-1):
        super().__init__(dim)


class Softmax(_Applied):
    """exp(x) over its sum along a dimension, by default the last."""

    _function = staticmethod(functional.softmax)

    def __init__(self, dim=None):
        super().__init__(dim)


class LogSoftmax(_Applied):
    """Logarithm of Softmax."""

    _function = staticmethod(functional.log_softmax)

    def __init__(self, dim=None):
        super().__init__(-1 if dim is None else dim)


class Flatten(_Applied):
    """One dimension in place of those from `start_dim` to `end_dim`."""

    _function = staticmethod(functional.flatten)

    def __init__(self, start_dim=1, end_dim=-1):
        super().__init__(start_dim, end_dim)


class BCEWithLogitsLoss(nn.BCEWithLogitsLoss):
    """binary_cross_entropy of sigmoid(input)."""

    def __init__(self, weight=None, reduction="mean", pos_weight=None):
        super().__init__(reduction, weight, pos_weight)


class SmoothL1Loss(nn.SmoothL1Loss):
    """Half the square of differences below `beta`, over beta; the difference itself, less half of beta, above."""

    def __init__(self, reduction="mean", beta=1.0):
        super().__init__(beta, reduction)


class KLDivLoss(nn.LossBase):
    """target * (log(target) - input), for inputs, and with `log_target` targets too, that are logarithms."""

    def __init__(self, reduction="mean", log_target=False):
        # The mean over the batch is one of all elements' sum.
        super().__init__("sum" if reduction == "batchmean" else reduction)
        self.reduction = reduction
        self.log_target = log_target

    def construct(self, input, target):
        """Gives one number, or with the reduction 'none' one loss per element."""
        return functional.kl_div(input, target, self.reduction, self.log_target)
