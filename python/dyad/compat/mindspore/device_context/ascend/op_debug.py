"""Debug settings of operators on Ascend devices."""

from dyad._src.base.argument_checks import require_choice, require_int
from dyad._src.base.host_only import host_only
from dyad.compat.mindspore.device_context.ascend.device import say_unread

__all__ = ["aclinit_config", "debug_option", "execute_timeout"]

_ACCEPTED = {
    "max_opqueue_num": None,
    "err_msg_mode": ("0", "1"),
    "dump": ({"dump_scene": "lite_exception"}, {"dump_scene": "lite_exception:disable"}),
}


@host_only
def execute_timeout(op_timeout):
    """Sets the time limit of an operator in seconds; 0 for no limit."""
    require_int("execute_timeout", "op_timeout", op_timeout, low=0)
    say_unread("op_debug.execute_timeout")


@host_only
def debug_option(option_value):
    """Sets the kind of fault to detect: only "oom", accesses outside of an operand."""
    require_choice("debug_option", "option_value", option_value, ("oom",))
    say_unread("op_debug.debug_option")


@host_only
def aclinit_config(config):
    """A dict of what the device is started with: max_opqueue_num, err_msg_mode, dump."""
    if not isinstance(config, dict):
        raise TypeError(f"aclinit_config: config is {config!r} of type {type(config).__name__}; need a dict")
    for key, value in config.items():
        require_choice("aclinit_config", "a key of config", key, tuple(_ACCEPTED))
        accepted = _ACCEPTED[key]
        if accepted is None and not isinstance(value, str):
            raise TypeError(f"aclinit_config: {key} is {value!r} of type {type(value).__name__}; need a str")
        if accepted is not None and value not in accepted:
            raise ValueError(
                f"aclinit_config: {key} is {value!r}; need one of {', '.join(map(repr, accepted))}"
            )
    say_unread("op_debug.aclinit_config")
