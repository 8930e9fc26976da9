"""Named groups of communicating processes. There is one process: rank 0 of a world of 1."""

import os

from dyad._src.base.argument_checks import require_int

__all__ = [
    "HCCL_WORLD_COMM_GROUP",
    "MCCL_WORLD_COMM_GROUP",
    "NCCL_WORLD_COMM_GROUP",
    "Backend",
    "GlobalComm",
]

HCCL_WORLD_COMM_GROUP = "hccl_world_group"
NCCL_WORLD_COMM_GROUP = "nccl_world_group"
MCCL_WORLD_COMM_GROUP = "mccl_world_group"

_WORLDS = {"hccl": HCCL_WORLD_COMM_GROUP, "nccl": NCCL_WORLD_COMM_GROUP, "mccl": MCCL_WORLD_COMM_GROUP}
# Variables in which launchers of several processes pass their number.
_SIZE_VARIABLES = ("RANK_SIZE", "MS_WORKER_NUM", "OMPI_COMM_WORLD_SIZE")
# The groups that programs have created, by name, each with its ranks.
_made: dict = {}


class Backend(str):
    """Communication backends: 'hccl', 'nccl' or 'mccl'."""

    UNDEFINED, HCCL, NCCL, HCCL_MPI, MCCL = "undefined", "hccl", "nccl", "hccl_mpi", "mccl"

    def __new__(cls, name):
        """The name in lower case; another one raises ValueError."""
        if not isinstance(name, str):
            raise TypeError(f"Backend: name is {name!r} of type {type(name).__name__}; need a str")
        if name.lower() not in _WORLDS:
            raise ValueError(f"Backend: name is {name!r}; need one of {', '.join(_WORLDS)}")
        return super().__new__(cls, name.lower())


class GlobalComm:
    """State of communication: whether `init` was called, its backend, and the name of the world group."""

    BACKEND = Backend("hccl")
    WORLD_COMM_GROUP = HCCL_WORLD_COMM_GROUP
    INITED = False
    CHECK_ENVS = True


def initialize(caller, backend):
    """Notes that the program communicates. More than one process, announced by a launcher, raises RuntimeError."""
    for name in _SIZE_VARIABLES:
        if os.environ.get(name, "1") not in ("", "0", "1"):
            raise RuntimeError(
                f"{caller}: the environment variable {name} is {os.environ[name]}; need 1, this package computes in "
                "one process"
            )
    GlobalComm.BACKEND = Backend(backend)
    GlobalComm.WORLD_COMM_GROUP = _WORLDS[GlobalComm.BACKEND]
    GlobalComm.INITED = True


def release():
    """Removes the groups and the communication state."""
    _made.clear()
    GlobalComm.INITED = False


def require_initialized(caller):
    """RuntimeError unless `init` was called."""
    if not GlobalComm.INITED:
        raise RuntimeError(f"{caller}: communication is not initialized; need a call of init() before")


def ranks_of(caller, group):
    """The ranks in a group; None is the world. An unknown name raises ValueError."""
    if group is None:
        return [0]
    if not isinstance(group, str):
        raise TypeError(f"{caller}: group is {group!r} of type {type(group).__name__}; need a str")
    if group in _WORLDS.values():
        return [0]
    if group not in _made:
        raise ValueError(
            f"{caller}: group is {group!r}; need a group that create_group has made, or the world's"
        )
    return list(_made[group])


def make(caller, group, ranks):
    """Creates a group of that name. Its ranks can only be [0]; another list raises, as does a name used for other
    ranks.
    """
    if not isinstance(group, str):
        raise TypeError(f"{caller}: group is {group!r} of type {type(group).__name__}; need a str")
    if not isinstance(ranks, list):
        raise TypeError(
            f"{caller}: rank_ids is {ranks!r} of type {type(ranks).__name__}; need a list of ints"
        )
    for rank in ranks:
        require_int(caller, "rank_ids", rank)
    if ranks != [0]:
        raise ValueError(f"{caller}: rank_ids is {ranks}; need [0], there is one process")
    _made[group] = ranks


def remove(caller, group):
    """Removes a group; removing the world raises ValueError."""
    if ranks_of(caller, group) and group not in _made:
        raise ValueError(f"{caller}: group is {group!r}; need a group other than the world's")
    del _made[group]


def require_rank(caller, name, rank):
    """The rank of an existing process: 0."""
    if require_int(caller, name, rank, low=0) != 0:
        raise ValueError(f"{caller}: {name} is {rank}; need 0, there is one process")
    return 0


def no_peer(caller, name, rank):
    """The error for a message to or from another process."""
    require_int(caller, name, rank, low=0)
    return ValueError(f"{caller}: {name} is {rank}; need another process, and there is one")


class CommHandle:
    """A handle of communication started with `async_op`; with one process it is done already."""

    def wait(self):
        """Returns when the communication is done."""


def handle(async_op):
    """A handle if `async_op` is set, else None."""
    return CommHandle() if async_op else None


def _is_available():
    """Returns whether communication is available: True."""
    return True


def _is_initialized():
    """Returns whether `init` was called."""
    return GlobalComm.INITED


def _is_hccl_available():
    """Returns whether HCCL is available: False."""
    return False


def _is_nccl_available():
    """Returns whether NCCL is available: False."""
    return False


def _is_mpi_available():
    """Returns whether MPI is available: False."""
    return False


def _get_group_ranks(group):
    """The ranks of the processes in a group."""
    return ranks_of("_get_group_ranks", group)


def _get_group_map():
    """{name: ranks} of the groups that programs have created."""
    return {name: list(ranks) for name, ranks in _made.items()}


def _remove_group_info(group_name):
    """Forgets a group, if it is there."""
    _made.pop(group_name, None)
