"""Shape and dtype queries, and tuple helpers."""

from dyad._core import GraphNumber, Tensor, is_symbolic
from dyad._src.base.argument_checks import require_int
from dyad._src.operators import tensor_of_ints
from dyad._src.primitive.primitive import primitive_of
from dyad._src.tensor.mutable import (
    is_dynamic_sequence_element_unknown,
    is_sequence_shape_unknown,
    is_sequence_value_unknown,
)
from dyad._src.tensor.sparse_base import SparseTensorBase
from dyad._src.tensor.type_marks import typeof

__all__ = [
    "DType",
    "Rank",
    "Shape",
    "Size",
    "TensorShape",
    "dtype",
    "dyn_shape",
    "identity",
    "is_complex",
    "is_dynamic_sequence_element_unknown",
    "is_floating_point",
    "is_nonzero",
    "is_sequence_shape_unknown",
    "is_sequence_value_unknown",
    "is_signed",
    "is_tensor",
    "isconstant",
    "make_range",
    "make_tuple",
    "numel",
    "rank",
    "shape",
    "size",
    "switch",
    "tuple_getitem",
    "tuple_len",
    "typeof",
]


def _require_tensor(caller, value):
    if not isinstance(value, Tensor):
        raise TypeError(f"{caller}: input is of type {type(value).__name__}; need a Tensor")
    return value


def identity(x):
    """Returns `x`, the same object, of any type.

    Example:
        >>> from dyad import ops
        >>> ops.identity((1, "a"))
        (1, 'a')
    """
    return x


def is_floating_point(input):
    """True if the dtype of `input` is a floating-point dtype.

    Example:
        >>> from dyad import Tensor, ops
        >>> ops.is_floating_point(Tensor([1.0]))
        True
    """
    return _require_tensor("is_floating_point", input).dtype.is_floating_point


def is_complex(input):
    """True if the dtype of `input` is complex.

    Example:
        >>> from dyad import Tensor, ops
        >>> ops.is_complex(Tensor([1.0]))
        False
    """
    return _require_tensor("is_complex", input).dtype.is_complex


def is_signed(input):
    """True if the dtype of `input` is signed.

    Example:
        >>> from dyad import Tensor, ops
        >>> ops.is_signed(Tensor([1]))
        True
    """
    return _require_tensor("is_signed", input).dtype.is_signed


def is_nonzero(input) -> bool:
    """True if the only element of `input` is not zero.

    Example:
        >>> from dyad import Tensor, ops
        >>> ops.is_nonzero(Tensor([2]))
        True
    """
    return bool(_require_tensor("is_nonzero", input))


def numel(input):
    """Number of elements.

    Example:
        >>> from dyad import Tensor, ops
        >>> ops.numel(Tensor([[1, 2, 3], [4, 5, 6]]))
        6
    """
    return _require_tensor("numel", input).size


def shape(input_x):
    """Sizes of the dimensions as a tuple of ints.

    Example:
        >>> from dyad import Tensor, ops
        >>> ops.shape(Tensor([[1, 2, 3], [4, 5, 6]]))
        (2, 3)
    """
    return _require_tensor("shape", input_x).shape


def dyn_shape(input_x):
    """Sizes of the dimensions as a Tensor of int64.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.dyn_shape(Tensor([[1, 2, 3], [4, 5, 6]])))
        [2 3]
    """
    return tensor_of_ints(_require_tensor("dyn_shape", input_x).shape)


def rank(input_x):
    """Number of dimensions as an int.

    Example:
        >>> from dyad import Tensor, ops
        >>> ops.rank(Tensor([[1, 2, 3], [4, 5, 6]]))
        2
    """
    return _require_tensor("rank", input_x).ndim


def size(input_x):
    """Number of elements as an int.

    Example:
        >>> from dyad import Tensor, ops
        >>> ops.size(Tensor([[1, 2, 3], [4, 5, 6]]))
        6
    """
    return _require_tensor("size", input_x).size


def dtype(input_x):
    """Dtype of the elements.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.dtype(Tensor([1.0])))
        Float32
    """
    if isinstance(input_x, SparseTensorBase):
        return input_x.dtype
    return _require_tensor("dtype", input_x).dtype


def is_tensor(obj) -> bool:
    """True if an object is a Tensor.

    Example:
        >>> from dyad import Tensor, ops
        >>> ops.is_tensor(Tensor([1.0]))
        True
    """
    return isinstance(obj, Tensor)


def isconstant(x) -> bool:
    """True if a value is static while a graph is compiled. Outside of a graph every value is.

    Example:
        >>> from dyad import Tensor, jit, ops
        >>> jit(lambda x: (ops.isconstant(x), ops.isconstant(x.shape)))(Tensor([1.0]))
        (False, True)
    """
    if isinstance(x, dict):
        x = tuple(x.values())
    if isinstance(x, (tuple, list)):
        return all(map(isconstant, x))
    if isinstance(x, Tensor):
        return not is_symbolic(x)
    return not isinstance(x, GraphNumber)


Shape = primitive_of("Shape", shape)
TensorShape = primitive_of("TensorShape", dyn_shape)
Rank = primitive_of("Rank", rank)
Size = primitive_of("Size", size)
DType = primitive_of("DType", dtype)


def make_tuple(*values) -> tuple:
    """Returns the arguments as a tuple.

    Example:
        >>> from dyad import ops
        >>> ops.make_tuple(1, "a")
        (1, 'a')
    """
    return values


def tuple_len(values) -> int:
    """Length of a tuple.

    Example:
        >>> from dyad import ops
        >>> ops.tuple_len((1, 2, 3))
        3
    """
    return len(_require_elements("tuple_len", values))


def tuple_getitem(values, index):
    """Element of a tuple at an index.

    Example:
        >>> from dyad import ops
        >>> ops.tuple_getitem((1, 2, 3), -1)
        3
    """
    return _require_elements("tuple_getitem", values)[index]


def _require_elements(owner, values):
    if isinstance(values, (str, dict)) or not hasattr(values, "__getitem__"):
        raise TypeError(f"{owner}: values is of type {type(values).__name__}; need a tuple or list")
    return values


def switch(cond, x, y):
    """Returns `x` if the condition is true, else `y`, as a whole; `ops.where` selects element by element.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.switch(Tensor(True), Tensor([1, 2]), Tensor([3, 4])))
        [1 2]
    """
    return x if cond else y


def _require_bound(bound):
    return bound if isinstance(bound, (GraphNumber, Tensor)) else require_int("make_range", "a bound", bound)


def make_range(*bounds) -> tuple:
    """Numbers of Python's `range`, as a tuple.

    Example:
        >>> from dyad import ops
        >>> ops.make_range(1, 7, 2)
        (1, 3, 5)
    """
    return tuple(range(*map(_require_bound, bounds)))


for _function in (make_tuple, tuple_getitem, tuple_len, make_range, switch):
    _function.__dict__["_is_program"] = True
