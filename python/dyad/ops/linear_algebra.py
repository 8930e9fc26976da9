"""Functions whose number of results depends on their arguments."""

from dyad import _core

__all__ = ["svd"]

_factors = _core.named_op("svd_factors")


def svd(input, full_matrices=False, compute_uv=True):
    """Singular values `s` in descending order; with `compute_uv` also u and v, input = u @ diag(s) @ v.T."""
    parts = _factors(input, full_matrices)
    return parts if compute_uv else parts[0]
