"""Pooling over windows."""

from typing import Any

from dyad import ops
from dyad._core import Tensor
from dyad._src.base.argument_checks import require_bool, require_choice, require_number, require_sizes
from dyad.nn.cell import Cell

__all__ = [
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "LPPool1d",
    "LPPool2d",
    "MaxPool1d",
    "MaxPool2d",
    "MaxPool3d",
]

_PAD_MODES = ("same", "valid", "pad")


class _Pooling(Cell):
    """A window that moves over the last `_spatial` dimensions; a missing batch dimension is added."""

    _spatial = 2

    def _set_window(self, kernel_size, stride, pad_mode, padding):
        owner, spatial = type(self).__name__, self._spatial
        # The printed form shows sizes as they were given.
        self.kernel_size, self.stride = kernel_size, stride
        self._kernel = require_sizes(owner, "kernel_size", kernel_size, spatial)
        self._stride = require_sizes(owner, "stride", stride, spatial)
        self._padding = require_sizes(owner, "padding", padding, spatial, low=0)
        if isinstance(pad_mode, str):
            pad_mode = pad_mode.lower()
        self.pad_mode = require_choice(owner, "pad_mode", pad_mode, _PAD_MODES)

    def _become_image_pool(self):
        """Pools a sequence as an image of height 1."""
        self._kernel, self._stride, self._padding = (
            (1, *self._kernel),
            (1, *self._stride),
            (0, *self._padding),
        )
        if self.pad_mode != "pad":
            self.kernel_size, self.stride = self._kernel, self._stride

    def _require_pad_mode(self, **settings):
        """Settings, as (value, default), that apply only to explicit padding."""
        if self.pad_mode == "pad":
            return
        for name, (value, default) in settings.items():
            if value != default:
                raise ValueError(
                    f"{type(self).__name__}: {name} is {value} with pad_mode {self.pad_mode!r}; need pad_mode 'pad'"
                )

    def construct(self, x: Tensor):
        if x.ndim == self._spatial + 1:
            return _each(lambda y: y.squeeze(0), self._pool(x.expand_dims(0)))
        if x.ndim != self._spatial + 2:
            accepted = f"{self._spatial + 1} or {self._spatial + 2}"
            raise ValueError(f"{type(self).__name__}: x has shape {x.shape}; need {accepted} dimensions")
        return self._pool(x)

    def extend_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, pad_mode={self.pad_mode.upper()}"


def _each(function, result):
    """Applies a function to the values, and to the indices if there are any."""
    return tuple(map(function, result)) if isinstance(result, tuple) else function(result)


def _in_format(data_format, pool, x):
    """Applies `pool` to (N, C, H, W), or to (N, H, W, C) in the format 'NHWC'."""
    if data_format == "NHWC":
        return _each(lambda y: y.transpose(0, 2, 3, 1), pool(x.transpose(0, 3, 1, 2)))
    return pool(x)


class _MaxPool(_Pooling):
    """Checks and stores the settings of max pooling."""

    def _set_max_pool(self, kernel_size, stride, pad_mode, padding, dilation, return_indices, ceil_mode):
        owner = type(self).__name__
        self._set_window(kernel_size, stride, pad_mode, padding)
        self._dilation = require_sizes(owner, "dilation", dilation, self._spatial)
        self.return_indices = require_bool(owner, "return_indices", return_indices)
        self.ceil_mode = require_bool(owner, "ceil_mode", ceil_mode)
        self._require_pad_mode(
            padding=(padding, 0),
            dilation=(dilation, 1),
            return_indices=(return_indices, False),
            ceil_mode=(ceil_mode, False),
        )

    def _pool(self, x):
        """Pools an image or a volume whose channels come first."""
        if self._same_pool is not None:
            return self._same_pool(x)
        pool = ops.max_pool3d if self._spatial == 3 else ops.max_pool2d
        return pool(
            x,
            self._kernel,
            self._stride,
            self._padding,
            self._dilation,
            return_indices=self.return_indices,
            ceil_mode=self.ceil_mode,
        )


