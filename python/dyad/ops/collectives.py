"""Collective operators of a process group. With one process each returns its input, with its gradient."""

from dyad._core import Tensor
from dyad._src.base.argument_checks import a_value, require_bool, require_choice, require_int
from dyad._src.context import process_groups
from dyad._src.context.process_groups import GlobalComm
from dyad._src.operators import identity
from dyad._src.primitive.primitive import Primitive

__all__ = [
    "AllGather",
    "AllGatherV",
    "AllReduce",
    "AlltoAll",
    "AlltoAllV",
    "AlltoAllVC",
    "Barrier",
    "BatchISendIRecv",
    "Broadcast",
    "CollectiveGather",
    "CollectiveScatter",
    "NeighborExchange",
    "Receive",
    "Reduce",
    "ReduceOp",
    "ReduceScatter",
    "ReduceScatterV",
    "Send",
]


class ReduceOp:
    """Names of the reductions over processes, for the argument `op`.

    Example:
        >>> from dyad import ops
        >>> ops.ReduceOp.MAX
        'max'
    """

    SUM, MAX, MIN, PROD, AVG = "sum", "max", "min", "prod", "avg"


_REDUCTIONS = ("sum", "max", "min", "prod", "avg")


class _Collective(Primitive):
    """Base of the operators: holds the group and returns the Tensor unchanged."""

    def __init__(self, group):
        owner = type(self).__name__
        super().__init__(owner)
        process_groups.ranks_of(owner, group)
        self.group = group

    def __call__(self, input_x):
        """A Tensor equal to `input_x`."""
        if not isinstance(input_x, Tensor):
            raise TypeError(f"{self.name}: input_x is {a_value(input_x)}; need a Tensor")
        return identity(input_x)

    def __reduce__(self):
        return _restored, (type(self), dict(vars(self)))


def _restored(kind, state):
    made = kind.__new__(kind)
    made.__dict__.update(state)
    return made


class _Reduction(_Collective):
    """Base of operators that reduce the tensors of all processes by `op`."""

    def __init__(self, op: str, group) -> None:
        super().__init__(group)
        self.op = require_choice(self.name, "op", op, _REDUCTIONS)


class AllReduce(_Reduction):
    """All-reduce: every process receives the reduction by `op` of the tensors of all processes.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.AllReduce(ops.ReduceOp.SUM)(Tensor([1.0, 2.0])))
        [1. 2.]
    """

    def __init__(self, op=ReduceOp.SUM, group=GlobalComm.WORLD_COMM_GROUP):
        super().__init__(op, group)


class Reduce(_Reduction):
    """Reduce: the process `dest_rank` receives the reduction by `op` of the tensors of all processes.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.Reduce(0)(Tensor([1.0, 2.0])))
        [1. 2.]
    """

    def __init__(self, dest_rank, op=ReduceOp.SUM, group=GlobalComm.WORLD_COMM_GROUP):
        super().__init__(op, group)
        self.dest_rank = process_groups.require_rank("Reduce", "dest_rank", dest_rank)


class ReduceScatter(_Reduction):
    """Reduce-scatter: each process receives its part, along the first dimension, of the reduction by `op`.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.ReduceScatter()(Tensor([1.0, 2.0])))
        [1. 2.]
    """

    def __init__(self, op=ReduceOp.SUM, group=GlobalComm.WORLD_COMM_GROUP):
        super().__init__(op, group)


class AllGather(_Collective):
    """All-gather: every process receives the tensors of all processes, joined along the first dimension.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.AllGather()(Tensor([1.0, 2.0])))
        [1. 2.]
    """

    def __init__(self, group=GlobalComm.WORLD_COMM_GROUP):
        super().__init__(group)


class CollectiveGather(_Collective):
    """Gather: the process `dest_rank` receives the tensors of all processes, joined along the first dimension.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.CollectiveGather(0)(Tensor([1.0, 2.0])))
        [1. 2.]
    """

    def __init__(self, dest_rank, group=GlobalComm.WORLD_COMM_GROUP):
        super().__init__(group)
        self.dest_rank = process_groups.require_rank("CollectiveGather", "dest_rank", dest_rank)


class CollectiveScatter(_Collective):
    """Scatter: each process receives a part, along the first dimension, of the tensor of process `src_rank`.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.CollectiveScatter()(Tensor([1.0, 2.0])))
        [1. 2.]
    """

    def __init__(self, src_rank=0, group=GlobalComm.WORLD_COMM_GROUP):
        super().__init__(group)
        self.src_rank = process_groups.require_rank("CollectiveScatter", "src_rank", src_rank)


