"""Each optimizer's step in NumPy, in float64 and for one array, written from its published formula.

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


def lamb(p, g, state, t, lr, decay=0.0, beta1=0.9, beta2=0.999, eps=1e-6):
    m, v = means(g, state, beta1, beta2)
    direction = m / (1 - beta1**t) / (np.sqrt(v / (1 - beta2**t)) + eps) + decay * p
    return p - lr * np.linalg.norm(p) / np.linalg.norm(direction) * direction


def adamax(p, g, state, t, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    m = state["m"] = beta1 * state.get("m", 0) + (1 - beta1) * g
    u = state["u"] = np.maximum(beta2 * state.get("u", 0), np.abs(g))
    return p - lr / (1 - beta1**t) * m / (u + eps)


def adagrad(p, g, state, t, lr, accum=0.1, update_slots=True):
    state.setdefault("a", np.full_like(p, np.float32(accum)))
    if update_slots:
        state["a"] = state["a"] + g * g
    return p - lr * g / np.sqrt(state["a"])


def rmsprop(p, g, state, t, lr, rho=0.9, momentum=0.0, eps=1e-10, centered=False):
    square = state["s"] = rho * state.get("s", 1) + (1 - rho) * g * g
    if centered:
        mean = state["m"] = rho * state.get("m", 0) + (1 - rho) * g
        square = square - mean * mean
    state["v"] = momentum * state.get("v", 0) + lr * g / np.sqrt(square + eps)
    return p - state["v"]


def adadelta(p, g, state, t, lr, rho=0.9, eps=1e-6):
    a = state["a"] = rho * state.get("a", 0) + (1 - rho) * g * g
    update = np.sqrt(state.get("d", 0) + eps) / np.sqrt(a + eps) * g
    state["d"] = rho * state.get("d", 0) + (1 - rho) * update**2
    return p - lr * update


def ftrl(p, g, state, t, lr, accum=0.1, lr_power=-0.5, l1=0.0, l2=0.0):
    before = state.get("a", np.float64(np.float32(accum)))
    after = state["a"] = before + g * g
    z = state["z"] = state.get("z", 0) + g - (after**-lr_power - before**-lr_power) / lr * p
    return np.where(np.abs(z) > l1, (np.sign(z) * l1 - z) / (after**-lr_power / lr + 2 * l2), 0)


def proximal_adagrad(p, g, state, t, lr, accum=0.1, l1=0.0, l2=0.0):
    a = state["a"] = state.get("a", np.float64(np.float32(accum))) + g * g
    rate = lr / np.sqrt(a)
    moved = p - rate * g
    return np.sign(moved) * np.maximum(np.abs(moved) - rate * l1, 0) / (1 + rate * l2)


def rprop(p, g, state, t, lr, etas=(0.5, 1.2), sizes=(1e-6, 50.0)):
    size = np.full_like(p, lr) if t == 1 else state["size"]
    turned = g * state.get("previous", 0)
    size = state["size"] = np.clip(
        size * np.where(turned > 0, etas[1], np.where(turned < 0, etas[0], 1)), *sizes
    )
    g = state["previous"] = np.where(turned < 0, 0, g)
    return p - np.sign(g) * size


def asgd(p, g, state, t, lr, lambd=1e-4, alpha=0.75, t0=1e6):
    eta = state.get("eta", lr)
    p = p * (1 - lambd * eta) - eta * g
    state["average"] = state.get("average", 0) + state.get("mu", 1) * (p - state.get("average", 0))
    state["eta"] = lr / (1 + lambd * lr * t) ** alpha
    state["mu"] = 1 / max(1, t - t0)
    return p


def lars(g, p, decay, epsilon, coefficient, rate=None):
    """LARS: scales a gradient for the wrapped optimizer."""
    trust = coefficient * np.linalg.norm(p) / (np.linalg.norm(g) + decay * np.linalg.norm(p) + epsilon)
    if rate is not None:
        trust = min(trust / rate, 1)
    return trust * (g + decay * p)


def rms(x):
    return np.sqrt(np.mean(np.square(x)))


def adafactor(
    p, g, state, t, lr, decay=0.0, eps=(1e-30, 1e-3), threshold=1.0, decay_rate=0.8, beta1=0.9, relative=True
):
    keep = 1 - t**-decay_rate
    if relative:
        lr = lr * max(eps[1], rms(p))
    squares = g * g + eps[0]
    if g.ndim < 2:
        squares = state["s"] = keep * state.get("s", 0) + (1 - keep) * squares
        update = g / np.sqrt(squares)
    else:
        row = state["r"] = keep * state.get("r", 0) + (1 - keep) * squares.mean(-1)
        column = state["c"] = keep * state.get("c", 0) + (1 - keep) * squares.mean(-2)
        product = row[..., None] * column[..., None, :] / row.mean(-1)[..., None, None]
        update = g / np.sqrt(product)
    update = lr * update / max(1, rms(update) / threshold)
    if beta1 > 0:
        update = state["m"] = beta1 * state.get("m", 0) + (1 - beta1) * update
    return p - decay * lr * p - update
