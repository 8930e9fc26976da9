"""Lowerings of optimizer steps to the Primitives of files: new values of the weights and of their state."""

from dyad import _core


def _mul(e, a, b):
    return e.call("Mul", a, b, dtype=a.dtype, shape=a.shape)


def _add(e, a, b):
    return e.call("Add", a, b, dtype=a.dtype, shape=a.shape)


def _sub(e, a, b):
    return e.call("Sub", a, b, dtype=a.dtype, shape=a.shape)


def _scaled(e, a, number):
    return _mul(e, a, e.tensor(number, a.dtype))


def _root(e, a):
    return e.call("Sqrt", a, dtype=a.dtype, shape=a.shape)


def _prepared(e, weight, gradient, decay, scale):
    """The gradient divided by the loss scale, with weight decay added."""
    made = e.cast(gradient, weight.dtype)
    if scale != 1.0:
        made = _scaled(e, made, scale)
    return made if decay is None else _add(e, made, _mul(e, weight, e.cast(decay, weight.dtype)))


def _of(values, place):
    """The value for one weight: there is none, one for all, or one for each."""
    if not values:
        return None
    return values[0] if len(values) == 1 else values[place]


def _moved(e, weight, step, rate):
    """The weight after a step of that rate."""
    return _sub(e, weight, _mul(e, step, e.cast(rate, weight.dtype)))


def momentum_step(e, results, params, gradients, moments, rates, decays, momentum, scale=1.0, nesterov=False):
    weights, states = [], []
    for place, (weight, gradient, moment) in enumerate(zip(params, gradients, moments, strict=True)):
        gradient = _prepared(e, weight, gradient, _of(decays, place), scale)
        factor = e.cast(momentum, weight.dtype)
        moment = _add(e, _mul(e, moment, factor), gradient)
        step = _add(e, _mul(e, moment, factor), gradient) if nesterov else moment
        weights.append(_moved(e, weight, step, _of(rates, place)))
        states.append(moment)
    return weights + states


def sgd_step(
    e,
    results,
    params,
    gradients,
    moments,
    fresh,
    rates,
    decays,
    momentum,
    dampening=0.0,
    scale=1.0,
    nesterov=False,
):
    """The velocity starts as the gradient; without momentum it is not changed, which `momentum` itself decides."""
    weights, states, marks = [], [], []
    for place, (weight, gradient, moment, mark) in enumerate(
        zip(params, gradients, moments, fresh, strict=True)
    ):
        dtype = weight.dtype
        gradient = _prepared(e, weight, gradient, _of(decays, place), scale)
        factor = e.cast(momentum, dtype)
        is_used = e.call("Greater", factor, e.tensor(0, dtype), dtype=_core.bool_, shape=())
        going = _add(e, _mul(e, moment, factor), _scaled(e, gradient, 1 - dampening))
        first = e.call("Greater", mark, e.tensor(0, mark.dtype), dtype=_core.bool_, shape=mark.shape)
        velocity = _choice(e, first, gradient, going)
        step = _add(e, _mul(e, velocity, factor), gradient) if nesterov else velocity
        weights.append(_moved(e, weight, _choice(e, is_used, step, gradient), _of(rates, place)))
        states.append(_choice(e, is_used, velocity, moment))
        marks.append(_choice(e, is_used, e.broadcast(e.tensor(0, mark.dtype), mark.shape), mark))
    return weights + states + marks


def _choice(e, condition, yes, no):
    """One of two Tensors, by a bool that is repeated for their elements."""
    wide = e.broadcast(condition, yes.shape)
    return e.call("Select", wide, yes, no, dtype=yes.dtype, shape=yes.shape)


def adam_step(
    e, results, params, gradients, moment1, moment2, largest, powers, rates, decays, betas, epsilon=1e-8, scale=1.0,
    nesterov=False,
):  # fmt: skip
    if largest:
        return None
    power1, power2 = (_scaled(e, power, beta) for power, beta in zip(powers, betas, strict=True))
    rest1, rest2 = (_sub(e, e.tensor(1.0, power.dtype), power) for power in (power1, power2))
    correction = e.call("Div", _root(e, rest2), rest1, dtype=rest1.dtype, shape=rest1.shape)
    correction = correction if correction.shape == () else e.reshape(correction, ())
    weights, first, second = [], [], []
    for place, (weight, gradient) in enumerate(zip(params, gradients, strict=True)):
        dtype = weight.dtype
        gradient = _prepared(e, weight, gradient, _of(decays, place), scale)
        mean = _add(e, _scaled(e, moment1[place], betas[0]), _scaled(e, gradient, 1 - betas[0]))
        squares = _add(
            e, _scaled(e, moment2[place], betas[1]), _scaled(e, _mul(e, gradient, gradient), 1 - betas[1])
        )
        ahead = _add(e, _scaled(e, mean, betas[0]), _scaled(e, gradient, 1 - betas[0])) if nesterov else mean
        below = _add(e, _root(e, squares), e.tensor(epsilon, dtype))
        step = e.call("Div", ahead, below, dtype=dtype, shape=weight.shape)
        rate = _mul(e, e.cast(_of(rates, place), dtype), e.cast(correction, dtype))
        weights.append(_moved(e, weight, step, rate))
        first.append(mean)
        second.append(squares)
    return [*weights, *first, *second, power1, power2]


def adam_weight_decay_step(
    e, results, params, gradients, moment1, moment2, rates, decays, betas, epsilon=1e-6
):
    weights, first, second = [], [], []
    for place, (weight, gradient) in enumerate(zip(params, gradients, strict=True)):
        dtype = weight.dtype
        gradient = e.cast(gradient, dtype)
        mean = _add(e, _scaled(e, moment1[place], betas[0]), _scaled(e, gradient, 1 - betas[0]))
        squares = _add(
            e, _scaled(e, moment2[place], betas[1]), _scaled(e, _mul(e, gradient, gradient), 1 - betas[1])
        )
        step = e.call(
            "Div", mean, _add(e, _root(e, squares), e.tensor(epsilon, dtype)), dtype=dtype, shape=weight.shape
        )
        decay = _of(decays, place)
        if decay is not None:
            step = _add(e, step, _mul(e, weight, e.cast(decay, dtype)))
        weights.append(_moved(e, weight, step, _of(rates, place)))
        first.append(mean)
        second.append(squares)
    return weights + first + second


LOWERINGS = {
    "adam_step": adam_step,
    "adam_weight_decay_step": adam_weight_decay_step,
    "momentum_step": momentum_step,
    "sgd_step": sgd_step,
}
