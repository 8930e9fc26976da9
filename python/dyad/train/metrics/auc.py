"""The area under a curve."""

from dyad._src.base import lazy_numpy as numpy

__all__ = ["auc"]


def auc(x, y, reorder: bool = False):
    """The area under the polygon through the points of arrays `x` and `y`, for example of a curve of `ROC`.

    `x` is monotonic; with `reorder` the points are sorted first.
    """
    for name, values in (("x", x), ("y", y)):
        _require_points(name, values)
    if x.shape[0] != y.shape[0] or x.shape[0] < 2:
        raise ValueError(f"auc: x has {x.shape[0]} points and y {y.shape[0]}; need as many, 2 or more")
    x, y = x.reshape(-1), y.reshape(-1)
    if reorder:
        order = numpy.lexsort((y, x))
        x, y = x[order], y[order]
    steps = numpy.diff(x)
    falls = bool((steps < 0).any())
    if falls and (steps > 0).any():
        raise ValueError("auc: x rises and falls; need one of them, or reorder=True")
    area = (steps * (y[1:] + y[:-1]) / 2.0).sum()
    return -area if falls else area


def _require_points(name, values):
    if not isinstance(values, numpy.ndarray):
        raise TypeError(f"auc: {name} is of type {type(values).__name__}; need an array")
    if values.ndim == 0:
        raise TypeError(f"auc: {name} is one number; need an array of them")
    if values.size != values.shape[0]:
        raise ValueError(f"auc: {name} has shape {values.shape}; need (N,) or (N, 1)")
