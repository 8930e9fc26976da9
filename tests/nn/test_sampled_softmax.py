"""SampledSoftmaxLoss: cross entropy over the true classes and a sample of the others."""

import numpy as np
import pytest

import dyad
from dyad import Tensor, nn, ops

rng = np.random.default_rng(4)
WEIGHTS = rng.standard_normal((7, 3)).astype(np.float32)
BIASES = rng.standard_normal(7).astype(np.float32)
INPUTS = rng.standard_normal((2, 3)).astype(np.float32)
SAMPLED = np.array([0, 2, 5])
FORMS = pytest.mark.parametrize("form", [lambda f: f, dyad.jit], ids=["dynamic", "static"])


def expected(labels, of_true, of_sampled, remove):
    losses = []
    for row, own, counts in zip(INPUTS, labels, of_true, strict=True):
        scores = list(WEIGHTS[own] @ row + BIASES[own] - np.log(counts))
        for count, other in zip(of_sampled, SAMPLED, strict=True):
            if not (remove and other in own):
                scores.append(WEIGHTS[other] @ row + BIASES[other] - np.log(count))
        scores = np.array(scores, np.float64)
        logs = scores - np.log(np.exp(scores).sum())
        losses.append(-logs[: len(own)].mean())
    return losses


@FORMS
@pytest.mark.parametrize("remove", [True, False])
@pytest.mark.parametrize("labels", [[[1], [2]], [[1, 4], [2, 0]]])
def test_with_given_samples(form, labels, remove):
    labels = np.array(labels)
    of_true = rng.uniform(0.1, 1, labels.shape).astype(np.float32)
    of_sampled = rng.uniform(0.1, 1, 3).astype(np.float32)
    loss = nn.SampledSoftmaxLoss(
        3, 7, labels.shape[1], (Tensor(SAMPLED), Tensor(of_true), Tensor(of_sampled)), remove
    )
    found = form(loss)(Tensor(WEIGHTS), Tensor(BIASES), Tensor(labels), Tensor(INPUTS))
    np.testing.assert_allclose(found, expected(labels, of_true, of_sampled, remove), rtol=1e-5)


def test_all_classes_sampled_train_as_the_whole_softmax():
    """With every class drawn, hits removed and equal counts, the loss is that over all classes."""
    labels = Tensor([3, 6], dyad.int32)
    counts = (Tensor(np.arange(7)), ops.ones((2, 1)), ops.ones(7))
    loss = nn.SampledSoftmaxLoss(7, 7, sampled_values=counts, reduction="mean")

    def sampled(weights):
        return loss(weights, Tensor(BIASES), labels, Tensor(INPUTS))

    def whole(weights):
        return ops.cross_entropy(ops.matmul(Tensor(INPUTS), weights.T) + Tensor(BIASES), labels)

    value, gradient = dyad.value_and_grad(sampled)(Tensor(WEIGHTS))
    other, other_gradient = dyad.value_and_grad(whole)(Tensor(WEIGHTS))
    np.testing.assert_allclose(value, other, rtol=1e-5)
    np.testing.assert_allclose(gradient, other_gradient, rtol=1e-4, atol=1e-6)


def test_drawn_samples_follow_the_seed():
    arguments = (Tensor(WEIGHTS), Tensor(BIASES), Tensor([[1], [2]]), Tensor(INPUTS))
    drawn = []
    for _ in range(2):
        dyad.set_seed(11)
        drawn.append(nn.SampledSoftmaxLoss(4, 7)(*arguments).asnumpy())
    first, second = drawn
    assert first.shape == (2,) and np.isfinite(first).all() and (first == second).all()


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: nn.SampledSoftmaxLoss(0, 7), ValueError, "num_sampled is 0"),
        (lambda: nn.SampledSoftmaxLoss(8, 7), ValueError, "num_sampled is 8; need at most num_classes, 7"),
        (lambda: nn.SampledSoftmaxLoss(3, 7, 9), ValueError, "num_true is 9"),
        (lambda: nn.SampledSoftmaxLoss(3, 7, seed=-1), ValueError, "seed is -1"),
        (lambda: nn.SampledSoftmaxLoss(3, 7, sampled_values=3), TypeError, "sampled_values is of type int"),
        (lambda: nn.SampledSoftmaxLoss(3, 7, sampled_values=(1, 2)), ValueError, "2 entries; need 3"),
    ],
)
def test_sampled_softmax_rejects_wrong_arguments(make, error, text):
    with pytest.raises(error, match=text):
        make()
