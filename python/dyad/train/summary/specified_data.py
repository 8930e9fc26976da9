"""What a SummaryCollector collects: the keys of `collect_specified_data`, their defaults and their checks."""

import re

from dyad._src.argument_checks import a_value, require_bool
from dyad.train.summary.landscape_settings import checked_settings

_OWNER = "SummaryCollector"
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
        if value is not None:
            checked_settings(_OWNER, value)
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
