"""`dyad.numpy`: functions with NumPy's names and arguments that work on Tensors.

Python ints become int32 and floats float32.
"""

from dyad.numpy import (
    arrangement,
    creation,
    dtypes,
    elementwise,
    fft,
    grids,
    indexing,
    manipulation,
    padding,
    polynomial,
    reduction,
    statistics,
)
from dyad.numpy.arrangement import *  # noqa: F403
from dyad.numpy.creation import *  # noqa: F403
from dyad.numpy.dtypes import *  # noqa: F403
from dyad.numpy.elementwise import *  # noqa: F403
from dyad.numpy.grids import *  # noqa: F403
from dyad.numpy.indexing import *  # noqa: F403
from dyad.numpy.manipulation import *  # noqa: F403
from dyad.numpy.padding import *  # noqa: F403
from dyad.numpy.polynomial import *  # noqa: F403
from dyad.numpy.reduction import *  # noqa: F403
from dyad.numpy.statistics import *  # noqa: F403

e = 2.718281828459045
newaxis = None

__all__ = [
    "e",
    "fft",
    "newaxis",
    *dtypes.__all__,
    *arrangement.__all__,
    *indexing.__all__,
    *polynomial.__all__,
    *statistics.__all__,
    *creation.__all__,
    *elementwise.__all__,
    *grids.__all__,
    *manipulation.__all__,
    *padding.__all__,
    *reduction.__all__,
]
