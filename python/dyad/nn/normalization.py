"""Normalization layers."""

from dyad import _core, ops
from dyad._core import Tensor
from dyad._src.autodiff.recompute import is_replaying
from dyad._src.base.argument_checks import (
    require_above,
    require_choice,
    require_fraction,
    require_int,
    require_number,
)
from dyad._src.cell.weights import make_parameter
from dyad.nn.cell import Cell

__all__ = [
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "GroupNorm",
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
    "LayerNorm",
]


class _ChannelStatistics(Cell):
    """Running mean and variance of each channel, with scale `gamma` and shift `beta`."""

    _dimensions: tuple[int, ...] = ()

    def _make_statistics(self, num_features, eps, momentum, affine, inits, dtype):
        owner = type(self).__name__
        self.num_features = require_int(owner, "num_features", num_features, low=1)
        self.eps = eps
        require_above(owner, "eps", eps, 0)
        self.momentum = require_fraction(owner, "momentum", momentum)
        mean_init, variance_init, gamma_init, beta_init = inits
        shape = (num_features,)
        self.moving_mean = make_parameter(owner, mean_init, shape, dtype, "mean", requires_grad=False)
        self.moving_variance = make_parameter(
            owner, variance_init, shape, dtype, "variance", requires_grad=False
        )
        self.gamma = make_parameter(owner, gamma_init, shape, dtype, "gamma", requires_grad=affine)
        self.beta = make_parameter(owner, beta_init, shape, dtype, "beta", requires_grad=affine)

    def _require_dimensions(self, x):
        if x.ndim not in self._dimensions:
            accepted = " or ".join(str(count) for count in self._dimensions)
            raise ValueError(f"{type(self).__name__}: x has shape {x.shape}; need {accepted} dimensions")

    def extend_repr(self) -> str:
        return (
            f"num_features={self.num_features}, eps={self.eps}, momentum={self.momentum}, gamma={self.gamma}, "
            f"beta={self.beta}, moving_mean={self.moving_mean}, moving_variance={self.moving_variance}"
        )


class _BatchNorm(_ChannelStatistics):
    """Base class of the batch normalizations, which differ in the number of dimensions of their input."""

    def __init__(
        self,
        num_features,
        eps=1e-5,
        momentum=0.9,
        affine: bool = True,
        gamma_init="ones",
        beta_init="zeros",
        moving_mean_init="zeros",
        moving_var_init="ones",
        use_batch_statistics=None,
        data_format: str = "NCHW",
        dtype=_core.float32,
    ) -> None:
        super().__init__()
        owner = type(self).__name__
        if use_batch_statistics not in (None, True, False):
            raise ValueError(
                f"{owner}: use_batch_statistics is {use_batch_statistics!r}; need a bool or None"
            )
        self.use_batch_statistics = use_batch_statistics
        self.format = require_choice(owner, "data_format", data_format, ("NCHW", "NHWC"))
        inits = (moving_mean_init, moving_var_init, gamma_init, beta_init)
        self._make_statistics(num_features, eps, momentum, affine, inits, dtype)
        # Operators that `construct` of a user's subclass finds on `self`.
        self.bn_train = ops.BatchNorm(True, eps, 1 - momentum, data_format)
        self.bn_infer = ops.BatchNorm(False, eps, data_format=data_format)

    def construct(self, x: Tensor) -> Tensor:
        self._require_dimensions(x)
        over_batch = self.training if self.use_batch_statistics is None else self.use_batch_statistics
        channels_last = self.format == "NHWC" and x.ndim == 4
        if channels_last:
            x = x.transpose(0, 3, 1, 2)
        y = ops.batch_norm(
            x,
            self.moving_mean,
            self.moving_variance,
            self.gamma,
            self.beta,
            over_batch,
            # A second run for a gradient finds the statistics updated.
            0.0 if is_replaying() else 1 - self.momentum,
            self.eps,
        )
        return y.transpose(0, 2, 3, 1) if channels_last else y


