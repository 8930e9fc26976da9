"""Pooling to a given output size."""

from dyad import ops
from dyad._core import Tensor
from dyad._src.base.argument_checks import SettingError, require_bool, require_int
from dyad.nn.cell import Cell

__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
]


class _AdaptivePool(Cell):
    """Checks and keeps the output size."""

    _spatial = 2

    def __init__(self, output_size):
        super().__init__()
        owner = type(self).__name__
        sizes = output_size if isinstance(output_size, (tuple, list)) else (output_size,) * self._spatial
        if len(sizes) != self._spatial:
            raise SettingError(f"{owner}: output_size is {output_size}; need an int or {self._spatial} ints")
        self.output_size = tuple(
            None if size is None else require_int(owner, "output_size", size, low=1) for size in sizes
        )

    def _sizes_for(self, x):
        """The output size for this input."""
        if x.ndim not in (self._spatial + 1, self._spatial + 2):
            accepted = f"{self._spatial + 1} or {self._spatial + 2}"
            raise ValueError(
                f"{type(self).__name__}: the input has shape {x.shape}; need {accepted} dimensions"
            )
        spatial = x.shape[-self._spatial :]
        return tuple(
            own if size is None else size for size, own in zip(self.output_size, spatial, strict=True)
        )


class AdaptiveAvgPool1d(_AdaptivePool):
    """Means over windows of (N, C, L) or (C, L).

    The input is divided into `output_size` windows, as equal as they can be; None keeps a dimension's size.
    """

    _spatial = 1

    def construct(self, input: Tensor) -> Tensor:
        """The dimensions pooled over have `output_size`."""
        return ops.adaptive_avg_pool1d(input, self._sizes_for(input))


class AdaptiveAvgPool2d(_AdaptivePool):
    """Means over windows of (N, C, H, W) or (C, H, W).

    The input is divided into `output_size` windows, as equal as they can be; None keeps a dimension's size.
    """

    def construct(self, input: Tensor) -> Tensor:
        """The dimensions pooled over have `output_size`."""
        return ops.adaptive_avg_pool2d(input, self._sizes_for(input))


class AdaptiveAvgPool3d(_AdaptivePool):
    """Means over windows of (N, C, D, H, W) or (C, D, H, W).

    The input is divided into `output_size` windows, as equal as they can be; None keeps a dimension's size.
    """

    _spatial = 3

    def construct(self, input: Tensor) -> Tensor:
        """The dimensions pooled over have `output_size`."""
        return ops.adaptive_avg_pool3d(input, self._sizes_for(input))


class _AdaptiveMaxPool(_AdaptivePool):
    """Pooling that can also return positions: with `return_indices` the result is (values, positions)."""

    def __init__(self, output_size, return_indices: bool = False) -> None:
        super().__init__(output_size)
        self.return_indices = require_bool(type(self).__name__, "return_indices", return_indices)


class AdaptiveMaxPool1d(_AdaptivePool):
    """Maxima over windows of (N, C, L) or (C, L).

    The input is divided into `output_size` windows, as equal as they can be; None keeps a dimension's size.
    """

    _spatial = 1

    def construct(self, x: Tensor) -> Tensor:
        """The dimensions pooled over have `output_size`."""
        return ops.adaptive_max_pool1d(x, self._sizes_for(x))


class AdaptiveMaxPool2d(_AdaptiveMaxPool):
    """Maxima over windows of (N, C, H, W) or (C, H, W).

    The input is divided into `output_size` windows, as equal as they can be; None keeps a dimension's size.
    """

    def construct(self, input: Tensor):
        """The dimensions pooled over have `output_size`; with `return_indices`, (values, positions)."""
        return ops.adaptive_max_pool2d(input, self._sizes_for(input), self.return_indices)


class AdaptiveMaxPool3d(_AdaptiveMaxPool):
    """Maxima over windows of (N, C, D, H, W) or (C, D, H, W).

    The input is divided into `output_size` windows, as equal as they can be; None keeps a dimension's size.
    """

    _spatial = 3

    def construct(self, input: Tensor):
        """The dimensions pooled over have `output_size`; with `return_indices`, (values, positions)."""
        return ops.adaptive_max_pool3d(input, self._sizes_for(input), self.return_indices)
