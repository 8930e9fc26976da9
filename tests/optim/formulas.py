"""Each optimiser's step in NumPy, in float64 and for one array, written from its published formula.

A formula is a function of the parameter, the gradient with loss scale and weight decay already in it, the state (a
dict that starts empty), the number of the step from 1, and the settings.
"""

import numpy as np


def momentum(p, g, state, t, lr, momentum, nesterov=False):
    velocity = state["v"] = momentum * state.get("v", 0) + g
    return p - lr * (g + momentum * velocity if nesterov else velocity)


def sgd(p, g, state, t, lr, momentum=0.0, dampening=0.0, nesterov=False):
    if momentum == 0:
        return p - lr * g
    velocity = state["v"] = g if t == 1 else momentum * state["v"] + (1 - dampening) * g
    return p - lr * (g + momentum * velocity if nesterov else velocity)


def means(g, state, beta1, beta2):
    m = state["m"] = beta1 * state.get("m", 0) + (1 - beta1) * g
    v = state["v"] = beta2 * state.get("v", 0) + (1 - beta2) * g * g
    return m, v


def adam(p, g, state, t, lr, beta1=0.9, beta2=0.999, eps=1e-8, nesterov=False, amsgrad=False):
    m, v = means(g, state, beta1, beta2)
    if amsgrad:
        v = state["largest"] = np.maximum(state.get("largest", 0), v)
    if nesterov:
        m = beta1 * m + (1 - beta1) * g
    return p - lr * np.sqrt(1 - beta2**t) / (1 - beta1**t) * m / (np.sqrt(v) + eps)


def adam_weight_decay(p, g, state, t, lr, decay=0.0, beta1=0.9, beta2=0.999, eps=1e-6):
    m, v = means(g, state, beta1, beta2)
    return p - lr * (m / (np.sqrt(v) + eps) + decay * p)
