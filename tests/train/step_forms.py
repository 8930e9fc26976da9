"""Training steps as the dynamic graph and as static graphs, held against each other."""

import numpy as np

import dyad
from dyad import Tensor, jit, nn

STEPS = 6


def dynamic(step):
    return step


def whole(step):
    """One graph or an error: nothing may be left to Python."""
    return jit(step, fullgraph=True)


def decorated(step):
    @jit
    def compiled(*inputs):
        return step(*inputs)

    return compiled


def jitted_method(step):
    class Trainer:
        def __init__(self):
            self.step = step

        @jit
        def run(self, *inputs):
            return self.step(*inputs)

    return Trainer().run


def cell_in_graph_mode(step):
    class Step(nn.Cell):
        def construct(self, *inputs):
            return step(*inputs)

    return called_in_graph_mode(Step())


def called_in_graph_mode(cell):
    """Calls of the Cell in Graph mode; what is around them stays dynamic."""

    def call(*inputs):
        dyad.set_context(mode=dyad.GRAPH_MODE)
        try:
            return cell(*inputs)
        finally:
            dyad.set_context(mode=dyad.PYNATIVE_MODE)

    return call


STATIC_FORMS = [whole, decorated, jitted_method, cell_in_graph_mode]


class Curve:
    """Results of some steps, and the Parameters after them."""

    def __init__(self, make, form, batches, steps=STEPS):
        dyad.set_seed(11)
        step, parameters = make()
        places = [parameter.data_ptr() for parameter in parameters]
        run = form(step)
        dyad.set_seed(5)
        self.given = [shown(run(*batches[number % len(batches)])) for number in range(steps)]
        self.left = [parameter.asnumpy().copy() for parameter in parameters]
        self.names = [parameter.name for parameter in parameters]
        self.moved = [
            parameter.name
            for parameter, place in zip(parameters, places, strict=True)
            if parameter.data_ptr() != place
        ]


def shown(result):
    """Tensors as arrays, inside of containers too."""
    if isinstance(result, Tensor):
        return result.asnumpy().copy()
    if isinstance(result, dict):
        return {key: shown(value) for key, value in result.items()}
    if isinstance(result, (tuple, list)):
        return [shown(value) for value in result]
    return result


def require_same(found, truth, name="", units=64):
    """Equal, or of an optimized graph: floats within so many units in the last place of the largest element.

    Products and reductions of such a graph add up in another order, and a step carries that on to the next.
    """
    if isinstance(truth, (tuple, list)):
        assert len(found) == len(truth), name
        for ours, theirs in zip(found, truth, strict=True):
            require_same(ours, theirs, name, units)
    elif isinstance(truth, dict):
        assert found.keys() == truth.keys(), name
        for key in truth:
            require_same(found[key], truth[key], key, units)
    elif np.issubdtype(np.asarray(truth).dtype, np.floating):
        truth = np.asarray(truth)
        assert np.shape(found) == truth.shape, name
        unit = np.finfo(np.float16 if truth.dtype == np.float16 else np.float32).eps
        largest = np.abs(truth[np.isfinite(truth)]).max(initial=0)
        np.testing.assert_allclose(found, truth, rtol=0, atol=units * unit * largest, err_msg=name)
    else:
        np.testing.assert_equal(found, truth, err_msg=name)


def require_same_curve(make, form, batches, steps=STEPS, units=64):
    """The form gives what the dynamic graph gives, and writes where the Parameters lie."""
    truth, found = Curve(make, dynamic, batches, steps), Curve(make, form, batches, steps)
    require_same(found.given, truth.given, "", units)
    for name, ours, theirs in zip(truth.names, found.left, truth.left, strict=True):
        require_same(ours, theirs, name, units)
    assert not truth.moved and not found.moved
    return truth


def numbers(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def classified(count=3, rows=8, width=12, classes=4):
    """Batches of rows and their classes."""
    random = np.random.default_rng(3)
    return [
        (
            Tensor(random.standard_normal((rows, width)).astype(np.float32)),
            Tensor(random.integers(0, classes, rows).astype(np.int32)),
        )
        for _ in range(count)
    ]


def perceptron(*between):
    return nn.SequentialCell(nn.Dense(12, 16), nn.ReLU(), *between, nn.Dense(16, 4)).set_train()
