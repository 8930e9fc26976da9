"""Broadcast of Parameters. There is one process, so it already has them."""

from dyad._src.base.abstract_cell import AbstractCell
from dyad._src.base.host_only import host_only
from dyad._src.context.process_groups import ranks_of

__all__ = ["parameter_broadcast", "sync_pipeline_shared_parameters"]


@host_only
def parameter_broadcast(net, layout, cur_rank=0, initial_rank=0) -> None:
    """Sends the Parameters that `layout` names to all processes that hold them: this one has them already.

    `cur_rank` and `initial_rank`, the first of the stage, must be those of this process.
    """
    _require_cell("parameter_broadcast", net)
    rank = ranks_of("parameter_broadcast", None)[0]
    for name, given in (("cur_rank", cur_rank), ("initial_rank", initial_rank)):
        if given != rank:
            raise ValueError(
                f"parameter_broadcast: {name} is {given!r}; need {rank}, the rank of this process"
            )
    known = net.parameters_dict()
    missing = [name for name in layout or () if name not in known]
    if missing:
        raise ValueError(
            f"parameter_broadcast: layout names {missing[0]!r}, which is no Parameter of the network"
        )


@host_only
def sync_pipeline_shared_parameters(net) -> None:
    """Make the Parameters that stages of a pipeline share equal: all stages are here and use the same objects."""
    _require_cell("sync_pipeline_shared_parameters", net)


def _require_cell(owner, net):
    if not isinstance(net, AbstractCell):
        raise TypeError(f"{owner}: net is of type {type(net).__name__}; need a Cell")
