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
    """What some steps gave, and what they left in the Parameters."""

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


def require_same_curve(make, form, batches, steps=STEPS):
    """The form gives what the dynamic graph gives, to the last bit, and writes where the Parameters lie."""
    truth, found = Curve(make, dynamic, batches, steps), Curve(make, form, batches, steps)
    np.testing.assert_equal(found.given, truth.given)
    for name, ours, theirs in zip(truth.names, found.left, truth.left, strict=True):
        np.testing.assert_array_equal(ours, theirs, err_msg=name)
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
