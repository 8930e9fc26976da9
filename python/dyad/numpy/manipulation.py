"""Changing the shape of arrays, joining, splitting and rearranging them."""

from dyad import ops
from dyad._core import GraphNumber, Tensor
from dyad._src.base.argument_checks import held_number, require_choice
from dyad.numpy.operand import as_tensor, as_tensors, axis_from_front, require_ints

__all__ = [
    "array_split",
    "atleast_1d",
    "atleast_2d",
    "broadcast_arrays",
    "broadcast_to",
    "concatenate",
    "dstack",
    "expand_dims",
    "flip",
    "fliplr",
    "flipud",
    "hstack",
    "isscalar",
    "moveaxis",
    "ravel",
    "repeat",
    "reshape",
    "roll",
    "rot90",
    "split",
    "squeeze",
    "stack",
    "swapaxes",
    "take",
    "take_along_axis",
    "tile",
    "transpose",
    "vstack",
]


def reshape(x, new_shape):
    """The same elements in another shape; one size may be -1 and follows from the others."""
    return as_tensor(x).reshape(new_shape)


def ravel(x):
    """The elements in one dimension."""
    return as_tensor(x).reshape(-1)


def transpose(a, axes=None) -> Tensor:
    """The dimensions in the order of `axes`, or reversed."""
    a = as_tensor(a)
    axes = tuple(reversed(range(a.ndim))) if axes is None else require_ints("transpose", "axes", axes)
    if len(axes) != a.ndim:
        raise ValueError(f"transpose: axes is {axes}; need each of the {a.ndim} dimensions of the array once")
    return ops.permute(a, axes)


def swapaxes(x, axis1, axis2):
    """The Tensor with two dimensions exchanged."""
    return as_tensor(x).swapaxes(axis1, axis2)


def moveaxis(a, source, destination) -> Tensor:
    """The Tensor with the dimensions `source` moved to the positions `destination`; the others keep their order."""
    return ops.movedim(as_tensor(a), source, destination)


def expand_dims(a, axis):
    """The Tensor with a dimension of size 1 at each of the positions in `axis`, which count in the result."""
    a = as_tensor(a)
    axes = require_ints("expand_dims", "axis", axis)
    positions = {axis_from_front("expand_dims", position, a.ndim + len(axes)) for position in axes}
    if len(positions) != len(axes):
        raise ValueError(f"expand_dims: axis is {axis}; need each position once")
    for position in sorted(positions):
        a = a.expand_dims(position)
    return a


def squeeze(a, axis=None):
    """The Tensor without its dimensions of size 1, or without those in `axis`, which must be of size 1."""
    return as_tensor(a).squeeze() if axis is None else as_tensor(a).squeeze(axis)


def broadcast_to(array, shape) -> Tensor:
    """A copy of the Tensor stretched to the shape."""
    return ops.broadcast_to(as_tensor(array), require_ints("broadcast_to", "shape", shape)).copy()


def broadcast_arrays(*args) -> list:
    """Copies of all Tensors stretched to the shape that they have in common, in a list."""
    arrays = [as_tensor(a) for a in args]
    if not arrays:
        raise ValueError("broadcast_arrays: no array is given; need at least one")
    shape = sum((a.astype(arrays[0].dtype) * 0 for a in arrays[1:]), arrays[0]).shape
    return [ops.broadcast_to(a, shape).copy() for a in arrays]


def atleast_1d(*arys):
    """Each argument as a Tensor of at least one dimension; one alone is not put into a list."""
    made = [a if a.ndim else a.reshape(1) for a in map(as_tensor, arys)]
    return made[0] if len(made) == 1 else made


def atleast_2d(*arys):
    """Each argument as a Tensor of at least two dimensions, new ones first; one alone is not put into a list."""
    made = [a if a.ndim >= 2 else a.reshape(1, -1) for a in map(as_tensor, arys)]
    return made[0] if len(made) == 1 else made


def concatenate(arrays, axis=0) -> Tensor:
    """The Tensors joined along an axis that they have; with `axis=None` they are flattened first."""
    arrays = as_tensors("concatenate", "arrays", arrays)
    if axis is None:
        return ops.cat([a.reshape(-1) for a in arrays], axis=0)
    return ops.cat(arrays, axis=axis)


def stack(arrays, axis=0) -> Tensor:
    """The Tensors, which have one shape, joined along a new axis."""
    return ops.stack(as_tensors("stack", "arrays", arrays), axis=axis)


def vstack(tup) -> Tensor:
    """The Tensors joined along the first dimension; one of a single dimension counts as a row."""
    return ops.cat([atleast_2d(a) for a in as_tensors("vstack", "tup", tup)], axis=0)


def hstack(tup) -> Tensor:
    """The Tensors joined along the second dimension, or along the first where they have only that."""
    arrays = [atleast_1d(a) for a in as_tensors("hstack", "tup", tup)]
    return ops.cat(arrays, axis=0 if arrays[0].ndim == 1 else 1)


def dstack(tup) -> Tensor:
    """The Tensors joined along the third dimension, which they get if they have none."""
    planes = [atleast_2d(a) for a in as_tensors("dstack", "tup", tup)]
    return ops.cat([a if a.ndim > 2 else a.expand_dims(2) for a in planes], axis=2)


