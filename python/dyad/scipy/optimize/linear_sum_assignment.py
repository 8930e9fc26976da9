"""The assignment problem: pairs rows with columns at the lowest cost."""

import sys

from dyad import _core
from dyad._core import Tensor
from dyad._src.base import lazy_numpy as numpy
from dyad._src.base.argument_checks import require_bool
from dyad._src.base.host_only import JIT_IGNORE

__all__ = ["linear_sum_assignment"]

_NO_LIMIT = sys.maxsize


def linear_sum_assignment(cost_matrix, maximize: bool, dimension_limit=_NO_LIMIT):
    """`(rows, columns)`: pairs with the lowest total cost, or the highest with `maximize`.

    Columns from `dimension_limit` on are left out. The length of the results is the smaller of the numbers of rows
    and columns; unused entries at the end are -1.
    """
    require_bool("linear_sum_assignment", "maximize", maximize)
    _require_costs(cost_matrix)
    if isinstance(dimension_limit, Tensor) and dimension_limit.dtype != _core.int64:
        raise TypeError(
            f"linear_sum_assignment: dimension_limit has the dtype {dimension_limit.dtype}; need int64"
        )
    return _assigned(cost_matrix, maximize, int(dimension_limit))


def _require_costs(costs):
    if not isinstance(costs, Tensor):
        raise TypeError(
            f"linear_sum_assignment: cost_matrix is of type {type(costs).__name__}; need a Tensor"
        )
    if costs.is_complex():
        raise TypeError(f"linear_sum_assignment: cost_matrix has the dtype {costs.dtype}; need real numbers")
    if costs.ndim != 2:
        raise ValueError(f"linear_sum_assignment: cost_matrix has the shape {costs.shape}; need 2 dimensions")


def _assigned(cost_matrix, maximize, limit):
    costs = cost_matrix.asnumpy().astype("float64")
    length = min(costs.shape)
    costs = costs[:, : max(limit, 0)]
    if numpy.isnan(costs).any() or (costs == (numpy.inf if maximize else -numpy.inf)).any():
        worst = "inf" if maximize else "-inf"
        raise ValueError(f"linear_sum_assignment: cost_matrix holds nan or {worst}; need numbers")
    costs = -costs if maximize else costs
    rows, columns = _pairs(costs) if costs.shape[0] <= costs.shape[1] else _pairs(costs.T)[::-1]
    order = rows.argsort()
    filled = numpy.full((2, length), -1)
    filled[:, : len(order)] = rows[order], columns[order]
    return Tensor(filled[0]), Tensor(filled[1])


# The next pair depends on every cost so far: left to Python, where graphs are split.
setattr(_assigned, JIT_IGNORE, True)


def _pairs(costs):
    """Shortest augmenting paths, one row after the other; the matrix is not taller than wide."""
    rows, columns = costs.shape
    of_row, of_column = numpy.zeros(rows), numpy.zeros(columns)
    row_at = numpy.full(columns, -1)
    for row in range(rows):
        path, column = _shortest_path(costs, row, of_row, of_column, row_at)
        while column >= 0:
            before = path[column]
            row_at[column] = row if before < 0 else row_at[before]
            column = before
    columns_of_rows = numpy.flatnonzero(row_at >= 0)
    return row_at[columns_of_rows], columns_of_rows


def _shortest_path(costs, row, of_row, of_column, row_at):
    """From the row to a free column: the column before each, and that one; the duals move along."""
    columns = len(of_column)
    distance = numpy.full(columns, numpy.inf)
    path, seen = numpy.full(columns, -1), numpy.zeros(columns, bool)
    reached, column, current = 0.0, -1, row
    visited = []
    while True:
        through = reached + costs[current] - of_row[current] - of_column
        shorter = ~seen & (through < distance)
        distance[shorter], path[shorter] = through[shorter], column
        column = int(numpy.where(seen, numpy.inf, distance).argmin())
        reached = distance[column]
        if not reached < numpy.inf or seen[column]:
            raise ValueError(
                "linear_sum_assignment: cost_matrix leaves a row without a column; need a finite cost"
            )
        if row_at[column] < 0:
            break
        seen[column] = True
        visited.append(column)
        current = row_at[column]
    of_row[row] += reached
    of_row[row_at[visited]] += reached - distance[visited]
    of_column[visited] -= reached - distance[visited]
    return path, column
