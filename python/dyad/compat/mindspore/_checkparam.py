"""`dyad._checkparam`: checks of arguments that programs borrow from the framework.

Each returns the value, or raises a TypeError for a wrong type and a ValueError for a wrong value. `arg_name` and
`prim_name` say in the message what was checked and for whom.
"""

import functools
import inspect

from dyad._src.base.argument_checks import with_article
from dyad.compat.mindspore._src.checked_axes import *  # noqa: F403
from dyad.compat.mindspore._src.checked_types import *  # noqa: F403

# Which ends of a range belong to it.
INC_NEITHER, INC_LEFT, INC_RIGHT, INC_BOTH = "()", "[)", "(]", "[]"
EQ, NE, GT, GE, LT, LE = "==", "!=", ">", ">=", "<", "<="
IN, NOT_IN = "in", "not in"

_COMPARISONS = {
    EQ: lambda value, bound: value == bound,
    NE: lambda value, bound: value != bound,
    GT: lambda value, bound: value > bound,
    GE: lambda value, bound: value >= bound,
    LT: lambda value, bound: value < bound,
    LE: lambda value, bound: value <= bound,
    IN: lambda value, bound: value in bound,
    NOT_IN: lambda value, bound: value not in bound,
}


def _subject(arg_name, prim_name):
    name = arg_name or "the argument"
    return f"{prim_name}: {name}" if prim_name else name


def _require(accepted, value, arg_name, prim_name, need, kind):
    if not accepted:
        raise kind(
            f"{_subject(arg_name, prim_name)} is {value!r} of type {type(value).__name__}; need {need}"
        )
    return value


def _is_int(value):
    return isinstance(value, int) and not isinstance(value, bool)


def check_is_int(arg_value, arg_name=None, prim_name=None):
    """An int that is not a bool."""
    return _require(_is_int(arg_value), arg_value, arg_name, prim_name, "an int", TypeError)


def check_is_float(arg_value, arg_name=None, prim_name=None):
    """A float."""
    return _require(isinstance(arg_value, float), arg_value, arg_name, prim_name, "a float", TypeError)


def check_is_number(arg_value, arg_type, arg_name=None, prim_name=None):
    """A number of the given type: int or float."""
    accepted = isinstance(arg_value, arg_type) and not isinstance(arg_value, bool)
    return _require(accepted, arg_value, arg_name, prim_name, with_article(arg_type.__name__), TypeError)


def check_bool(arg_value, arg_name=None, prim_name=None):
    """A bool."""
    return _require(isinstance(arg_value, bool), arg_value, arg_name, prim_name, "a bool", TypeError)


def check_int(arg_value, value, rel, arg_name=None, prim_name=None):
    """An int that compares to `value` as `rel` says."""
    check_is_int(arg_value, arg_name, prim_name)
    accepted = _COMPARISONS[rel](arg_value, value)
    return _require(accepted, arg_value, arg_name, prim_name, f"an int {rel} {value}", ValueError)


def _check_float(arg_value, value, rel, arg_name, prim_name):
    accepted = isinstance(arg_value, float) or _is_int(arg_value)
    _require(accepted, arg_value, arg_name, prim_name, "a float", TypeError)
    return _require(
        _COMPARISONS[rel](arg_value, value),
        arg_value,
        arg_name,
        prim_name,
        f"a float {rel} {value}",
        ValueError,
    )


def check_positive_int(arg_value, arg_name=None, prim_name=None):
    """An int above 0."""
    return check_int(arg_value, 0, GT, arg_name, prim_name)


def check_non_negative_int(arg_value, arg_name=None, prim_name=None):
    """An int of at least 0."""
    return check_int(arg_value, 0, GE, arg_name, prim_name)


def check_positive_float(arg_value, arg_name=None, prim_name=None):
    """A float above 0."""
    return _check_float(arg_value, 0, GT, arg_name, prim_name)


def check_non_negative_float(arg_value, arg_name=None, prim_name=None):
    """A float of at least 0."""
    return _check_float(arg_value, 0, GE, arg_name, prim_name)


