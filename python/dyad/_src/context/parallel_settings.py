"""Settings of parallel training with their defaults and checks.

There is one process, so settings of the distribution have no effect. Those that request more than one device, process
or stage raise.
"""

from typing import ClassVar

from dyad._src.base.argument_checks import require_bool, require_choice, require_int
from dyad._src.base.host_only import host_only
from dyad._src.base.missing import nearest
from dyad._src.base.no_effect import say_no_effect


class ParallelMode:
    """Names for the setting `parallel_mode`."""

    STAND_ALONE = "stand_alone"
    DATA_PARALLEL = "data_parallel"
    HYBRID_PARALLEL = "hybrid_parallel"
    SEMI_AUTO_PARALLEL = "semi_auto_parallel"
    AUTO_PARALLEL = "auto_parallel"
    MODE_LIST: ClassVar = [STAND_ALONE, DATA_PARALLEL, HYBRID_PARALLEL, SEMI_AUTO_PARALLEL, AUTO_PARALLEL]


def _flag(owner, name, value):
    return require_bool(owner, name, value)


def _text(owner, name, value):
    if not isinstance(value, str):
        raise TypeError(f"{owner}: {name} is {value!r} of type {type(value).__name__}; need a str")
    return value


def _only(accepted):
    """The one number that one process can have here."""

    def check(owner, name, value):
        require_int(owner, name, value, low=min(accepted, 1))
        if value != accepted:
            raise ValueError(f"{owner}: {name} is {value}; need {accepted}, there is one process")
        return value

    return check


def _at_least(low):
    return lambda owner, name, value: require_int(owner, name, value, low=low)


def _one_of(*accepted):
    return lambda owner, name, value: require_choice(owner, name, value, accepted)


def _kind(*kinds):
    def check(owner, name, value):
        if not isinstance(value, kinds):
            need = " or ".join(kind.__name__ for kind in kinds)
            raise TypeError(f"{owner}: {name} is {value!r} of type {type(value).__name__}; need a {need}")
        return value

    return check


_SEARCHES = _one_of("recursive_programming", "dynamic_programming", "sharding_propagation")
_FUSION = {"mode": "auto", "config": None}

# {name: (default, check)}
KEYS = {
    "all_reduce_fusion_config": ([], _kind(list)),
    "auto_parallel_search_mode": ("recursive_programming", _SEARCHES),
    "auto_pipeline": (False, _flag),
    "comm_fusion": (
        {"openstate": True, "allreduce": _FUSION, "allgather": _FUSION, "reducescatter": _FUSION},
        _kind(dict),
    ),
    "communi_parallel_mode": (
        "all_group_parallel",
        _one_of("all_group_parallel", "same_server_group_parallel", "no_group_parallel"),
    ),
    "dataset_strategy": ("data_parallel", _kind(str, tuple)),
    "device_num": (1, _only(1)),
    "dump_device_local_norm": (False, _flag),
    "dump_local_norm": (False, _flag),
    "dump_local_norm_path": ("", _text),
    "enable_alltoall": (False, _flag),
    "enable_parallel_optimizer": (False, _flag),
    "force_fp32_communication": (False, _flag),
    "full_batch": (False, _flag),
    "global_rank": (0, _only(0)),
    "grad_accumulation_step": (1, _at_least(1)),
    "gradient_fp32_sync": (True, _flag),
    "gradients_mean": (False, _flag),
    "group_ckpt_save_file": ("", _text),
    "loss_repeated_mean": (True, _flag),
    "optimizer_weight_shard_aggregated_save": (False, _flag),
    "optimizer_weight_shard_size": (-1, lambda owner, name, value: require_int(owner, name, value)),
    "parallel_mode": (ParallelMode.STAND_ALONE, _one_of(*ParallelMode.MODE_LIST)),
    "parallel_optimizer_config": ({}, _kind(dict)),
    "parameter_broadcast": (False, _flag),
    "pipeline_config": ({}, _kind(dict)),
    "pipeline_interleave": (False, _flag),
    "pipeline_result_broadcast": (False, _flag),
    "pipeline_scheduler": (
        "1f1b",
        _one_of("1f1b", "gpipe", "seqpipe", "seqvpp", "seqsmartvpp", "zero_bubble_v"),
    ),
    "pipeline_segments": (1, _at_least(1)),
    "pipeline_stages": (1, _only(1)),
    "search_mode": ("recursive_programming", _SEARCHES),
    "sharding_propagation": (False, _flag),
    "strategy_ckpt_config": ({"load_file": "", "save_file": "", "only_trainable_params": True}, _kind(dict)),
    "strategy_ckpt_load_file": ("", _text),
    "strategy_ckpt_save_file": ("", _text),
}


