"""Element types and the kinds of Python values, with conversions to and from Python and NumPy types."""

import enum

from dyad._core import (
    DType as Type,
)
from dyad._core import (
    bfloat16,
    bool_,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from dyad._src.base import lazy_numpy as numpy
from dyad._src.base.missing import missing_attribute
from dyad._src.tensor.dtype_classes import (  # noqa: F401 - not exported: `dyad.Int` would be taken for an element type
    BFloat,
    Bool,
    Complex,
    Float,
    Int,
    Number,
    UInt,
)
from dyad._src.tensor.type_marks import (  # noqa: F401 - the classes of marks are found here and not exported
    Dict,
    FunctionType,
    List,
    NoneType,
    Slice,
    String,
    TensorType,
    Tuple,
    float8_e4m3fn,
    float8_e5m2,
    float_,
    function,
    hifloat8,
    int_,
    list_,
    number,
    qint4x2,
    string,
    tensor_type,
    tuple_,
    type_none,
    typeof,
    uint,
)
from dyad._src.tensor.type_marks import type_type as type_type

__all__ = [
    "QuantDtype",
    "TensorType",
    "Type",
    "all_types",
    "bfloat16",
    "bool_",
    "byte",
    "cdouble",
    "cfloat",
    "complex64",
    "complex128",
    "complex_type",
    "double",
    "dtype_to_nptype",
    "dtype_to_pytype",
    "float8_e4m3fn",
    "float8_e5m2",
    "float16",
    "float32",
    "float64",
    "float_",
    "float_type",
    "get_py_obj_dtype",
    "half",
    "hifloat8",
    "int8",
    "int16",
    "int32",
    "int64",
    "int_",
    "int_type",
    "intc",
    "intp",
    "list_",
    "long",
    "number",
    "number_type",
    "pytype_to_dtype",
    "qint4x2",
    "short",
    "signed_type",
    "single",
    "string",
    "tensor_type",
    "tuple_",
    "type_none",
    "type_size_in_bytes",
    "ubyte",
    "uint",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "uint_type",
    "uintc",
    "uintp",
    "ushort",
]

half, single, double = float16, float32, float64
byte, short, intc, long, intp = int8, int16, int32, int64, int64
ubyte, ushort, uintc, uintp = uint8, uint16, uint32, uint64
cfloat, cdouble = complex64, complex128

number_type = (
    int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, float32, float64, bfloat16, complex64, complex128
)  # fmt: skip
int_type = (int8, int16, int32, int64)
uint_type = (uint8, uint16, uint32, uint64)
float_type = (float16, float32, float64, bfloat16)
complex_type = (complex64, complex128)
signed_type = (*int_type, *float_type, *complex_type)
all_types = (bool_, *number_type)


def dtype_to_nptype(type_):
    """The NumPy type of an element type; bfloat16, which NumPy lacks, gives float32, which holds all its values."""
    _require_element_type("dtype_to_nptype", type_)
    if type_ is bfloat16:
        return numpy.float32
    return numpy.dtype(type_.name.rstrip("_")).type


_NOT_NUMBERS = {tuple: tuple_, list: list_, str: string, type(None): type_none}


def dtype_to_pytype(type_):
    """The Python type whose values an element, or a value of a type that is no number, converts to."""
    for python_type, other in _NOT_NUMBERS.items():
        if type_ is other:
            return python_type
    _require_element_type("dtype_to_pytype", type_)
    if type_ is bool_:
        return bool
    if type_.is_complex:
        return complex
    return float if type_.is_floating_point else int


def pytype_to_dtype(obj):
    """The element type for a Python or NumPy type; float gives float64, as NumPy has it."""
    if isinstance(obj, Type):
        return obj
    known = {bool: bool_, int: int64, float: float64, complex: complex128, **_NOT_NUMBERS}
    if isinstance(obj, type) and obj in known:
        return known[obj]
    try:
        name = numpy.dtype(obj).name
    except TypeError:
        name = None
    for dtype in all_types:
        if name is not None and dtype.name.rstrip("_") == name:
            return dtype
    raise NotImplementedError(f"pytype_to_dtype: there is no element type for {obj!r}")


def get_py_obj_dtype(obj):
    """The type of a Python value: `tensor_type[...]` for a Tensor, an element type for numbers and type objects."""
    if isinstance(obj, type):
        return pytype_to_dtype(obj)
    return pytype_to_dtype(type(obj)) if type(obj) in (bool, int, float, complex) else typeof(obj)


def type_size_in_bytes(dtype):
    """How many bytes an element takes."""
    _require_element_type("type_size_in_bytes", dtype)
    return dtype.itemsize


# Under the names of Python's own types, which the functions above need.
_NAMED_AS_IN_PYTHON = {"bool": bool_, "int": int32, "float": float32}


def __getattr__(name):
    if name in _NAMED_AS_IN_PYTHON:
        return _NAMED_AS_IN_PYTHON[name]
    raise missing_attribute(__name__, name, __all__)


def _require_element_type(caller, type_):
    if not isinstance(type_, Type):
        raise TypeError(f"{caller}: got {type_!r}; need an element type such as float32")


_WIDTHS = range(1, 17)


class QuantDtype(enum.Enum):
    """INT1 to INT16 and UINT1 to UINT16; no Tensor has such elements."""

    vars().update({f"INT{bits}": bits - 1 for bits in _WIDTHS})
    vars().update({f"UINT{bits}": 99 + bits for bits in _WIDTHS})

    def __str__(self):
        return self.name

    def value(self):
        """The number that stands for the width in files."""
        return self._value_
