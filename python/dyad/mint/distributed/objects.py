"""Objects of Python that processes exchange."""

import copy

from dyad._src.base.argument_checks import a_value
from dyad._src.context import process_groups

__all__ = [
    "all_gather_object",
    "broadcast_object_list",
    "gather_object",
    "recv_object_list",
    "scatter_object_list",
    "send_object_list",
]


def _require_objects(owner, name, objects, group):
    size = len(process_groups.ranks_of(owner, group))
    if not isinstance(objects, list):
        raise TypeError(f"{owner}: {name} is {a_value(objects)}; need a list")
    if len(objects) != size:
        raise ValueError(f"{owner}: {name} has {len(objects)} entries; need {size}, one per process")


def all_gather_object(object_list, obj, group=None) -> None:
    """Puts a copy of the object of each process into the list."""
    _require_objects("all_gather_object", "object_list", object_list, group)
    object_list[0] = copy.deepcopy(obj)


def gather_object(obj, object_gather_list=None, dst=0, group=None) -> None:
    """Puts a copy of the object of each process into the list of process `dst`."""
    process_groups.require_rank("gather_object", "dst", dst)
    _require_objects("gather_object", "object_gather_list", object_gather_list, group)
    object_gather_list[0] = copy.deepcopy(obj)


def scatter_object_list(scatter_object_output_list, scatter_object_input_list, src=0, group=None) -> None:
    """Puts a copy of the object that is for this process, of the list of process `src`, into the first list."""
    owner = "scatter_object_list"
    process_groups.require_rank(owner, "src", src)
    _require_objects(owner, "scatter_object_input_list", scatter_object_input_list, group)
    if not isinstance(scatter_object_output_list, list) or not scatter_object_output_list:
        raise TypeError(
            f"{owner}: scatter_object_output_list is {scatter_object_output_list!r}; need a list with an entry"
        )
    scatter_object_output_list[0] = copy.deepcopy(scatter_object_input_list[0])


def broadcast_object_list(object_list: list, src=0, group=None, device=None) -> None:
    """Returns each process the objects of process `src`: this one has them."""
    process_groups.ranks_of("broadcast_object_list", group)
    process_groups.require_rank("broadcast_object_list", "src", src)
    if not isinstance(object_list, list):
        raise TypeError(f"broadcast_object_list: object_list is {a_value(object_list)}; need a list")


def send_object_list(object_list, dst, group=None, device=None):
    """Sends objects to another process; there is none, so this raises ValueError."""
    raise process_groups.no_peer("send_object_list", "dst", dst)


def recv_object_list(object_list, src=0, group=None, device=None):
    """Receives objects from another process into the list; there is none, so this raises ValueError."""
    raise process_groups.no_peer("recv_object_list", "src", src)
