"""Settings of the search for how operators are split over devices; kept and read back."""

from dyad._src.base.argument_checks import require_bool, require_fraction, require_int
from dyad._src.base.host_only import host_only

__all__ = ["get_algo_parameters", "reset_algo_parameters", "set_algo_parameters"]

_DEFAULTS = {
    "fully_use_devices": False,
    "elementwise_op_strategy_follow": False,
    "enable_algo_approxi": False,
    "algo_approxi_epsilon": 0.1,
    "tensor_slice_align_enable": False,
    "tensor_slice_align_size": 16,
}
_given: dict = {}


def _checked(name, value):
    if name == "algo_approxi_epsilon":
        return require_fraction("set_algo_parameters", name, value, "(0, 1]")
    if name == "tensor_slice_align_size":
        return require_int("set_algo_parameters", name, value, low=1)
    return require_bool("set_algo_parameters", name, value)


def _require_known(owner, name):
    if name not in _DEFAULTS:
        raise ValueError(f"{owner}: unknown key {name!r}; known keys are {', '.join(_DEFAULTS)}")


@host_only
def set_algo_parameters(**kwargs):
    """Sets options of the strategy search. With one process there is one strategy, so they have no effect."""
    for name in kwargs:
        _require_known("set_algo_parameters", name)
    _given.update({name: _checked(name, value) for name, value in kwargs.items()})


@host_only
def get_algo_parameters(attr_key):
    """The value of one setting of the search."""
    _require_known("get_algo_parameters", attr_key)
    return _given.get(attr_key, _DEFAULTS[attr_key])


@host_only
def reset_algo_parameters():
    """Resets every option of the search."""
    _given.clear()
