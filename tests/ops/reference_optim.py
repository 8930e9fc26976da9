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
