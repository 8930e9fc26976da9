"""Compilation settings of operators on Ascend devices."""

from dyad._src.base.argument_checks import require_bool, require_choice, require_int
from dyad._src.base.host_only import host_only
from dyad.compat.mindspore.device_context.ascend.device import say_unread

__all__ = ["aclnn_cache", "aoe_job_type", "aoe_tune_mode", "op_compile"]


@host_only
def op_compile(value):
    """Sets compilation of operators at run time instead of use of a library."""
    require_bool("op_compile", "value", value)
    say_unread("op_tuning.op_compile")


@host_only
def aoe_tune_mode(tune_mode):
    """Sets tuning of operators: while a program runs, "online", or from files later, "offline"."""
    require_choice("aoe_tune_mode", "tune_mode", tune_mode, ("online", "offline"))
    say_unread("op_tuning.aoe_tune_mode")


@host_only
def aoe_job_type(config):
    """Sets the target of tuning: parts of graphs, "1", or operators, "2"."""
    require_choice("aoe_job_type", "config", config, ("1", "2"))
    say_unread("op_tuning.aoe_job_type")


@host_only
def aclnn_cache(enable_global_cache=False, cache_queue_length=10000):
    """Makes graphs share one cache of operators, and sets its size."""
    require_bool("aclnn_cache", "enable_global_cache", enable_global_cache)
    require_int("aclnn_cache", "cache_queue_length", cache_queue_length, low=0)
    say_unread("op_tuning.aclnn_cache")
