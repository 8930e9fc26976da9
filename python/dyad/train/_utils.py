"""Checks that packages borrow from the training loop."""

from collections.abc import Iterable

from dyad.train.callback._directory import made_directory


def check_value_type(arg_name, arg_value, valid_types):
    """TypeError unless a value is of a type, or of one of several; a bool is no int."""
    types = tuple(valid_types) if isinstance(valid_types, Iterable) else (valid_types,)
    if isinstance(arg_value, types) and (not isinstance(arg_value, bool) or bool in types):
        return
    need = " or ".join(kind.__name__ for kind in types)
    raise TypeError(f"{arg_name} is {arg_value!r} of type {type(arg_value).__name__}; need {need}")


def _make_directory(path, arg_name="path"):
    """The real path of a directory, which is made if it is not there."""
    return made_directory("_make_directory", arg_name, path)
