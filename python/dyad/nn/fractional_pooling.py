"""Fractional max pooling: max pooling over windows at random positions."""

from dyad import ops
from dyad._core import Tensor
from dyad.nn.cell import Cell

__all__ = ["FractionalMaxPool2d", "FractionalMaxPool3d"]


class _FractionalMaxPool(Cell):
    """Keeps the settings of the pooling, which checks them."""

    def __init__(
        self,
        kernel_size,
        output_size=None,
        output_ratio=None,
        return_indices: bool = False,
        _random_samples=None,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.output_size = output_size
        self.output_ratio = output_ratio
        self.return_indices = return_indices
        self._random_samples = _random_samples


class FractionalMaxPool2d(_FractionalMaxPool):
    """Maximum over windows of `kernel_size` at random positions in (N, C, H, W) or (C, H, W).

    `output_size` is the number of windows; `output_ratio` gives it as a fraction of the input size. With
    `return_indices` the result is (maxima, their flat indices in the plane). `_random_samples`, (N, C, 2) between 0
    and 1, determine the positions of the windows.
    """

    def construct(self, input: Tensor):
        """Returns the same dimensions; the last two have the output size."""
        return ops.fractional_max_pool2d(
            input,
            self.kernel_size,
            self.output_size,
            self.output_ratio,
            self.return_indices,
            self._random_samples,
        )


class FractionalMaxPool3d(_FractionalMaxPool):
    """As `FractionalMaxPool2d`, over (N, C, D, H, W) or (C, D, H, W), with three random numbers per channel."""

    def construct(self, input: Tensor):
        """Returns the same dimensions; the last three have the output size."""
        return ops.fractional_max_pool3d(
            input,
            self.kernel_size,
            self.output_size,
            self.output_ratio,
            self.return_indices,
            self._random_samples,
        )
