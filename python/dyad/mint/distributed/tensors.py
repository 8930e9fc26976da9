"""Tensors that processes exchange, written into those that are given. One process exchanges with itself."""

from dyad import ops
from dyad._core import Tensor
from dyad._src.base.argument_checks import a_value, require_choice
from dyad._src.context import process_groups
from dyad._src.context.process_groups import handle
from dyad.ops import ReduceOp

__all__ = [
    "P2POp",
    "all_gather",
    "all_gather_into_tensor",
    "all_gather_into_tensor_uneven",
    "all_reduce",
    "all_to_all",
    "all_to_all_single",
    "barrier",
    "batch_isend_irecv",
    "broadcast",
    "gather",
    "irecv",
    "isend",
    "recv",
    "reduce",
    "reduce_scatter",
    "reduce_scatter_tensor",
    "reduce_scatter_tensor_uneven",
    "scatter",
    "send",
]

_REDUCTIONS = (ReduceOp.SUM, ReduceOp.MAX, ReduceOp.MIN, ReduceOp.PROD, ReduceOp.AVG)


def _require_tensor(owner, name, value):
    if not isinstance(value, Tensor):
        raise TypeError(f"{owner}: {name} is {a_value(value)}; need a Tensor")
    return value


def _only_tensor(owner, name, tensors, group):
    """The Tensor of a list that has one per process."""
    size = len(process_groups.ranks_of(owner, group))
    if not isinstance(tensors, (list, tuple)):
        raise TypeError(f"{owner}: {name} is {a_value(tensors)}; need a list of Tensors")
    if len(tensors) != size:
        raise ValueError(f"{owner}: {name} has {len(tensors)} entries; need {size}, one per process")
    return _require_tensor(owner, name, tensors[0])


def _write(owner, output, input):
    """Write the input, which this process sent to itself, into the output."""
    _require_tensor(owner, "the output", output)
    _require_tensor(owner, "the input", input)
    if tuple(output.shape) != tuple(input.shape):
        raise ValueError(f"{owner}: the output has shape {tuple(output.shape)}; need {tuple(input.shape)}")
    if output.dtype != input.dtype:
        raise TypeError(f"{owner}: the output is of {output.dtype}; need {input.dtype}")
    ops.assign(output, input)


def _require_sizes(owner, name, sizes, tensor):
    if sizes and list(sizes) != [tensor.shape[0]]:
        raise ValueError(
            f"{owner}: {name} is {sizes}; need [{tensor.shape[0]}], all rows for the one process"
        )


def _check_reduction(owner, op, group):
    require_choice(owner, "op", op, _REDUCTIONS)
    process_groups.ranks_of(owner, group)


def all_reduce(tensor, op=ReduceOp.SUM, group=None, async_op: bool = False):
    """Reduces the tensors of all processes by `op` into each of them."""
    _check_reduction("all_reduce", op, group)
    _require_tensor("all_reduce", "tensor", tensor)
    return handle(async_op)


def reduce(tensor, dst, op=ReduceOp.SUM, group=None, async_op: bool = False):
    """Reduces the tensors of all processes by `op` into that of process `dst`."""
    _check_reduction("reduce", op, group)
    process_groups.require_rank("reduce", "dst", dst)
    _require_tensor("reduce", "tensor", tensor)
    return handle(async_op)


def broadcast(tensor, src, group=None, async_op: bool = False):
    """Writes the tensor of process `src` into that of each process."""
    process_groups.ranks_of("broadcast", group)
    process_groups.require_rank("broadcast", "src", src)
    _require_tensor("broadcast", "tensor", tensor)
    return handle(async_op)


def all_gather_into_tensor(output_tensor, input_tensor, group=None, async_op: bool = False):
    """Writes the tensors of all processes, joined along the first dimension, into `output_tensor`."""
    process_groups.ranks_of("all_gather_into_tensor", group)
    _write("all_gather_into_tensor", output_tensor, input_tensor)
    return handle(async_op)


def all_gather_into_tensor_uneven(output, input, output_split_sizes=None, group=None, async_op: bool = False):
    """As all_gather_into_tensor, for inputs of as many rows as the split sizes say."""
    process_groups.ranks_of("all_gather_into_tensor_uneven", group)
    _require_sizes("all_gather_into_tensor_uneven", "output_split_sizes", output_split_sizes, input)
    _write("all_gather_into_tensor_uneven", output, input)
    return handle(async_op)


