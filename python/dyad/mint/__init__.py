"""Functions and layers with the names, argument orders and results of PyTorch.

Most are those of `dyad.ops`, whose keywords `dim` and `keepdim` serve both; what differs is written here.
"""

from dyad import ops
from dyad._src.missing import missing_attribute
from dyad.mint import linalg as linalg
from dyad.mint import nn as nn
from dyad.mint import optim as optim
from dyad.mint import reduction, shape
from dyad.mint import special as special
from dyad.mint.nn.functional import conv2d as conv2d
from dyad.mint.reduction import *  # noqa: F403
from dyad.mint.shape import *  # noqa: F403

# fmt: off
_SHARED = (
    "abs", "acos", "acosh", "add", "addbmm", "addcdiv", "addmm", "addmv", "all", "arange", "arccos", "arccosh",
    "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "argmax", "asin", "asinh", "atan", "atan2",
    "atanh", "baddbmm", "bitwise_and", "bitwise_not", "bitwise_or", "bitwise_xor", "bmm",
    "broadcast_to", "cat", "cdist", "ceil", "chunk", "clamp", "clone", "concat", "cos", "cosh", "cross",
    "cummax", "cummin", "cumprod", "cumsum", "diag", "diff", "div", "divide", "dot", "dstack", "einsum",
    "empty", "empty_like", "eq", "erf", "erfc", "erfinv", "exp", "exp2", "expm1", "eye", "flip", "fix", "float_power",
    "floor", "floor_divide", "fmod", "frac", "full", "full_like", "gcd", "greater", "greater_equal", "gt",
    "histc", "hstack", "imag", "index_select", "inverse", "isclose", "isfinite", "isinf", "isnan", "isneginf",
    "kthvalue", "le", "lerp", "less", "less_equal", "log", "log10", "log1p", "log2", "logaddexp", "logaddexp2",
    "logical_and", "logical_not", "logical_or", "logical_xor", "logsumexp", "lt", "masked_select", "matmul",
    "maximum", "minimum", "mm", "mul", "mv", "nan_to_num", "nansum", "narrow", "ne", "neg", "negative",
    "nonzero", "not_equal", "ones", "ones_like", "outer", "polar", "pow", "prod", "rand", "rand_like", "randn",
    "randn_like", "ravel", "real", "reciprocal", "remainder", "repeat_interleave", "reshape", "roll", "round",
    "rsqrt", "searchsorted", "sigmoid", "sign", "sin", "sinc", "sinh", "split", "sqrt", "square", "squeeze",
    "stack", "sub", "sum", "swapaxes", "t", "take", "tan", "tanh", "trace", "trunc", "unbind", "unique_consecutive",
    "unsqueeze", "vdot", "where", "xlogy", "zeros", "zeros_like",
)
# fmt: on

globals().update({name: getattr(ops, name) for name in _SHARED})

__all__ = sorted({*_SHARED, *reduction.__all__, *shape.__all__, "conv2d", "linalg", "nn", "optim", "special"})


def __getattr__(name):
    raise missing_attribute(__name__, name, __all__)
