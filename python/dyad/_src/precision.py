"""Computing in another precision than the one values are stored in."""

from contextlib import contextmanager

from dyad import _core

_CELL_PRECISIONS = (_core.float16, _core.float32, _core.bfloat16)


def require_cell_precision(caller, dtype):
    if not isinstance(dtype, _core.DType) or dtype not in _CELL_PRECISIONS:
        raise ValueError(f"{caller}: dst_type is {dtype!r}; need float16, float32 or bfloat16")


@contextmanager
def computing_in(dtype):
    """Operators called inside, on this thread, cast their float operands to `dtype` first; None changes nothing."""
    if dtype is None:
        yield
        return
    previous = _core.set_compute_dtype(dtype)
    try:
        yield
    finally:
        _core.set_compute_dtype(previous)