class AlltoAll(_Collective):
    """Each process sends one of `split_count` parts of its tensor along `split_dim` to each process, and joins what it
    gets along `concat_dim`; the count is that of the processes, so 1.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.AlltoAll(1, 0, 0)(Tensor([1.0, 2.0])))
        [1. 2.]
    """

    def __init__(
        self, split_count: int, split_dim: int, concat_dim: int, group=GlobalComm.WORLD_COMM_GROUP
    ) -> None:
        super().__init__(group)
        if require_int("AlltoAll", "split_count", split_count, low=1) != 1:
            raise ValueError(f"AlltoAll: split_count is {split_count}; need 1, the number of processes")
        self.split_count = split_count
        self.split_dim = require_int("AlltoAll", "split_dim", split_dim)
        self.concat_dim = require_int("AlltoAll", "concat_dim", concat_dim)


def _whole_counts(owner, name, counts):
    """Returns the only element of a list with one count for each process."""
    counts = counts.reshape(-1).tolist() if isinstance(counts, Tensor) else list(counts)
    if len(counts) != 1:
        raise ValueError(f"{owner}: {name} is {counts}; need one count, as many as processes")
    return require_int(owner, name, counts[0], low=0)


class AlltoAllV(_Collective):
    """Each process sends parts of a flat tensor, `send_numel_list` of `block_size` elements, and gets such parts.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.AlltoAllV(block_size=2)(Tensor([1.0, 2.0, 3.0, 4.0]), [2], [2]))
        [1. 2. 3. 4.]
    """

    def __init__(self, group=GlobalComm.WORLD_COMM_GROUP, block_size: int = 1) -> None:
        super().__init__(group)
        self.block_size = require_int(self.name, "block_size", block_size, low=1)

    def __call__(self, input_x, send_numel_list, recv_numel_list):
        """A Tensor equal to `input_x`; both lists have the number of its blocks."""
        sent = _whole_counts(self.name, "send_numel_list", send_numel_list)
        received = _whole_counts(self.name, "recv_numel_list", recv_numel_list)
        if sent != received:
            raise ValueError(
                f"{self.name}: send_numel_list is [{sent}] and recv_numel_list [{received}]; need equal ones"
            )
        return self._all_blocks(input_x, sent)

    def _all_blocks(self, input_x, count):
        result = super().__call__(input_x)
        if input_x.shape != (count * self.block_size,):
            raise ValueError(
                f"{self.name}: input_x is of shape {input_x.shape}; need {count} blocks of {self.block_size} elements"
            )
        return result


class AlltoAllVC(AlltoAllV):
    """The same with the counts of all processes in one matrix, of which a row has what one process sends.

    Example:
        >>> from dyad import Tensor
        >>> from dyad.ops.operations.comm_ops import AlltoAllVC
        >>> print(AlltoAllVC()(Tensor([1.0, 2.0]), [2]))
        [1. 2.]
    """

    def __init__(self, group=GlobalComm.WORLD_COMM_GROUP, block_size=1, transpose: bool = False) -> None:
        super().__init__(group, block_size)
        self.transpose = require_bool(self.name, "transpose", transpose)

    def __call__(self, input_x, send_count_matrix):
        """A Tensor equal to `input_x`; the matrix has the number of its blocks."""
        return self._all_blocks(input_x, _whole_counts(self.name, "send_count_matrix", send_count_matrix))


class AllGatherV(AlltoAllV):
    """All-gather of flat tensors that may differ in length.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.AllGatherV()(Tensor([1.0, 2.0]), [2]))
        [1. 2.]
    """

    def __init__(self, group=GlobalComm.WORLD_COMM_GROUP):
        super().__init__(group)

    def __call__(self, input_x, output_split_sizes):
        """A Tensor equal to `input_x`; the sizes have the number of its elements."""
        return self._all_blocks(input_x, _whole_counts(self.name, "output_split_sizes", output_split_sizes))


class ReduceScatterV(AlltoAllV):
    """Reduce-scatter of flat tensors; the parts of the processes may differ in length.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.ReduceScatterV()(Tensor([1.0, 2.0]), [2]))
        [1. 2.]
    """

    def __init__(self, op: str = ReduceOp.SUM, group=GlobalComm.WORLD_COMM_GROUP) -> None:
        super().__init__(group)
        self.op = require_choice(self.name, "op", op, ("sum", "max", "min", "avg"))

    def __call__(self, input_x, input_split_sizes):
        """A Tensor equal to `input_x`; the sizes have the number of its elements."""
        return self._all_blocks(input_x, _whole_counts(self.name, "input_split_sizes", input_split_sizes))


