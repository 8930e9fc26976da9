"""Checks of what only a back end understands: its name and the further keywords of `jit`."""

from dyad._src.base.error_owner import warn_user
from dyad._src.base.no_effect import say_no_effect

_BACKENDS = ("", "ms_backend")


def require_backend(backend):
    """The name of the back end; an empty one leaves the choice to the device."""
    if backend == "GE":
        warn_user("jit: the back end 'GE' belongs to another device; the one of this device is used")
        return ""
    _choice(*_BACKENDS)("backend", backend)
    return backend


def _flag(name, value):
    if not isinstance(value, bool):
        raise TypeError(f"jit: {name} is {value!r} of type {type(value).__name__}; need a bool")


def _choice(*accepted):
    def check(name, value):
        if not isinstance(value, str):
            raise TypeError(f"jit: {name} is {value!r} of type {type(value).__name__}; need a str")
        if value not in accepted:
            raise ValueError(f"jit: {name} is {value!r}; need one of {', '.join(map(repr, accepted))}")

    return check


def _ge_options(name, value):
    if not isinstance(value, dict):
        raise TypeError(f"jit: {name} is {value!r} of type {type(value).__name__}; need a dict")
    for level, entries in value.items():
        if level not in ("global", "session"):
            raise ValueError(f"jit: {name} has the entry {level!r}; need 'global' or 'session'")
        if not isinstance(entries, dict):
            raise TypeError(f"jit: {name}[{level!r}] is of type {type(entries).__name__}; need a dict")
        for key, text in entries.items():
            if not isinstance(key, str) or not isinstance(text, str):
                raise TypeError(f"jit: {name}[{level!r}] has the entry {key!r}: {text!r}; need str and str")


_CHECKS = {
    "disable_format_transform": _flag,
    "exec_order": _choice("bfs", "dfs"),
    "ge_options": _ge_options,
    "infer_boost": _choice("on", "off"),
}


def require_backend_options(given):
    """The options that some back end knows. An unknown one is dropped with a warning, so that old programs go on."""
    known = {}
    for name, value in given.items():
        if name in _CHECKS:
            _CHECKS[name](name, value)
            known[name] = value
            say_no_effect(f"jit({name}=)", f"jit: {name}")
        else:
            warn_user(
                f"jit: there is no option {name!r} and it is dropped; known are {', '.join(_CHECKS)}",
            )
    return known
