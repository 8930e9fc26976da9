"""Operators between the processes of a group. With one process each gives back what it is given, with its gradient."""

from dyad._core import Tensor
from dyad._src import process_groups
from dyad._src.argument_checks import a_value, require_choice, require_int
from dyad._src.primitive import Primitive
from dyad._src.process_groups import GlobalComm
from dyad.ops.table import functions

__all__ = [
    "AllGather",
    "AllReduce",
    "AlltoAll",
    "Barrier",
    "Broadcast",
    "CollectiveGather",
    "CollectiveScatter",
    "Reduce",
    "ReduceOp",
    "ReduceScatter",
]

_identity = functions["identity"]


class ReduceOp:
    """How the tensors of several processes become one: names for the argument `op`.

    Example:
        >>> from dyad import ops
        >>> ops.ReduceOp.MAX
        'max'
    """

    SUM, MAX, MIN, PROD, AVG = "sum", "max", "min", "prod", "avg"


_REDUCTIONS = ("sum", "max", "min", "prod", "avg")


class _Collective(Primitive):
    """What the operators share: the group they are for, and a Tensor that comes back unchanged."""

    def __init__(self, group):
        owner = type(self).__name__
        super().__init__(owner)
        process_groups.ranks_of(owner, group)
        self.group = group

    def __call__(self, input_x):
        """A Tensor equal to `input_x`."""
        if not isinstance(input_x, Tensor):
            raise TypeError(f"{self.name}: input_x is {a_value(input_x)}; need a Tensor")
        return _identity(input_x)

    def __reduce__(self):
        return _restored, (type(self), dict(vars(self)))


def _restored(kind, state):
    made = kind.__new__(kind)
    made.__dict__.update(state)
    return made


class _Reduction(_Collective):
    """An operator that makes one tensor of several by `op`."""

    def __init__(self, op, group):
        super().__init__(group)
        self.op = require_choice(self.name, "op", op, _REDUCTIONS)


class AllReduce(_Reduction):
    """The tensors of all processes, reduced by `op`, for each of them.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.AllReduce(ops.ReduceOp.SUM)(Tensor([1.0, 2.0])))
        [1. 2.]
    """

    def __init__(self, op=ReduceOp.SUM, group=GlobalComm.WORLD_COMM_GROUP):
        super().__init__(op, group)


class Reduce(_Reduction):
    """The tensors of all processes, reduced by `op`, for the process `dest_rank`.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.Reduce(0)(Tensor([1.0, 2.0])))
        [1. 2.]
    """

    def __init__(self, dest_rank, op=ReduceOp.SUM, group=GlobalComm.WORLD_COMM_GROUP):
        super().__init__(op, group)
        self.dest_rank = process_groups.require_rank("Reduce", "dest_rank", dest_rank)


class ReduceScatter(_Reduction):
    """The tensors of all processes, reduced by `op`; each process gets its part along the first dimension.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.ReduceScatter()(Tensor([1.0, 2.0])))
        [1. 2.]
    """

    def __init__(self, op=ReduceOp.SUM, group=GlobalComm.WORLD_COMM_GROUP):
        super().__init__(op, group)


class AllGather(_Collective):
    """The tensors of all processes, one after another along the first dimension, for each of them.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.AllGather()(Tensor([1.0, 2.0])))
        [1. 2.]
    """

    def __init__(self, group=GlobalComm.WORLD_COMM_GROUP):
        super().__init__(group)


class CollectiveGather(_Collective):
    """The tensors of all processes, one after another along the first dimension, for the process `dest_rank`.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.CollectiveGather(0)(Tensor([1.0, 2.0])))
        [1. 2.]
    """

    def __init__(self, dest_rank, group=GlobalComm.WORLD_COMM_GROUP):
        super().__init__(group)
        self.dest_rank = process_groups.require_rank("CollectiveGather", "dest_rank", dest_rank)


class CollectiveScatter(_Collective):
    """A part along the first dimension of the tensor of process `src_rank`, for each process.

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

    def __init__(self, split_count, split_dim, concat_dim, group=GlobalComm.WORLD_COMM_GROUP):
        super().__init__(group)
        if require_int("AlltoAll", "split_count", split_count, low=1) != 1:
            raise ValueError(f"AlltoAll: split_count is {split_count}; need 1, the number of processes")
        self.split_count = split_count
        self.split_dim = require_int("AlltoAll", "split_dim", split_dim)
        self.concat_dim = require_int("AlltoAll", "concat_dim", concat_dim)


class Broadcast(_Collective):
    """The tensors of the process `root_rank`, for all processes: a tuple for a tuple.

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
        return tuple(_identity(tensor) for tensor in input_x)


class Barrier(_Collective):
    """Waits until every process of the group is there: they are.

    Example:
        >>> from dyad import ops
        >>> ops.Barrier()()
    """

    def __init__(self, group=GlobalComm.WORLD_COMM_GROUP):
        super().__init__(group)

    def __call__(self):
        """Nothing; it returns when all processes have come."""


def get_squared_device_local_norm_param():
    """The Parameter to which the gradients of one of several devices add their squares before they are reduced."""
    raise ValueError(
        "get_squared_device_local_norm_param: one process computes whole gradients, there is no part of them that has "
        "a norm of its own; ops.norm gives that of a gradient"
    )
