"""Recurrent layers: their gradients are loops inside of kernels, in every form."""

import numpy as np
from gradient import gradient_scene

import dyad
from dyad import Tensor, nn

SEQUENCES = Tensor(np.random.default_rng(5).uniform(-1, 1, (4, 3, 2)).astype(np.float32))
LENGTHS = Tensor(np.array([4, 2, 0], np.int32))


def made(kind, **options):
    """A layer with the same weights whenever it is built."""
    net, random = kind(2, 3, **options), np.random.default_rng(7)
    for parameter in net.get_parameters():
        parameter.set_data(Tensor(random.uniform(-0.5, 0.5, parameter.shape).astype(np.float32)))
    return net


@gradient_scene(SEQUENCES)
def of_outputs_and_states():
    net = made(nn.LSTM, num_layers=2, bidirectional=True)

    def f(x):
        outputs, (hidden, cell) = net(x)
        return (outputs**2).sum() + (hidden * cell).sum()

    return f


@gradient_scene(SEQUENCES)
def of_the_last_state_alone():
    net = made(nn.LSTM)
    return lambda x: (net(x)[1][1] ** 2).sum()


@gradient_scene(SEQUENCES)
def of_sequences_that_end_early():
    net = made(nn.LSTM, bidirectional=True)
    return lambda x: (net(x, seq_length=LENGTHS)[0] ** 2).sum()


@gradient_scene(SEQUENCES)
def of_gated_units():
    net = made(nn.GRU, bidirectional=True)
    return lambda x: (net(x)[0] ** 2).sum() + net(x)[1].sum()


@gradient_scene(SEQUENCES)
def of_gated_units_that_end_early():
    net = made(nn.GRU, bidirectional=True, has_bias=False)
    return lambda x: (net(x, seq_length=LENGTHS)[0] ** 2).sum()


@gradient_scene(SEQUENCES)
def of_an_elman_network():
    net = made(nn.RNN, bidirectional=True)
    return lambda x: (net(x, seq_length=LENGTHS)[0] ** 2).sum()


@gradient_scene(SEQUENCES, smooth=False)  # gradients of weights are float32, too coarse for differences
def of_the_weights():
    net = made(nn.LSTM, bidirectional=True)
    weights = net.trainable_params()

    def loss(x):
        return (net(x)[0] ** 2).sum()

    def f(x):
        gradients = dyad.grad(loss, None, weights)(x)
        return sum((each**2).sum() for each in gradients)

    return f
