"""The partial inverse of max pooling."""

from dyad import ops
from dyad._core import Tensor
from dyad._src.base.argument_checks import require_sizes
from dyad.nn.cell import Cell

__all__ = ["MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d"]


class _MaxUnpool(Cell):
    """Checks and keeps the settings of unpooling."""

    _spatial = 2

    def __init__(
        self,
        kernel_size: int | list[int] | tuple[int, ...],
        stride=None,
        padding: int | list[int] | tuple[int, ...] = 0,
    ) -> None:
        super().__init__()
        owner = type(self).__name__
        self.kernel_size = require_sizes(owner, "kernel_size", kernel_size, self._spatial)
        self.stride = require_sizes(owner, "stride", kernel_size if stride is None else stride, self._spatial)
        self.padding = require_sizes(owner, "padding", padding, self._spatial, low=0)


class MaxUnpool1d(_MaxUnpool):
    """Puts values of (N, C, L) back at the positions that max pooling returned, and zeros elsewhere.

    `output_size` chooses among the sizes that pooling maps to the same one. The stride is the kernel's size unless
    given.
    """

    _spatial = 1

    def construct(self, x: Tensor, indices, output_size=None) -> Tensor:
        """Returns as many dimensions as `x` has; `indices` has its shape, or ValueError is raised."""
        return ops.max_unpool1d(x, indices, self.kernel_size, self.stride, self.padding, output_size)


class MaxUnpool2d(_MaxUnpool):
    """Puts values of (N, C, H, W) back at the positions that max pooling returned, and zeros elsewhere.

    `output_size` chooses among the sizes that pooling maps to the same one. The stride is the kernel's size unless
    given.
    """

    def construct(self, x: Tensor, indices, output_size=None) -> Tensor:
        """Returns as many dimensions as `x` has; `indices` has its shape, or ValueError is raised."""
        return ops.max_unpool2d(x, indices, self.kernel_size, self.stride, self.padding, output_size)


class MaxUnpool3d(_MaxUnpool):
    """Puts values of (N, C, D, H, W) back at the positions that max pooling returned, and zeros elsewhere.

    `output_size` chooses among the sizes that pooling maps to the same one. The stride is the kernel's size unless
    given.
    """

    _spatial = 3

    def construct(self, x: Tensor, indices, output_size=None) -> Tensor:
        """Returns as many dimensions as `x` has; `indices` has its shape, or ValueError is raised."""
        return ops.max_unpool3d(x, indices, self.kernel_size, self.stride, self.padding, output_size)
