"""Networks whose last layer compares directions instead of lengths."""

from dyad import _core, ops
from dyad._core import Tensor
from dyad._src.base.argument_checks import a_value, require_bool
from dyad._src.tensor.parameter import Parameter
from dyad.nn import Cell, Dense

__all__ = ["CommonHeadLastFN", "LessBN"]


class CommonHeadLastFN(Cell):
    """The cosine of each input with each row of the weight, times a trained number.

    Args:
        in_channels (int): Length of an input.
        out_channels (int): Number of outputs.
        weight_init: How the weight begins; any that `initializer` takes.

    Example:
        >>> from dyad import Tensor
        >>> from dyad.boost.less_batch_normalization import CommonHeadLastFN
        >>> head = CommonHeadLastFN(2, 1, weight_init="ones")
        >>> print(head(Tensor([[2.0, 2.0], [3.0, -3.0]])))
        [[1.]
         [0.]]
    """

    def __init__(self, in_channels, out_channels, weight_init="normal"):
        super().__init__()
        layer = Dense(in_channels, out_channels, weight_init=weight_init, has_bias=False)
        self.weight = layer.weight
        self._start()

    def _start(self):
        self.multiplier = Parameter(Tensor([1.0], _core.float32), name="multiplier")

    @classmethod
    def of(cls, dense):
        """A head with the weight of a Dense layer, whose bias it has no use for."""
        head = cls.__new__(cls)
        Cell.__init__(head)
        head.weight = dense.weight
        head._start()
        return head

    def construct(self, x):
        """The scaled cosines."""
        return self.multiplier * ops.matmul(_directions(x), _directions(self.weight).T)


def _directions(x):
    """Rows of length 1; a row of zeros stays one."""
    return x / ops.maximum(ops.sqrt(ops.square(x).sum(-1, keepdims=True)), 1e-12)


class LessBN(Cell):
    """Wraps a network to normalize less.

    With `fn_flag` its last Dense layer becomes a `CommonHeadLastFN` with the same weight, which normalizes what it is
    given. Batch normalizations stay where they are: what a network learns depends on them.

    Args:
        network (Cell): The network, which is changed.
        fn_flag (bool): Whether the last Dense layer is replaced.

    Example:
        >>> from dyad import nn
        >>> from dyad.boost import LessBN
        >>> print(LessBN(nn.SequentialCell(nn.ReLU(), nn.Dense(2, 2)), fn_flag=True).network[1])
        CommonHeadLastFN()
    """

    def __init__(self, network, fn_flag=False):
        super().__init__()
        if not isinstance(network, Cell):
            raise TypeError(f"LessBN: network is {a_value(network)}; need a Cell")
        if require_bool("LessBN", "fn_flag", fn_flag):
            network = _with_head(network)
        self.network = network

    def construct(self, *inputs):
        """Output of the network."""
        return self.network(*inputs)


def _with_head(network):
    """The network with a head in place of its last Dense layer; a network that is one becomes the head."""
    found = None
    for _, owner in network.cells_and_names():
        for name, child in owner.name_cells().items():
            if isinstance(child, Dense) and child.activation is None:
                found = owner, name, child
    if found is None:
        return CommonHeadLastFN.of(network) if isinstance(network, Dense) else network
    owner, name, dense = found
    head = CommonHeadLastFN.of(dense)
    head.update_parameters_name(dense.weight.name.rpartition("weight")[0])
    if name.isdigit() and hasattr(owner, "__setitem__"):
        owner[int(name)] = head
    else:
        owner.insert_child_to_cell(name, head)
        object.__setattr__(owner, name, head) if name in vars(owner) else None
    return network
