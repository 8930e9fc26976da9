"""How operators run on the CPU."""

from dyad._src.base.host_only import host_only
from dyad._src.context.settings import settings

__all__ = ["threads_num"]


@host_only
def threads_num(num):
    """How many threads compute one operator, from now on."""
    if type(num) is not int:
        raise TypeError(f"threads_num: num is {num!r}; need an int")
    if num < 1:
        raise ValueError(f"threads_num: num is {num}; need 1 or more")
    settings.update({"runtime_num_threads": num})
