"""Conversions of operator arguments; programs import them from `auto_generate` and `ops._utils`.

Where the reference writes a choice as a number, as `str_to_enum` does, the number knows its word: operators that are
called with it here take the word.
"""

import enum
from typing import Any

from dyad import _core, ops
from dyad._core import Tensor
from dyad._src.primitive.primitive import primitive_of
from dyad.ops import sequence_operators

__all__ = [
    "arg_invalid_info", "do_type_cast", "dtype_to_type_id", "generator_handler", "get_broadcast_shape",
    "get_support_dtype_list", "int_to_float", "is_dim_unknown", "is_floating_point_mstype", "is_instance_in",
    "is_instance_of", "is_integral_mstype", "is_list", "is_number", "is_shape_unknown", "is_stub_tensor", "is_tuple",
    "jit_context", "list_to_tensor", "list_to_tuple", "normalize_int_sequence", "scalar_to_tensor", "scalar_to_tuple",
    "str_to_enum", "tensor_to_number", "tensor_to_tuple", "to_2d_paddings", "to_dilations", "to_kernel_size",
    "to_output_padding", "to_pair", "to_rates", "to_strides", "tuple_to_list", "tuple_to_tensor", "type_it",
]  # fmt: skip

# The kinds of argument, by the numbers that `type_it` is given.
_KINDS = (
    "bool", "int", "float", "number", "Tensor", "string", "Any",
    *(f"tuple of {part}" for part in ("bool", "int", "float", "number", "Tensor", "string", "Any")),
    *(f"list of {part}" for part in ("bool", "int", "float", "number", "Tensor", "string", "Any")),
)  # fmt: skip
_PYTHON_KINDS: dict[str, Any] = {
    "bool": bool,
    "int": int,
    "float": float,
    "number": (int, float, bool),
    "Tensor": Tensor,
}
_PYTHON_KINDS |= {"string": str}

_TYPE_IDS = {
    "string": 12, "bool_": 30, "int8": 32, "int16": 33, "int32": 34, "int64": 35, "uint8": 37, "uint16": 38,
    "uint32": 39, "uint64": 40, "float16": 42, "float32": 43, "float64": 44, "bfloat16": 45, "complex64": 51,
    "complex128": 52,
}  # fmt: skip

# Choices, each with its number; what is not counted from 0 stands as a pair.
_CHOICES = (
    "sum mean none",
    "pad same valid",
    "constant reflect symmetric",
    "zeros border reflection",
    "bilinear nearest",
    "asymmetric align_corners half_pixel",
    "backward forward ortho",
    "right left",
    "ij xy",
    "BSH BNSD SBH BSND TND",
    "NCHW NHWC",
)
_NUMBERS = {word: number for words in _CHOICES for number, word in enumerate(words.split())}
_NUMBERS |= {"trunc": 1, "floor": 2, "ceil": 3, "add": 1, "update": 3, "tanh": 10, "NCDHW": 14, "NDHWC": 17}


class Choice(int):
    """The number of a choice, and its word."""

    word: str

    def __new__(cls, number, word):
        made = super().__new__(cls, number)
        made.word = word
        return made


def worded(value):
    """The word of a choice, and anything else as it is."""
    return value.word if isinstance(value, Choice) else value


def arg_invalid_info(op_name, arg_name, arg_val):
    """Message for a value that an operator does not accept."""
    return f"{op_name}: {arg_name} is {arg_val!r}, which it does not take"


def _refuse(op_name, arg_name, value):
    raise ValueError(arg_invalid_info(op_name, arg_name, value))


def to_pair(op_name, arg_name, arg_val):
    """One number twice, and several as they are."""
    if isinstance(arg_val, (int, float)):
        return (arg_val, arg_val)
    return arg_val if isinstance(arg_val, (tuple, list)) else _refuse(op_name, arg_name, arg_val)


def to_2d_paddings(op_name, arg_name, pad):
    """One number twice, and several as they are."""
    return (
        pad if not isinstance(pad, int) and isinstance(pad, (tuple, list)) else _pair(op_name, arg_name, pad)
    )


def _pair(op_name, arg_name, size):
    """The number for height and width: one number is both, and of four the batch and the channels are left out."""
    if isinstance(size, int):
        return (size, size)
    if not isinstance(size, (tuple, list)):
        _refuse(op_name, arg_name, size)
    return tuple(size[2:]) if len(size) == 4 else size


to_kernel_size = to_strides = to_rates = to_dilations = to_output_padding = _pair


def generator_handler(op_name, arg_name, inputs):
    """The inputs as a tuple, ints among them as Tensors of int64."""
    return tuple([Tensor(each, _core.int64) if isinstance(each, int) else each for each in inputs])


