"""Checks and templates of the training loop that other packages import."""

from collections.abc import Iterable

from dyad import ops
from dyad._src.checkpoint.redundancy import get_parameter_redundancy, remove_param_redundancy
from dyad.train.callback._callback import made_directory

__all__ = ["check_value_type", "get_parameter_redundancy", "remove_param_redundancy"]


def check_value_type(arg_name, arg_value, valid_types):
    """TypeError unless a value is of a type, or of one of several; a bool is not an int."""
    types = tuple(valid_types) if isinstance(valid_types, Iterable) else (valid_types,)
    if isinstance(arg_value, types) and (not isinstance(arg_value, bool) or bool in types):
        return
    need = " or ".join(kind.__name__ for kind in types)
    raise TypeError(f"{arg_name} is {arg_value!r} of type {type(arg_value).__name__}; need {need}")


def _make_directory(path, arg_name="path"):
    """The real path of a directory, which is created if it does not exist."""
    return made_directory("_make_directory", arg_name, path)


def _construct_tensor_list(types, shapes, batch_expand_num=1):
    """Zeros for each column of batches with these dtypes and shapes, `batch_expand_num` times their first size."""
    if len(types) != len(shapes):
        raise ValueError(
            f"_construct_tensor_list: there are {len(types)} types and {len(shapes)} shapes; need as many"
        )
    grown = [(size[0] * batch_expand_num, *size[1:]) if size else () for size in map(tuple, shapes)]
    return [ops.zeros(shape, dtype) for dtype, shape in zip(types, grown, strict=True)]
