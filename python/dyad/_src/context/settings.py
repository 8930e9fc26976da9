"""Process-wide settings: mode, device, determinism and the options of the static graph.

`settings` is one object per process. Settings of operators (mode, device, determinism, threads) are stored in the
core and written through; the rest is stored here for the compiler. Writers are serialized by a lock, and a
`set_context` call with several keys takes effect as a whole or not at all. Readers need no lock, since replacing one
value is atomic.
"""

import atexit
import importlib.util
import os
import sys
import warnings
from pathlib import Path
from typing import Self

from dyad import _core
from dyad._src.base.argument_checks import require_int
from dyad._src.base.fork_lock import new_lock
from dyad._src.base.host_only import host_only
from dyad._src.base.missing import nearest
from dyad._src.base.no_effect import say_no_effect, say_unread_settings
from dyad._src.context.keys import DEVICE_KEYS, GPU_KEYS, KEYS, KNOWN_DEVICE_TARGETS


class Settings:
    """The values of `set_context`. `mode` repeats the core's in a plain attribute because every Cell call reads it."""

    def __init__(self):
        self._lock = new_lock()
        self._values = {name: key.default for name, key in KEYS.items()}
        self.mode = self._values["mode"]
        self._device_fixed = False

    def update(self, given):
        """Sets several keys, {name: value}; all are checked before the first is set."""
        checked = {name: KEYS[name].check(name, value) for name, value in given.items()}
        if "device_target" in checked:
            require_device_target("set_context", checked["device_target"])
        with self._lock:
            if checked.keys() & {"device_target", "device_id"}:
                chosen = {**self._values, **checked}
                _choose_device(chosen["device_target"], chosen["device_id"])
            for name, value in checked.items():
                if name in _WRITTEN_TO_CORE:
                    _WRITTEN_TO_CORE[name](value)
                elif name in _ACTED_UPON:
                    _ACTED_UPON[name](value)
                self._values[name] = value
            self.mode = self._values["mode"]
        say_unread_settings(
            checked, {name: key.default for name, key in KEYS.items()}, self._values["device_target"]
        )

    def read(self, name):
        """The current value of a key."""
        if name == "runtime_num_threads":
            return _core.get_num_threads()
        return self._values[name]

    def fix_device(self, target, device_id):
        """The one `set_device` of a process; repeating it with the same device changes nothing."""
        with self._lock:
            current = (self._values["device_target"], self._values["device_id"])
            if self._device_fixed and current != (target, device_id):
                raise RuntimeError(
                    f"set_device: the device is already {current[0]}:{current[1]} and a process sets it once, "
                    f"got {target}:{device_id}"
                )
            _choose_device(target, device_id)
            self._values["device_target"], self._values["device_id"] = target, device_id
            self._device_fixed = True


def _choose_device(target, device_id):
    if target == "GPU":
        _offer_nvidia_libraries()
    _core.set_device(target, device_id)


def _set_gpu_config(config):
    for name in config.keys() - {"conv_allow_tf32", "matmul_allow_tf32"}:
        say_no_effect(f"mindspore.device_context.gpu.op_tuning.{name}", f"set_context: gpu_config[{name!r}]")
    _core.set_allow_tf32(config.get("matmul_allow_tf32", False), config.get("conv_allow_tf32", False))


_WRITTEN_TO_CORE = {
    "gpu_config": _set_gpu_config,
    "mode": _core.set_mode,
    "deterministic": lambda value: _core.set_deterministic(value == "ON"),
    "pynative_synchronize": _core.set_launch_blocking,
    "runtime_num_threads": _core.set_num_threads,  # 0: the number of CPUs, also when it changes
}

_ACTED_UPON = {"save_graphs_path": lambda path: os.makedirs(path, exist_ok=True)}

settings = Settings()


def act_upon(name, action):
    """Whenever `set_context` sets the key, `action(value)` is called before the value is stored."""
    _ACTED_UPON[name] = action


def available_device_targets():
    """Names of the back ends this process can compute on, the default one first."""
    return tuple(_core.available_targets())


def require_device_target(caller, target):
    if target not in available_device_targets():
        there = ", ".join(available_device_targets())
        cause = f" ({_core.missing_device()})" if target == "GPU" else ""
        raise RuntimeError(
            f"{caller}: device target {target} is not available on this machine{cause}; there is {there}"
        )


@host_only
def set_context(**kwargs) -> None:
    """Sets process-wide options.

    Every key is checked before any takes effect. An unknown key or an invalid value raises ValueError, a value of the
    wrong type TypeError. Keys for an accelerator that is not in use are skipped with a warning. The keys of the
    static graph (`jit_syntax_level`, `save_graphs`, ...) are stored for it.
    """
    known = {}
    target = kwargs.get("device_target", settings.read("device_target"))
    for name, value in kwargs.items():
        if name in KEYS and (name not in GPU_KEYS or target == "GPU"):
            known[name] = value
        elif name == "jit_level":  # one entry of jit_config; the others are kept
            known["jit_config"] = {**known.get("jit_config", settings.read("jit_config")), name: value}
        elif name in DEVICE_KEYS or name in GPU_KEYS:
            warnings.warn(f"set_context: {name} has no meaning on {target} and is skipped", stacklevel=2)
        else:
            raise ValueError(_unknown_key("set_context", name))
    settings.update(known)


