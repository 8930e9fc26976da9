"""`dyad.parallel.shard`: how tensors are split over devices."""

import math

from dyad._src.base.argument_checks import a_value
from dyad._src.context.sharding import Layout, shard

__all__ = ["Layout", "shard"]


class _DistributedTensorInfo:
    """A Layout as what it does to a tensor: `sharding_strategy` has the number of parts of each dimension."""

    def __init__(self, distributed_info: Layout) -> None:
        if not isinstance(distributed_info, Layout):
            raise TypeError(
                f"_DistributedTensorInfo: distributed_info is {a_value(distributed_info)}; need a Layout"
            )
        self.layout = self.distributed_info = distributed_info

    @property
    def sharding_strategy(self) -> list:
        placed = self.layout.to_dict()
        sizes = placed["device_matrix"][::-1]
        rows = [axes if isinstance(axes, tuple) else (axes,) for axes in placed["tensor_map"]]
        return [math.prod(sizes[axis] for axis in axes if axis >= 0) for axes in rows]
