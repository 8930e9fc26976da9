"""Gradients of several processes, and batches in parts, as Cells."""

from dyad import _core, ops
from dyad._core import Tensor
from dyad._src.base.argument_checks import require_int, require_number
from dyad._src.context.parallel_settings import parallel_settings
from dyad._src.context.process_groups import GlobalComm, ranks_of
from dyad.nn.cell import Cell

__all__ = [
    "DistributedGradReducer",
    "GradAccumulation",
    "GradAccumulationCell",
    "MicroBatchInterleaved",
    "PipelineCell",
    "PipelineGradReducer",
    "VirtualDatasetCellTriple",
]


def _scaled(gradients, factor):
    """Each gradient times a number, in its own dtype."""
    if isinstance(gradients, Tensor):
        return (gradients.astype(_core.float32) * factor).astype(gradients.dtype)
    return tuple(_scaled(gradient, factor) for gradient in gradients)


class DistributedGradReducer(Cell):
    """Sums gradients over the processes of a group; with `mean` divides them by `degree`.

    One process has the sum already. `mean` is by default the setting `gradients_mean`, `degree` the number of
    processes.
    """

    def __init__(self, parameters, mean=None, degree=None, fusion_type=1, group=GlobalComm.WORLD_COMM_GROUP):
        super().__init__(auto_prefix=False)
        owner = "DistributedGradReducer"
        size = len(ranks_of(owner, group))
        if degree is not None and (isinstance(degree, bool) or not isinstance(degree, int) or degree <= 0):
            raise ValueError(f"{owner}: degree is {degree!r}; need an int of at least 1")
        self.mean = parallel_settings.read(owner, "gradients_mean") if mean is None else bool(mean)
        self.degree = size if degree is None else degree

    def construct(self, grads):
        """The gradients, a Tensor or a tuple of them, as all processes have them."""
        if not self.mean or self.degree == 1:
            return grads
        return _scaled(grads, 1.0 / self.degree)


class _InParts(Cell):
    """A network that gets its batch in parts along the first dimension; the results are added."""

    def __init__(self, network: Cell, parts: int, name) -> None:
        super().__init__(auto_prefix=False)
        owner = type(self).__name__
        if not isinstance(network, Cell):
            raise TypeError(f"{owner}: network is of type {type(network).__name__}; need a Cell")
        self.network = network
        self._parts = require_int(owner, name, parts, low=1)

    def construct(self, *inputs):
        """The sum of the network's results over the parts."""
        total = self.network(*self._part(0, inputs))
        for index in range(1, self._parts):
            total = total + self.network(*self._part(index, inputs))
        return total

    def _part(self, index, inputs):
        return tuple(self._rows(index, value) for value in inputs)

    def _rows(self, index, value):
        if not isinstance(value, Tensor) or value.ndim == 0:
            return value
        if value.shape[0] % self._parts:
            raise ValueError(
                f"{type(self).__name__}: an input has shape {value.shape}; need a first dimension that "
                f"{self._parts} divides"
            )
        rows = value.shape[0] // self._parts
        return value[index * rows : (index + 1) * rows]


class PipelineCell(_InParts):
    """Runs a network on `micro_size` parts of the batch, one after another, and adds the results.

    `stage_config` and `segment_config`, {name of a Cell: number}, assign Cells to stages. With one process they are
    checked and recorded only.
    """

    def __init__(self, network, micro_size, stage_config=None, segment_config=None):
        super().__init__(network, micro_size, "micro_size")
        self.micro_size = self._parts
        cells = dict(network.cells_and_names())
        for attribute, config in (("pipeline_stage", stage_config), ("pipeline_segment", segment_config)):
            for name, number in (config or {}).items():
                if name not in cells:
                    raise KeyError(
                        f"PipelineCell: {name!r} is no Cell of the network; it has {', '.join(cells)}"
                    )
                setattr(cells[name], attribute, number)


class MicroBatchInterleaved(_InParts):
    """Runs a network on `interleave_num` parts of the batch and adds the results."""

    def __init__(self, network, interleave_num=2):
        super().__init__(network, interleave_num, "interleave_num")
        self.interleave_num = self._parts


class GradAccumulation(_InParts):
    """Runs a network on `micro_size` parts of the batch and adds the results, so that gradients are added too."""

    def __init__(self, network, micro_size):
        super().__init__(network, micro_size, "micro_size")
        self.micro_size = self._parts


GradAccumulationCell = GradAccumulation


class VirtualDatasetCellTriple(Cell):
    """A network with three inputs, whose batches would be spread over devices; one device gets them whole."""

    def __init__(self, backbone: Cell) -> None:
        super().__init__(auto_prefix=False)
        if not isinstance(backbone, Cell):
            raise TypeError(
                f"VirtualDatasetCellTriple: backbone is of type {type(backbone).__name__}; need a Cell"
            )
        self._backbone = backbone

    def construct(self, a, b, c):
        """Returns the network's result."""
        return self._backbone(a, b, c)


class _MicroBatch(Cell):
    """The part number `i` of `micro_size` of each input, along the first dimension."""

    def __init__(self, micro_size: int) -> None:
        super().__init__(auto_prefix=False)
        self.micro_size = require_int("_MicroBatch", "micro_size", micro_size, low=1)

    def construct(self, i, *inputs) -> tuple:
        """A tuple with that part of every input."""
        for value in inputs:
            if value.shape[0] % self.micro_size:
                raise ValueError(
                    f"_MicroBatch: an input has shape {value.shape}; need a first dimension that "
                    f"{self.micro_size} divides"
                )
        return tuple(
            [
                value[value.shape[0] // self.micro_size * i : value.shape[0] // self.micro_size * (i + 1)]
                for value in inputs
            ]
        )


class _VirtualDatasetCell(Cell):
    """A network whose inputs each process would get its part of; one process gets them whole."""

    def __init__(self, backbone: Cell) -> None:
        super().__init__(auto_prefix=False)
        if not isinstance(backbone, Cell):
            raise TypeError(
                f"_VirtualDatasetCell: backbone is of type {type(backbone).__name__}; need a Cell"
            )
        self._backbone = backbone

    def construct(self, *inputs):
        """Returns the network's result."""
        return self._backbone(*inputs)


class PipelineGradReducer(Cell):
    """Gradients of a pipeline, divided by `scale_sense`."""

    def __init__(self, parameters, scale_sense: float = 1.0, opt_shard=None) -> None:
        super().__init__(auto_prefix=False)
        self.scale_sense = require_number("PipelineGradReducer", "scale_sense", scale_sense)

    def construct(self, grads) -> tuple:
        """A tuple with the gradients."""
        return tuple(ops.div(gradient, self.scale_sense) for gradient in grads)
