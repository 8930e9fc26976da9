"""Primitives of this package."""

from dyad import _core
from dyad._src.base.argument_checks import require_bool
from dyad._src.operators import arange
from dyad._src.primitive.primitive import Primitive
from dyad.scipy.eigenvalues import eigen
from dyad.scipy.elimination import eliminated
from dyad.scipy.linalg import solve_triangular
from dyad.scipy.optimize.linear_sum_assignment import linear_sum_assignment

__all__ = ["LU", "Eig", "LinearSumAssignment", "SolveTriangular", "solve_triangular"]


def __dir__():
    return __all__


class SolveTriangular:
    """The x with `a @ x = b` for a triangular `a`.

    Example:
        >>> from dyad import Tensor, scipy
        >>> a = Tensor([[2.0, 0.0], [1.0, 4.0]])
        >>> print(scipy.ops.SolveTriangular(lower=True)(a, Tensor([2.0, 5.0])))
        [1. 1.]
    """

    def __init__(self, lower: bool = False, unit_diagonal: bool = False, trans="N") -> None:
        self.lower, self.unit_diagonal, self.trans = lower, unit_diagonal, trans

    def __call__(self, a, b):
        return solve_triangular(a, b, self.trans, self.lower, self.unit_diagonal)


class Eig(Primitive):
    """Eigenvalues of a square matrix, and with `compute_v` the eigenvectors in columns, as complex numbers.

    Example:
        >>> from dyad import Tensor, scipy
        >>> values = scipy.ops.Eig(compute_v=False)(Tensor([[0.0, -1.0], [1.0, 0.0]]))
        >>> print(values)
        [0.+1.j 0.-1.j]
    """

    def __init__(self, compute_v: bool = True) -> None:
        super().__init__("Eig")
        self.compute_v = require_bool("Eig", "compute_v", compute_v)

    def __call__(self, a):
        values, vectors = eigen(self.name, a)
        return (values, vectors) if self.compute_v else values


class LU(Primitive):
    """Both triangular factors in one matrix, the row exchanged at each step, and the permutation as a matrix.

    Example:
        >>> from dyad import Tensor, scipy
        >>> factors, pivots, permutation = scipy.ops.LU()(Tensor([[1.0, 2.0], [2.0, 2.0]]))
        >>> print(factors)
        [[2.  2. ]
         [0.5 1. ]]
        >>> print(pivots)
        [1 1]
    """

    def __init__(self):
        super().__init__("LU")

    def __call__(self, x):
        factors, exchanged, order = eliminated(x)
        permutation = arange(x.shape[-2]).reshape(-1, 1) == order.expand_dims(-2)
        return factors, exchanged.astype(_core.int32), permutation.astype(_core.int32)


class LinearSumAssignment(Primitive):
    """Rows and columns, paired so that the costs of the pairs add up to the least, or the most if `maximize`.

    Example:
        >>> from dyad import Tensor, scipy
        >>> costs = Tensor([[4.0, 1.0, 3.0], [2.0, 0.0, 5.0]])
        >>> rows, columns = scipy.ops.LinearSumAssignment()(costs, Tensor(3), False)
        >>> print(rows, columns)
        [0 1] [1 0]
    """

    def __init__(self):
        super().__init__("LinearSumAssignment")

    def __call__(self, cost_matrix, dimension_limit, maximize):
        return linear_sum_assignment(
            cost_matrix, require_bool(self.name, "maximize", maximize), dimension_limit
        )