def check_float(arg_value, value, rel, arg_name=None, prim_name=None):
    """A float that compares to `value` as `rel` says."""
    return _check_float(arg_value, value, rel, arg_name, prim_name)


def check_equal_int(arg_value, value, arg_name=None, prim_name=None):
    """The int `value`."""
    return check_int(arg_value, value, EQ, arg_name, prim_name)


def check_negative_int(arg_value, arg_name=None, prim_name=None):
    """An int below 0."""
    return check_int(arg_value, 0, LT, arg_name, prim_name)


def check_non_positive_int(arg_value, arg_name=None, prim_name=None):
    """An int of at most 0."""
    return check_int(arg_value, 0, LE, arg_name, prim_name)


def check_negative_float(arg_value, arg_name=None, prim_name=None):
    """A float below 0."""
    return _check_float(arg_value, 0, LT, arg_name, prim_name)


def check_non_positive_float(arg_value, arg_name=None, prim_name=None):
    """A float of at most 0."""
    return _check_float(arg_value, 0, LE, arg_name, prim_name)


def check_positive_int_sequence(sequence, arg_name=None, prim_name=None):
    """Ints above 0, in a sequence."""
    for value in sequence:
        check_positive_int(value, arg_name, prim_name)
    return sequence


def check_non_negative_int_sequence(sequence, arg_name=None, prim_name=None):
    """Ints of at least 0, in a sequence."""
    for value in sequence:
        check_non_negative_int(value, arg_name, prim_name)
    return sequence


def check_positive_float_sequence(sequence, arg_name=None, prim_name=None):
    """Floats above 0, in a sequence."""
    for value in sequence:
        check_positive_float(value, arg_name, prim_name)
    return sequence


def check_number(arg_name, arg_value, value, rel, prim_name):
    """A number that compares to `value` as `rel` says."""
    accepted = _COMPARISONS[rel](arg_value, value)
    return _require(accepted, arg_value, arg_name, prim_name, f"a number {rel} {value}", ValueError)


def check(arg_name, arg_value, value_name, value, rel=EQ, prim_name=None, excp_cls=ValueError):
    """A value that compares to another, called `value_name`, as `rel` says."""
    accepted = _COMPARISONS[rel](arg_value, value)
    return _require(accepted, arg_value, arg_name, prim_name, f"{rel} {value_name}, {value}", excp_cls)


def check_number_range(arg_value, lower_limit, upper_limit, rel, value_type, arg_name=None, prim_name=None):
    """A number of a type between two limits; `rel` says whether they belong to the range."""
    check_is_number(arg_value, value_type, arg_name, prim_name)
    need = f"{with_article(value_type.__name__)} in {rel[0]}{lower_limit}, {upper_limit}{rel[1]}"
    accepted = _in_range(arg_value, lower_limit, upper_limit, rel)
    return _require(accepted, arg_value, arg_name, prim_name, need, ValueError)


def _in_range(value, low, high, rel):
    after_low = value >= low if rel in (INC_LEFT, INC_BOTH) else value > low
    before_high = value <= high if rel in (INC_RIGHT, INC_BOTH) else value < high
    return after_low and before_high


def check_int_range(arg_value, lower_limit, upper_limit, rel, arg_name=None, prim_name=None):
    """An int between two limits; `rel` says whether they belong to the range."""
    check_is_int(arg_value, arg_name, prim_name)
    need = f"an int in {rel[0]}{lower_limit}, {upper_limit}{rel[1]}"
    accepted = _in_range(arg_value, lower_limit, upper_limit, rel)
    return _require(accepted, arg_value, arg_name, prim_name, need, ValueError)


def check_float_range(arg_value, lower_limit, upper_limit, rel, arg_name=None, prim_name=None):
    """A float between two limits; `rel` says whether they belong to the range."""
    check_is_float(arg_value, arg_name, prim_name)
    need = f"a float in {rel[0]}{lower_limit}, {upper_limit}{rel[1]}"
    accepted = _in_range(arg_value, lower_limit, upper_limit, rel)
    return _require(accepted, arg_value, arg_name, prim_name, need, ValueError)


