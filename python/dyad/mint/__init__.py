"""Functions and layers with the names, argument orders and results of PyTorch.

Most are those of `dyad.ops`, whose keywords `dim` and `keepdim` serve both; what differs is written here.
"""

from dyad import _core, ops
from dyad._src.missing import missing_attribute
from dyad.mint import distributed as distributed
from dyad.mint import linalg as linalg
from dyad.mint import nn as nn
from dyad.mint import optim as optim
from dyad.mint import reduction, scaled, shape
from dyad.mint import special as special
from dyad.mint.nn.functional import conv2d as conv2d
from dyad.mint.reduction import *  # noqa: F403
from dyad.mint.scaled import *  # noqa: F403
from dyad.mint.shape import *  # noqa: F403

# `nonzero` is a function of Python; the operator table says which of its own functions are PyTorch's too.
_SHARED = ("nonzero", *_core.mint_functions())

globals().update({name: getattr(ops, name) for name in _SHARED if name not in scaled.__all__})

__all__ = sorted(
    {
        *_SHARED,
        *reduction.__all__,
        *scaled.__all__,
        *shape.__all__,
        "conv2d",
        "distributed",
        "linalg",
        "nn",
        "optim",
        "special",
    }
)


def __getattr__(name):
    raise missing_attribute(__name__, name, __all__)
