"""`dyad.parallel.strategy`: how the parameters of a network are sliced over processes. One process slices none."""

from dyad._src.base.abstract_cell import AbstractCell
from dyad._src.base.argument_checks import a_value, require_int
from dyad._src.base.host_only import host_only
from dyad._src.base.no_effect import say_no_effect

__all__ = [
    "clear_strategy_metadata",
    "enable_save_strategy_online",
    "get_current_strategy_metadata",
    "get_strategy_metadata",
]


def _require_network(caller, network):
    if not isinstance(network, AbstractCell):
        raise TypeError(f"{caller}: network is {a_value(network)}; need a Cell")


@host_only
def get_strategy_metadata(network, rank_id: int | None = None) -> None:
    """{rank: {parameter name: its slices}} of all ranks or of one; None if none is sliced, as in one process."""
    _require_network("get_strategy_metadata", network)
    if rank_id is not None:
        require_int("get_strategy_metadata", "rank_id", rank_id, low=0)


@host_only
def get_current_strategy_metadata(network) -> None:
    """{0: {parameter name: its slices}} of this process; None if no parameter is sliced, as in one process."""
    _require_network("get_current_strategy_metadata", network)


@host_only
def enable_save_strategy_online() -> None:
    """Keeps the slices of the networks that are compiled from now on; there are none."""
    say_no_effect("mindspore.parallel.strategy.enable_save_strategy_online", "enable_save_strategy_online")


@host_only
def clear_strategy_metadata() -> None:
    """Forgets the slices that were kept."""
