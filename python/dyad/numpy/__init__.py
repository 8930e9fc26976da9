"""`dyad.numpy`: functions with NumPy's names and arguments that work on Tensors.

Python ints become int32 and floats float32.
"""

from dyad._src.missing import missing_attribute
from dyad.common.dtype import (
    bool_,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from dyad.numpy import (
    arrangement,
    creation,
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
from dyad.numpy.elementwise import *  # noqa: F403
from dyad.numpy.grids import *  # noqa: F403
from dyad.numpy.indexing import *  # noqa: F403
from dyad.numpy.manipulation import *  # noqa: F403
from dyad.numpy.padding import *  # noqa: F403
from dyad.numpy.polynomial import *  # noqa: F403
from dyad.numpy.reduction import *  # noqa: F403
from dyad.numpy.statistics import *  # noqa: F403

pi = 3.141592653589793
e = 2.718281828459045
inf = float("inf")
nan = float("nan")
newaxis = None
int_, float_ = int32, float32

__all__ = [
    "bool_",
    "e",
    "float16",
    "float32",
    "float64",
    "fft",
    "float_",
    "inf",
    "int16",
    "int32",
    "int64",
    "int8",
    "int_",
    "nan",
    "newaxis",
    "pi",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
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


def __getattr__(name):
    raise missing_attribute(__name__, name, __all__)
