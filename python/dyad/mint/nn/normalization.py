"""Normalizations with the constructors and Parameters of PyTorch: `weight`, `bias`, `running_mean`, `running_var`."""

from typing import Any

from dyad import _core, nn, ops
from dyad._core import Tensor
from dyad._src.base.argument_checks import (
    require_bool,
    require_fraction,
    require_int,
    require_number,
    require_sequence,
)
from dyad._src.cell.weights import make_parameter
from dyad._src.context.process_groups import ranks_of
from dyad._src.tensor.parameter import Parameter
from dyad.mint.nn import functional
from dyad.nn import Cell

__all__ = ["BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "GroupNorm", "LayerNorm", "SyncBatchNorm"]


class GroupNorm(nn.GroupNorm):
    """Group normalization, scaled by `weight` and shifted by `bias` if `affine`."""

    weight: Any
    bias: Any

    def __init__(self, num_groups, num_channels, eps=1e-5, affine: bool = True, dtype=None) -> None:
        super().__init__(num_groups, num_channels, eps, affine, dtype=dtype or _core.float32)
        weight, bias = self.gamma, self.beta
        del self.gamma, self.beta
        weight.name, bias.name = "weight", "bias"
        self.affine = affine
        self.weight, self.bias = (weight, bias) if affine else (None, None)

    def construct(self, input: Tensor) -> Tensor:
        return functional.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extend_repr(self) -> str:
        """The settings, as `repr` shows them."""
        return f"{super().extend_repr()}, eps={self.eps}, affine={self.affine}"


class LayerNorm(Cell):
    """Layer normalization over the last dimensions, those of `normalized_shape`, an int or a sequence of ints.

    With `elementwise_affine` the result is scaled by `weight` and, with `bias`, shifted by `bias`.
    """

    def __init__(
        self,
        normalized_shape,
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        dtype=None,
    ) -> None:
        super().__init__()
        shape = require_sequence("LayerNorm", "normalized_shape", normalized_shape)
        self.normalized_shape = tuple(
            require_int("LayerNorm", "normalized_shape", size, low=1) for size in shape
        )
        self.eps = require_number("LayerNorm", "eps", eps)
        self.elementwise_affine = require_bool("LayerNorm", "elementwise_affine", elementwise_affine)
        dtype = dtype or _core.float32
        self.weight = (
            make_parameter("LayerNorm", "ones", shape, dtype, "weight") if elementwise_affine else None
        )
        shifted = elementwise_affine and require_bool("LayerNorm", "bias", bias)
        self.bias = make_parameter("LayerNorm", "zeros", shape, dtype, "bias") if shifted else None

    def construct(self, input: Tensor) -> Tensor:
        """A Tensor of the shape and dtype of the input."""
        return functional.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extend_repr(self) -> str:
        """The settings, as `repr` shows them."""
        return f"normalized_shape={self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class _BatchNorm(Cell):
    """Base class of the batch normalizations, which differ in the number of dimensions of their input."""

    weight: Any
    bias: Any
    running_mean: Any
    running_var: Any
    num_batches_tracked: Any

    _dimensions: tuple[int, ...] = ()

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        dtype=None,
    ) -> None:
        super().__init__()
        owner = type(self).__name__
        self.num_features = require_int(owner, "num_features", num_features, low=1)
        self.eps = require_number(owner, "eps", eps)
        self.momentum = momentum if momentum is None else require_fraction(owner, "momentum", momentum)
        self.affine = require_bool(owner, "affine", affine)
        self.track_running_stats = require_bool(owner, "track_running_stats", track_running_stats)
        dtype, shape = dtype or _core.float32, (num_features,)
        self.weight = make_parameter(owner, "ones", shape, dtype, "weight") if affine else None
        self.bias = make_parameter(owner, "zeros", shape, dtype, "bias") if affine else None
        self._keep_statistics(owner, shape, dtype)

    def _keep_statistics(self, owner, shape, dtype):
        self.running_mean = self.running_var = self.num_batches_tracked = None
        if self.track_running_stats:
            self.running_mean = make_parameter(
                owner, "zeros", shape, dtype, "running_mean", requires_grad=False
            )
            self.running_var = make_parameter(owner, "ones", shape, dtype, "running_var", requires_grad=False)
            count = Tensor(0, _core.int64)
            self.num_batches_tracked = Parameter(count, name="num_batches_tracked", requires_grad=False)

    def reset_running_stats(self) -> None:
        """Resets the running statistics."""
        if self.track_running_stats:
            self.running_mean.set_data(ops.zeros_like(self.running_mean))
            self.running_var.set_data(ops.ones_like(self.running_var))
            self.num_batches_tracked.set_data(ops.zeros_like(self.num_batches_tracked))

    def reset_parameters(self) -> None:
        """Resets statistics and parameters: a weight of ones and a bias of zeros."""
        self.reset_running_stats()
        if self.affine:
            self.weight.set_data(ops.ones_like(self.weight))
            self.bias.set_data(ops.zeros_like(self.bias))

    def construct(self, input: Tensor):
        """A Tensor of the shape and dtype of the input."""
        if input.ndim not in self._dimensions:
            accepted = " or ".join(map(str, self._dimensions))
            raise ValueError(
                f"{type(self).__name__}: input has shape {input.shape}; need {accepted} dimensions"
            )
        tracks = self.training and self.track_running_stats
        if tracks:
            ops.assign_add(self.num_batches_tracked, 1)
        if tracks and self.momentum is None:
            self._average(input)
        over_batch = self.training or not self.track_running_stats
        mean, variance = (
            (None, None) if self.training and not tracks else (self.running_mean, self.running_var)
        )
        # With momentum 0 the statistics stay, since an average was just computed.
        momentum = 0.0 if self.momentum is None else self.momentum
        return functional.batch_norm(
            input, mean, variance, self.weight, self.bias, over_batch, momentum, self.eps
        )

    def _average(self, input):
        """Adds the batch to the cumulative average of the statistics."""
        axes = (0, *range(2, input.ndim))
        part = 1.0 / self.num_batches_tracked.astype(self.running_mean.dtype)
        for running, batch in (
            (self.running_mean, input.mean(axes)),
            (self.running_var, ops.var(input, axes, 1)),
        ):
            ops.assign(running, running + (batch.astype(running.dtype) - running) * part)

    def extend_repr(self) -> str:
        """The settings, as `repr` shows them."""
        return (
            f"num_features={self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"track_running_stats={self.track_running_stats}"
        )


class BatchNorm1d(_BatchNorm):
    """Batch normalization of (N, C) or (N, C, L) per channel; settings as of `BatchNorm2d`."""

    _dimensions = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Batch normalization of (N, C, H, W) per channel; uses running statistics when not training.

    running = (1 - momentum) * running + momentum * batch; with `momentum` None it is the average of all batches.
    Without `track_running_stats` the batch's own statistics are always used.
    """

    _dimensions = (4,)


class BatchNorm3d(_BatchNorm):
    """Batch normalization of (N, C, D, H, W) per channel; settings as of `BatchNorm2d`."""

    _dimensions = (5,)


class SyncBatchNorm(_BatchNorm):
    """Batch normalization over all processes of a group, of which there is one. Settings as of BatchNorm2d."""

    _dimensions = (2, 3, 4, 5)

    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine: bool = True, track_running_stats: bool = True,
                 process_group=None, dtype=None) -> None:  # fmt: skip
        super().__init__(num_features, eps, momentum, affine, track_running_stats, dtype)
        ranks_of("SyncBatchNorm", process_group)
        self.process_group = process_group
