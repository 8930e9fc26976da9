"""Queries about parameter servers. There are none, so a process has none of their roles."""

from dyad._src.context.parallel_settings import get_ps_context, reset_ps_context, set_ps_context

__all__ = [
    "_clone_hash_table",
    "_get_ps_context",
    "_insert_accumu_init_info",
    "_is_ps_mode",
    "_is_role_pserver",
    "_is_role_sched",
    "_is_role_worker",
    "_reset_ps_context",
    "_set_ps_context",
]

_get_ps_context = get_ps_context
_reset_ps_context = reset_ps_context
_set_ps_context = set_ps_context


def _is_ps_mode():
    """True if parameter servers are used. Always False."""
    return False


def _is_role_sched():
    """True if this process is the scheduler. Always False."""
    return False


def _is_role_pserver():
    """True if this process is a parameter server. Always False."""
    return False


def _is_role_worker():
    """True if this process is a worker of a parameter server. Always False."""
    return False


def _refuse(owner):
    raise RuntimeError(f"{owner}: there are no parameter servers; ask _is_role_worker before")


def _clone_hash_table(dest_param_name, dest_param_key, src_param_name, src_param_key):
    """Copies a table of a server; only a worker may ask, so this raises RuntimeError."""
    _refuse("_clone_hash_table")


def _insert_accumu_init_info(param_name, init_val):
    """Tells a server how to fill an accumulator; only a worker may ask, so this raises RuntimeError."""
    _refuse("_insert_accumu_init_info")
