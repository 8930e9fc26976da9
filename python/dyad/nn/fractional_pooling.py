"""Max pooling over windows that lie at random."""

from dyad import ops
from dyad.nn.cell import Cell

__all__ = ["FractionalMaxPool2d", "FractionalMaxPool3d"]


class _FractionalMaxPool(Cell):
    """Keeps the settings of the pooling, which checks them."""

    def __init__(
        self, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None
    ):
        super().__init__()
        self.kernel_size = kernel_size
        self.output_size = output_size
        self.output_ratio = output_ratio
        self.return_indices = return_indices
        self._random_samples = _random_samples


class FractionalMaxPool2d(_FractionalMaxPool):
    """The largest elements of windows of `kernel_size` that lie at random over (N, C, H, W) or (C, H, W).

    There are as many as `output_size` says, or `output_ratio` of the sizes. With `return_indices` their places in
    their planes are given too. `_random_samples` (N, C, 2), between 0 and 1, fix where the windows lie.
    """

    def construct(self, input):
        """The same dimensions, the last two as large as asked for."""
        return ops.fractional_max_pool2d(
            input,
            self.kernel_size,
            self.output_size,
            self.output_ratio,
            self.return_indices,
            self._random_samples,
        )


class FractionalMaxPool3d(_FractionalMaxPool):
    """As `FractionalMaxPool2d`, over (N, C, D, H, W) or (C, D, H, W), with three numbers for each plane."""

    def construct(self, input):
        """The same dimensions, the last three as large as asked for."""
        return ops.fractional_max_pool3d(
            input,
            self.kernel_size,
            self.output_size,
            self.output_ratio,
            self.return_indices,
            self._random_samples,
        )
