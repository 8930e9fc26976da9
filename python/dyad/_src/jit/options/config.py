"""`JitConfig`: settings of the static graph as an object that a program hands to a Cell or to `jit`."""

from dyad._src.base.argument_checks import require_int
from dyad._src.base.no_effect import NO_EFFECT, say_no_effect
from dyad._src.context.keys import COMPATIBLE, DEBUG, LAX, RELEASE, STRICT

_ACCEPTED = {
    "jit_level": ("", "O0", "O1", "O2"),
    "exc_mode": ("auto", "sink", "no_sink"),
    "jit_syntax_level": ("", "STRICT", "COMPATIBLE", "LAX"),
    "debug_level": ("RELEASE", "DEBUG"),
    "infer_boost": ("on", "off"),
}
_DEFAULTS = {"exc_mode": "auto", "debug_level": "RELEASE", "infer_boost": "off"}
_SYNTAX_LEVELS = {"STRICT": STRICT, "COMPATIBLE": COMPATIBLE, "LAX": LAX}


class JitConfig:
    """Settings for the compilation of a Cell or function.

    `jit_level` is "" for automatic, or "O0", "O1", "O2"; `jit_syntax_level` is "" for what the context says, or
    "STRICT", "LAX". Further keywords are kept as they are given; `static_attempts` is how many shapes `dynamic=1` lets
    be compiled as they are, 2 if it is left out.
    """

    def __init__(
        self,
        jit_level="",
        exc_mode="auto",
        jit_syntax_level="",
        debug_level="RELEASE",
        infer_boost="off",
        **kwargs,
    ):
        given = {
            "jit_level": jit_level,
            "exc_mode": exc_mode,
            "jit_syntax_level": jit_syntax_level,
            "debug_level": debug_level,
            "infer_boost": infer_boost,
        }
        for name, value in given.items():
            if value not in _ACCEPTED[name]:
                accepted = ", ".join(repr(text) for text in _ACCEPTED[name])
                raise ValueError(f"JitConfig: {name} is {value!r}; need one of {accepted}")
            if f"JitConfig({name}=)" in NO_EFFECT and value != _DEFAULTS[name]:
                say_no_effect(f"JitConfig({name}=)", f"JitConfig: {name}={value!r}")
        if "static_attempts" in kwargs:
            require_int("JitConfig", "static_attempts", kwargs["static_attempts"], low=0)
        self.jit_config_dict = {**given, **kwargs}

    def __repr__(self) -> str:
        return f"JitConfig({', '.join(f'{name}={value!r}' for name, value in self.jit_config_dict.items())})"

    def changes(self):
        """Returns its settings as fields of `JitOptions`, without those that are not set."""
        config = self.jit_config_dict
        changes = {"debug_level": DEBUG if config["debug_level"] == "DEBUG" else RELEASE}
        if config["jit_level"]:
            changes["jit_level"] = config["jit_level"]
        if config["jit_syntax_level"]:
            changes["syntax_level"] = _SYNTAX_LEVELS[config["jit_syntax_level"]]
            changes["fullgraph"] = config["jit_syntax_level"] == "STRICT"
        if "static_attempts" in config:
            changes["static_attempts"] = config["static_attempts"]
        return changes
