"""What a SummaryCollector collects: the keys of `collect_specified_data`, their defaults and their checks."""

import re

from dyad._src.argument_checks import a_value, require_bool, require_int
from dyad._src.no_effect import say_no_effect

_OWNER = "SummaryCollector"
_LANDSCAPE_KEYS = ("landscape_size", "unit", "num_samples", "create_landscape", "intervals")
_NOT_BOOL = ("histogram_regular", "collect_landscape")
DEFAULTS = {
    "collect_metric": True,
    "collect_graph": True,
    "collect_train_lineage": True,
    "collect_eval_lineage": True,
    "collect_input_data": True,
    "collect_dataset_graph": True,
    "collect_learning_rate": True,
    "collect_gradient_norm": True,
    "collect_performance": True,
    "histogram_regular": None,
    "collect_landscape": None,
}


def specified_data(given, keeps_defaults):
    """What is collected, by key; a key that is not there is not collected."""
    require_bool(_OWNER, "keep_default_action", keeps_defaults)
    if given is not None and not isinstance(given, dict):
        raise TypeError(f"{_OWNER}: collect_specified_data is {a_value(given)}; need a dict or None")
    given = {} if given is None else given
    for key in given:
        if not isinstance(key, str):
            raise TypeError(f"{_OWNER}: collect_specified_data has the key {key!r}; need keys of type str")
    unknown = set(given) - set(DEFAULTS)
    if unknown:
        raise ValueError(
            f"{_OWNER}: the keys {unknown} of collect_specified_data are not known; need {', '.join(DEFAULTS)}"
        )
    for key, value in given.items():
        _require_value(key, value)
    return {**DEFAULTS, **given} if keeps_defaults else dict(given)


def _require_value(key, value):
    if key not in _NOT_BOOL:
        require_bool(_OWNER, key, value)
    elif key == "collect_landscape":
        _require_landscape(value)
    elif value is not None:
        _require_pattern(value)


def _require_pattern(value):
    if not isinstance(value, str):
        raise TypeError(f"{_OWNER}: histogram_regular is {a_value(value)}; need a str or None")
    try:
        re.compile(value)
    except re.error as error:
        raise ValueError(
            f"{_OWNER}: histogram_regular is {value!r}; need a regular expression: {error}"
        ) from None


def _require_landscape(given):
    """A loss landscape is asked for by a dict of settings; they are checked, but none is made."""
    if given is None:
        return
    if not isinstance(given, dict):
        raise TypeError(f"{_OWNER}: collect_landscape is {a_value(given)}; need a dict or None")
    unknown = set(given) - set(_LANDSCAPE_KEYS)
    if unknown:
        raise ValueError(
            f"{_OWNER}: the keys {unknown} of collect_landscape are not known; need {', '.join(_LANDSCAPE_KEYS)}"
        )
    size = require_int(_OWNER, "landscape_size", given.get("landscape_size", 40))
    if not 3 <= size <= 256:
        raise ValueError(f"{_OWNER}: landscape_size is {size}; need an int from 3 to 256")
    require_int(_OWNER, "num_samples", given.get("num_samples", 2048))
    _require_unit(given.get("unit", "step"))
    _require_wanted(given.get("create_landscape", {}))
    _require_intervals(given.get("intervals", []))
    say_no_effect("SummaryCollector(collect_landscape=)", f"{_OWNER}: collect_landscape")


def _require_unit(unit):
    if not isinstance(unit, str):
        raise TypeError(f"{_OWNER}: unit is {a_value(unit)}; need a str")
    if unit not in ("step", "epoch"):
        raise ValueError(f"{_OWNER}: unit is {unit!r}; need 'step' or 'epoch'")


def _require_wanted(wanted):
    if not isinstance(wanted, dict):
        raise TypeError(f"{_OWNER}: create_landscape is {a_value(wanted)}; need a dict")
    for key, value in wanted.items():
        if key not in ("train", "result"):
            raise ValueError(f"{_OWNER}: create_landscape has the key {key!r}; need 'train' or 'result'")
        require_bool(_OWNER, key, value)


def _require_intervals(intervals):
    if not isinstance(intervals, list) or not all(isinstance(each, list) for each in intervals):
        raise TypeError(f"{_OWNER}: intervals is {intervals!r}; need a list of lists of ints")
    for interval in intervals:
        if len(interval) < 3:
            raise ValueError(f"{_OWNER}: intervals has {interval}; need 3 numbers or more in each")
        for number in interval:
            require_int(_OWNER, "intervals", number)
