"""Loss functions."""

from dyad.nn.loss import (
    adaptive,
    base,
    binary,
    classification,
    embedding,
    overlap,
    regression,
    sampled,
    sequence,
)
from dyad.nn.loss.adaptive import *  # noqa: F403
from dyad.nn.loss.base import *  # noqa: F403
from dyad.nn.loss.base import LossBase as _Loss  # noqa: F401 - what it was called before, for old programs
from dyad.nn.loss.binary import *  # noqa: F403
from dyad.nn.loss.classification import *  # noqa: F403
from dyad.nn.loss.embedding import *  # noqa: F403
from dyad.nn.loss.overlap import *  # noqa: F403
from dyad.nn.loss.regression import *  # noqa: F403
from dyad.nn.loss.sampled import *  # noqa: F403
from dyad.nn.loss.sequence import *  # noqa: F403

__all__ = [
    *adaptive.__all__,
    *base.__all__,
    *binary.__all__,
    *classification.__all__,
    *embedding.__all__,
    *overlap.__all__,
    *regression.__all__,
    *sampled.__all__,
    *sequence.__all__,
]
