"""Taking arrays apart and putting them together in ways that name fixed axes, products of matrices, and windows."""

from dyad import _core, ops
from dyad._core import Tensor
from dyad._src.base.host_only import host_only
from dyad.numpy.manipulation import split
from dyad.numpy.operand import (
    as_dtype,
    as_tensor,
    as_tensors,
    axis_from_front,
    require_flag,
    require_int,
)

__all__ = [
    "append",
    "array_str",
    "atleast_3d",
    "bartlett",
    "blackman",
    "column_stack",
    "cross",
    "diagflat",
    "diagonal",
    "dsplit",
    "geomspace",
    "hamming",
    "hanning",
    "hsplit",
    "isneginf",
    "isposinf",
    "kron",
    "matrix_power",
    "multi_dot",
    "promote_types",
    "result_type",
    "rollaxis",
    "size",
    "vsplit",
]


def append(arr, values, axis=None) -> Tensor:
    """Appends values to an array, along an axis or, without one, both flattened."""
    arr, values = as_tensor(arr), as_tensor(values)
    if axis is None:
        return ops.cat((arr.reshape(-1), values.reshape(-1)))
    return ops.cat((arr, values), axis)


@host_only
def array_str(a) -> str:
    """The array as a string."""
    return str(as_tensor(a))


def atleast_3d(*arys):
    """Arrays with dimensions of size 1 added until they have three."""

    def deepened(a):
        shapes = {0: (1, 1, 1), 1: (1, a.size, 1), 2: (*a.shape, 1)}
        return a.reshape(shapes[a.ndim]) if a.ndim < 3 else a

    made = [deepened(as_tensor(a)) for a in arys]
    return made[0] if len(made) == 1 else made


def column_stack(tup) -> Tensor:
    """Stacks arrays of one dimension as columns, next to those of two dimensions."""
    return ops.column_stack(as_tensors("column_stack", "tup", tup))


def hsplit(x, indices_or_sections):
    """Parts of an array along its second axis, or its first if it has one."""
    x = as_tensor(x)
    return split(x, indices_or_sections, 0 if x.ndim == 1 else 1)


def vsplit(x, indices_or_sections):
    """Parts of an array along its first axis."""
    return split(x, indices_or_sections, 0)


def dsplit(x, indices_or_sections):
    """Parts of an array along its third axis."""
    return split(x, indices_or_sections, 2)


def diagflat(v, k=0) -> Tensor:
    """A matrix with the elements on its k-th diagonal."""
    return ops.diagflat(as_tensor(v), k)


def diagonal(a, offset=0, axis1=0, axis2=1) -> Tensor:
    """The elements whose positions along two axes differ by the offset."""
    return ops.diagonal(as_tensor(a), offset, axis1, axis2)


def rollaxis(x, axis, start: int = 0) -> Tensor:
    """The array with one axis moved to before another."""
    x = as_tensor(x)
    axis, start = axis_from_front("rollaxis", axis, x.ndim), require_int("rollaxis", "start", start)
    start = start + x.ndim if start < 0 else start
    return ops.movedim(x, axis, start - 1 if axis < start else start)


def size(a, axis=None):
    """Number of elements, or of those along an axis."""
    a = as_tensor(a)
    return a.size if axis is None else a.shape[axis_from_front("size", axis, a.ndim)]


def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """Cross products of vectors of 3, or 2, numbers along the given axes."""
    if axis is not None:
        axisa = axisb = axisc = axis
    for name, along in (("axisa", axisa), ("axisb", axisb), ("axisc", axisc)):
        require_int("cross", name, along)
    a, b = as_tensor(a), as_tensor(b)
    if a.ndim == 0 or b.ndim == 0:
        raise ValueError(f"cross: the shapes are {a.shape} and {b.shape}; need at least 1 dimension each")
    a, b = (ops.movedim(x, along, -1) for x, along in ((a, axisa), (b, axisb)))
    if not {a.shape[-1], b.shape[-1]} <= {2, 3}:
        raise ValueError(f"cross: the vectors have {a.shape[-1]} and {b.shape[-1]} numbers; need 2 or 3")
    if a.shape[-1] == 2 and b.shape[-1] == 2:
        return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    a, b = (ops.pad(x, (0, 1)) if x.shape[-1] == 2 else x for x in (a, b))
    (a0, a1, a2), (b0, b1, b2) = ops.unbind(a, -1), ops.unbind(b, -1)
    return ops.movedim(ops.stack((a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0), -1), -1, axisc)


