"""Base classes and tables of layers that packages take, under the names that the reference's modules have."""

from dyad.nn.activation import _by_name as _activation  # noqa: F401
from dyad.nn.normalization import _BatchNorm  # noqa: F401
from dyad.nn.pooling import _Pooling as _PoolNd  # noqa: F401
