"""Gradients by central differences in float64, of the sum of all Tensors of floats that a program gives."""

import copy

import numpy as np

from dyad import Parameter, Tensor, float64

STEP = 1e-6


def with_doubles(value):
    """The value with every Tensor of floats in float64."""
    if isinstance(value, Tensor) and not isinstance(value, Parameter):
        return value.astype(float64) if value.is_floating_point() else value
    if type(value) in (list, tuple):
        return type(value)(map(with_doubles, value))
    if type(value) is dict:
        return {key: with_doubles(item) for key, item in value.items()}
    return value


def central_differences(function, arguments, keywords, positions):
    """The gradients by the arguments at `positions`, as arrays."""

    def total_at(place, values):
        changed = copy.deepcopy(arguments)
        changed = (*changed[:place], Tensor(values), *changed[place + 1 :])
        return _total(function(*changed, **copy.deepcopy(keywords)))

    gradients = []
    for place in positions:
        start = arguments[place].asnumpy()
        gradient = np.zeros_like(start)
        for index in np.ndindex(start.shape):
            step = np.zeros_like(start)
            step[index] = STEP
            gradient[index] = (total_at(place, start + step) - total_at(place, start - step)) / (2 * STEP)
        gradients.append(gradient)
    return gradients


def _total(result):
    if isinstance(result, Tensor):
        return float(result.asnumpy().sum()) if result.is_floating_point() else 0.0
    if isinstance(result, (tuple, list)):
        return sum(map(_total, result))
    return sum(map(_total, result.values())) if isinstance(result, dict) else 0.0
