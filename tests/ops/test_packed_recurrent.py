"""Recurrent layers whose weights come as one flat tensor, against the layers of `nn`."""

import pickle

import numpy as np
import pytest

from dyad import Tensor, grad, jit, nn, ops
from dyad.ops.operations._rl_inner_ops import GRUV2, LSTMV2, CudnnGRU

SIZES = (3, 4)  # inputs, hidden


def noise(*shape):
    return Tensor(np.random.default_rng(len(shape)).standard_normal(shape).astype(np.float32))


def flat_weight(net):
    pairs = [part for pair in zip(net.w_ih_list, net.w_hh_list, strict=True) for part in pair]
    pairs += [part for pair in zip(net.b_ih_list, net.b_hh_list, strict=True) for part in pair]
    return ops.cat([part.reshape(-1) for part in pairs])


def flat_weight_of_the_cpu(net):
    """One layer: matrices of both directions by inputs, then by states, then sums of biases."""
    biases = [a + b for a, b in zip(net.b_ih_list, net.b_hh_list, strict=True)]
    return ops.cat([part.reshape(-1) for part in (*net.w_ih_list, *net.w_hh_list, *biases)])


def close(found, expected):
    np.testing.assert_allclose(found.asnumpy(), expected.asnumpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("compile", [lambda function: function, jit])
@pytest.mark.parametrize("pack", [flat_weight, flat_weight_of_the_cpu])
@pytest.mark.parametrize("bidirectional", [False, True])
@pytest.mark.parametrize("has_bias", [False, True])
def test_a_packed_lstm_equals_the_lstm_layer(pack, bidirectional, has_bias, compile):
    if bidirectional and not has_bias and pack is flat_weight:
        pytest.skip("without biases a flat weight is read in the order of the CPU")
    net = nn.LSTM(*SIZES, 1, has_bias, bidirectional=bidirectional)
    count = 2 if bidirectional else 1
    x, h, c = noise(5, 2, 3), noise(count, 2, 4), noise(count, 2, 4) * 2
    operator = ops.LSTM(*SIZES, 1, has_bias, bidirectional, 0.0)
    output, hidden, cell, _, _ = compile(lambda *given: operator(*given))(
        x, h, c, pack(net).reshape(-1, 1, 1)
    )
    expected, (last_hidden, last_cell) = net(x, (h, c))
    close(output, expected)
    close(hidden, last_hidden)
    close(cell, last_cell)


@pytest.mark.parametrize("compile", [lambda function: function, jit])
@pytest.mark.parametrize("bidirectional", [False, True])
def test_gru_of_two_layers(bidirectional, compile):
    net = nn.GRU(*SIZES, 2, bidirectional=bidirectional)
    x, h = noise(5, 2, 3), noise(4 if bidirectional else 2, 2, 4)
    operator = CudnnGRU(*SIZES, 2, True, bidirectional, 0.0)
    output, hidden, _, _ = compile(lambda *given: operator(*given))(x, h, flat_weight(net))
    expected, last = net(x, h)
    close(output, expected)
    close(hidden, last)


def test_lengths_of_sequences():
    lengths = Tensor(np.array([3, 5], np.int32))
    x, h = noise(5, 2, 3), noise(1, 2, 4)
    gru, lstm = nn.GRU(*SIZES), nn.LSTM(*SIZES)
    close(GRUV2(*SIZES, 1, True, False, 0.0)(x, h, flat_weight(gru), lengths)[0], gru(x, h, lengths)[0])
    found = LSTMV2(*SIZES, 1, True, False, 0.0)(x, h, h, flat_weight(lstm), lengths)[0]
    close(found, lstm(x, (h, h), lengths)[0])


def test_gradient_by_the_flat_weight():
    net = nn.LSTM(*SIZES)
    x, h = noise(5, 2, 3), noise(1, 2, 4)
    operator = ops.LSTM(*SIZES, 1, True, False, 0.0)
    found = grad(lambda w: operator(x, h, h, w)[0].sum())(flat_weight(net))
    expected = grad(lambda x: net(x, (h, h))[0].sum(), None, net.trainable_params())(x)
    close(found, ops.cat([part.reshape(-1) for part in expected]))


def test_weight_must_fit():
    operator = pickle.loads(pickle.dumps(ops.LSTM(*SIZES, 1, True, False, 0.0)))
    with pytest.raises(ValueError, match="LSTM: w has 7 elements; need 144, or 128 with one bias"):
        operator(noise(5, 2, 3), noise(1, 2, 4), noise(1, 2, 4), noise(7))
    with pytest.raises(ValueError, match="LSTM: proj_size is 4; need less than hidden_size, 4"):
        ops.LSTM(*SIZES, 1, True, False, 0.0, 4)
    with pytest.raises(TypeError, match="CudnnGRU: has_bias is 1"):
        CudnnGRU(*SIZES, 1, 1, False, 0.0)