@host_only
def get_context(attr_key):
    """The current value of one option, in normalized form (`save_graphs=True` reads back as 2)."""
    if attr_key == "jit_level":
        return settings.read("jit_config").get("jit_level", "")
    if attr_key in GPU_KEYS and settings.read("device_target") != "GPU":
        return None
    if attr_key in KEYS:
        value = settings.read(attr_key)
        return dict(value) if isinstance(value, dict) else value
    if attr_key in DEVICE_KEYS:
        return None
    raise ValueError(_unknown_key("get_context", attr_key))


def _unknown_key(caller, name):
    near = nearest(str(name), KEYS)
    hint = f"; nearest is {near!r}" if near else f"; known keys are {', '.join(sorted(KEYS))}"
    return f"{caller}: unknown key {name!r}{hint}"


@host_only
def set_device(device_target: str, device_id=None) -> None:
    """Sets the device for the whole process, once; a missing device raises an error that lists the available ones."""
    if not isinstance(device_target, str):
        raise TypeError(f"set_device: device_target is {device_target!r}; need a str")
    if device_id is not None and (not isinstance(device_id, int) or isinstance(device_id, bool)):
        raise TypeError(f"set_device: device_id is {device_id!r}; need an int")
    if device_target not in KNOWN_DEVICE_TARGETS:
        raise ValueError(
            f"set_device: device_target is {device_target!r}; need one of {', '.join(KNOWN_DEVICE_TARGETS)}"
        )
    require_device_target("set_device", device_target)
    settings.fix_device(device_target, KEYS["device_id"].check("device_id", device_id or 0))


class DeviceCtx:
    """`with DeviceCtx("CPU"):` computes on that device; the end of the block restores the previous one."""

    def __init__(self, name, device_id=None):
        if name not in KNOWN_DEVICE_TARGETS:
            raise ValueError(
                f"DeviceCtx: name is {name!r}; need one of {', '.join(map(repr, KNOWN_DEVICE_TARGETS))}"
            )
        if device_id is not None:
            KEYS["device_id"].check("device_id", device_id)
        self.name = name
        self.device_id = device_id
        self._before = []

    @host_only
    def __enter__(self) -> Self:
        require_device_target("DeviceCtx", self.name)
        before = get_current_device()
        self._choose(self.name, self.device_id or 0)
        self._before.append(before)
        return self

    @host_only
    def __exit__(self, *raised):
        self._choose(*self._before.pop())

    def _choose(self, target, device_id):
        if (target, device_id) != get_current_device():
            _core.synchronize()
            settings.update({"device_target": target, "device_id": device_id})


@host_only
def get_current_device():
    """The device new tensors are computed on, as (target, id)."""
    return settings.read("device_target"), settings.read("device_id")


@host_only
def set_deterministic(deterministic: bool) -> None:
    """Selects kernels that return the same bits in every run, with any number of threads; some are slower.

    Compiled static graphs are compiled again.
    """
    if not isinstance(deterministic, bool):
        raise TypeError(f"set_deterministic: got {deterministic!r}; need a bool")
    settings.update({"deterministic": "ON" if deterministic else "OFF"})


@host_only
def set_recursion_limit(recursion_limit: int = 1000) -> None:
    """Sets the maximum depth of nested calls while a graph is compiled."""
    require_int("set_recursion_limit", "recursion_limit", recursion_limit, low=1)
    settings.update({"max_call_depth": recursion_limit})


def _offer_nvidia_libraries():
    """Passes the directories of NVIDIA's wheels to the core; the system's own libraries are found without it.

    At the end of the program it waits for libraries that are still being opened, and reports errors of asynchronous
    work that nothing has waited for.
    """
    atexit.register(_core.announce_end_of_program)
    atexit.register(_report_late_errors)
    spec = (
        importlib.util.find_spec("nvidia") if "nvidia" not in sys.modules else sys.modules["nvidia"].__spec__
    )
    for root in (spec.submodule_search_locations or ()) if spec else ():
        for folder in sorted(Path(root).glob("*/lib")):
            _core.add_library_folder(str(folder))


def _report_late_errors():
    try:
        _core.finish_devices()
    except Exception as error:
        _core.fail_at_exit()
        if sys.stderr is not None:
            found = f"{type(error).__name__}: {error}"
            print(f"Error in work on the device that the program did not wait for:\n{found}", file=sys.stderr)
