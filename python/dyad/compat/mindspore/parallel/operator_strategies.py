"""Files of how each operator is split over devices."""

import os

from dyad._src.base.host_only import host_only
from dyad._src.base.no_effect import say_no_effect

__all__ = ["set_op_strategy_config"]


@host_only
def set_op_strategy_config(mode="SAVE", path=""):
    """Save or load how operators are split: they are not, so this only checks `mode` and `path`, a .json file."""
    if mode not in ("SAVE", "LOAD"):
        raise KeyError(f"set_op_strategy_config: mode is {mode!r}; need 'SAVE' or 'LOAD'")
    if not os.path.isabs(path) or not path.endswith(".json"):
        raise KeyError(f"set_op_strategy_config: path is {path!r}; need an absolute path that ends in .json")
    say_no_effect("mindspore.parallel.set_op_strategy_config", "set_op_strategy_config")
