"""Layers on sparse tensors."""

from dyad import ops
from dyad.nn.cell import Cell

# A path below this module leads to names that are kept elsewhere.
__path__: list[str] = []
__all__ = ["SparseTensorDenseMatmul", "SparseToDense"]


class SparseToDense(Cell):
    """The whole of a COOTensor."""

    def construct(self, coo_tensor):
        """Returns a Tensor of the shape of `coo_tensor`; values with equal indices are added."""
        return coo_tensor.to_dense()


class SparseTensorDenseMatmul(Cell):
    """Product of a sparse matrix with a dense one; `adjoint_st` and `adjoint_dt` transpose them first."""

    def __init__(self, adjoint_st: bool = False, adjoint_dt: bool = False) -> None:
        super().__init__()
        self.adjoint_st, self.adjoint_dt = adjoint_st, adjoint_dt
        self.multiply = ops.SparseTensorDenseMatmul(adjoint_st, adjoint_dt)

    def construct(self, indices, values, sparse_shape, dense):
        """A dense matrix: that with `values` at the rows of `indices`, times `dense`."""
        return self.multiply(indices, values, sparse_shape, dense)

    def extend_repr(self) -> str:
        """The settings, as `repr` shows them."""
        return f"adjoint_st={self.adjoint_st}, adjoint_dt={self.adjoint_dt}"
