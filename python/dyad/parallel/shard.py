"""`dyad.parallel.shard`: how tensors are split over devices."""

from dyad._src.sharding import Layout, shard

__all__ = ["Layout", "shard"]