class MaxPool1d(_MaxPool):
    """Max pooling of (N, C, L) or (C, L); settings as of MaxPool2d."""

    _spatial = 1

    def __init__(
        self,
        kernel_size=1,
        stride=1,
        pad_mode="valid",
        padding=0,
        dilation=1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self._set_max_pool(kernel_size, stride, pad_mode, padding, dilation, return_indices, ceil_mode)
        self._become_image_pool()
        self._dilation = (1, *self._dilation)
        self._same_pool = ops.MaxPool(self._kernel, self._stride, "same") if self.pad_mode == "same" else None

    def _pool(self, x):
        return _each(lambda y: y.squeeze(2), super()._pool(x.expand_dims(2)))


class MaxPool2d(_MaxPool):
    """Max pooling: the maximum of each window of (N, C, H, W) or (C, H, W).

    Args:
        kernel_size (int or tuple): size of the window.
        stride (int or tuple): distance between windows.
        pad_mode (str): 'same' (one result per stride), 'valid' (no padding) or 'pad' (`padding` on every side).
        padding, dilation, ceil_mode: need 'pad'. With `ceil_mode` a last window may extend beyond the edge.
        return_indices (bool): whether the result is (values, indices); needs 'pad'.
        data_format (str): 'NCHW' or 'NHWC'.
    """

    def __init__(
        self,
        kernel_size=1,
        stride=1,
        pad_mode: str = "valid",
        padding=0,
        dilation=1,
        return_indices: bool = False,
        ceil_mode: bool = False,
        data_format: str = "NCHW",
    ) -> None:
        super().__init__()
        self._set_max_pool(kernel_size, stride, pad_mode, padding, dilation, return_indices, ceil_mode)
        self.format = require_choice("MaxPool2d", "data_format", data_format, ("NCHW", "NHWC"))
        if self.pad_mode != "pad":
            self.max_pool = ops.MaxPool(self._kernel, self._stride, self.pad_mode, data_format)
        self._same_pool = ops.MaxPool(self._kernel, self._stride, "same") if self.pad_mode == "same" else None

    def _pool(self, x):
        return _in_format(self.format, super()._pool, x)


class MaxPool3d(_MaxPool):
    """Max pooling of (N, C, D, H, W) or (C, D, H, W); settings as of MaxPool2d."""

    _spatial = 3

    def __init__(
        self,
        kernel_size=1,
        stride=1,
        pad_mode="valid",
        padding=0,
        dilation=1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self._set_max_pool(kernel_size, stride, pad_mode, padding, dilation, return_indices, ceil_mode)
        if self.pad_mode != "pad":
            self.max_pool = ops.MaxPool3D(self._kernel, self._stride, self.pad_mode)
        self._same_pool = self.max_pool if self.pad_mode == "same" else None


class _AvgPool(_Pooling):
    """Checks and stores the settings of average pooling."""

    _same_pool: Any

    _volume_pool = None

    def _set_avg_pool(
        self, kernel_size, stride, pad_mode, padding, ceil_mode, count_include_pad, divisor_override
    ):
        owner = type(self).__name__
        self._set_window(kernel_size, stride, pad_mode, padding)
        self.ceil_mode = require_bool(owner, "ceil_mode", ceil_mode)
        self.count_include_pad = require_bool(owner, "count_include_pad", count_include_pad)
        if divisor_override is not None and (
            require_number(owner, "divisor_override", divisor_override) <= 0
        ):
            raise ValueError(
                f"{owner}: divisor_override is {divisor_override}; need a positive number or None"
            )
        self.divisor_override = divisor_override or 0
        self._require_pad_mode(padding=(padding, 0))

    def _set_same_pool_of_images(self):
        if self.pad_mode != "same":
            self._same_pool = None
            return
        self._same_pool = ops.AvgPool(self._kernel, self._stride, "same")
        if self.ceil_mode or self.divisor_override or not self.count_include_pad:
            # An image is a volume of depth 1, whose padding counts according to `count_include_pad`.
            self._volume_pool = ops.AvgPool3D(
                (1, *self._kernel),
                (1, *self._stride),
                "same",
                0,
                self.ceil_mode,
                self.count_include_pad,
                self.divisor_override,
            )

    def _pool(self, x):
        """Pools an image or a volume whose channels come first."""
        if self._volume_pool is not None:
            return self._volume_pool(x.expand_dims(2)).squeeze(2)
        if self._same_pool is not None:
            return self._same_pool(x)
        pool = ops.avg_pool3d if self._spatial == 3 else ops.avg_pool2d
        return pool(
            x,
            self._kernel,
            self._stride,
            self._padding,
            self.ceil_mode,
            self.count_include_pad,
            self.divisor_override,
        )


class AvgPool1d(_AvgPool):
    """Average pooling of (N, C, L) or (C, L); settings as of AvgPool2d."""

    _spatial = 1

    def __init__(
        self,
        kernel_size=1,
        stride=1,
        pad_mode="valid",
        padding=0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__()
        self._set_avg_pool(kernel_size, stride, pad_mode, padding, ceil_mode, count_include_pad, None)
        self._become_image_pool()
        self._set_same_pool_of_images()

    def _pool(self, x):
        return super()._pool(x.expand_dims(2)).squeeze(2)


class AvgPool2d(_AvgPool):
    """Average pooling: the mean of each window of (N, C, H, W) or (C, H, W).

    `pad_mode` is 'same' (one result per stride), 'valid' (no padding) or 'pad' (`padding` on every side). With
    `ceil_mode` a last window may extend beyond the edge, with `count_include_pad` padding counts as zeros, and
    `divisor_override` replaces the count. The padding of 'same' counts only if one of the other two is set as well.
    """

    def __init__(
        self,
        kernel_size=1,
        stride=1,
        pad_mode="valid",
        padding=0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override=None,
        data_format: str = "NCHW",
    ) -> None:
        super().__init__()
        self._set_avg_pool(
            kernel_size, stride, pad_mode, padding, ceil_mode, count_include_pad, divisor_override
        )
        self.format = require_choice("AvgPool2d", "data_format", data_format, ("NCHW", "NHWC"))
        if self.pad_mode != "pad":
            self.avg_pool = ops.AvgPool(self._kernel, self._stride, self.pad_mode, data_format)
        self._set_same_pool_of_images()

    def _pool(self, x):
        return _in_format(self.format, super()._pool, x)


class AvgPool3d(_AvgPool):
    """Average pooling of (N, C, D, H, W) or (C, D, H, W).

    Settings as of AvgPool2d, and `count_include_pad` also sets whether the padding of 'same' counts as zeros.
    """

    _spatial = 3

    def __init__(
        self,
        kernel_size=1,
        stride=1,
        pad_mode="valid",
        padding=0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override=None,
    ) -> None:
        super().__init__()
        self._set_avg_pool(
            kernel_size, stride, pad_mode, padding, ceil_mode, count_include_pad, divisor_override
        )
        if self.pad_mode != "pad":
            self.avg_pool = ops.AvgPool3D(
                self._kernel,
                self._stride,
                self.pad_mode,
                0,
                ceil_mode,
                count_include_pad,
                self.divisor_override,
            )
        self._same_pool = self.avg_pool if self.pad_mode == "same" else None


class _LPPool(Cell):
    """Checks and stores the settings of power-average pooling."""

    _spatial = 2

    def __init__(
        self,
        norm_type: float,
        kernel_size: int | list[int] | tuple[int, ...],
        stride=None,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        owner = type(self).__name__
        self.norm_type = require_number(owner, "norm_type", norm_type)
        if norm_type == 0:
            raise ValueError(f"{owner}: norm_type is 0; need a number that is not 0")
        self.kernel_size = require_sizes(owner, "kernel_size", kernel_size, self._spatial)
        given_stride = kernel_size if stride is None else stride
        self.stride = require_sizes(owner, "stride", given_stride, self._spatial)
        self.ceil_mode = require_bool(owner, "ceil_mode", ceil_mode)


class LPPool1d(_LPPool):
    """Power-average pooling, (Σ x^p)^(1/p) of each window of (N, C, L); the default stride is the kernel size."""

    _spatial = 1

    def construct(self, x: Tensor) -> Tensor:
        """(N, C, L), with the last dimension pooled."""
        return ops.lp_pool1d(x, self.norm_type, self.kernel_size[0], self.stride[0], self.ceil_mode)


class LPPool2d(_LPPool):
    """Power-average pooling, (Σ x^p)^(1/p) of each window of (N, C, H, W); the stride is the kernel's size unless
    given.
    """

    def construct(self, x: Tensor) -> Tensor:
        """(N, C, H, W), with the last two dimensions pooled."""
        return ops.lp_pool2d(x, self.norm_type, self.kernel_size, self.stride, self.ceil_mode)
