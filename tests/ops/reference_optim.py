"""NumPy statements of what surrounds an optimiser's step."""

import numpy as np


def prepared_gradients(params, gradients, decays, centralize, decay_scale=1.0, scale=1.0):
    prepared = []
    for i, (parameter, gradient) in enumerate(zip(params, gradients, strict=True)):
        if len(decays):
            gradient = gradient + parameter * decays[min(i, len(decays) - 1)] * decay_scale
        if i in centralize and gradient.ndim > 1:
            gradient = gradient - gradient.mean(axis=tuple(range(1, gradient.ndim)), keepdims=True)
        prepared.append((gradient * scale).astype(np.float32))
    return tuple(prepared)


def lars_update(weight, gradient, norm_weight, norm_gradient, decay, rate, epsilon, hyperpara, use_clip):
    weight_norm, gradient_norm = np.sqrt(norm_weight), np.sqrt(norm_gradient)
    trust = hyperpara * weight_norm / (gradient_norm + decay * weight_norm + epsilon)
    if weight_norm == 0 or gradient_norm == 0:
        trust = np.float32(1)
    if use_clip:
        trust = np.minimum(trust / rate, 1)
    return ((gradient + decay * weight) * trust).astype(gradient.dtype)


def lars_gradients(params, gradients, decays, rates, layers, epsilon=1e-5, coefficient=0.001, scale=1.0):
    results = []
    for i, (weight, gradient) in enumerate(zip(params, gradients, strict=True)):
        gradient = (gradient * scale).astype(np.float32)
        if i in layers:
            decay = decays[min(i, len(decays) - 1)] if len(decays) else np.float32(0)
            rate = rates[min(i, len(rates) - 1)] if len(rates) else None
            squares = np.square(weight).sum(), np.square(gradient).sum()
            gradient = lars_update(
                weight, gradient, *squares, decay, rate, epsilon, coefficient, bool(len(rates))
            )
        results.append(gradient)
    return tuple(results)
