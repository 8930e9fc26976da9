"""Switches of a graph compiler that programs set by name: `compile_config.CHECK_BPROP = 1`."""

from dyad._src.context.settings import set_context


class CompileSwitches:
    """One attribute for each switch; one that was not set is "".

    CHECK_BPROP is the setting `check_bprop`. The others choose between ways to compile that give one answer here, so
    they are kept and change nothing.
    """

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return ""

    def __setattr__(self, name, value):
        if name == "CHECK_BPROP":
            set_context(check_bprop=str(value) == "1")
        object.__setattr__(self, name, value)
