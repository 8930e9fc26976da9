"""Lowerings of operators without a face to the Primitives of files.

The parameters of a lowering are the emission, the (dtype, shape) of each result, and the operator's arguments; it
returns the result, a list of several, or None if it does not support the arguments.
"""

from dyad import _core
from dyad._src.interchange.mindir import lowerings_gradients, lowerings_nn, lowerings_shape, lowerings_steps


def _axes(axis):
    return () if axis is None else tuple(axis)


def reduced(primitive, *further):
    """A reduction that keeps its dtype."""

    def lower(e, results, x, axis=None, keepdims=False, dtype=None):
        kind, shape = results[0]
        return e.call(primitive, e.cast(x, kind), _axes(axis), keepdims, *further, dtype=kind, shape=shape)

    return lower


def any_or_all(primitive):
    """A reduction of truths."""

    def lower(e, results, x, axis=None, keepdims=False):
        kind, shape = results[0]
        return e.call(primitive, e.cast(x, _core.bool_), _axes(axis), keepdims, dtype=kind, shape=shape)

    return lower


def clamp_between(e, results, x, low, high):
    dtype, shape = results[0]
    raised = e.call("Maximum", e.tensor(x, dtype), e.tensor(low, dtype), dtype=dtype, shape=shape)
    return e.call("Minimum", raised, e.tensor(high, dtype), dtype=dtype, shape=shape)


def power(e, results, x, exponent):
    dtype, shape = results[0]
    return e.call("Pow", e.tensor(x, dtype), e.tensor(exponent, dtype), dtype=dtype, shape=shape)


def scaled(primitive):
    """`x + other * alpha`, or with a minus."""

    def lower(e, results, x, other, alpha=1):
        dtype, shape = results[0]
        second = e.tensor(other, dtype)
        if alpha != 1:
            second = e.call("Mul", second, e.tensor(alpha, dtype), dtype=dtype, shape=second.shape)
        return e.call(primitive, e.cast(x, dtype), second, dtype=dtype, shape=shape)

    return lower


def softmax(primitive, as_tuple):
    """Over one axis."""

    def lower(e, results, x, axis=-1, dtype=None):
        kind, shape = results[0]
        return e.call(primitive, e.cast(x, kind), (axis,) if as_tuple else axis, dtype=kind, shape=shape)

    return lower


def argument_of(primitive):
    """The index of the largest or smallest element."""

    def lower(e, results, x, axis=None, keepdims=False, dtype=None):
        kind, shape = results[0]
        if keepdims or kind not in (_core.int32, _core.int64):
            return None
        if axis is None:
            x, axis = e.reshape(x, (-1,)), 0
        return e.call(primitive, x, axis, kind, dtype=kind, shape=shape)

    return lower


LOWERINGS = {
    **lowerings_shape.LOWERINGS,
    **lowerings_nn.LOWERINGS,
    **lowerings_gradients.LOWERINGS,
    **lowerings_steps.LOWERINGS,
    "add_scaled": scaled("Add"),
    "all": any_or_all("ReduceAll"),
    "amax": reduced("ReduceMax"),
    "amin": reduced("ReduceMin"),
    "any": any_or_all("ReduceAny"),
    "argmax": argument_of("Argmax"),
    "argmin": argument_of("Argmin"),
    "clamp_between": clamp_between,
    "log_softmax": softmax("LogSoftmax", False),
    "mean": reduced("ReduceMean"),
    "power": power,
    "prod": reduced("ReduceProd"),
    "softmax": softmax("Softmax", True),
    "sub_scaled": scaled("Sub"),
    "sum": reduced("ReduceSum", False),
}
