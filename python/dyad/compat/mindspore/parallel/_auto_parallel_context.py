"""The settings of `set_auto_parallel_context` as an object with a reader and a writer per key."""

from dyad._src.context.parallel_settings import KEYS, parallel_settings

__all__ = ["auto_parallel_context"]


class _AutoParallelContext:
    """`get_x()` and `set_x(value)` for each setting x, and `get_x_is_set()`."""

    def reset(self):
        """All as they are by default."""
        parallel_settings.reset()

    def get_all_reduce_fusion_split_indices(self, group=""):
        """Where gradients are parted into several messages; a list, empty without such settings."""
        return parallel_settings.read("auto_parallel_context", "all_reduce_fusion_config")

    def set_all_reduce_fusion_split_indices(self, indices, group=""):
        """Says where gradients are parted into several messages; one process sends none."""
        parallel_settings.update("auto_parallel_context", {"all_reduce_fusion_config": indices})


def _add_accessors(name):
    def get(self):
        return parallel_settings.read("auto_parallel_context", name)

    def set(self, value):
        parallel_settings.update("auto_parallel_context", {name: value})

    def get_is_set(self):
        return parallel_settings.is_given(name)

    get.__doc__ = f"The setting `{name}`."
    set.__doc__ = f"Sets `{name}`, as `set_auto_parallel_context` does."
    get_is_set.__doc__ = f"Whether `{name}` was set."
    for method, called in ((get, f"get_{name}"), (set, f"set_{name}"), (get_is_set, f"get_{name}_is_set")):
        method.__name__ = called
        method.__qualname__ = f"_AutoParallelContext.{called}"
        setattr(_AutoParallelContext, called, method)


for _name in KEYS:
    _add_accessors(_name)

_context = _AutoParallelContext()


def auto_parallel_context():
    """The object with the settings of this process."""
    return _context
