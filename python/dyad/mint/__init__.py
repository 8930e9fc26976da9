"""Functions and layers with the names, argument orders and results of PyTorch.

Most are those of `dyad.ops`, whose keywords `dim` and `keepdim` serve both; what differs is written here.
"""

from dyad import _core, ops
from dyad._core import Tensor as Tensor  # packages write mint.Tensor
from dyad.mint import distributed as distributed
from dyad.mint import functions, random, reduction, shape
from dyad.mint import linalg as linalg
from dyad.mint import nn as nn
from dyad.mint import optim as optim
from dyad.mint import special as special
from dyad.mint.functions import *  # noqa: F403
from dyad.mint.nn import functional as functional
from dyad.mint.nn.functional import conv2d as conv2d
from dyad.mint.random import *  # noqa: F403
from dyad.mint.reduction import *  # noqa: F403
from dyad.mint.shape import *  # noqa: F403

_PARTS = (functions, random, reduction, shape)
_OWN = {name for part in _PARTS for name in part.__all__}
# The operator table marks its functions that are PyTorch's too; these are more of them, under another name.
_SHARED = {"addcmul", "clip", "ge", "nonzero", *_core.mint_functions()} - _OWN

globals().update({name: getattr(ops, name) for name in _SHARED})

__all__ = sorted(_SHARED | _OWN | {"conv2d", "distributed", "linalg", "nn", "optim", "special"})
