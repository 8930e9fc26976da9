"""Checks of axes and shapes that programs borrow from the framework, for `dyad._checkparam`.

A wrong type raises TypeError, an axis or size out of range ValueError.
"""

import itertools

__all__ = [
    "check_and_canonicalize_axes",
    "check_axis_in_range",
    "check_axis_type",
    "check_axis_valid",
    "check_flatten_order",
    "check_reshape_shp",
    "check_swapaxes_axis",
    "check_transpose_axis",
    "expanded_shape",
    "infer_out_shape",
    "prepare_shape_for_squeeze",
    "tuple_slice",
]


def _require_axis(axis, ndim):
    if isinstance(axis, bool) or not isinstance(axis, int):
        raise TypeError(f"axis is {axis!r} of type {type(axis).__name__}; need an int")
    if not -ndim <= axis < ndim:
        raise ValueError(f"axis is {axis}; need an int from {-ndim} to {ndim - 1}")
    return axis % ndim


def check_axis_in_range(axis, ndim):
    """The axis counted from the front."""
    return _require_axis(axis, ndim)


def check_and_canonicalize_axes(axes, ndim):
    """An axis or a tuple of different ones as a tuple, counted from the front."""
    found = tuple(_require_axis(axis, ndim) for axis in (axes if isinstance(axes, tuple) else (axes,)))
    if len(set(found)) != len(found):
        raise ValueError(f"axes are {axes}; need different ones")
    return found


def check_axis_valid(axes, ndim):
    """As check_and_canonicalize_axes; None is every axis."""
    if axes is None:
        return tuple(range(ndim))
    return check_and_canonicalize_axes(tuple(axes) if isinstance(axes, list) else axes, ndim)


def check_axis_type(axis, type_int=True, type_tuple=True, type_list=True):
    """True for an axis of one of the allowed kinds: an int, a tuple of ints, a list of ints."""
    if type_int and isinstance(axis, int):
        return True
    kinds = tuple(kind for kind, allowed in ((tuple, type_tuple), (list, type_list)) if allowed)
    if isinstance(axis, kinds) and all(isinstance(entry, int) for entry in axis):
        return True
    names = [*(["int"] if type_int else []), *(kind.__name__ for kind in kinds)]
    raise TypeError(f"axis is {axis!r} of type {type(axis).__name__}; need {' or '.join(names)}")


def _unpacked(values):
    """The entries of one tuple or list, or the values themselves."""
    return tuple(values[0]) if len(values) == 1 and isinstance(values[0], (tuple, list)) else tuple(values)


def check_transpose_axis(axes, ndim):
    """The order of axes that `transpose(*axes)` asks for; without any, or None, the reverse."""
    if not axes or axes == (None,):
        return tuple(range(ndim - 1, -1, -1))
    order = check_and_canonicalize_axes(_unpacked(axes), ndim)
    if len(order) != ndim:
        raise ValueError(f"axes are {axes}; need {ndim} of them")
    return order


def check_reshape_shp(shp):
    """The shape that `reshape(*shp)` asks for, as a tuple."""
    return _unpacked(shp)


def check_flatten_order(order):
    """'C' or 'F'."""
    if order not in ("C", "F"):
        raise ValueError(f"order is {order!r}; need 'C' or 'F'")
    return order


def check_swapaxes_axis(axes, ndim):
    """Two axes counted from the front."""
    return tuple(_require_axis(axis, ndim) for axis in axes)


def prepare_shape_for_squeeze(shape, axes):
    """The shape without the given axes, whose sizes must be 1, or without any of size 1."""
    if axes is None:
        return tuple(size for size in shape if size != 1)
    removed = check_and_canonicalize_axes(tuple(axes) if isinstance(axes, list) else axes, len(shape))
    for axis in removed:
        if shape[axis] != 1:
            raise ValueError(f"axis {axis} of the shape {tuple(shape)} has size {shape[axis]}; need 1")
    return tuple(size for axis, size in enumerate(shape) if axis not in removed)


def expanded_shape(ndim, axis_size, axis):
    """A shape of ones but for one axis."""
    return tuple(axis_size if index == axis else 1 for index in range(ndim))


def tuple_slice(tup, start, end):
    """tup[start:end]."""
    return tup[start:end]


def infer_out_shape(*shapes):
    """The shape to which all these are broadcast."""
    sizes = []
    for column in itertools.zip_longest(*(reversed(shape) for shape in shapes), fillvalue=1):
        wide = {size for size in column if size != 1}
        if len(wide) > 1:
            raise ValueError(f"the shapes {shapes} cannot be broadcast together")
        sizes.append(wide.pop() if wide else 1)
    return tuple(reversed(sizes))