class BatchNorm1d(_BatchNorm):
    """Batch normalization of (N, C) or (N, C, L) per channel; uses running statistics when not training.

    The arguments are those of `BatchNorm2d`.
    """

    _dimensions = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Batch normalization of (N, C, H, W) per channel; uses running statistics when not training.

        y = (x - mean) / sqrt(variance + eps) * gamma + beta
        running = momentum * running + (1 - momentum) * batch

    Args:
        num_features (int): number of channels.
        eps (float): added to the variance. Default: 1e-5.
        momentum (float): weight of the old running statistics. Default: 0.9.
        affine (bool): whether `gamma` and `beta` are trained. Default: True.
        gamma_init, beta_init, moving_mean_init, moving_var_init: initial values of the Parameters, `num_features`
            numbers each.
        use_batch_statistics (bool): uses batch statistics if True and running statistics if False, whether or not the
            layer trains. Default: None, which depends on training.
    Raises:
        ValueError: if the input has another number of dimensions.
    """

    _dimensions = (4,)


class BatchNorm3d(Cell):
    """Batch normalization of (N, C, D, H, W) per channel; uses running statistics when not training.

    The arguments are those of `BatchNorm2d`.
    """

    def __init__(
        self,
        num_features,
        eps=1e-5,
        momentum=0.9,
        affine: bool = True,
        gamma_init="ones",
        beta_init="zeros",
        moving_mean_init="zeros",
        moving_var_init="ones",
        use_batch_statistics=None,
        dtype=_core.float32,
    ) -> None:
        super().__init__()
        # The Parameters belong to this Cell, so that their names in checkpoints start with its name.
        self.bn2d = BatchNorm2d(
            num_features,
            eps,
            momentum,
            affine,
            gamma_init,
            beta_init,
            moving_mean_init,
            moving_var_init,
            use_batch_statistics,
            dtype=dtype,
        )
        self.bn2d._dimensions = (5,)

    def construct(self, x: Tensor):
        """Returns a tensor of the shape and dtype of `x`."""
        if x.ndim != 5:
            raise ValueError(f"BatchNorm3d: x has shape {x.shape}; need 5 dimensions")
        return self.bn2d(x)


class _InstanceNorm(_ChannelStatistics):
    """Instance normalization; running statistics are updated while training.

    running = (1 - momentum) * running + momentum * batch.
    """

    def __init__(
        self,
        num_features,
        eps=1e-5,
        momentum=0.1,
        affine: bool = True,
        gamma_init="ones",
        beta_init="zeros",
        dtype=_core.float32,
    ) -> None:
        super().__init__()
        self._make_statistics(
            num_features, eps, momentum, affine, ("zeros", "ones", gamma_init, beta_init), dtype
        )

    def construct(self, x: Tensor) -> Tensor:
        self._require_dimensions(x)
        if self.training and not is_replaying():
            self._update_statistics(x)
        return ops.group_norm(x, self.num_features, self.gamma, self.beta, self.eps)

    def _update_statistics(self, x):
        """Move towards the mean over the samples of each channel's own mean and unbiased variance."""
        spatial = x.reshape(x.shape[0], x.shape[1], -1)
        mean = spatial.mean(-1).mean(0)
        variance = spatial.var(-1, 1).mean(0)
        for running, batch in ((self.moving_mean, mean), (self.moving_variance, variance)):
            ops.assign(running, running * (1 - self.momentum) + batch.astype(running.dtype) * self.momentum)


class InstanceNorm1d(_InstanceNorm):
    """Instance normalization of (N, C, L) per channel and sample; the arguments are those of `InstanceNorm2d`."""

    _dimensions = (3,)


class InstanceNorm2d(_InstanceNorm):
    """Instance normalization of (N, C, H, W) per channel and sample; running statistics are updated while training.

    y = (x - mean) / sqrt(variance + eps) * gamma + beta; running = (1 - momentum) * running + momentum * batch.
    `affine` sets whether `gamma` and `beta`, initialized by `gamma_init` and `beta_init`, are trained.
    """

    _dimensions = (4,)


class InstanceNorm3d(_InstanceNorm):
    """Instance normalization of (N, C, D, H, W) per channel and sample; the arguments are those of `InstanceNorm2d`."""

    _dimensions = (5,)


