"""Rows of a table, chosen by integer ids."""

from dyad._src.base.argument_checks import require_above, require_flag, require_number
from dyad._src.operators import assign, logical_and, one_hot, stop_gradient, vector_norm, where
from dyad._src.operators import embedding as _embedding

__all__ = ["embedding"]


def embedding(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False):
    """Rows of weight chosen by integer ids; the row of `padding_idx` takes no gradient.

    With `max_norm`, chosen rows of a larger norm are shortened to it, in the weight. `scale_grad_by_freq` divides the
    gradient of a row by how often it was chosen.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.embedding(Tensor([1, 0]), Tensor([[1.0], [2.0]])))
        [[2.]
         [1.]]
    """
    require_flag("embedding", "scale_grad_by_freq", scale_grad_by_freq)
    require_number("embedding", "norm_type", norm_type)
    if max_norm is not None:
        require_above("embedding", "max_norm", max_norm, 0)
        _shorten_rows(weight, input, max_norm, norm_type)
    rows = _embedding(input, weight, padding_idx)
    if not scale_grad_by_freq:
        return rows
    share = rows / _times_chosen(input, weight.shape[0])[input].expand_dims(-1).astype(rows.dtype)
    return stop_gradient(rows - share) + share


def _times_chosen(ids, count):
    """How often each row is chosen."""
    return one_hot(ids.reshape(-1), count, 1, 0).sum(0)


def _shorten_rows(weight, ids, max_norm, norm_type):
    norms = vector_norm(stop_gradient(weight), norm_type, 1, True)
    longer = logical_and(norms > max_norm, (_times_chosen(ids, weight.shape[0]) > 0).expand_dims(-1))
    factors = where(longer, max_norm / (norms + 1e-7), 1.0)
    assign(weight, stop_gradient(weight) * factors.astype(weight.dtype))
