"""Gaussian elimination with the largest element of a column as its pivot."""

from dyad import _core
from dyad._core import Tensor
from dyad._src.autodiff.custom import custom_vjp
from dyad._src.autodiff.markers import stop_gradient
from dyad._src.operators import arange, broadcast_to, cat, gather_elements, where, zeros
from dyad.scipy.matrices import lower, solve_triangle, transposed, unit_lower, upper


def eliminated(a):
    """Both factors of each matrix in one, the row exchanged at each step, and the order that the rows end up in.

    The gradient is that of the factors for the order of rows that was found.
    """
    packed, exchanged, order = _eliminate(stop_gradient(a))
    a = taken_rows(a, order)
    size = min(a.shape[-2:])
    corner = _factors_of(a[..., :size, :size], packed[..., :size, :size])
    if a.shape[-1] > size:
        right = solve_triangle(corner, a[..., :size, size:], lower=True, unit_diagonal=True)
        return cat((corner, right), -1), exchanged, order
    if a.shape[-2] > size:
        below = transposed(solve_triangle(corner, transposed(a[..., size:, :]), lower=False, transpose=True))
        return cat((corner, below), -2), exchanged, order
    return corner, exchanged, order


def taken_rows(a, order):
    """The rows of each matrix in the given order."""
    index = broadcast_to(order.expand_dims(-1), (*order.shape, a.shape[-1]))
    return gather_elements(a, -2, index)


def _eliminate(a):
    rows, columns = a.shape[-2:]
    size, stack = min(rows, columns), a.shape[:-2]
    row, column = arange(rows), arange(columns)
    order = broadcast_to(row, (*stack, rows))
    exchanged = zeros((*stack, size), _core.int64)
    step = Tensor(0, _core.int64)
    while step < size:
        candidates = where(row >= step, _column(a, step).abs(), Tensor(-1, a.dtype))
        pivot = candidates.argmax(-1).expand_dims(-1)
        swap = where(row == step, pivot, where(row == pivot, step, row))
        a, order = taken_rows(a, swap), gather_elements(order, -1, swap)
        exchanged = where(arange(size) == step, pivot, exchanged)
        a = _cleared(a, step, row, column)
        step = step + 1
    return a, exchanged, order


def _cleared(a, step, row, column):
    """One step of the elimination: subtracts multiples of the pivot's row from those below, and keeps the factors."""
    pivot_column = _column(a, step)
    pivot_row = _column(transposed(a), step)
    pivot = _column(pivot_row, step).expand_dims(-1)
    multiples = pivot_column / where(pivot == 0, Tensor(1, a.dtype), pivot)
    multiples = where(row > step, multiples, Tensor(0, a.dtype)).expand_dims(-1)
    rest = where(column > step, pivot_row, Tensor(0, a.dtype)).expand_dims(-2)
    kept = (row > step).expand_dims(-1).logical_and(column == step)
    return where(kept, multiples, a - multiples * rest)


def _column(a, step):
    """The elements at one index of the last dimension."""
    return a.index_select(-1, step.reshape(1)).squeeze(-1)


@custom_vjp
def _factors_of(ordered, packed):
    """The factors `packed` of the square matrices whose rows are `ordered` already."""
    return packed.copy()


@_factors_of.defbwd
def _factors_of_backward(ordered, packed, out, dout):
    left, right = unit_lower(out), upper(out)
    inner = lower(transposed(left) @ lower(dout, -1), -1) + upper(upper(dout) @ transposed(right))
    inner = solve_triangle(left, inner, lower=True, transpose=True)
    return transposed(solve_triangle(right, transposed(inner), lower=False)), None
