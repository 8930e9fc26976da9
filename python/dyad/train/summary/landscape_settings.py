"""Settings of a loss landscape: defaults and checks."""

from typing import Any

from dyad.train._arguments import require_keys, require_kind, require_positive

DEFAULTS: dict[str, Any] = {
    "landscape_size": 40,
    "unit": "step",
    "num_samples": 2048,
    "create_landscape": {"train": True, "result": True},
    "intervals": [],
}
_SMALLEST, _LARGEST = 3, 256
_FEWEST = 3  # points of training in an interval: two directions need three


def checked_settings(owner, given) -> dict:
    """All settings, of which `given`, a dict, names some."""
    settings = {**DEFAULTS, **require_keys(owner, "collect_landscape", given, DEFAULTS)}
    for name, default in DEFAULTS.items():
        require_kind(owner, name, settings[name], type(default))
    size, unit = settings["landscape_size"], settings["unit"]
    if not _SMALLEST <= size <= _LARGEST:
        raise ValueError(f"{owner}: landscape_size is {size}; need an int from {_SMALLEST} to {_LARGEST}")
    require_positive(owner, "num_samples", settings["num_samples"])
    if unit not in ("step", "epoch"):
        raise ValueError(f"{owner}: unit is {unit!r}; need 'step' or 'epoch'")
    settings["create_landscape"] = _wanted(owner, settings["create_landscape"])
    _require_intervals(owner, settings["intervals"])
    return settings


def _wanted(owner, wanted):
    defaults = DEFAULTS["create_landscape"]
    for key, value in require_keys(owner, "create_landscape", wanted, defaults).items():
        require_kind(owner, key, value, bool)
    return {**defaults, **wanted}


def _require_intervals(owner, intervals):
    for interval in intervals:
        require_kind(owner, "intervals", interval, list)
        if len(interval) < _FEWEST:
            raise ValueError(f"{owner}: intervals has {interval}; need {_FEWEST} numbers or more in each")
        for number in interval:
            require_kind(owner, "intervals", number, int)
