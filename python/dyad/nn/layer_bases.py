"""Base classes of layers that packages ask `isinstance` of, under the names that the reference's modules have."""

from dyad.nn.normalization import _BatchNorm  # noqa: F401
from dyad.nn.pooling import _Pooling as _PoolNd  # noqa: F401
