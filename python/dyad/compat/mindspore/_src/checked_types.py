"""Checks of dtypes, names and elements that programs borrow from the framework, for `dyad._checkparam`.

`args` are {name: value}. A wrong type raises TypeError, a wrong value ValueError.
"""

import re
from collections.abc import Iterable

__all__ = [
    "check_astype_dtype",
    "check_element_type_of_dict",
    "check_element_type_of_iterable",
    "check_file_name_by_regular",
    "check_hook_fn",
    "check_scalar_or_tensor_types_same",
    "check_size_and_element_type_of_tuple",
    "check_str_and_none_by_regular",
    "check_str_by_regular",
    "check_subclass",
    "check_tensor_dtype_valid",
    "check_tensors_dtypes_same_and_valid",
    "check_type_name",
    "check_types_same_and_valid",
    "check_valid_input",
    "is_stub_tensor",
]


def _listed(accepted):
    return accepted if isinstance(accepted, Iterable) else (accepted,)


def _require_one_of(owner, name, value, accepted):
    accepted = tuple(_listed(accepted))
    if value not in accepted:
        raise TypeError(f"{owner}: {name} is {value}; need {' or '.join(map(str, accepted))}")


def check_subclass(arg_name, type_, template_types, prim_name, addition_error_info=None):
    """A dtype that is one of the given ones."""
    _require_one_of(prim_name, arg_name, type_, template_types)


def check_type_name(arg_name, arg_type, valid_types, prim_name):
    """A dtype that is one of the given ones; returns it."""
    _require_one_of(prim_name, arg_name, arg_type, valid_types)
    return arg_type


def check_tensor_dtype_valid(arg_name, arg_type, valid_dtypes, prim_name):
    """The dtype of a tensor that is one of the given ones; returns it."""
    return check_type_name(arg_name, arg_type, valid_dtypes, prim_name)


def check_types_same_and_valid(args, valid_values, prim_name):
    """Dtypes that are all the same and one of the given ones."""
    for name, dtype in args.items():
        _require_one_of(prim_name, name, dtype, valid_values)
    if len(set(args.values())) > 1:
        shown = ", ".join(f"{name} is {dtype}" for name, dtype in args.items())
        raise TypeError(f"{prim_name}: {shown}; need the same dtype")


check_tensors_dtypes_same_and_valid = check_types_same_and_valid


def check_scalar_or_tensor_types_same(args, valid_values, prim_name, allow_mix=False):
    """Dtypes of tensors or numbers that are the same and one of the given ones."""
    check_types_same_and_valid(args, valid_values, prim_name)


def check_valid_input(arg_name, arg_value, prim_name):
    """Anything but None; returns it."""
    if arg_value is None:
        raise ValueError(f"{prim_name}: {arg_name} is None; need a value")
    return arg_value


def check_astype_dtype(dtype):
    """A dtype, or the name of one in lower case; a text in another case is refused."""
    if isinstance(dtype, str) and dtype.lower() != dtype:
        raise TypeError(f"dtype is {dtype!r}; need a dtype or its name in lower case")
    return dtype


def check_str_by_regular(target, reg=None, flag=re.ASCII, prim_name=None):
    """A text that matches a pattern, by default of letters, digits, underscores and inner dots; True if it does."""
    pattern = reg or r"^\w+[\w.]*$"
    if re.match(pattern, target, flag) is None:
        raise ValueError(f"{prim_name + ': ' if prim_name else ''}{target!r} does not match {pattern!r}")
    return True


def check_str_and_none_by_regular(target, reg=None, flag=re.ASCII, prim_name=None):
    """As check_str_by_regular; an empty text or None passes."""
    return not target or check_str_by_regular(target, reg, flag, prim_name)


def check_file_name_by_regular(target, reg=None, prim_name=None):
    """A path of letters, digits, underscores, dashes, dots, slashes and colons; True if it is."""
    return check_str_by_regular(target, reg or r"^[\w.\-/\\:]+$", re.ASCII, prim_name)


def _require_elements(owner, name, values, kinds):
    for value in values:
        if not isinstance(value, tuple(_listed(kinds))):
            accepted = " or ".join(kind.__name__ for kind in _listed(kinds))
            raise TypeError(f"{owner}: {name} has {value!r} of type {type(value).__name__}; need {accepted}")


def check_element_type_of_iterable(arg_name, arg_value, valid_types, prim_name=None):
    """Something to iterate over whose elements have one of the types; returns it."""
    if not isinstance(arg_value, Iterable):
        raise TypeError(f"{prim_name}: {arg_name} is {arg_value!r}; need something to iterate over")
    _require_elements(prim_name, arg_name, arg_value, valid_types)
    return arg_value


def check_element_type_of_dict(arg_name, arg_value, key_types, value_types, prim_name=None):
    """A dict whose keys and values have one of their types; returns it."""
    if not isinstance(arg_value, dict):
        raise TypeError(f"{prim_name}: {arg_name} is {arg_value!r}; need a dict")
    _require_elements(prim_name, arg_name, arg_value, key_types)
    _require_elements(prim_name, arg_name, arg_value.values(), value_types)
    return arg_value


def check_size_and_element_type_of_tuple(
    arg_name, arg_value, expect_size, expect_element_type, prim_name=None
):
    """A tuple of that many elements of the type; returns it."""
    if not isinstance(arg_value, tuple) or len(arg_value) != expect_size:
        raise ValueError(f"{prim_name}: {arg_name} is {arg_value!r}; need a tuple of {expect_size}")
    _require_elements(prim_name, arg_name, arg_value, expect_element_type)
    return arg_value


def check_hook_fn(hook_fn):
    """A function; True if it is."""
    if not callable(hook_fn):
        raise TypeError(f"the hook is {hook_fn!r} of type {type(hook_fn).__name__}; need a function")
    return True


def is_stub_tensor(tensor):
    """True if a tensor is a stand-in for one still being computed. Always False."""
    return False
