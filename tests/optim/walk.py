"""Walks an optimizer and its formula side by side."""

import numpy as np

from dyad import Parameter, Tensor

SHAPES = {"conv.weight": (4, 3, 2), "norm.gamma": (7,), "dense.weight": (5, 6), "dense.bias": ()}
STEPS = 50


def parameters(dtype=np.float32, shapes=SHAPES):
    rng = np.random.default_rng(1)
    return [Parameter(rng.normal(size=shape).astype(dtype), name) for name, shape in shapes.items()]


def gradients(step, dtype=np.float32, shapes=SHAPES):
    rng = np.random.default_rng(1000 + step)
    return [np.asarray(rng.normal(size=shape), dtype) for shape in shapes.values()]


def spared(name):
    return "beta" in name or "gamma" in name


def walk(
    optimizer,
    formula,
    *,
    lr,
    decay=0.0,
    loss_scale=1.0,
    decoupled=False,
    shapes=SHAPES,
    spared=spared,
    **settings,
):
    """Runs `optimizer` on its own Parameters and the formula on copies; asserts that they agree after every step.

    `lr` is a number or a function of the step from 0. With `decoupled` the formula takes the decay itself. `spared`
    says by their names which Parameters have no decay.
    """
    arrays = [p.asnumpy().astype(np.float64) for p in optimizer.parameters]
    names = [p.name for p in optimizer.parameters]
    states = [{} for _ in arrays]
    for step in range(STEPS):
        given = gradients(step, shapes=shapes)
        result = optimizer(tuple(Tensor(np.asarray(g * loss_scale, np.float32)) for g in given))
        assert result == (True,) * len(given)
        rate = np.float64(np.float32(lr(step) if callable(lr) else lr))
        for i, g in enumerate(given):
            own_decay = 0.0 if spared(names[i]) else decay
            extra = {"decay": own_decay} if decoupled else {}
            g = g.astype(np.float64) + (0 if decoupled else own_decay * arrays[i])
            arrays[i] = formula(arrays[i], g, states[i], step + 1, rate, **extra, **settings)
    for p, array in zip(optimizer.parameters, arrays, strict=True):
        np.testing.assert_allclose(p.asnumpy(), array, rtol=2e-4, atol=2e-5, err_msg=p.name)


def walk_groups(optimizer, formula, *, lr, decay=0.0, maximize=False, decoupled=False, **settings):
    """As `walk`, for optimizers whose weight decay spares no Parameter and which may climb."""
    arrays = [p.asnumpy().astype(np.float64) for p in optimizer.parameters]
    states = [{} for _ in arrays]
    for step in range(STEPS):
        given = gradients(step)
        assert optimizer(tuple(Tensor(g) for g in given)) is True
        for i, g in enumerate(given):
            g = -g.astype(np.float64) if maximize else g.astype(np.float64)
            extra = {"decay": decay} if decoupled else {}
            g = g if decoupled else g + decay * arrays[i]
            arrays[i] = formula(
                arrays[i], g, states[i], step + 1, np.float64(np.float32(lr)), **extra, **settings
            )
    for p, array in zip(optimizer.parameters, arrays, strict=True):
        np.testing.assert_allclose(p.asnumpy(), array, rtol=2e-4, atol=2e-5, err_msg=p.name)
