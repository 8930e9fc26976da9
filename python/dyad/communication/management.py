"""Ranks and groups of processes."""

from dyad._src.base.host_only import host_only
from dyad._src.context import process_groups
from dyad._src.context.process_groups import (
    HCCL_WORLD_COMM_GROUP,
    MCCL_WORLD_COMM_GROUP,
    NCCL_WORLD_COMM_GROUP,
    GlobalComm,
)

__all__ = [
    "HCCL_WORLD_COMM_GROUP",
    "MCCL_WORLD_COMM_GROUP",
    "NCCL_WORLD_COMM_GROUP",
    "GlobalComm",
    "create_group",
    "destroy_group",
    "get_comm_name",
    "get_group_rank_from_world_rank",
    "get_group_size",
    "get_local_rank",
    "get_local_rank_size",
    "get_process_group_ranks",
    "get_rank",
    "get_world_rank_from_group_rank",
    "init",
    "release",
]

_BACKENDS = ("hccl", "nccl", "mccl")


@host_only
def init(backend_name=None) -> None:
    """Starts communication. `backend_name` is 'hccl', 'nccl' or 'mccl', the last being that of the CPU.

    If a launcher has started more than one process, this raises RuntimeError: only one is supported.
    """
    backend = "mccl" if backend_name is None else backend_name
    if not isinstance(backend, str):
        raise TypeError(
            f"init: backend_name is {backend!r} of type {type(backend).__name__}; need a str or None"
        )
    if backend not in _BACKENDS:
        raise RuntimeError(f"init: backend_name is {backend!r}; need one of {', '.join(_BACKENDS)}")
    process_groups.initialize("init", backend)


@host_only
def release() -> None:
    """Ends communication and removes all groups."""
    process_groups.require_initialized("release")
    process_groups.release()


def get_rank(group=GlobalComm.WORLD_COMM_GROUP):
    """This process's number in the group: 0. Needs no `init`."""
    return process_groups.ranks_of("get_rank", group)[0]


def get_local_rank(group=GlobalComm.WORLD_COMM_GROUP):
    """This process's number among those of the group on this machine: 0."""
    return process_groups.ranks_of("get_local_rank", group)[0]


def get_group_size(group=GlobalComm.WORLD_COMM_GROUP) -> int:
    """Number of processes in the group: 1. Needs no `init`."""
    return len(process_groups.ranks_of("get_group_size", group))


def get_local_rank_size(group=GlobalComm.WORLD_COMM_GROUP) -> int:
    """Number of processes of the group on this machine: 1."""
    return len(process_groups.ranks_of("get_local_rank_size", group))


def get_world_rank_from_group_rank(group, group_rank_id):
    """The rank in the world of the process with this rank in the group."""
    process_groups.ranks_of("get_world_rank_from_group_rank", group)
    return process_groups.require_rank("get_world_rank_from_group_rank", "group_rank_id", group_rank_id)


def get_group_rank_from_world_rank(world_rank_id, group):
    """The rank in the group of the process with this rank in the world."""
    process_groups.ranks_of("get_group_rank_from_world_rank", group)
    return process_groups.require_rank("get_group_rank_from_world_rank", "world_rank_id", world_rank_id)


def get_process_group_ranks(group=GlobalComm.WORLD_COMM_GROUP):
    """The ranks in the world of the processes of the group, as a list."""
    return process_groups.ranks_of("get_process_group_ranks", group)


def get_comm_name(group=GlobalComm.WORLD_COMM_GROUP):
    """The name under which the group communicates: its own."""
    process_groups.ranks_of("get_comm_name", group)
    return group


@host_only
def create_group(group, rank_ids, options=None) -> None:
    """Make a group under a name; `rank_ids` lists its processes and can only be [0]. Needs `init`.

    `options` are those of a backend and change nothing for one process.
    """
    process_groups.require_initialized("create_group")
    process_groups.make("create_group", group, rank_ids)


@host_only
def destroy_group(group) -> None:
    """Removes a group; removing that of the world raises ValueError. Needs `init`."""
    process_groups.require_initialized("destroy_group")
    process_groups.remove("destroy_group", group)
