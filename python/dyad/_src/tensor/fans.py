"""How many inputs and outputs one unit of a weight has, and the gain of the activation after it."""

import math


def fan_in_and_out(shape):
    """(inputs, outputs) per unit for a weight laid out as (out, in, *kernel)."""
    if len(shape) < 2:
        raise ValueError(
            f"initializer: fan is undefined for the shape {tuple(shape)}; need at least 2 dimensions"
        )
    receptive_field = math.prod(shape[2:])
    return shape[1] * receptive_field, shape[0] * receptive_field


def fan(shape, mode):
    fan_in, fan_out = fan_in_and_out(shape)
    return {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}[mode]


def gain(nonlinearity, negative_slope=0):
    """Factor that keeps the variance of activations constant through the named nonlinearity."""
    if nonlinearity == "leaky_relu":
        return math.sqrt(2.0 / (1 + negative_slope**2))
    return {"relu": math.sqrt(2.0), "tanh": 5.0 / 3}.get(nonlinearity, 1.0)


GAIN_NAMES = (
    "linear",
    "sigmoid",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "tanh",
    "relu",
    "leaky_relu",
)
