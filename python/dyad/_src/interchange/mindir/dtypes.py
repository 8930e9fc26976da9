"""Numbers of dtypes, and of keyword arguments of operators, in `.mindir` files."""

from dyad import _core

# Values of a tensor's `data_type`. 17 is another number of float64.
_TENSOR_TYPES = {
    1: _core.float32,
    2: _core.uint8,
    3: _core.int8,
    4: _core.uint16,
    5: _core.int16,
    6: _core.int32,
    7: _core.int64,
    9: _core.bool_,
    10: _core.float16,
    12: _core.uint32,
    13: _core.uint64,
    14: _core.complex64,
    15: _core.complex128,
    16: _core.bfloat16,
    17: _core.float64,
    11: _core.float64,
}
_TENSOR_NUMBERS = {dtype: number for number, dtype in _TENSOR_TYPES.items()}

# Values of a dtype argument of an operator.
_ARGUMENT_TYPES = {
    30: _core.bool_,
    32: _core.int8,
    33: _core.int16,
    34: _core.int32,
    35: _core.int64,
    37: _core.uint8,
    38: _core.uint16,
    39: _core.uint32,
    40: _core.uint64,
    42: _core.float16,
    43: _core.float32,
    44: _core.float64,
    45: _core.bfloat16,
    51: _core.complex64,
    52: _core.complex128,
}
_ARGUMENT_NUMBERS = {dtype: number for number, dtype in _ARGUMENT_TYPES.items()}

_FORMATS = {"NCHW": 0, "NHWC": 1, "NCDHW": 14, "NDHWC": 17}
_NORMS = {"backward": 0, "forward": 1, "ortho": 2}
# Words as arguments of operators, by the name of the argument.
_WORDS: dict = {
    "approximate": {"none": 0, "tanh": 1},
    "coordinate_transformation_mode": {"asymmetric": 0, "align_corners": 1, "half_pixel": 2},
    "data_format": _FORMATS,
    "format": _FORMATS,
    "interpolation_mode": {"bilinear": 0, "nearest": 1},
    "mode": {"constant": 0, "reflect": 1, "symmetric": 2},
    "norm": _NORMS,
    "pad_mode": {"pad": 0, "same": 1, "valid": 2, "full": 3},
    "padding": {"pad": 0, "same": 1, "valid": 2, "full": 3},
    "padding_mode": {"zeros": 0, "border": 1, "reflection": 2},
    "reduce": {"none": 0, "add": 1},
    "reduction": {"sum": 0, "mean": 1, "none": 2, "update": 3},
    "rounding_mode": {"round": 0, "trunc": 1, "floor": 2, "ceil": 3},
}


def tensor_dtype(number):
    """The dtype with that number in a tensor, or None."""
    return _TENSOR_TYPES.get(number)


def tensor_number(dtype):
    """The number of a dtype in a tensor, or None if files have none for it."""
    return _TENSOR_NUMBERS.get(dtype)


def argument_dtype(number):
    """The dtype with that number among arguments, or None."""
    return _ARGUMENT_TYPES.get(number)


def argument_number(dtype):
    """The number of a dtype among arguments, or None if files have none for it."""
    return _ARGUMENT_NUMBERS.get(dtype)


def word(argument, number):
    """The word with that number for an argument of that name, or None."""
    return next((text for text, code in _WORDS.get(argument, {}).items() if code == number), None)


def word_number(argument, text):
    """The number of a word for an argument of that name, in any case of letters, or None."""
    return next(
        (code for known, code in _WORDS.get(argument, {}).items() if known.lower() == text.lower()), None
    )
