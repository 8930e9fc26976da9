"""How steps of optimisers are written with the Primitives of files: new values of the weights and of their state."""


def _mul(e, a, b):
    return e.call("Mul", a, b, dtype=a.dtype, shape=a.shape)


def _add(e, a, b):
    return e.call("Add", a, b, dtype=a.dtype, shape=a.shape)


def _prepared(e, weight, gradient, decay, scale):
    """The gradient divided by the loss scale, with weight decay added."""
    made = e.cast(gradient, weight.dtype)
    if scale != 1.0:
        made = _mul(e, made, e.tensor(scale, weight.dtype))
    return made if decay is None else _add(e, made, _mul(e, weight, e.cast(decay, weight.dtype)))


def _of(values, place):
    """The value for one weight: there is none, one for all, or one for each."""
    if not values:
        return None
    return values[0] if len(values) == 1 else values[place]


def momentum_step(e, results, params, gradients, moments, rates, decays, momentum, scale=1.0, nesterov=False):
    weights, states = [], []
    for place, (weight, gradient, moment) in enumerate(zip(params, gradients, moments, strict=True)):
        gradient = _prepared(e, weight, gradient, _of(decays, place), scale)
        factor = e.cast(momentum, weight.dtype)
        moment = _add(e, _mul(e, moment, factor), gradient)
        step = _add(e, _mul(e, moment, factor), gradient) if nesterov else moment
        change = _mul(e, step, e.cast(_of(rates, place), weight.dtype))
        weights.append(e.call("Sub", weight, change, dtype=weight.dtype, shape=weight.shape))
        states.append(moment)
    return weights + states


LOWERINGS = {"momentum_step": momentum_step}