class Send(_Collective):
    """Sends a tensor to the process `dest_rank`. Raises an error with one process.

    Example:
        >>> from dyad import ops
        >>> try:
        ...     ops.Send(sr_tag=0, dest_rank=1)
        ... except ValueError as error:
        ...     print(error)
        Send: dest_rank is 1; need another process, and there is one
    """

    def __init__(
        self,
        sr_tag,
        dest_rank,
        group=GlobalComm.WORLD_COMM_GROUP,
        group_back=GlobalComm.WORLD_COMM_GROUP,
    ):
        super().__init__(group)
        raise process_groups.no_peer(self.name, "dest_rank", dest_rank)


class Receive(_Collective):
    """Receives a tensor from the process `src_rank`. Raises an error with one process.

    Example:
        >>> from dyad import float32, ops
        >>> try:
        ...     ops.Receive(sr_tag=0, src_rank=1, shape=[2], dtype=float32)
        ... except ValueError as error:
        ...     print(error)
        Receive: src_rank is 1; need another process, and there is one
    """

    def __init__(
        self,
        sr_tag,
        src_rank,
        shape,
        dtype,
        group=GlobalComm.WORLD_COMM_GROUP,
        group_back=GlobalComm.WORLD_COMM_GROUP,
    ):
        super().__init__(group)
        raise process_groups.no_peer(self.name, "src_rank", src_rank)


class NeighborExchange(_Collective):
    """Exchanges tensors with neighbor processes; with one process there are none.

    Example:
        >>> from dyad import float32, ops
        >>> print(ops.NeighborExchange([], [], ([],), ([],), float32)(()))
        ()
    """

    def __init__(
        self,
        send_rank_ids,
        recv_rank_ids,
        recv_shapes,
        send_shapes,
        recv_type,
        group=GlobalComm.WORLD_COMM_GROUP,
    ):
        super().__init__(group)
        for name, ranks in (("send_rank_ids", send_rank_ids), ("recv_rank_ids", recv_rank_ids)):
            for rank in ranks:
                raise process_groups.no_peer(self.name, name, rank)

    def __call__(self, input_x):
        """()."""
        if len(input_x):
            raise ValueError(
                f"{self.name}: input_x has {len(input_x)} tensors; need none, there is one process"
            )
        return ()


class BatchISendIRecv(_Collective):
    """Sends and receives tensors by `op_types`, "isend" or "irecv"; with one process there are no messages.

    Example:
        >>> from dyad import ops
        >>> print(ops.BatchISendIRecv([], [])(()))
        ()
    """

    def __init__(
        self,
        op_types,
        remote_ranks,
        receive_shapes=None,
        receive_dtypes=None,
        group=GlobalComm.WORLD_COMM_GROUP,
    ):
        super().__init__(group)
        if len(op_types) != len(remote_ranks):
            raise ValueError(
                f"{self.name}: there are {len(op_types)} op_types and {len(remote_ranks)} remote_ranks; need as many"
            )
        for kind, rank in zip(op_types, remote_ranks, strict=True):
            require_choice(self.name, "op_types", kind, ("isend", "irecv"))
            raise process_groups.no_peer(self.name, "remote_ranks", rank)

    def __call__(self, input_x):
        """()."""
        return ()


class Broadcast(_Collective):
    """Broadcast: all processes receive the tensors of the process `root_rank`, as a tuple.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.Broadcast(0)((Tensor([1.0, 2.0]),))[0])
        [1. 2.]
    """

    def __init__(self, root_rank, group=GlobalComm.WORLD_COMM_GROUP):
        super().__init__(group)
        self.root_rank = process_groups.require_rank("Broadcast", "root_rank", root_rank)

    def __call__(self, input_x):
        """Tensors equal to those of the tuple `input_x`, as a tuple."""
        if not isinstance(input_x, (tuple, list)):
            raise TypeError(f"Broadcast: input_x is {a_value(input_x)}; need a tuple of Tensors")
        return tuple(identity(tensor) for tensor in input_x)


class Barrier(_Collective):
    """Barrier: waits for all processes of the group; returns at once with one process.

    Example:
        >>> from dyad import ops
        >>> ops.Barrier()()
    """

    def __init__(self, group=GlobalComm.WORLD_COMM_GROUP):
        super().__init__(group)

    def __call__(self):
        """Returns None when all processes have reached the barrier."""


def get_squared_device_local_norm_param():
    """The Parameter to which the gradients of one of several devices add their squares before they are reduced."""
    raise ValueError(
        "get_squared_device_local_norm_param: one process computes whole gradients, there is no part of them that has "
        "a norm of its own; ops.norm gives that of a gradient"
    )