def reduce_scatter_tensor(output, input, op=ReduceOp.SUM, group=None, async_op: bool = False):
    """Writes this process's part of the tensors of all, reduced by `op`, into `output`."""
    _check_reduction("reduce_scatter_tensor", op, group)
    _write("reduce_scatter_tensor", output, input)
    return handle(async_op)


def reduce_scatter_tensor_uneven(
    output, input, input_split_sizes=None, op=ReduceOp.SUM, group=None, async_op: bool = False
):
    """As reduce_scatter_tensor, with parts of as many rows as the split sizes say."""
    _check_reduction("reduce_scatter_tensor_uneven", op, group)
    _require_sizes("reduce_scatter_tensor_uneven", "input_split_sizes", input_split_sizes, input)
    _write("reduce_scatter_tensor_uneven", output, input)
    return handle(async_op)


def all_gather(tensor_list, tensor, group=None, async_op: bool = False):
    """Writes the tensor of each process into one of the list."""
    _write("all_gather", _only_tensor("all_gather", "tensor_list", tensor_list, group), tensor)
    return handle(async_op)


def reduce_scatter(output, input_list, op=ReduceOp.SUM, group=None, async_op: bool = False):
    """Writes those tensors of the processes' lists that are for this one, reduced by `op`, into `output`."""
    _check_reduction("reduce_scatter", op, group)
    _write("reduce_scatter", output, _only_tensor("reduce_scatter", "input_list", input_list, group))
    return handle(async_op)


def gather(tensor, gather_list, dst=0, group=None, async_op: bool = False):
    """Writes the tensor of each process into one of the list of process `dst`."""
    process_groups.require_rank("gather", "dst", dst)
    _write("gather", _only_tensor("gather", "gather_list", gather_list, group), tensor)
    return handle(async_op)


def scatter(tensor, scatter_list, src=0, group=None, async_op: bool = False):
    """Writes the tensor that is for this process, of the list of process `src`, into `tensor`."""
    process_groups.require_rank("scatter", "src", src)
    _write("scatter", tensor, _only_tensor("scatter", "scatter_list", scatter_list, group))
    return handle(async_op)


def all_to_all(output_tensor_list, input_tensor_list, group=None, async_op: bool = False):
    """Writes the tensor that each process has for this one into one of the first list."""
    output = _only_tensor("all_to_all", "output_tensor_list", output_tensor_list, group)
    _write("all_to_all", output, _only_tensor("all_to_all", "input_tensor_list", input_tensor_list, group))
    return handle(async_op)


def all_to_all_single(
    output, input, output_split_sizes=None, input_split_sizes=None, group=None, async_op: bool = False
):
    """Writes the rows that each process has for this one into `output`."""
    process_groups.ranks_of("all_to_all_single", group)
    _require_sizes("all_to_all_single", "output_split_sizes", output_split_sizes, input)
    _require_sizes("all_to_all_single", "input_split_sizes", input_split_sizes, input)
    _write("all_to_all_single", output, input)
    return handle(async_op)


def barrier(group=None, async_op: bool = False, device_ids=None):
    """Returns when every process of the group has come here."""
    process_groups.ranks_of("barrier", group)
    return handle(async_op)


def send(tensor, dst=0, group=None, tag=0):
    """Sends a tensor to another process; there is none, so this raises ValueError."""
    raise process_groups.no_peer("send", "dst", dst)


def recv(tensor, src=0, group=None, tag=0):
    """Receives a tensor from another process; there is none, so this raises ValueError."""
    raise process_groups.no_peer("recv", "src", src)


def isend(tensor, dst=0, group=None, tag=0):
    """Starts to send a tensor to another process; there is none, so this raises ValueError."""
    raise process_groups.no_peer("isend", "dst", dst)


def irecv(tensor, src=0, group=None, tag=0):
    """Starts to receive a tensor from another process; there is none, so this raises ValueError."""
    raise process_groups.no_peer("irecv", "src", src)


class P2POp:
    """A message for `batch_isend_irecv` to or from the process `peer`; there is none, so this raises ValueError."""

    def __init__(self, op, tensor, peer, group=None, tag=0):
        raise process_groups.no_peer("P2POp", "peer", peer)


def batch_isend_irecv(p2p_op_list):
    """Starts the messages of a list of P2POp; returns a list of their handles."""
    if not isinstance(p2p_op_list, list) or not p2p_op_list:
        raise TypeError(f"batch_isend_irecv: p2p_op_list is {p2p_op_list!r}; need a list of P2POp")
    raise TypeError(f"batch_isend_irecv: p2p_op_list has {a_value(p2p_op_list[0])}; need a P2POp")
