"""thor: a second-order optimizer, with the layers that collect its statistics."""

from typing import Any

from dyad import ops
from dyad._core import Tensor, float32
from dyad._src.base.argument_checks import require_above, require_bool, require_int
from dyad._src.tensor.parameter import Parameter, ParameterTuple
from dyad.nn.cell import Cell
from dyad.nn.convolution import Conv2d
from dyad.nn.dense import Dense
from dyad.nn.optim.momentum import Momentum

__all__ = ["Conv2dThor", "DenseThor", "thor"]

# A factor larger than this is treated as independent blocks of this size, which are inverted one by one.
_BLOCK = 128


def _block_of(size):
    """(number of blocks, size of each) that hold `size` rows."""
    block = min(size, _BLOCK)
    return -(-size // block), block


def _in_blocks(rows):
    """(n, size) as (blocks, n, block), filled up with zeros."""
    count, size = rows.shape
    blocks, block = _block_of(size)
    if blocks * block != size:
        rows = ops.pad(rows, (0, blocks * block - size))
    return rows.reshape(count, blocks, block).swapaxes(0, 1)


def _second_moments(rows, scale):
    """`scale` times rows.T @ rows, block by block along its diagonal."""
    parts = _in_blocks(rows.astype(float32))
    return scale * ops.matmul(parts.swapaxes(1, 2), parts)


def _factor(name, size):
    blocks, block = _block_of(size)
    return Parameter(ops.zeros((blocks, block, block), float32), name, requires_grad=False)


class _OutputGradients(Cell):
    """Hands its input on, and keeps the second moments of the gradient that comes back."""

    def __init__(self, prefix, channels, loss_scale):
        super().__init__(auto_prefix=False)
        self.matrix_g = _factor(f"{prefix}matrix_g", channels)
        self._channels = channels
        self._loss_scale = loss_scale

    def construct(self, x):
        """`x` as it is."""
        return x

    def bprop(self, x, out, dout) -> tuple:
        """Returns the gradient unchanged; the loss is assumed to be a mean over the first dimension."""
        rows = dout.reshape(dout.shape[0], self._channels, -1).swapaxes(1, 2)
        scale = dout.shape[0] / rows.shape[1] / self._loss_scale**2
        ops.assign(self.matrix_g, _second_moments(rows.reshape(-1, self._channels), scale))
        return (dout,)


class DenseThor(Dense):
    """`Dense` that keeps the second moments of its input and of the gradient of its output while it trains."""

    def __init__(
        self,
        in_channels,
        out_channels,
        weight_init="normal",
        bias_init="zeros",
        has_bias: bool = True,
        activation=None,
    ) -> None:
        super().__init__(in_channels, out_channels, weight_init, bias_init, has_bias, activation)
        self.add_factors(1.0)

    def add_factors(self, loss_scale) -> None:
        """Starts keeping the factors."""
        prefix = self.weight.name.removesuffix("weight")
        self.matrix_a = _factor(f"{prefix}matrix_a", self.in_channels)
        self.output_gradients = _OutputGradients(prefix, self.out_channels, loss_scale)

    def construct(self, x):
        """(..., in_channels) to (..., out_channels)."""
        rows = x.reshape(-1, self.in_channels)
        y = ops.dense(rows, self.weight, self.bias)
        if self.training:
            ops.assign(self.matrix_a, _second_moments(ops.stop_gradient(rows), 1 / rows.shape[0]))
            y = self.output_gradients(y)
        y = y.reshape(*x.shape[:-1], self.out_channels)
        return y if self.activation is None else self.activation(y)


class Conv2dThor(Conv2d):
    """`Conv2d` that keeps the second moments of its windows and of the gradient of its output while it trains."""

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
    ) -> None:
        if group != 1:
            raise ValueError(
                f"Conv2dThor: group is {group}; need 1, the layer has one matrix for all channels"
            )
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            pad_mode,
            padding,
            dilation,
            group,
            has_bias,
            weight_init,
            bias_init,
        )
        self.add_factors(1.0)

    def add_factors(self, loss_scale) -> None:
        """Starts keeping the factors."""
        prefix = self.weight.name.removesuffix("weight")
        size = self.weight.size // self.out_channels
        self.matrix_a = _factor(f"{prefix}matrix_a", size)
        self.output_gradients = _OutputGradients(prefix, self.out_channels, loss_scale)

    def _windows(self, x):
        """(positions, in_channels * kernel): what each element of the output is computed from."""
        if self.pad_mode == "pad":
            sides = self.padding if isinstance(self.padding, tuple) else (self.padding,) * 4
        else:
            sides = ()
            for i in range(2):
                size, stride = x.shape[2 + i], self.stride[i]
                reach = (self.kernel_size[i] - 1) * self.dilation[i] + 1
                total = max((-(-size // stride) - 1) * stride + reach - size, 0)
                sides += (total // 2, total - total // 2) if self.pad_mode == "same" else (0, 0)
        x = ops.pad(x, (sides[2], sides[3], sides[0], sides[1]))
        windows = ops.unfold(x, self.kernel_size, self.dilation, 0, self.stride)
        return windows.swapaxes(1, 2).reshape(-1, windows.shape[1])

    def construct(self, x):
        """(N, in_channels, H, W) to (N, out_channels, height, width)."""
        y = self._convolve(x, self.weight)
        if self.training:
            windows = self._windows(ops.stop_gradient(x))
            ops.assign(self.matrix_a, _second_moments(windows, 1 / x.shape[0]))
            y = self.output_gradients(y)
        return y


def collect_factors(net, loss_scale=1.0) -> list:
    """Makes the layers of a network whose weights have factors keep them; returns those layers, in order.

    These are Dense, and Conv2d with one group in the format NCHW. The object stays the same and its class changes, so
    that all references to the layer see the one that collects.
    """
    layers = []
    for _, cell in net.cells_and_names():
        if type(cell) is Dense:
            cell.__class__ = DenseThor
        elif type(cell) is Conv2d and cell.group == 1 and cell.data_format == "NCHW":
            cell.__class__ = Conv2dThor
        elif not isinstance(cell, (DenseThor, Conv2dThor)):
            continue
        layers.append(cell)
    for layer in layers:
        if not hasattr(layer, "output_gradients"):
            layer.add_factors(loss_scale)
        layer.output_gradients._loss_scale = loss_scale
    return layers


class Thor(Momentum):
    """Momentum along the natural gradient: that of a weight times the inverse of its Fisher matrix.

    The matrix of a layer is approximated as the Kronecker product of the second moments of its input and of the
    gradient of its output, each with the square root of the damping on its diagonal. The inverses are renewed every
    `frequency` steps. `thor` constructs one.
    """

    def __init__(
        self,
        net,
        learning_rate,
        damping,
        momentum,
        weight_decay,
        loss_scale,
        use_nesterov,
        decay_filter,
        enable_clip_grad: bool,
        frequency: int,
    ) -> None:
        layers = [layer for layer in collect_factors(net, loss_scale) if layer.weight.requires_grad]
        params = net.trainable_params()
        decayed = [parameter for parameter in params if decay_filter is None or decay_filter(parameter)]
        kept = [parameter for parameter in params if all(parameter is not other for other in decayed)]
        groups = [
            {"params": members, "weight_decay": decay}
            for members, decay in ((decayed, weight_decay), (kept, 0.0))
            if members
        ]
        super().__init__(
            [*groups, {"order_params": params}], learning_rate, momentum, 0.0, loss_scale, use_nesterov
        )
        self.damping = damping
        self.enable_clip_grad = require_bool("thor", "enable_clip_grad", enable_clip_grad)
        self.frequency = require_int("thor", "frequency", frequency, low=1)
        places = {id(parameter): i for i, parameter in enumerate(self.parameters)}
        self._layers = tuple((places[id(layer.weight)], layer) for layer in layers)
        self.matrix_a = ParameterTuple(layer.matrix_a for layer in layers)
        self.matrix_g = ParameterTuple(layer.output_gradients.matrix_g for layer in layers)
        self.matrix_a_inv = self._inverses("a", self.matrix_a)
        self.matrix_g_inv = self._inverses("g", self.matrix_g)

    def _inverses(self, which, factors):
        return ParameterTuple(
            Parameter(ops.zeros(factor.shape, float32), f"matrix_{which}_inv_{i}", requires_grad=False)
            for i, factor in enumerate(factors)
        )

    def _damping_now(self):
        last = self.damping.shape[0] - 1
        return self.damping[ops.minimum(self.global_step, last)]

    def _renew_inverses(self):
        added = ops.sqrt(self._damping_now())
        for factors, inverses in ((self.matrix_a, self.matrix_a_inv), (self.matrix_g, self.matrix_g_inv)):
            for factor, inverse in zip(factors, inverses, strict=True):
                diagonal = added * ops.eye(factor.shape[-1], factor.shape[-1], float32)
                ops.assign(inverse, ops.inverse(factor + diagonal))

    def construct(self, gradients):
        """One step with one gradient per Parameter, in their order."""
        if self.global_step % self.frequency == 0:
            self._renew_inverses()
        natural: Any = list(gradients)
        for i in range(len(self._layers)):
            place = self._layers[i][0]
            gradient = natural[place]
            rows = gradient.reshape(gradient.shape[0], -1)
            rows = _solved(rows, self.matrix_a_inv[i])
            rows = _solved(rows.swapaxes(0, 1), self.matrix_g_inv[i]).swapaxes(0, 1)
            natural[place] = rows.reshape(gradient.shape).astype(gradient.dtype)
        natural = tuple(natural)
        if self.enable_clip_grad:
            natural = ops.clip_by_global_norm(natural)
        return super().construct(natural)


def _solved(rows, inverse):
    """rows @ inverse, for an inverse in blocks."""
    count, size = rows.shape
    return ops.matmul(_in_blocks(rows), inverse).swapaxes(0, 1).reshape(count, -1)[:, :size]


def thor(
    net: Cell,
    learning_rate,
    damping: Tensor | list | tuple | float,
    momentum,
    weight_decay=0.0,
    loss_scale: float = 1.0,
    batch_size: int = 32,
    use_nesterov: bool = False,
    decay_filter=None,
    split_indices: list | tuple | None = None,
    enable_clip_grad: bool = False,
    frequency=100,
):
    """A second-order optimizer for the weights of Dense and Conv2d layers of `net`, and Momentum for the others.

    `damping` has one number per step, of which the last one stays in effect; the larger, the closer a step is to
    Momentum. The inverse Fisher matrices are renewed every `frequency` steps. Layers of `net` start collecting the
    statistics for them. `decay_filter(parameter)` returns whether a Parameter decays; by default all do.
    `enable_clip_grad` limits the norm of all gradients together to 1. The loss is assumed to be a mean over the batch
    and there is one process, so `batch_size` and `split_indices` have no effect.
    """
    if not isinstance(net, Cell):
        raise TypeError(f"thor: net is of type {type(net).__name__}; need a Cell")
    if not isinstance(damping, (Tensor, list, tuple, float)):
        raise TypeError(
            f"thor: damping is of type {type(damping).__name__}; need a Tensor of one number per step"
        )
    require_int("thor", "batch_size", batch_size, low=1)
    require_above("thor", "loss_scale", loss_scale, 0)
    if split_indices is not None and not isinstance(split_indices, (list, tuple)):
        raise TypeError(f"thor: split_indices is of type {type(split_indices).__name__}; need a list of ints")
    damping = Tensor(damping, float32) if not isinstance(damping, Tensor) else damping.astype(float32)
    return Thor(
        net,
        learning_rate,
        damping.reshape(-1),
        momentum,
        weight_decay,
        loss_scale,
        use_nesterov,
        decay_filter,
        enable_clip_grad,
        frequency,
    )
