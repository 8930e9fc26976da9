"""Settings of the costs by which strategies would be compared; kept and read back. With one process there is one."""

from dyad._src.base.argument_checks import require_bool, require_int, require_number
from dyad._src.base.host_only import host_only

__all__ = ["get_cost_model_context", "reset_cost_model_context", "set_cost_model_context"]

_DEFAULTS = {
    "device_memory_capacity": 16.0 * 1024**3,
    "costmodel_alpha": 1.0,
    "costmodel_beta": 400.0,
    "costmodel_gamma": 0.001,
    "costmodel_communi_threshold": 2048.0,
    "costmodel_communi_const": 3072.0,
    "costmodel_communi_bias": 1024.0,
    "run_phase": 0,
    "costmodel_allreduce_fusion_algorithm": 0,
    "costmodel_allreduce_fusion_times": 0,
    "costmodel_allreduce_fusion_tail_percent": 0.1,
    "costmodel_allreduce_fusion_tail_time": 0.1,
    "costmodel_allreduce_fusion_allreduce_inherent_time": 0.1,
    "costmodel_allreduce_fusion_allreduce_bandwidth": 0.1,
    "costmodel_allreduce_fusion_computation_time_parameter": 0.1,
}
# Those that have a function of their own.
_APART = {"multi_subgraphs": False, "algo_single_loop": False, "rp_matmul_mem_coef": 0.1}
_given: dict = {}


def _checked(owner, name, value):
    default = {**_DEFAULTS, **_APART}[name]
    if isinstance(default, bool):
        return require_bool(owner, name, value)
    if isinstance(default, int):
        return require_int(owner, name, value)
    return require_number(owner, name, value)


def _require_known(owner, name):
    if name not in _DEFAULTS:
        raise ValueError(f"{owner}: unknown key {name!r}; known keys are {', '.join(_DEFAULTS)}")


@host_only
def set_cost_model_context(**kwargs):
    """Set what an operator would cost; with one process no strategies are compared, so nothing changes."""
    for name in kwargs:
        _require_known("set_cost_model_context", name)
    _given.update({name: _checked("set_cost_model_context", name, value) for name, value in kwargs.items()})


@host_only
def get_cost_model_context(attr_key):
    """The value of one setting of costs."""
    _require_known("get_cost_model_context", attr_key)
    return _given.get(attr_key, _DEFAULTS[attr_key])


@host_only
def reset_cost_model_context():
    """Give every setting of costs its default."""
    _given.clear()


def _set_apart(owner, name, value):
    _given[name] = _checked(owner, name, value)


def _set_multi_subgraphs(multi_subgraph=True):
    """True if costs are those of several graphs."""
    _set_apart("_set_multi_subgraphs", "multi_subgraphs", multi_subgraph)


def _get_multi_subgraphs():
    """True if costs are those of several graphs."""
    return _given.get("multi_subgraphs", _APART["multi_subgraphs"])


def _set_algo_single_loop(single_loop=True):
    """True if strategies are searched in one loop."""
    _set_apart("_set_algo_single_loop", "algo_single_loop", single_loop)


def _get_algo_single_loop():
    """True if strategies are searched in one loop."""
    return _given.get("algo_single_loop", _APART["algo_single_loop"])


def _set_rp_matmul_mem_coef(coef):
    """Weight of the memory of a product."""
    _set_apart("_set_rp_matmul_mem_coef", "rp_matmul_mem_coef", coef)


def _get_rp_matmul_mem_coef():
    """Weight of the memory of a product."""
    return _given.get("rp_matmul_mem_coef", _APART["rp_matmul_mem_coef"])
