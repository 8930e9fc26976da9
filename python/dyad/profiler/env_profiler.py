"""A profiler of the whole program, configured by the environment."""

import atexit
import json
import os

from dyad import log
from dyad.profiler.options import (
    DEFAULTS,
    EXPERIMENTAL_DEFAULTS,
    AicoreMetrics,
    ProfilerActivity,
    ProfilerLevel,
    _ExperimentalConfig,
)
from dyad.profiler.profiler import Profile, tensorboard_trace_handler

__all__ = ["EnvProfiler"]

_VARIABLE = "MS_PROFILER_OPTIONS"
# Options that JSON cannot express.
_NOT_IN_JSON = {"schedule", "on_trace_ready", "experimental_config"}
_CLASSES = {"profiler_level": ProfilerLevel, "aic_metrics": AicoreMetrics, "activities": ProfilerActivity}


class EnvProfiler:
    """Records a program from its start if MS_PROFILER_OPTIONS, a JSON dict, has `"start": true`.

    The other keys are options of `profiler.profile`, and `output_path`. The files are written by `analyse`, or when
    the program ends. The package itself starts it if the variable is set.
    """

    profiler = None

    @classmethod
    def init_profiler(cls) -> None:
        """Starts recording, if the environment requests it and it has not started."""
        text = os.environ.get(_VARIABLE)
        if not text or cls.profiler is not None:
            return
        options = _options(text)
        if options is None or not options.pop("start", False):
            return
        handler = tensorboard_trace_handler(options.pop("output_path", None))
        extra = {name: options.pop(name) for name in EXPERIMENTAL_DEFAULTS if name in options}
        cls.profiler = Profile(
            **options, on_trace_ready=handler, experimental_config=_ExperimentalConfig(**extra)
        )
        atexit.register(cls().analyse)

    def analyse(self) -> None:
        """End the recording and write its files. A second call does nothing."""
        profiler, EnvProfiler.profiler = EnvProfiler.profiler, None
        if profiler is not None:
            profiler.stop()


def _options(text):
    """The options, once they are known to be good; None, after an error in the log, if they are not."""
    known = {"start", "output_path", *DEFAULTS, *EXPERIMENTAL_DEFAULTS} - _NOT_IN_JSON
    try:
        given = json.loads(text)
        if not isinstance(given, dict):
            raise ValueError("it is no dict")
        unknown = set(given) - known
        if unknown:
            raise ValueError(f"{', '.join(sorted(unknown))} is not known")
        return {name: _value(name, value) for name, value in given.items()}
    except ValueError as error:
        log.error("EnvProfiler: %s is %s: %s; nothing is recorded", _VARIABLE, text, error)
        return None


def _value(name, value):
    """Names of members of the enumerations become those members."""
    kind = _CLASSES.get(name)
    if kind is None:
        return value
    return [kind(each) for each in value] if isinstance(value, list) else kind(value)