def check_string(arg_value, valid_values, arg_name=None, prim_name=None):
    """One of the given texts."""
    accepted = isinstance(arg_value, str) and arg_value in valid_values
    need = f"one of {', '.join(map(repr, valid_values))}"
    return _require(accepted, arg_value, arg_name, prim_name, need, ValueError)


def check_value_type(arg_name, arg_value, valid_types, prim_name=None):
    """A value of one of the given types; a bool is an int only where bool is named."""
    types = tuple(valid_types) if isinstance(valid_types, (list, tuple)) else (valid_types,)
    accepted = isinstance(arg_value, types) and not (isinstance(arg_value, bool) and bool not in types)
    need = " or ".join(with_article(kind.__name__) for kind in types)
    return _require(accepted, arg_value, arg_name, prim_name, need, TypeError)


def check_isinstance(arg_name, arg_value, classes):
    """An instance of one of the classes."""
    return check_value_type(arg_name, arg_value, classes)


def check_input_format(input_param):
    """'NCHW'."""
    return check_string(input_param, ("NCHW",), "input_format")


def _expand_tuple(n_dimensions):
    """A function that makes a tuple of `n_dimensions` ints of one int, or takes such a tuple as it is."""

    def convert(value):
        if _is_int(value):
            return (value,) * n_dimensions
        accepted = isinstance(value, tuple) and len(value) == n_dimensions and all(map(_is_int, value))
        return _require(accepted, value, None, None, f"an int or a tuple of {n_dimensions} ints", TypeError)

    return convert


def twice(x):
    """Two ints: of one, repeated, or of a pair."""
    return _expand_tuple(2)(x)


def _check_3d_int_or_tuple(
    arg_name,
    arg_value,
    prim_name,
    allow_five=False,
    ret_five=False,
    greater_zero=True,
    third_one=False,
    three_input=False,
    pad_value=1,
):
    """Three sizes, or with `ret_five` five, the first two being `pad_value`; of one int, of three, or of five."""
    lengths = (3, 5) if allow_five else (3,)
    shaped = _is_int(arg_value) or (isinstance(arg_value, tuple) and len(arg_value) in lengths)
    need = f"an int or a tuple of {' or '.join(map(str, lengths))} ints"
    _require(shaped, arg_value, arg_name, prim_name, need, ValueError)
    sizes = (arg_value,) * 3 if _is_int(arg_value) else arg_value
    for size in sizes:
        accepted = _is_int(size) and size >= (1 if greater_zero else 0)
        _require(accepted, arg_value, arg_name, prim_name, need, ValueError)
    _require(not third_one or sizes[-3] == 1, arg_value, arg_name, prim_name, "a depth of 1", ValueError)
    return (pad_value, pad_value, *sizes[-3:]) if ret_five else sizes[-3:]


def args_type_check(*type_args, **type_kwargs):
    """A decorator that checks the types of the arguments of a function, by position or by name."""

    def decorate(function):
        signature = inspect.signature(function)
        types = signature.bind_partial(*type_args, **type_kwargs).arguments

        @functools.wraps(function)
        def checked(*args, **kwargs):
            for name, value in signature.bind(*args, **kwargs).arguments.items():
                if name in types and value is not None and not isinstance(value, types[name]):
                    need = with_article(getattr(types[name], "__name__", str(types[name])))
                    _require(False, value, name, function.__name__, need, TypeError)
            return function(*args, **kwargs)

        return checked

    return decorate


class Rel:
    """The relations by the name under which MindSpore 1 had them."""

    EQ, NE, LT, LE, GT, GE, IN, NOT_IN = EQ, NE, LT, LE, GT, GE, IN, NOT_IN
    INC_NEITHER, INC_LEFT, INC_RIGHT, INC_BOTH = INC_NEITHER, INC_LEFT, INC_RIGHT, INC_BOTH


# The checks by the name under which MindSpore 1 had them.
Validator = type(
    "Validator",
    (),
    {
        "__doc__": "The checks of this module as static methods.",
        **{name: staticmethod(check) for name, check in list(globals().items()) if name.startswith("check")},
    },
)
