"""`mark_dynamic` and `mark_static`: what a program says about single sizes of a Tensor before it is given to `jit`."""

from dyad._core import Tensor

_MARKS = "_size_marks"


def mark_dynamic(tensor, dims):
    """Lets graphs leave these sizes of a Tensor open from the first one on. Gives back the Tensor.

    `dims` is an axis or a tuple or list of axes. The mark is read when a call with this Tensor is compiled; sizes that
    are equal then are taken to be equal in later calls too. Sizes of 0 and 1 are always known to a graph, and so is a
    size without which the program cannot be captured.

    Example:
        >>> import numpy as np
        >>> import dyad
        >>> double = dyad.jit(lambda x: x * 2)
        >>> for rows in (3, 4, 5):
        ...     y = double(dyad.mark_dynamic(dyad.Tensor(np.ones((rows, 2), np.float32)), 0))
        >>> len(double.entries)
        1
    """
    return _mark("mark_dynamic", tensor, dims, True)


def mark_static(tensor, dims):
    """Keeps these sizes of a Tensor known in the graphs that are compiled for it, whatever other calls had.

    `dims` is an axis or a tuple or list of axes. The mark is read when a call with this Tensor is compiled; a graph
    that was made before, with that size open, goes on serving the call. Gives back the Tensor.
    """
    return _mark("mark_static", tensor, dims, False)


def size_marks(tensor):
    """Axis -> whether its size is to be open, for the axes that are marked."""
    return tensor.__dict__.get(_MARKS, {})


def _mark(owner, tensor, dims, is_open):
    if not isinstance(tensor, Tensor):
        raise TypeError(f"{owner}: tensor is of type {type(tensor).__name__}; need a Tensor")
    marks = dict(size_marks(tensor))
    for axis in dims if isinstance(dims, (tuple, list)) else (dims,):
        if isinstance(axis, bool) or not isinstance(axis, int):
            raise TypeError(f"{owner}: dims has {axis!r} of type {type(axis).__name__}; need ints")
        if not -tensor.ndim <= axis < tensor.ndim:
            raise ValueError(
                f"{owner}: dims has {axis}; need axes from {-tensor.ndim} to {tensor.ndim - 1} of a Tensor with "
                f"shape {tuple(tensor.shape)}"
            )
        marks[axis % tensor.ndim] = is_open
    tensor.__dict__[_MARKS] = marks
    return tensor
