"""AdaptiveLogSoftmaxWithLoss: probabilities that add up to 1, and the likelihoods picked from them."""

import numpy as np
import pytest

import dyad
from dyad import Tensor, nn

RNG = np.random.default_rng(2)
X = RNG.normal(size=(6, 8)).astype(np.float32)
TARGET = np.array([0, 3, 4, 7, 9, 11], np.int32)


def layer():
    dyad.set_seed(1)
    return nn.AdaptiveLogSoftmaxWithLoss(8, 12, [4, 8], div_value=2.0, head_bias=True)


@pytest.mark.parametrize("form", [lambda function: function, dyad.jit], ids=["dynamic", "static"])
def test_likelihoods_are_those_of_all_classes(form):
    net = layer()
    everything = net.log_prob(Tensor(X)).asnumpy()
    np.testing.assert_allclose(np.exp(everything).sum(-1), np.ones(6), rtol=1e-5)
    output, loss = form(lambda x, t: net(x, t))(Tensor(X), Tensor(TARGET))
    np.testing.assert_allclose(output.asnumpy(), everything[np.arange(6), TARGET], rtol=1e-5)
    np.testing.assert_allclose(loss.asnumpy(), -output.asnumpy().mean(), rtol=1e-6)
    assert net.predict(Tensor(X)).asnumpy().tolist() == everything.argmax(-1).tolist()


def test_one_row_and_its_class():
    net = layer()
    output, loss = net(Tensor(X[0]), Tensor(9))
    np.testing.assert_allclose(output.asnumpy(), net.log_prob(Tensor(X)).asnumpy()[0, 9], rtol=1e-5)
    assert output.shape == () and loss.shape == ()


def test_classes_that_do_not_exist_are_seen():
    output, _ = layer()(Tensor(X[:3]), Tensor([-1, 5, 12]))
    assert np.isnan(output.asnumpy()).tolist() == [True, False, True]


def test_gradients_agree_with_the_full_likelihood():
    net = layer()
    places = Tensor(TARGET).astype(dyad.int64).reshape(-1, 1)
    picked = dyad.grad(lambda x: net(x, Tensor(TARGET)).loss)(Tensor(X))
    full = dyad.grad(lambda x: -net.log_prob(x).gather_elements(1, places).mean())(Tensor(X))
    np.testing.assert_allclose(picked.asnumpy(), full.asnumpy(), rtol=1e-4, atol=1e-6)
    assert [p.shape for p in net.trainable_params()] == [(6, 8), (6,), (4, 8), (4, 4), (2, 8), (4, 2)]


@pytest.mark.parametrize("cutoffs", [[], [0], [4, 4], [8, 4], [12]])
def test_cutoffs_rise(cutoffs):
    with pytest.raises(ValueError, match="cutoff"):
        nn.AdaptiveLogSoftmaxWithLoss(8, 12, cutoffs)