def kron(a, b) -> Tensor:
    """Kronecker product of a and b."""
    return ops.kron(as_tensor(a), as_tensor(b))


def matrix_power(a, n) -> Tensor:
    """A square matrix multiplied with itself."""
    return ops.matrix_power(as_tensor(a), n)


def multi_dot(arrays):
    """Product of several matrices, of which the first and last may be vectors."""
    arrays = as_tensors("multi_dot", "arrays", arrays)
    if len(arrays) < 2:
        raise ValueError(f"multi_dot: {len(arrays)} arrays are given; need at least 2")
    result = arrays[0]
    for array in arrays[1:]:
        result = ops.matmul(result, array)
    return result


def isneginf(x) -> Tensor:
    """Returns whether each element is negative infinity."""
    return ops.isneginf(as_tensor(x))


def isposinf(x) -> Tensor:
    """Returns whether each element is positive infinity."""
    return ops.isposinf(as_tensor(x))


def promote_types(type1, type2):
    """The dtype that results of both can be held in."""
    first, second = as_dtype(type1), as_dtype(type2)
    if first is None or second is None:
        raise TypeError(f"promote_types: the types are {type1!r} and {type2!r}; need two dtypes")
    wider = _SIGNED_ABOVE.get(frozenset((first, second)))
    return wider or (ops.zeros(1, first) + ops.zeros(1, second)).dtype


_UNSIGNED = (_core.uint16, _core.uint32, _core.uint64)
_SIGNED = (_core.int8, _core.int16, _core.int32, _core.int64)
# The signed type that holds both; operators do not mix these themselves. Nothing but a float holds uint64 as well.
_SIGNED_ABOVE = {
    frozenset((unsigned, signed)): _core.float64 if bits == 3 else _SIGNED[max(bits + 1, place)]
    for bits, unsigned in enumerate(_UNSIGNED, 1)
    for place, signed in enumerate(_SIGNED)
}


def result_type(*arrays_and_dtypes):
    """The dtype of a sum of all arguments, arrays or dtypes."""
    if not arrays_and_dtypes or any(value is None for value in arrays_and_dtypes):
        raise TypeError(f"result_type: the arguments are {arrays_and_dtypes!r}; need arrays or dtypes")
    total = None
    for value in arrays_and_dtypes:
        is_array = isinstance(value, (Tensor, list, tuple, int, float, bool)) or hasattr(
            value, "__array_interface__"
        )
        dtype = as_tensor(value).dtype if is_array else as_dtype(value)
        total = dtype if total is None else promote_types(total, dtype)
    return total


def geomspace(start, stop, num=50, endpoint: bool = True, dtype=None, axis=0) -> Tensor:
    """Numbers from start to stop, each the same multiple of the one before it."""
    start, stop = as_tensor(start).astype(_core.float64), as_tensor(stop).astype(_core.float64)
    num, endpoint = (
        require_int("geomspace", "num", num, low=0),
        require_flag("geomspace", "endpoint", endpoint),
    )
    steps = max(num - 1 if endpoint else num, 1)
    shares = ops.arange(num).astype(_core.float64) / steps
    shares = shares.reshape([-1] + [1] * max(start.ndim, stop.ndim))
    result = start * (stop / start) ** shares
    return ops.movedim(result, 0, axis).astype(_core.float32 if dtype is None else as_dtype(dtype))


def _window(operator, size):
    """The symmetric window; one of no size, or less, is empty."""
    return operator(max(size, 0), False) if isinstance(size, int) else operator(size, False)


def bartlett(M):
    """Bartlett window: a triangle from 0 to 1 and back."""
    return _window(ops.bartlett_window, M)


def blackman(M):
    """A window of three cosine terms whose sides are nearly 0."""
    return _window(ops.blackman_window, M)


def hamming(M):
    """A raised cosine that does not reach 0 at its ends."""
    return _window(ops.hamming_window, M)


def hanning(M):
    """A raised cosine from 0 to 1 and back."""
    return _window(ops.hann_window, M)