def _scalar_tensor_to_scalar(op_name, arg_name, x):
    """The number in a Tensor without dimensions, and anything else as it is."""
    if not isinstance(x, Tensor):
        return x
    if x.shape != ():
        raise ValueError(
            f"{op_name}: {arg_name} is a Tensor of shape {x.shape}; need a number or one of shape ()"
        )
    return x.item()


_scalar_tensor_to_int = _scalar_tensor_to_float = _scalar_tensor_to_scalar


def normalize_int_tensor(op_name, arg_name, data):
    """The int in a Tensor of one element."""
    return int(data.item())


def normalize_int_sequence(op_name, arg_name, data, to_tuple=True):
    """The ints of a sequence, of which some may be Tensors; a sequence of anything else is left as it is."""
    if not all([isinstance(each, (int, Tensor)) for each in data]):
        return data
    ints = [each if isinstance(each, int) else normalize_int_tensor(op_name, arg_name, each) for each in data]
    return tuple(ints) if to_tuple else ints


def _normalize_int_sequence(op_name, arg_name, data):
    """As `normalize_int_sequence`, of a tuple or a list; anything else is left as it is."""
    if not isinstance(data, (tuple, list)):
        return data
    return normalize_int_sequence(op_name, arg_name, data, isinstance(data, tuple))


def _dtype_number(op_name, arg_name, dtype):
    """The number of a dtype."""
    name = getattr(dtype, "name", None)
    if name not in _TYPE_IDS:
        raise TypeError(f"{op_name}: {arg_name} is {dtype!r}; need a dtype")
    return _TYPE_IDS[name]


def dtype_of_number(number):
    """The dtype whose number this is; anything but such an int is left as it is."""
    if isinstance(number, bool) or not isinstance(number, int):
        return number
    name = next((name for name, known in _TYPE_IDS.items() if known == number), None)
    if name is None:
        raise ValueError(f"{number} is the number of no dtype; they are {sorted(_TYPE_IDS.values())}")
    return getattr(_core, name)


def _choice_number(op_name, arg_name, enum_str):
    """The number of a choice that is given as a word; None stays None."""
    if enum_str is None:
        return None
    if not isinstance(enum_str, str):
        raise TypeError(
            f"{op_name}: {arg_name} is {enum_str!r} of type {type(enum_str).__name__}; need a str"
        )
    spelled = next((word for word in _NUMBERS if word.lower() == enum_str.lower()), None)
    if spelled is None:
        raise ValueError(f"{op_name}: {arg_name} is {enum_str!r}; need one of {', '.join(sorted(_NUMBERS))}")
    return Choice(_NUMBERS[spelled], enum_str)


DtypeToEnum = primitive_of("DtypeToEnum", _dtype_number)
StringToEnum = primitive_of("StringToEnum", _choice_number)
TupleToList, ListToTuple = (sequence_operators.classes[name] for name in ("TupleToList", "ListToTuple"))
IsDimUnKnown = primitive_of("IsDimUnKnown", lambda data: False)
dtype_to_type_id, str_to_enum = DtypeToEnum(), StringToEnum()
tuple_to_list, list_to_tuple, is_sequence_shape_unknown = TupleToList(), ListToTuple(), IsDimUnKnown()
tensor_to_tuple_ = sequence_operators.classes["TensorToTuple"]()
tensor_to_scalar_ = sequence_operators.classes["TensorToScalar"]()


def int_to_float(data):
    """The number as a float."""
    return float(data)


def scalar_to_tuple(data):
    """A tuple of one number."""
    return (data,)


def tensor_to_tuple(data):
    """The numbers of a Tensor as a tuple."""
    return tensor_to_tuple_(data)


def scalar_to_tensor(data):
    """A number as a Tensor: of bool, int32 or float32."""
    kinds = ((bool, _core.bool_), (int, _core.int32), (float, _core.float32))
    return Tensor(data, next((dtype for kind, dtype in kinds if isinstance(data, kind)), None))


def tuple_to_tensor(data):
    """Numbers as a Tensor."""
    return ops.tuple_to_array(data)


def list_to_tensor(data):
    """Numbers as a Tensor."""
    return ops.tuple_to_array(tuple(data))


def _kind(type_id):
    """The words for a kind of argument, as `tuple of int`."""
    number = int(type_id)
    return _KINDS[number - 1] if 0 < number <= len(_KINDS) else "other"


def is_tuple(type_id):
    """True if the kind is a tuple."""
    return _kind(type_id).startswith("tuple")


def is_list(type_id):
    """True if the kind is a list."""
    return _kind(type_id).startswith("list")


def is_number(type_id):
    """True if the kind is a number."""
    return _kind(type_id) in ("bool", "int", "float", "number")


