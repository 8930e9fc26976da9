"""A layer with weights, its normalization and its activation in one Cell."""

from dyad._src.base.argument_checks import require_bool
from dyad.nn.activation import LeakyReLU, get_activation
from dyad.nn.cell import Cell
from dyad.nn.convolution import Conv2d
from dyad.nn.dense import Dense
from dyad.nn.normalization import BatchNorm1d, BatchNorm2d
from dyad.ops import Primitive

__all__ = ["Conv2dBnAct", "DenseBnAct"]


class _Combined(Cell):
    """Base class: normalization if `has_bn`, then an activation if there is one."""

    def _follow_with(self, has_bn, normalization, activation, alpha, after_fake):
        owner = type(self).__name__
        self.has_bn = require_bool(owner, "has_bn", has_bn)
        self.after_fake = require_bool(owner, "after_fake", after_fake)
        self.has_act = activation is not None
        if has_bn:
            self.batchnorm = normalization()
        if activation == "leakyrelu":
            activation = LeakyReLU(alpha)
        elif isinstance(activation, str):
            activation = get_activation(activation, owner)
        elif self.has_act and not isinstance(activation, (Cell, Primitive)):
            raise TypeError(
                f"{owner}: activation is of type {type(activation).__name__}; need a name, a Cell or a Primitive"
            )
        self.activation = activation

    def _followed(self, x):
        if self.has_bn:
            x = self.batchnorm(x)
        return self.activation(x) if self.has_act else x


class Conv2dBnAct(_Combined):
    """A Conv2d, a BatchNorm2d if `has_bn`, and an activation: a name, a Cell or a Primitive.

    `alpha` is the slope of 'leakyrelu'. `after_fake` belongs to quantized networks and has no effect.

    Example:
        >>> from dyad import nn, ops
        >>> net = nn.Conv2dBnAct(3, 8, 4, has_bn=True, activation="relu")
        >>> print(net(ops.ones((1, 3, 8, 8))).shape)
        (1, 8, 8, 8)
    """

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        pad_mode="same",
        padding=0,
        dilation=1,
        group=1,
        has_bias: bool = False,
        weight_init="normal",
        bias_init="zeros",
        has_bn: bool = False,
        momentum=0.997,
        eps=1e-5,
        activation=None,
        alpha=0.2,
        after_fake: bool = True,
    ) -> None:
        super().__init__()
        placed = {
            "stride": stride,
            "pad_mode": pad_mode,
            "padding": padding,
            "dilation": dilation,
            "group": group,
        }
        weights = {"has_bias": has_bias, "weight_init": weight_init, "bias_init": bias_init}
        self.conv = Conv2d(in_channels, out_channels, kernel_size, **placed, **weights)
        self._follow_with(
            has_bn, lambda: BatchNorm2d(out_channels, eps, momentum), activation, alpha, after_fake
        )

    def construct(self, x):
        """(N, in_channels, H, W) to (N, out_channels, H', W')."""
        return self._followed(self.conv(x))


class DenseBnAct(_Combined):
    """A Dense layer, a BatchNorm1d if `has_bn`, and an activation: a name, a Cell or a Primitive.

    `alpha` is the slope of 'leakyrelu'. `after_fake` belongs to quantized networks and has no effect.

    Example:
        >>> from dyad import nn, ops
        >>> print(nn.DenseBnAct(3, 4, activation="relu6")(ops.ones((2, 3))).shape)
        (2, 4)
    """

    def __init__(
        self,
        in_channels,
        out_channels,
        weight_init="normal",
        bias_init="zeros",
        has_bias: bool = True,
        has_bn: bool = False,
        momentum=0.9,
        eps=1e-5,
        activation=None,
        alpha=0.2,
        after_fake: bool = True,
    ) -> None:
        super().__init__()
        self.dense = Dense(in_channels, out_channels, weight_init, bias_init, has_bias)
        self._follow_with(
            has_bn, lambda: BatchNorm1d(out_channels, eps, momentum), activation, alpha, after_fake
        )

    def construct(self, x):
        """(N, in_channels) to (N, out_channels)."""
        return self._followed(self.dense(x))
