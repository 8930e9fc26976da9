"""Execution settings of operators on the CPU."""

from dyad._src.base.host_only import host_only
from dyad._src.context.settings import settings

__all__ = ["threads_num"]


@host_only
def threads_num(num):
    """Sets the number of threads that compute one operator."""
    if type(num) is not int:
        raise TypeError(f"threads_num: num is {num!r}; need an int")
    if num < 1:
        raise ValueError(f"threads_num: num is {num}; need 1 or more")
    settings.update({"runtime_num_threads": num})
