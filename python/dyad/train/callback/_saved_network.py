"""A network whose Parameters are replaced by those that are passed in while it is saved."""

from dyad import log
from dyad._src.checkpoint.load import load_param_into_net
from dyad._src.tensor.parameter import Parameter

_networks: list = []


def set_cur_net(net):
    """Says which network `checkpoint_cb_for_save_op` fills; None for no network."""
    _networks[:] = [] if net is None else [net]


def checkpoint_cb_for_save_op(parameter_list):
    """Fills the network with a list of {"name", "data"}, once; returns whether there was one."""
    if not _networks:
        log.warning("checkpoint_cb_for_save_op: there is no network to fill; call set_cur_net before")
        return False
    values = {entry["name"]: Parameter(entry["data"], entry["name"]) for entry in parameter_list}
    load_param_into_net(_networks.pop(), values, strict_load=True)
    return True
