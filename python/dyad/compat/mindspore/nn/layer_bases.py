"""Base classes and tables of layers under MindSpore's module names.

MindSpore's `CosineSimilarity` is a layer there, while `nn.CosineSimilarity` is the metric.
"""

from dyad.nn.activation import _by_name as _activation  # noqa: F401
from dyad.nn.cosine_similarity import CosineSimilarity
from dyad.nn.normalization import _BatchNorm  # noqa: F401
from dyad.nn.pooling import _Pooling as _PoolNd  # noqa: F401

__all__ = ["CosineSimilarity"]
