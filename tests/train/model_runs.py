"""A small Model and its batches, for tests of what happens around training."""

import numpy as np

import dyad
from dyad import Tensor, nn
from dyad.train import Model, RunContext
from dyad.train.callback import _InternalCallbackParam

BATCHES = 3


class Batches:
    """A dataset of three batches, each row as a program would give it."""

    def __init__(self):
        rng = np.random.default_rng(3)
        self.rows = [rng.standard_normal((8, 4)).astype(np.float32) for _ in range(BATCHES)]

    def get_dataset_size(self):
        return len(self.rows)

    def create_tuple_iterator(self, num_epochs=-1):
        assert num_epochs >= 1
        return Epochs(self.rows)


class Epochs:
    """One iterator over several epochs: each `for` is one of them."""

    def __init__(self, rows):
        self.rows = rows

    def __iter__(self):
        return ((Tensor(x), x.sum(1, keepdims=True)) for x in self.rows)


def plain_descent(parameters):
    return nn.SGD(parameters, 0.1)


def make_model(optimizer=plain_descent, **settings):
    dyad.set_seed(1)
    network = nn.Dense(4, 1)
    return Model(network, nn.MSELoss(), optimizer(network.trainable_params()), **settings)


def context_of(**fields):
    """A run that is in the state that the fields tell."""
    return RunContext(_InternalCallbackParam(fields))
