"""`collect_specified_data` of a SummaryCollector: keys, defaults and checks."""

import re

from dyad.train._arguments import require_keys, require_kind
from dyad.train.summary.landscape_settings import checked_settings

_OWNER = "SummaryCollector"
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
_KINDS = {"histogram_regular": (str, None), "collect_landscape": (dict, None)}


def specified_data(given, keeps_defaults) -> dict:
    """Settings by key; a missing key is not collected."""
    require_kind(_OWNER, "keep_default_action", keeps_defaults, bool)
    given = require_keys(_OWNER, "collect_specified_data", given, DEFAULTS)
    for key, value in given.items():
        require_kind(_OWNER, key, value, *_KINDS.get(key, (bool,)))
    if given.get("histogram_regular") is not None:
        _require_pattern(given["histogram_regular"])
    if given.get("collect_landscape") is not None:
        checked_settings(_OWNER, given["collect_landscape"])
    return {**DEFAULTS, **given} if keeps_defaults else dict(given)


def _require_pattern(value):
    try:
        re.compile(value)
    except re.error as error:
        raise ValueError(
            f"For `collect_specified_data`, the value of `histogram_regular` is {value!r}; "
            f"need a regular expression: {error}"
        ) from None