def split(x, indices_or_sections, axis=0) -> tuple:
    """Parts of equal size, or parts that end at the given positions."""
    x = as_tensor(x)
    size = x.shape[axis_from_front("split", axis, x.ndim)]
    indices_or_sections = _sections(indices_or_sections)
    if isinstance(indices_or_sections, int) and indices_or_sections > 0 and size % indices_or_sections:
        raise ValueError(f"split: dimension {axis} has size {size}; need a multiple of {indices_or_sections}")
    return array_split(x, indices_or_sections, axis)


def array_split(x, indices_or_sections, axis=0) -> tuple:
    """Like split, but parts may differ in size by one."""
    x = as_tensor(x)
    axis = axis_from_front("split", axis, x.ndim)
    size = x.shape[axis]
    indices_or_sections = _sections(indices_or_sections)
    if isinstance(indices_or_sections, int):
        if indices_or_sections < 1:
            raise ValueError(f"split: indices_or_sections is {indices_or_sections}; need 1 part or more")
        each, larger = divmod(size, indices_or_sections)
        sizes = [each + 1] * larger + [each] * (indices_or_sections - larger)
        ends = [sum(sizes[: i + 1]) for i in range(len(sizes) - 1)]
    else:
        ends = list(require_ints("split", "indices_or_sections", indices_or_sections))
    starts = [0, *ends]
    before = (slice(None),) * axis
    return tuple(x[(*before, slice(start, stop))] for start, stop in zip(starts, [*ends, size], strict=True))


def _sections(value):
    """One number is the number of parts, in any numeric type; it must be static."""
    number = held_number(value) if getattr(value, "ndim", None) == 0 else value
    return int(number) if isinstance(number, GraphNumber) else number


def flip(m, axis=None) -> Tensor:
    """The elements in reverse order along the axes, or along all."""
    m = as_tensor(m)
    axes = tuple(range(m.ndim)) if axis is None else require_ints("flip", "axis", axis)
    return ops.flip(m, axes)


def flipud(m) -> Tensor:
    """The elements in reverse order along the first dimension."""
    return flip(m, 0)


def fliplr(m) -> Tensor:
    """The elements in reverse order along the second dimension."""
    return flip(m, 1)


def rot90(a, k=1, axes=(0, 1)) -> Tensor:
    """The Tensor turned `k` times by 90 degrees in the plane of the two axes, from the first towards the second."""
    return ops.rot90(as_tensor(a), k, list(require_ints("rot90", "axes", axes)))


def roll(a, shift, axis=None) -> Tensor:
    """The elements moved on by `shift` along the axis, the last ones to the front; without axis, as if flattened."""
    a = as_tensor(a)
    if axis is None:
        return ops.roll(a.reshape(-1), shift, 0).reshape(a.shape)
    return ops.roll(a, shift, axis)


def tile(a, reps) -> Tensor:
    """The Tensor repeated `reps` times along each dimension."""
    a = as_tensor(a)
    reps = require_ints("tile", "reps", reps)
    while a.ndim > len(reps):
        reps = (1, *reps)
    return ops.tile(a, reps)


def repeat(a, repeats, axis=None) -> Tensor:
    """Each element `repeats` times in a row along the axis, or of the flattened Tensor."""
    a = as_tensor(a)
    if axis is None:
        a, axis = a.reshape(-1), 0
    return ops.repeat_interleave(a, repeats, axis)


def take(a, indices, axis=None, mode="clip") -> Tensor:
    """Elements at the indices; those out of range are clipped (clip), taken modulo (wrap) or rejected (raise)."""
    a, indices = as_tensor(a), as_tensor(indices)
    if axis is None:
        a, axis = a.reshape(-1), 0
    axis = axis_from_front("take", axis, a.ndim)
    size = a.shape[axis]
    if mode == "clip":
        indices = ops.clamp(indices, 0, size - 1)
    elif mode == "wrap":
        indices = indices % size
    elif mode != "raise":
        require_choice("take", "mode", mode, ("clip", "wrap", "raise"))
    return ops.gather(a, indices, axis)


def take_along_axis(arr, indices, axis) -> Tensor:
    """The elements at `indices` along the axis; without axis, of the flattened Tensor.

    The other dimensions of both broadcast.
    """
    arr, indices = as_tensor(arr), as_tensor(indices)
    if axis is None:
        return ops.gather_elements(arr.reshape(-1), 0, indices)
    if arr.ndim != indices.ndim:
        raise ValueError(
            f"take_along_axis: arr and indices have the shapes {arr.shape} and {indices.shape}; "
            "need the same number of dimensions"
        )
    axis = axis_from_front("take_along_axis", axis, arr.ndim)
    sizes = [own if other == 1 else other for own, other in zip(arr.shape, indices.shape, strict=True)]
    before, behind = sizes[:axis], sizes[axis + 1 :]
    arr = ops.broadcast_to(arr, (*before, arr.shape[axis], *behind))
    indices = ops.broadcast_to(indices, (*before, indices.shape[axis], *behind))
    return ops.gather_elements(arr, axis, indices)


def isscalar(element) -> bool:
    """Returns whether a value is a single Python number or string."""
    return isinstance(element, (int, float, complex, bool, str))