def is_integral_mstype(dtype):
    """True if the dtype is an integer dtype other than bool."""
    return dtype.name.startswith(("int", "uint"))


def is_floating_point_mstype(dtype):
    """True if the dtype is float16, float32 or float64."""
    return dtype in (_core.float16, _core.float32, _core.float64)


def is_instance_of(data, type_id):
    """True if the value is of that kind. Elements of sequences are not checked."""
    if is_tuple(type_id) or is_list(type_id):
        return isinstance(data, tuple if is_tuple(type_id) else list)
    return isinstance(data, _PYTHON_KINDS.get(_kind(type_id), ()))


def is_instance_in(data, type_id):
    """True if the value is of that kind, or of one of several."""
    kinds = type_id if isinstance(type_id, tuple) else (type_id,)
    return any([is_instance_of(data, kind) for kind in kinds])


def get_support_dtype_list(src_type, dst_type):
    """The kinds that are taken, in words."""
    kinds = src_type if isinstance(src_type, tuple) else (src_type,)
    return ", ".join([_kind(kind) for kind in (*kinds, dst_type)])


def tensor_to_number(data, dst_type, op_name):
    """The number in a Tensor of one element, as an int or a float where one is asked for."""
    number = data.item()
    return {"int": int, "float": float}.get(_kind(dst_type), lambda same: same)(number)


def do_type_cast(data, dst_type, op_name):
    """The value as the kind that the operator takes."""
    if is_instance_of(data, dst_type):
        return data
    plain = isinstance(data, (int, float, bool))
    if _kind(dst_type) == "float" and isinstance(data, int):
        return float(data)
    if is_tuple(dst_type) or is_list(dst_type):
        if plain or isinstance(data, (tuple, list, Tensor)):
            several = (data,) if plain else tensor_to_tuple(data) if isinstance(data, Tensor) else data
            return tuple(several) if is_tuple(dst_type) else list(several)
    elif _kind(dst_type) == "Tensor" and (plain or isinstance(data, (tuple, list))):
        return scalar_to_tensor(data) if plain else tuple_to_tensor(tuple(data))
    elif is_number(dst_type) and isinstance(data, Tensor):
        return tensor_to_number(data, dst_type, op_name)
    raise TypeError(f"{op_name}: {data!r} of type {type(data).__name__} makes no {_kind(dst_type)}")


def type_it(op_name, arg_name, data, src_type, dst_type):
    """The argument as the kind that the operator takes, if it may be given for it; None stays None."""
    if data is None:
        return None
    if not is_instance_in(data, src_type) and not is_instance_of(data, dst_type):
        raise TypeError(
            f"{op_name}: {arg_name} is of type {type(data).__name__}; need {get_support_dtype_list(src_type, dst_type)}"
        )
    return do_type_cast(data, dst_type, op_name)


def is_stub_tensor(tensor):
    """True if a Tensor is a stand-in for a later one. Always False."""
    return False


def jit_context():
    """Recorder of a traced call. Always None: calls are captured without one."""
    return None


def is_shape_unknown(shape):
    """True if a size of the shape, or the rank, is dynamic: -1 or -2."""
    return any([size in (-1, -2) for size in shape])


def is_dim_unknown(shape):
    """True if the rank is dynamic: (-2,)."""
    return -2 in shape


def get_broadcast_shape(x_shape, y_shape, prim_name, arg_name1="x", arg_name2="y"):
    """The list of sizes that two shapes are broadcast to; -1 is a size that is not known, and (-2,) any shape."""
    if is_dim_unknown(x_shape) or is_dim_unknown(y_shape):
        return [-2]
    rank = max(len(x_shape), len(y_shape))
    long_x, long_y = ((1,) * (rank - len(shape)) + tuple(shape) for shape in (x_shape, y_shape))
    sizes = []
    for of_x, of_y in zip(long_x, long_y, strict=True):
        if of_x != of_y and 1 not in (of_x, of_y) and -1 not in (of_x, of_y):
            raise ValueError(
                f"{prim_name}: {arg_name1} has shape {tuple(x_shape)} and {arg_name2} has {tuple(y_shape)}; "
                "sizes must be the same or 1"
            )
        known = [size for size in (of_x, of_y) if size != -1]
        largest = max(known, default=-1)
        sizes.append(largest if len(known) == 2 or largest > 1 else -1)
    return sizes


_NAMED = [kind.upper().replace("STRING", "STR").replace(" OF ", "_") for kind in _KINDS]
OpDtype = enum.IntEnum("OpDtype", {f"DT_{name}": number for number, name in enumerate(_NAMED, 1)})  # type: ignore[misc]
globals().update({f"{kind.name}_VAL": int(kind) for kind in OpDtype})