class LayerNorm(Cell):
    """Layer normalization over the dimensions from `begin_norm_axis`; `gamma` and `beta` start at
    `begin_params_axis`.

    y = (x - mean) / sqrt(variance + epsilon) * gamma + beta, with mean and variance per sample. `normalized_shape` is
    the shape of `gamma` and `beta`, a tuple or list; an empty one raises ValueError.
    """

    def __init__(
        self,
        normalized_shape: tuple | list,
        begin_norm_axis: int = -1,
        begin_params_axis: int = -1,
        gamma_init="ones",
        beta_init="zeros",
        epsilon: float = 1e-7,
        dtype=_core.float32,
    ) -> None:
        super().__init__()
        if not isinstance(normalized_shape, (tuple, list)):
            raise TypeError(
                f"LayerNorm: normalized_shape is {normalized_shape!r}; need a tuple or list of ints"
            )
        if not normalized_shape:
            raise ValueError("LayerNorm: normalized_shape is empty; need at least one size")
        self.normalized_shape = tuple(
            require_int("LayerNorm", "normalized_shape", size, low=1) for size in normalized_shape
        )
        self.begin_norm_axis = require_int("LayerNorm", "begin_norm_axis", begin_norm_axis)
        self.begin_params_axis = require_int("LayerNorm", "begin_params_axis", begin_params_axis)
        self.epsilon = require_number("LayerNorm", "epsilon", epsilon)
        self.gamma = make_parameter("LayerNorm", gamma_init, self.normalized_shape, dtype, "gamma")
        self.beta = make_parameter("LayerNorm", beta_init, self.normalized_shape, dtype, "beta")
        self.layer_norm = ops.LayerNorm(begin_norm_axis, begin_params_axis, epsilon)
        # A suffix counted from the end is the same for every input, so the usual case does not read the shape.
        self._plain = begin_norm_axis == begin_params_axis == -len(self.normalized_shape)

    def construct(self, input_x: Tensor):
        """Returns a tensor of the shape and dtype of `input_x`."""
        if self._plain:
            return ops.layer_norm(input_x, self.normalized_shape, self.gamma, self.beta, self.epsilon)
        shape = input_x.shape
        if tuple(shape[self.begin_params_axis :]) != self.normalized_shape:
            raise ValueError(
                f"LayerNorm: input_x has shape {shape}; need {self.normalized_shape} from dimension "
                f"{self.begin_params_axis} on"
            )
        normal_shape = shape[self.begin_norm_axis :]
        if tuple(normal_shape) == self.normalized_shape:
            return ops.layer_norm(input_x, normal_shape, self.gamma, self.beta, self.epsilon)
        return ops.layer_norm(input_x, normal_shape, None, None, self.epsilon) * self.gamma + self.beta

    def extend_repr(self) -> str:
        """The settings, as `repr` shows them."""
        return (
            f"normalized_shape={self.normalized_shape}, begin_norm_axis={self.begin_norm_axis}, "
            f"begin_params_axis={self.begin_params_axis}, gamma={self.gamma}, beta={self.beta}"
        )


class GroupNorm(Cell):
    """Group normalization: normalizes the channels of each sample in `num_groups` groups.

    y = (x - mean) / sqrt(variance + eps) * gamma + beta, with one element of `gamma` and `beta` per channel, trained
    if `affine`. `num_groups` divides `num_channels`, or ValueError is raised.
    """

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        gamma_init="ones",
        beta_init="zeros",
        dtype=_core.float32,
    ) -> None:
        super().__init__()
        self.num_groups = require_int("GroupNorm", "num_groups", num_groups, low=1)
        self.num_channels = require_int("GroupNorm", "num_channels", num_channels, low=1)
        if num_channels % num_groups:
            raise ValueError(
                f"GroupNorm: num_channels is {num_channels} and num_groups is {num_groups}; need a multiple"
            )
        self.eps = require_number("GroupNorm", "eps", eps)
        shape = (num_channels,)
        self.gamma = make_parameter("GroupNorm", gamma_init, shape, dtype, "gamma", requires_grad=affine)
        self.beta = make_parameter("GroupNorm", beta_init, shape, dtype, "beta", requires_grad=affine)

    def construct(self, x: Tensor) -> Tensor:
        """Returns a tensor of the shape and dtype of `x`."""
        return ops.group_norm(x, self.num_groups, self.gamma, self.beta, self.eps)

    def extend_repr(self) -> str:
        """The settings, as `repr` shows them."""
        return f"num_groups={self.num_groups}, num_channels={self.num_channels}"
