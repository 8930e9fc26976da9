"""Computing in another precision than the one values are stored in."""

from dyad import _core

_CELL_PRECISIONS = (_core.float16, _core.float32, _core.bfloat16)


def require_cell_precision(caller, dtype):
    if not isinstance(dtype, _core.DType) or dtype not in _CELL_PRECISIONS:
        raise ValueError(f"{caller}: dst_type is {dtype!r}; need float16, float32 or bfloat16")


def call_in_precision(dtype, function, args, kwargs):
    """Call a function; operators in it, on this thread, cast their float operands to `dtype` unless that is None."""
    if dtype is None:
        return function(*args, **kwargs)
    previous = _core.set_compute_dtype(dtype)
    try:
        return function(*args, **kwargs)
    finally:
        _core.set_compute_dtype(previous)
