"""Functions whose number of results depends on their arguments."""

from dyad import _core

__all__ = ["nonzero", "svd"]

_svd_factors = _core.named_op("svd_factors")
_places = _core.named_op("nonzero")
_places_by_dimension = _core.named_op("nonzero_tuple")


def svd(input, full_matrices=False, compute_uv=True):
    """Singular values `s` in descending order; with `compute_uv` also u and v, input = u @ diag(s) @ v.T.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.svd(Tensor([[3.0, 0.0], [0.0, 2.0]]), compute_uv=False))
        [3. 2.]
    """
    parts = _svd_factors(input, full_matrices)
    return parts if compute_uv else parts[0]


def nonzero(input, *, as_tuple=False):
    """Places of the elements that are not zero: one row each, or with `as_tuple` one tensor per dimension.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.nonzero(Tensor([[0, 1], [2, 0]])))
        [[0 1]
         [1 0]]
    """
    return _places_by_dimension(input) if as_tuple else _places(input)


for _function in (nonzero, svd):
    setattr(_core.Tensor, _function.__name__, _function)
