"""Special functions."""

from dyad.mint.nn.functional import log_softmax as log_softmax
from dyad.ops import erfc as erfc
from dyad.ops import exp2 as exp2
from dyad.ops import expm1 as expm1
from dyad.ops import log1p as log1p
from dyad.ops import round as round
from dyad.ops import sinc as sinc

__all__ = ["erfc", "exp2", "expm1", "log1p", "log_softmax", "round", "sinc"]
