"""The processes and their groups. There is one process."""

from dyad._src.base.host_only import host_only
from dyad._src.context import process_groups
from dyad._src.context.process_groups import GlobalComm

__all__ = [
    "destroy_process_group",
    "get_backend",
    "get_global_rank",
    "get_group_rank",
    "get_process_group_ranks",
    "get_rank",
    "get_world_size",
    "init_process_group",
    "is_available",
    "is_initialized",
    "new_group",
]


def is_available() -> bool:
    """Returns whether communication is available: always True."""
    return True


def is_initialized() -> bool:
    """Returns whether `init_process_group` was called."""
    return GlobalComm.INITED


@host_only
def init_process_group(
    backend="hccl",
    init_method=None,
    timeout=None,
    world_size=-1,
    rank=-1,
    store=None,
    group_name="",
    pg_options=None,
    device_id=None,
) -> None:
    """Start communication. `world_size` and `rank` can only be 1 and 0, or -1 for what the environment says."""
    if world_size not in (-1, 1):
        raise ValueError(f"init_process_group: world_size is {world_size}; need 1, there is one process")
    if rank != -1:
        process_groups.require_rank("init_process_group", "rank", rank)
    process_groups.initialize("init_process_group", backend)


@host_only
def destroy_process_group(group=None) -> None:
    """Forget a group; without one, end communication."""
    process_groups.require_initialized("destroy_process_group")
    if group is None or group == GlobalComm.WORLD_COMM_GROUP:
        process_groups.release()
    else:
        process_groups.remove("destroy_process_group", group)


@host_only
def new_group(
    ranks=None,
    timeout=None,
    backend=None,
    pg_options=None,
    use_local_synchronization: bool = False,
    group_desc=None,
) -> str:
    """The name of a new group of the given processes, by default of all."""
    process_groups.require_initialized("new_group")
    ranks = [0] if ranks is None else list(ranks)
    name = f"{GlobalComm.BACKEND}_group_of_{'_'.join(map(str, ranks))}"
    process_groups.make("new_group", name, ranks)
    return name


def get_backend(group=None) -> str:
    """The name of the library that would carry messages of the group."""
    process_groups.ranks_of("get_backend", group)
    return str(GlobalComm.BACKEND)


def get_rank(group=None):
    """This process's number in the group: 0."""
    return process_groups.ranks_of("get_rank", group)[0]


def get_world_size(group=None) -> int:
    """Number of processes in the group: 1."""
    return len(process_groups.ranks_of("get_world_size", group))


def get_global_rank(group, group_rank):
    """The rank in the world of the process with this rank in the group."""
    process_groups.ranks_of("get_global_rank", group)
    return process_groups.require_rank("get_global_rank", "group_rank", group_rank)


def get_group_rank(group, global_rank):
    """The rank in the group of the process with this rank in the world."""
    process_groups.ranks_of("get_group_rank", group)
    return process_groups.require_rank("get_group_rank", "global_rank", global_rank)


def get_process_group_ranks(group=None):
    """The ranks in the world of the processes of the group, as a list."""
    return process_groups.ranks_of("get_process_group_ranks", group)
