"""The steps of `experimental.optim` in NumPy, where they differ from those in `formulas`."""

import numpy as np
from formulas import means


def adam(p, g, state, t, lr, decay=0.0, beta1=0.9, beta2=0.999, eps=1e-8, amsgrad=False):
    """With `decay` the decoupled form."""
    p = p * (1 - lr * decay)
    m, v = means(g, state, beta1, beta2)
    if amsgrad:
        v = state["largest"] = np.maximum(state.get("largest", 0), v)
    return p - lr * m / (1 - beta1**t) / (np.sqrt(v / (1 - beta2**t)) + eps)


def adamax(p, g, state, t, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    m = state["m"] = beta1 * state.get("m", 0) + (1 - beta1) * g
    u = state["u"] = np.maximum(beta2 * state.get("u", 0), np.abs(g) + eps)
    return p - lr / (1 - beta1**t) * m / u


def nadam(p, g, state, t, lr, beta1=0.9, beta2=0.999, eps=1e-8, momentum_decay=4e-3):
    m, v = means(g, state, beta1, beta2)
    mu = [beta1 * (1 - 0.5 * 0.96 ** (s * momentum_decay)) for s in range(1, t + 2)]
    root = np.sqrt(v / (1 - beta2**t)) + eps
    ahead = mu[-1] * m / (1 - np.prod(mu)) + (1 - mu[-2]) * g / (1 - np.prod(mu[:-1]))
    return p - lr * ahead / root


def radam(p, g, state, t, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    m, v = means(g, state, beta1, beta2)
    m = m / (1 - beta1**t)
    limit = 2 / (1 - beta2) - 1
    length = limit - 2 * t * beta2**t / (1 - beta2**t)
    if length <= 5:
        return p - lr * m
    rectified = np.sqrt((length - 4) * (length - 2) * limit / ((limit - 4) * (limit - 2) * length))
    return p - lr * m * rectified * np.sqrt(1 - beta2**t) / (np.sqrt(v) + eps)


def adagrad(p, g, state, t, lr, lr_decay=0.0, accum=0.0, eps=1e-10):
    a = state["a"] = state.get("a", accum) + g * g
    return p - lr / (1 + (t - 1) * lr_decay) * g / (np.sqrt(a) + eps)


def rmsprop(p, g, state, t, lr, alpha=0.99, momentum=0.0, eps=1e-8, centered=False):
    square = state["s"] = alpha * state.get("s", 0) + (1 - alpha) * g * g
    if centered:
        mean = state["m"] = alpha * state.get("m", 0) + (1 - alpha) * g
        square = square - mean * mean
    state["v"] = momentum * state.get("v", 0) + g / (np.sqrt(square) + eps)
    return p - lr * state["v"]
