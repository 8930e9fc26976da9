"""The keys of `set_context`: for each its default and the check that converts a value to the stored one."""

import os
from collections import namedtuple

GRAPH_MODE, PYNATIVE_MODE = 0, 1
STRICT, COMPATIBLE, LAX = 0, 1, 2
RELEASE, DEBUG = 0, 1

KNOWN_DEVICE_TARGETS = ("CPU", "GPU", "Ascend")

Key = namedtuple("Key", "default check")


def _require_type(key, value, kind):
    if not isinstance(value, kind):
        raise TypeError(
            f"set_context: {key} is {value!r} of type {type(value).__name__}; need {_kind_name(kind)}"
        )


def _kind_name(kind):
    return " or ".join(k.__name__ for k in kind) if isinstance(kind, tuple) else kind.__name__


def _flag(key, value):
    _require_type(key, value, bool)
    return value


def _text(key, value):
    _require_type(key, value, str)
    return value


def _folder(key, value):
    """The absolute path: it stays the same directory when the program changes its working directory."""
    return os.path.realpath(_text(key, value))


def _integer(low, high=None):
    accepted = f"an int from {low} to {high}" if high is not None else f"an int of at least {low}"

    def check(key, value):
        _require_type(key, value, int)
        if value < low or (high is not None and value > high):
            raise ValueError(f"set_context: {key} is {value}; need {accepted}")
        return int(value)

    return check


def _choice(kind, accepted):
    """`accepted` maps each allowed value to the value that is stored and read back."""

    def check(key, value):
        _require_type(key, value, kind)
        if value not in accepted:
            names = ", ".join(repr(a) for a in accepted)
            raise ValueError(f"set_context: {key} is {value!r}; need one of {names}")
        return accepted[value]

    return check


def _save_graphs(key, value):
    _require_type(key, value, (bool, int))
    if value is True:
        return 2
    if not 0 <= value <= 3:
        raise ValueError(f"set_context: {key} is {value}; need a bool or an int from 0 to 3")
    return int(value)


_JIT_CONFIG_VALUES = {"jit_level": ("O0", "O1", "O2"), "infer_boost": ("on", "off")}


def _jit_config(key, value):
    _require_type(key, value, dict)
    for name, setting in value.items():
        if name not in _JIT_CONFIG_VALUES:
            raise ValueError(
                f"set_context: {key} has the entry {name!r}; need entries from {', '.join(_JIT_CONFIG_VALUES)}"
            )
        if setting not in _JIT_CONFIG_VALUES[name]:
            accepted = ", ".join(_JIT_CONFIG_VALUES[name])
            raise ValueError(f"set_context: {key}[{name!r}] is {setting!r}; need one of {accepted}")
    return dict(value)


_TF32 = ("conv_allow_tf32", "matmul_allow_tf32")
_ALGORITHMS = ("conv_fprop_algo", "conv_dgrad_algo", "conv_wgrad_algo")


def _gpu_config(key, value):
    _require_type(key, value, dict)
    for name, setting in value.items():
        if name not in _TF32 + _ALGORITHMS:
            accepted = ", ".join(_TF32 + _ALGORITHMS)
            raise ValueError(f"set_context: {key} has the entry {name!r}; need entries from {accepted}")
        _require_type(f"{key}[{name!r}]", setting, bool if name in _TF32 else str)
    return dict(value)


def _same(*values):
    return {value: value for value in values}


KEYS = {
    "mode": Key(PYNATIVE_MODE, _choice(int, _same(GRAPH_MODE, PYNATIVE_MODE))),
    "device_target": Key("CPU", _choice(str, _same(*KNOWN_DEVICE_TARGETS))),
    "device_id": Key(0, _integer(0, 4095)),
    "pynative_synchronize": Key(False, _flag),
    "deterministic": Key("OFF", _choice(str, _same("ON", "OFF"))),
    "runtime_num_threads": Key(0, _integer(0)),
    "inter_op_parallel_num": Key(0, _integer(0)),
    "check_bprop": Key(False, _flag),
    "grad_for_scalar": Key(False, _flag),
    "jit_syntax_level": Key(LAX, _choice(int, _same(STRICT, COMPATIBLE, LAX))),
    "jit_config": Key({}, _jit_config),
    "max_call_depth": Key(1000, _integer(1)),
    "debug_level": Key(RELEASE, _choice(int, _same(RELEASE, DEBUG))),
    "precompile_only": Key(False, _flag),
    "support_binary": Key(False, _flag),
    "reserve_class_name_in_scope": Key(True, _flag),
    "enable_graph_kernel": Key(False, _flag),
    "graph_kernel_flags": Key("", _text),
    "memory_optimize_level": Key(0, _choice(str, {"O0": 0, "O1": 1})),
    "save_graphs": Key(0, _save_graphs),
    "save_graphs_path": Key(".", _folder),
    "enable_compile_cache": Key(False, _flag),
    "compile_cache_path": Key("", _text),
    "gpu_config": Key({}, _gpu_config),
}

# The keys among these that only a GPU uses: elsewhere they are skipped with a warning.
GPU_KEYS = frozenset(("gpu_config",))

# Keys of one kind of accelerator. They do not apply to a CPU, so they are skipped with a warning there.
DEVICE_KEYS = frozenset(
    (
        "aoe_config",
        "aoe_tune_mode",
        "ascend_config",
        "disable_format_transform",
        "enable_reduce_precision",
        "exec_order",
        "max_device_memory",
        "mempool_block_size",
        "op_timeout",
        "print_file_path",
        "variable_memory_max_size",
    )
)
