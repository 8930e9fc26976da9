"""Collective communication that returns new tensors. With one process results equal the arguments."""

from dyad import ops
from dyad._core import Tensor
from dyad._src.base.argument_checks import a_value
from dyad._src.context import process_groups
from dyad._src.context.process_groups import CommHandle as CommHandle
from dyad._src.context.process_groups import GlobalComm, handle
from dyad.ops import ReduceOp

__all__ = [
    "CommHandle",
    "P2POp",
    "all_gather_into_tensor",
    "all_reduce",
    "all_to_all_single_with_output_shape",
    "all_to_all_with_output_shape",
    "barrier",
    "batch_isend_irecv",
    "broadcast",
    "gather_into_tensor",
    "irecv",
    "isend",
    "recv",
    "reduce",
    "reduce_scatter_tensor",
    "scatter_tensor",
    "send",
]


def _handed(result, async_op):
    return result, handle(async_op)


def all_reduce(tensor, op=ReduceOp.SUM, group=GlobalComm.WORLD_COMM_GROUP, async_op: bool = False):
    """(the tensors of all processes reduced by `op`, a handle if `async_op` else None)."""
    return _handed(ops.AllReduce(op, group)(tensor), async_op)


def all_gather_into_tensor(tensor, group=GlobalComm.WORLD_COMM_GROUP, async_op: bool = False):
    """(the tensors of all processes joined along the first dimension, a handle if `async_op` else None)."""
    return _handed(ops.AllGather(group)(tensor), async_op)


def reduce_scatter_tensor(tensor, op=ReduceOp.SUM, group=GlobalComm.WORLD_COMM_GROUP, async_op: bool = False):
    """(this process's part of the tensors reduced by `op`, a handle if `async_op` else None)."""
    return _handed(ops.ReduceScatter(op, group)(tensor), async_op)


def reduce(tensor, dst, op=ReduceOp.SUM, group=GlobalComm.WORLD_COMM_GROUP):
    """The tensors of all processes reduced by `op`, in the process `dst`."""
    return ops.Reduce(dst, op, group)(tensor)


def scatter_tensor(tensor, src=0, group=GlobalComm.WORLD_COMM_GROUP):
    """This process's part along the first dimension of the tensor of process `src`."""
    return ops.CollectiveScatter(src, group)(tensor)


def gather_into_tensor(tensor, dst=0, group=GlobalComm.WORLD_COMM_GROUP):
    """The tensors of all processes joined along the first dimension, in the process `dst`."""
    return ops.CollectiveGather(dst, group)(tensor)


def broadcast(tensor: Tensor, src=0, group=GlobalComm.WORLD_COMM_GROUP):
    """The tensor of process `src`, in all processes."""
    if not isinstance(tensor, Tensor):
        raise TypeError(f"broadcast: tensor is {a_value(tensor)}; need a Tensor")
    return ops.Broadcast(src, group)((tensor,))[0]


def barrier(group=GlobalComm.WORLD_COMM_GROUP) -> None:
    """Returns when every process of the group has come here."""
    ops.Barrier(group)()


def all_to_all_with_output_shape(output_shape_list, input_tensor_list, group=None, async_op: bool = False):
    """(a tuple of the tensors that each process sent to this one, a handle if `async_op` else None).

    One tensor and one shape, or Tensor, per process; the shape must be that of the tensor.
    """
    owner = "all_to_all_with_output_shape"
    size = len(process_groups.ranks_of(owner, group))
    for name, given in (("output_shape_list", output_shape_list), ("input_tensor_list", input_tensor_list)):
        if not isinstance(given, (list, tuple)):
            raise TypeError(f"{owner}: {name} is {a_value(given)}; need a list or tuple")
        if len(given) != size:
            raise ValueError(f"{owner}: {name} has {len(given)} entries; need {size}, one per process")
    (tensor,), (shape,) = input_tensor_list, output_shape_list
    return _handed((_sent_to_itself(owner, tensor, shape),), async_op)


def all_to_all_single_with_output_shape(
    output_shape, tensor, output_split_sizes=None, input_split_sizes=None, group=None, async_op: bool = False
):
    """(the parts that each process sent to this one, joined, and a handle if `async_op` else None).

    The split sizes say how many rows go to and come from each process: all of them.
    """
    owner = "all_to_all_single_with_output_shape"
    process_groups.ranks_of(owner, group)
    received = _sent_to_itself(owner, tensor, output_shape)
    _require_rows(owner, "input_split_sizes", input_split_sizes, tensor)
    _require_rows(owner, "output_split_sizes", output_split_sizes, tensor)
    return _handed(received, async_op)


def _sent_to_itself(owner, tensor, shape):
    if not isinstance(tensor, Tensor):
        raise TypeError(f"{owner}: the input is {a_value(tensor)}; need a Tensor")
    shape = tuple(shape.shape if isinstance(shape, Tensor) else shape)
    if shape != tuple(tensor.shape):
        raise ValueError(
            f"{owner}: the output has shape {shape}; need {tuple(tensor.shape)}, that of the input"
        )
    return ops.identity(tensor)


def _require_rows(owner, name, sizes, tensor):
    if sizes and list(sizes) != [tensor.shape[0]]:
        raise ValueError(f"{owner}: {name} is {sizes}; need [{tensor.shape[0]}], the rows of the input")


def send(tensor, dst=0, group=GlobalComm.WORLD_COMM_GROUP, tag=0):
    """Sends a tensor to another process; there is none, so this raises ValueError."""
    raise process_groups.no_peer("send", "dst", dst)


def recv(tensor, src=0, group=GlobalComm.WORLD_COMM_GROUP, tag=0):
    """Receives a tensor from another process; there is none, so this raises ValueError."""
    raise process_groups.no_peer("recv", "src", src)


def isend(tensor, dst=0, group=GlobalComm.WORLD_COMM_GROUP, tag=0):
    """Starts to send a tensor to another process; there is none, so this raises ValueError."""
    raise process_groups.no_peer("isend", "dst", dst)


def irecv(tensor, src=0, group=GlobalComm.WORLD_COMM_GROUP, tag=0):
    """Starts to receive a tensor from another process; there is none, so this raises ValueError."""
    raise process_groups.no_peer("irecv", "src", src)


class P2POp:
    """A message for `batch_isend_irecv`: `op` is isend or irecv, or its name, `peer` the other process.

    There is no other process, so constructing one raises ValueError.
    """

    def __init__(self, op, tensor, peer, group=None, tag=0, *, recv_dtype=None):
        raise process_groups.no_peer("P2POp", "peer", peer)


def batch_isend_irecv(p2p_op_list):
    """Starts several messages at once; returns a list of the received tensors."""
    if not isinstance(p2p_op_list, list) or not p2p_op_list:
        raise TypeError(f"batch_isend_irecv: p2p_op_list is {p2p_op_list!r}; need a list of P2POp")
    raise TypeError(f"batch_isend_irecv: p2p_op_list has {a_value(p2p_op_list[0])}; need a P2POp")
