"""Settings of a loss landscape: what they are when they are not given, and their checks."""

from dyad._src.argument_checks import a_value, require_bool, require_int

DEFAULTS = {
    "landscape_size": 40,
    "unit": "step",
    "num_samples": 2048,
    "create_landscape": {"train": True, "result": True},
    "intervals": [],
}
_SMALLEST, _LARGEST = 3, 256
_FEWEST = 3  # points of training in an interval: two directions need three


def checked_settings(owner, given):
    """All settings, of which `given`, a dict, names some."""
    if not isinstance(given, dict):
        raise TypeError(f"{owner}: collect_landscape is {a_value(given)}; need a dict or None")
    unknown = set(given) - set(DEFAULTS)
    if unknown:
        raise ValueError(
            f"{owner}: the keys {unknown} of collect_landscape are not known; need {', '.join(DEFAULTS)}"
        )
    settings = {**DEFAULTS, **given}
    size = require_int(owner, "landscape_size", settings["landscape_size"])
    if not _SMALLEST <= size <= _LARGEST:
        raise ValueError(f"{owner}: landscape_size is {size}; need an int from {_SMALLEST} to {_LARGEST}")
    require_int(owner, "num_samples", settings["num_samples"], 1)
    _require_unit(owner, settings["unit"])
    settings["create_landscape"] = _wanted(owner, settings["create_landscape"])
    _require_intervals(owner, settings["intervals"])
    return settings


def _require_unit(owner, unit):
    if not isinstance(unit, str):
        raise TypeError(f"{owner}: unit is {a_value(unit)}; need a str")
    if unit not in ("step", "epoch"):
        raise ValueError(f"{owner}: unit is {unit!r}; need 'step' or 'epoch'")


def _wanted(owner, wanted):
    if not isinstance(wanted, dict):
        raise TypeError(f"{owner}: create_landscape is {a_value(wanted)}; need a dict")
    for key, value in wanted.items():
        if key not in ("train", "result"):
            raise ValueError(f"{owner}: create_landscape has the key {key!r}; need 'train' or 'result'")
        require_bool(owner, key, value)
    return {**DEFAULTS["create_landscape"], **wanted}


def _require_intervals(owner, intervals):
    if not isinstance(intervals, list) or not all(isinstance(each, list) for each in intervals):
        raise TypeError(f"{owner}: intervals is {intervals!r}; need a list of lists of ints")
    for interval in intervals:
        if len(interval) < _FEWEST:
            raise ValueError(f"{owner}: intervals has {interval}; need {_FEWEST} numbers or more in each")
        for number in interval:
            require_int(owner, "intervals", number)
