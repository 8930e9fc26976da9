"""`dyad._checkparam`: checks of arguments that programs borrow from the framework.

Each returns the value, or raises a TypeError for a wrong type and a ValueError for a wrong value. `arg_name` and
`prim_name` say in the message what was checked and for whom.
"""

import functools
import inspect

from dyad._src.argument_checks import with_article

# Which ends of a range belong to it.
INC_NEITHER, INC_LEFT, INC_RIGHT, INC_BOTH = "()", "[)", "(]", "[]"
EQ, NE, GT, GE, LT, LE = "==", "!=", ">", ">=", "<", "<="

_COMPARISONS = {
    EQ: lambda value, bound: value == bound,
    NE: lambda value, bound: value != bound,
    GT: lambda value, bound: value > bound,
    GE: lambda value, bound: value >= bound,
    LT: lambda value, bound: value < bound,
    LE: lambda value, bound: value <= bound,
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
    """An int that is no bool."""
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
