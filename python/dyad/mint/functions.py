"""Functions whose arguments or results differ from those of `dyad.ops`: creation, scaled sums, solvers, fused steps."""

from dyad import _core, ops
from dyad._core import Tensor
from dyad._src.base.argument_checks import plain_number, require_flag, require_int
from dyad._src.operators import broadcast_to, eye, where
from dyad._src.operators import triangular_solve as _solve
from dyad.ops.fused_operators import batch_norm_elemt as batch_norm_elemt
from dyad.ops.fused_operators import (
    batch_norm_gather_stats_with_counts as batch_norm_gather_stats_with_counts,
)
from dyad.ops.fused_operators import batch_norm_stats as batch_norm_stats

__all__ = [
    "add",
    "addr_",
    "batch_norm_elemt",
    "batch_norm_gather_stats_with_counts",
    "batch_norm_stats",
    "conv_tbc",
    "empty",
    "empty_like",
    "linspace",
    "npu_gelu",
    "sub",
    "triangular_solve",
]


def addr_(input, vec1, vec2, beta=1, alpha=1):
    """Writes beta * input + alpha * outer(vec1, vec2) into `input`."""
    return input.copy_(ops.addr(input, vec1, vec2, beta=beta, alpha=alpha).astype(input.dtype))


def conv_tbc(input, weight, bias, pad: int = 0) -> Tensor:
    """The convolution along time of (time, batch, channels) with a weight (width, channels, filters)."""
    for name, value in (("input", input), ("weight", weight)):
        if not isinstance(value, Tensor):
            raise TypeError(f"conv_tbc: {name} is of type {type(value).__name__}; need a Tensor")
        if value.ndim != 3:
            raise ValueError(f"conv_tbc: {name} has shape {value.shape}; need 3 dimensions")
    size = require_int("conv_tbc", "pad", pad, 0)
    lines, filters = input.transpose(1, 2, 0), weight.transpose(2, 1, 0)
    return ops.conv1d(lines, filters, bias, pad_mode="pad", padding=size).transpose(2, 0, 1)


def npu_gelu(input, approximate="none") -> Tensor:
    """Gaussian error linear unit, x · Φ(x); 'tanh' approximates it."""
    return ops.gelu(input, approximate)


def empty(*size, dtype=None, device=None, **named):
    """An uninitialized Tensor of that shape."""
    return placed(ops.empty(*size, dtype=dtype, **named), device)


def empty_like(input, *, dtype=None, device=None, pin_memory: bool = False):
    """An uninitialized Tensor of the shape of `input`.

    `pin_memory` changes nothing: memory of the host is pageable.
    """
    require_flag("empty_like", "pin_memory", pin_memory)
    return placed(ops.empty_like(input, dtype=dtype), device)


def linspace(start, end, steps, *, dtype=None) -> Tensor:
    """`steps` numbers at equal distances, from `start` to `end`."""
    numbers = ops.linspace(start, end, steps)
    return numbers if dtype is None else numbers.astype(dtype)


def placed(tensor, device):
    """The Tensor on a device, if one is named."""
    return tensor if device is None else tensor.to(device=device)


def add(input, other, *, alpha=1) -> Tensor:
    """`input + alpha * other`; the shapes broadcast."""
    return ops.add(input, _times("add", other, alpha))


def sub(input, other, *, alpha=1) -> Tensor:
    """`input - alpha * other`; the shapes broadcast."""
    return ops.sub(input, _times("sub", other, alpha))


def _times(caller, other, alpha):
    alpha = plain_number(alpha)
    if isinstance(alpha, Tensor) and alpha.size == 1:
        return other * alpha.reshape(()).astype(_scaled_dtype(caller, other, alpha))
    if not isinstance(alpha, (bool, int, float)):
        raise TypeError(f"{caller}: alpha is {alpha!r}; need a number")
    return other if type(alpha) is int and alpha == 1 else other * alpha


def _scaled_dtype(caller, other, alpha):
    """The dtype of what a Tensor `alpha` multiplies, which is that of the product."""
    if not isinstance(other, Tensor):
        return alpha.dtype
    if alpha.is_floating_point() and not (other.is_floating_point() or other.is_complex()):
        raise TypeError(
            f"{caller}: alpha has dtype {alpha.dtype} and other {other.dtype}; need an integer alpha"
        )
    return other.dtype


def triangular_solve(b, A, upper: bool = True, transpose: bool = False, unitriangular: bool = False):
    """The x with `A @ x = b` (or `A^T @ x = b`) for a triangular `A`, and `A`; stacks of matrices broadcast.

    Only the triangle is read; with `unitriangular`, its diagonal counts as ones.
    """
    for name, value in (("b", b), ("A", A)):
        if not isinstance(value, Tensor):
            raise TypeError(f"triangular_solve: {name} is of type {type(value).__name__}; need a Tensor")
        if value.ndim < 2:
            raise ValueError(
                f"triangular_solve: {name} has the shape {value.shape}; need 2 dimensions or more"
            )
    for name, value in (("upper", upper), ("transpose", transpose), ("unitriangular", unitriangular)):
        require_flag("triangular_solve", name, value)
    if A.shape[-1] != A.shape[-2] or b.shape[-2] != A.shape[-1]:
        raise ValueError(
            f"triangular_solve: A has the shape {A.shape} and b {b.shape}; need a square A with as many rows as b"
        )
    stack = (A[..., 0, 0] + b[..., 0, 0]).shape
    matrix, side = (broadcast_to(value, (*stack, *value.shape[-2:])) for value in (A, b))
    if unitriangular:
        size = A.shape[-1]
        matrix = where(eye(size, size, _core.bool_), Tensor(1, A.dtype), matrix)
    return _solve(matrix, side, not upper, transpose), A
