"""Layers around a single mathematical operation."""

from dyad import _core, ops
from dyad._core import Tensor
from dyad._src.base.argument_checks import require_bool, require_number
from dyad.nn.cell import Cell

__all__ = [
    "ClipByNorm",
    "DiGamma",
    "IGamma",
    "L1Regularizer",
    "LBeta",
    "LGamma",
    "MatDet",
    "MatInverse",
    "MatMul",
    "MatrixDiag",
    "MatrixDiagPart",
    "MatrixSetDiag",
    "Moments",
    "Norm",
    "Range",
    "ReduceLogSumExp",
]


class Norm(Cell):
    """Euclidean norm over `axis`, all dimensions by default."""

    def __init__(self, axis=(), keep_dims: bool = False) -> None:
        super().__init__()
        self.axis = axis
        self.keep_dims = require_bool("Norm", "keep_dims", keep_dims)

    def construct(self, x: Tensor) -> Tensor:
        """Returns `x` without the dimensions of `axis`; `keep_dims` keeps them with size 1."""
        return ops.vector_norm(x, 2, self.axis, self.keep_dims)

    def extend_repr(self) -> str:
        """The settings, as `repr` shows them."""
        return f"axis={self.axis}, keep_dims={self.keep_dims}"


class ClipByNorm(Cell):
    """Scales x down so that its Euclidean norm over `axis` is at most `clip_norm`."""

    def __init__(self, axis=None):
        super().__init__()
        self.axis = () if axis is None else axis

    def construct(self, x: Tensor, clip_norm):
        """Returns a tensor of the shape and dtype of `x`."""
        # The norm of a narrow float may be beyond its range.
        wide = x.astype(_core.float32) if x.dtype in (_core.float16, _core.bfloat16) else x
        norm = ops.vector_norm(wide, 2, self.axis, True)
        clipped = wide * clip_norm / ops.maximum(norm, clip_norm)
        return clipped if wide is x else clipped.astype(x.dtype)


class L1Regularizer(Cell):
    """L1 regularization, scale · Σ |weights|."""

    def __init__(self, scale: float) -> None:
        super().__init__()
        self.scale = require_number("L1Regularizer", "scale", scale)
        if scale <= 0:
            raise ValueError(f"L1Regularizer: scale is {scale}; need a positive number")

    def construct(self, weights):
        """Returns a scalar of the dtype of `weights`."""
        return ops.abs(weights).sum() * self.scale


class Moments(Cell):
    """Mean and variance over `axis`."""

    def __init__(self, axis=None, keep_dims: bool | None = None) -> None:
        super().__init__()
        self.axis = () if axis is None else axis
        self.keep_dims = keep_dims is not None and require_bool("Moments", "keep_dims", keep_dims)

    def construct(self, x: Tensor):
        """(mean, variance), without the dimensions of `axis` unless `keep_dims`."""
        mean = x.mean(self.axis, keep_dims=True)
        variance = ops.square(x - mean).mean(self.axis, keep_dims=self.keep_dims)
        return (mean if self.keep_dims else x.mean(self.axis)), variance


class ReduceLogSumExp(Cell):
    """Log-sum-exp, log(Σ exp(x)) over `axis`."""

    def __init__(self, axis, keep_dims: bool = False) -> None:
        super().__init__()
        self.axis = axis
        self.keep_dims = require_bool("ReduceLogSumExp", "keep_dims", keep_dims)

    def construct(self, x: Tensor) -> Tensor:
        """Returns `x` without the dimensions of `axis`; `keep_dims` keeps them with size 1."""
        return ops.logsumexp(x, self.axis, self.keep_dims)


class MatMul(Cell):
    """Matrix product, with either operand transposed in its last two dimensions."""

    def __init__(self, transpose_x1: bool = False, transpose_x2: bool = False) -> None:
        super().__init__()
        self.transpose_x1 = require_bool("MatMul", "transpose_x1", transpose_x1)
        self.transpose_x2 = require_bool("MatMul", "transpose_x2", transpose_x2)

    def construct(self, x1, x2) -> Tensor:
        """(..., m, k) and (..., k, n) to (..., m, n), the dimensions before the last two broadcast."""
        if self.transpose_x1:
            x1 = x1.swapaxes(-2, -1)
        if self.transpose_x2:
            x2 = x2.swapaxes(-2, -1)
        return ops.matmul(x1, x2)


class LGamma(Cell):
    """Logarithm of the gamma function, log |Γ(x)|."""

    def construct(self, x: Tensor) -> Tensor:
        """Returns a tensor of the shape and dtype of `x`."""
        return ops.lgamma(x)


class DiGamma(Cell):
    """Digamma function, the derivative of log Γ(x)."""

    def construct(self, x: Tensor) -> Tensor:
        """Returns a tensor of the shape and dtype of `x`."""
        return ops.digamma(x)


class IGamma(Cell):
    """Regularized lower incomplete gamma function P(a, x)."""

    def construct(self, a, x: Tensor) -> Tensor:
        """`a` and `x` broadcast; returns their common shape."""
        return ops.igamma(a, x)


class LBeta(Cell):
    """Logarithm of the beta function B(x, y)."""

    def construct(self, x: Tensor, y) -> Tensor:
        """`x` and `y` broadcast; returns their common shape."""
        return ops.lgamma(x) + ops.lgamma(y) - ops.lgamma(x + y)


class MatDet(Cell):
    """Determinant of each square matrix."""

    def construct(self, a) -> Tensor:
        """(..., n, n) to (...)."""
        return ops.det(a)


class MatInverse(Cell):
    """Inverse of each square matrix."""

    def construct(self, a) -> Tensor:
        """(..., n, n) to (..., n, n)."""
        return ops.inverse(a)


class Range(Cell):
    """The numbers from `start` up to, not including, `limit` in steps of `delta`; one number alone is the limit."""

    def __init__(self, start, limit=None, delta=1):
        super().__init__()
        first, last = (0, start) if limit is None else (start, limit)
        numbers = [
            require_number("Range", name, value) for name, value in (("start", first), ("limit", last))
        ]
        if delta == 0:
            raise ValueError("Range: delta is 0; need a number that is not 0")
        dtype = _core.int32 if all(isinstance(value, int) for value in (*numbers, delta)) else _core.float32
        self.result_tensor = Tensor(ops.arange(first, last, delta).asnumpy(), dtype)

    def construct(self) -> Tensor:
        """A tensor of one dimension, the same in each call."""
        return self.result_tensor


class MatrixDiag(Cell):
    """Matrices whose diagonals are the input's last dimension, zero elsewhere."""

    def construct(self, input_x: Tensor) -> Tensor:
        """(..., n) to (..., n, n)."""
        return ops.diag_embed(input_x)


class MatrixDiagPart(Cell):
    """Diagonals of the matrices in the last two dimensions."""

    def construct(self, input_x: Tensor) -> Tensor:
        """(..., m, n) to (..., min(m, n))."""
        return ops.diagonal(input_x, 0, -2, -1)


class MatrixSetDiag(Cell):
    """The matrices in the last two dimensions with other diagonals."""

    def construct(self, input_x: Tensor, diagonal) -> Tensor:
        """(..., m, n) and (..., min(m, n)) to (..., m, n)."""
        return ops.matrix_set_diag(input_x, diagonal)
