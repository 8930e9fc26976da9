"""Types of Python values that are not dtypes, returned by `typeof` and matched by `MultitypeFuncGraph`."""

from dyad import _core
from dyad._core import GraphNumber, Tensor
from dyad._src.tensor.mutable import MutableBool


class TypeMark:
    """The type of a Python value, for example `tuple_`; `matches` returns whether a value is of that type."""

    def __init__(self, name, matches, text=None):
        self._name, self._matches = name, matches
        self._text = name.rstrip("_").title() if text is None else text

    def matches(self, value):
        """Returns whether a value is of this type."""
        return self._matches(value)

    def __repr__(self):
        return f"dyad.{self._name}"

    def __str__(self):
        return self._text


class Tuple(TypeMark):
    """Type of tuples; `isinstance(tuple_, Tuple)`."""

    def __init__(self):
        super().__init__("tuple_", lambda value: isinstance(value, tuple))


class List(TypeMark):
    """Type of lists."""

    def __init__(self):
        super().__init__("list_", lambda value: isinstance(value, list))


class Dict(TypeMark):
    """Type of dicts."""

    def __init__(self):
        super().__init__("dict_", lambda value: isinstance(value, dict), "Dictionary")


class String(TypeMark):
    """Type of strings."""

    def __init__(self):
        super().__init__("string", lambda value: isinstance(value, str))


class Slice(TypeMark):
    """Type of slices."""

    def __init__(self):
        super().__init__("slice_", lambda value: isinstance(value, slice))


class FunctionType(TypeMark):
    """Type of functions."""

    def __init__(self):
        super().__init__("function", callable, "Func")


class NoneType(TypeMark):
    """Type of None."""

    def __init__(self):
        super().__init__("type_none", lambda value: value is None, "None")


class TensorType(TypeMark):
    """A tensor, of any dtype or, as `tensor_type[float32]`, of one."""

    def __init__(self, element=None):
        def matches(value):
            return isinstance(value, Tensor) and element in (None, value.dtype)

        super().__init__("tensor" if element is None else f"tensor[{element.name}]", matches)
        self.element_type = element

    def __getitem__(self, element):
        return TensorType(element)

    def __eq__(self, other):
        return isinstance(other, TensorType) and other.element_type == self.element_type

    def __hash__(self):
        return hash(("tensor", self.element_type))

    def __str__(self):
        return "Tensor" if self.element_type is None else f"Tensor[{self.element_type}]"


def number_kind(value):
    """bool, int or float: the type of a number, marked `mutable` or dynamic; None for other values."""
    if isinstance(value, GraphNumber):
        return value.kind
    if isinstance(value, MutableBool):
        return bool
    return next((kind for kind in (bool, int, float) if isinstance(value, kind)), None)


def _of_kind(*kinds):
    return lambda value: number_kind(value) in kinds


tensor_type = TensorType()
number = TypeMark("number", _of_kind(bool, int, float))
int_ = TypeMark("int_", _of_kind(int))
uint = TypeMark(
    "uint", lambda value: isinstance(value, Tensor) and value.dtype.name.startswith("uint"), "UInt"
)
float_ = TypeMark("float_", _of_kind(float))
tuple_, list_, dict_, string, slice_ = Tuple(), List(), Dict(), String(), Slice()
function, type_none = FunctionType(), NoneType()
type_type = TypeMark("type_type", lambda value: isinstance(value, (_core.DType, TypeMark)), "TypeType")
no_value = TypeMark("no_value", lambda value: False)
# Element types of other devices, which no Tensor has here.
float8_e4m3fn, float8_e5m2, hifloat8, qint4x2 = (
    TypeMark(name, lambda value: False, text)
    for name, text in (
        ("float8_e4m3fn", "Float8E4M3FN"),
        ("float8_e5m2", "Float8E5M2"),
        ("hifloat8", "HiFloat8"),
        ("qint4x2", "Int4"),
    )
)
bool_mark = TypeMark("bool_", _of_kind(bool))

BY_NAME = {
    "Tensor": tensor_type,
    "Number": number,
    "Int": int_,
    "UInt": uint,
    "Float": float_,
    "Bool": bool_mark,
    "Tuple": tuple_,
    "List": list_,
    "Dict": dict_,
    "Dictionary": dict_,
    "String": string,
    "Slice": slice_,
    "Function": function,
    "None": type_none,
    "TypeNone": type_none,
    # Numbers by their dtypes. Those that no Python number has can be registered, and are never chosen.
    "Float32": float_,
    "Float64": float_,
    "Int64": int_,
    **dict.fromkeys(("Float16", "Int8", "Int16", "Int32", "UInt8", "UInt16", "UInt32", "UInt64"), no_value),
    # Kinds of tensors that no program can make here: a function registered for them is never chosen.
    "RowTensor": no_value,
    "COOTensor": no_value,
    "CSRTensor": no_value,
    "MapTensor": no_value,
}

_NUMBER_TYPES = {bool: _core.bool_, int: _core.int64, float: _core.float32}


def typeof(value):
    """The type of a value: `tensor_type[...]` of a tensor, a dtype of a number, else a kind (`tuple_`).

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.typeof(Tensor([1.0])))
        Tensor[Float32]
    """
    if isinstance(value, Tensor):
        return TensorType(value.dtype)
    number_type = _NUMBER_TYPES.get(number_kind(value))
    if number_type is not None:
        return number_type
    for kind, result in (
        (str, string),
        (tuple, tuple_),
        (list, list_),
        (dict, dict_),
        (slice, slice_),
    ):
        if isinstance(value, kind):
            return result
    for mark in (type_none, type_type, function):
        if mark.matches(value):
            return mark
    raise TypeError(f"typeof: there is no type for a value of Python type {type(value).__name__}")