class ParallelSettings:
    """The settings of the process; those that were not given have their default."""

    def __init__(self):
        self._given = {}

    def update(self, owner, given):
        """Set several, {name: value}; all are checked before the first is set."""
        checked = {}
        for name, value in given.items():
            _require_known(owner, name)
            checked[name] = KEYS[name][1](owner, name, value)
        self._given = {**self._given, **checked}

    def read(self, owner, name):
        """The value of one."""
        _require_known(owner, name)
        return self._given.get(name, KEYS[name][0])

    def is_given(self, name):
        """Whether a program has set it."""
        return name in self._given

    def reset(self):
        """All as they are by default."""
        self._given = {}


def _require_known(owner, name):
    if name not in KEYS:
        near = nearest(str(name), KEYS)
        hint = f"; nearest is {near!r}" if near else f"; known keys are {', '.join(sorted(KEYS))}"
        raise ValueError(f"{owner}: unknown key {name!r}{hint}")


parallel_settings = ParallelSettings()


@host_only
def set_auto_parallel_context(**kwargs) -> None:
    """Set how the program is spread over devices.

    An unknown key or a value outside the accepted ones raises ValueError, a value of the wrong type TypeError. With
    one process, `device_num` and `pipeline_stages` can only be 1 and `global_rank` 0; the other keys are kept and
    read back, and change nothing.
    """
    parallel_settings.update("set_auto_parallel_context", kwargs)


@host_only
def get_auto_parallel_context(attr_key):
    """The value of one setting of how the program is spread over devices."""
    return parallel_settings.read("get_auto_parallel_context", attr_key)


@host_only
def reset_auto_parallel_context() -> None:
    """Resets every setting of parallel training."""
    parallel_settings.reset()


# Addresses of servers: the class of each value. Without servers they have no effect.
_OF_SERVERS = {
    "client_password": str,
    "config_file_path": str,
    "enable_ssl": bool,
    "scheduler_manage_port": int,
    "server_password": str,
}


@host_only
def set_ps_context(**kwargs) -> None:
    """Sets options of parameter servers. There are none: `enable_ps` can only be False, and the others have no
    effect.
    """
    for name, value in kwargs.items():
        if name == "enable_ps":
            if require_bool("set_ps_context", name, value):
                raise ValueError(
                    "set_ps_context: enable_ps is True; need False, there are no parameter servers"
                )
            continue
        if name not in _OF_SERVERS:
            known = ", ".join(sorted(("enable_ps", *_OF_SERVERS)))
            raise ValueError(f"set_ps_context: unknown key {name!r}; known keys are {known}")
        kind = _OF_SERVERS[name]
        if type(value) is not kind:
            raise TypeError(
                f"set_ps_context: {name} is of type {type(value).__name__}; need a value of type {kind.__name__}"
            )
        say_no_effect(f"set_ps_context({name}=)", f"set_ps_context: {name}")


@host_only
def get_ps_context(attr_key) -> bool:
    """Whether parameter servers are used, by the key 'enable_ps': False."""
    if attr_key != "enable_ps":
        raise ValueError(f"get_ps_context: unknown key {attr_key!r}; known key is enable_ps")
    return False


@host_only
def reset_ps_context() -> None:
    """Resets the options of parameter servers."""
