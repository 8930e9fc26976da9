"""Gradients of the loss Cells by central differences in float64, and second derivatives of the fused ones."""

import numpy as np
import pytest

import dyad
from dyad import Tensor, nn, ops

STEP = 1e-6


def normal(*shape):
    return np.random.standard_normal(shape)


def uniform(*shape, low=0.1, high=0.9):
    return np.random.uniform(low, high, shape)


def signs(*shape):
    return np.random.choice([-1.0, 1.0], shape)


LABELS = np.array([0, 3, 2])
# name: (loss, arguments); the gradient by every float argument is checked.
LOSSES = {
    "MSELoss": (nn.MSELoss(), lambda: (normal(3, 4), normal(3, 4))),
    "MSELoss of a broadcast target": (nn.MSELoss("sum"), lambda: (normal(3, 4), normal(4))),
    "L1Loss": (nn.L1Loss(), lambda: (normal(3, 4), normal(3, 4))),
    "SmoothL1Loss": (nn.SmoothL1Loss(0.5, "mean"), lambda: (normal(3, 4), normal(3, 4))),
    "HuberLoss": (nn.HuberLoss(), lambda: (normal(3, 4), normal(3, 4))),
    "RMSELoss": (nn.RMSELoss(), lambda: (normal(3, 4), normal(3, 4))),
    "KLDivLoss": (nn.KLDivLoss("batchmean"), lambda: (normal(3, 4), uniform(3, 4))),
    "GaussianNLLLoss": (nn.GaussianNLLLoss(), lambda: (normal(3, 4), normal(3, 4), uniform(3, 4))),
    "PoissonNLLLoss": (nn.PoissonNLLLoss(full=True), lambda: (normal(3, 4), uniform(3, 4, high=5))),
    "BCELoss": (nn.BCELoss(), lambda: (uniform(3, 4), uniform(3, 4))),
    "BCEWithLogitsLoss": (
        nn.BCEWithLogitsLoss(pos_weight=Tensor(np.array([1.0, 2.0, 0.5, 3.0]))),
        lambda: (normal(3, 4), uniform(3, 4)),
    ),
    "SoftMarginLoss": (nn.SoftMarginLoss(), lambda: (normal(3, 4), signs(3, 4))),
    "MultiLabelSoftMarginLoss": (nn.MultiLabelSoftMarginLoss(), lambda: (normal(3, 4), uniform(3, 4))),
    "CrossEntropyLoss": (nn.CrossEntropyLoss(), lambda: (normal(3, 4), LABELS)),
    "CrossEntropyLoss, weighed and smoothed": (
        nn.CrossEntropyLoss(Tensor(np.array([1.0, 2.0, 0.5, 3.0])), 2, "mean", 0.1),
        lambda: (normal(3, 4), LABELS),
    ),
    "CrossEntropyLoss of places": (
        nn.CrossEntropyLoss(reduction="sum"),
        lambda: (normal(2, 4, 3), np.array([[0, 1, 2], [3, 3, 0]])),
    ),
    "CrossEntropyLoss of distributions": (
        nn.CrossEntropyLoss(label_smoothing=0.2),
        lambda: (normal(3, 4), uniform(3, 4)),
    ),
    "NLLLoss": (nn.NLLLoss(), lambda: (normal(3, 4), LABELS)),
    "SoftmaxCrossEntropyWithLogits": (
        nn.SoftmaxCrossEntropyWithLogits(),
        lambda: (normal(3, 4), uniform(3, 4)),
    ),
    "MultiMarginLoss": (nn.MultiMarginLoss(2), lambda: (normal(3, 4), LABELS)),
    "MultilabelMarginLoss": (
        nn.MultilabelMarginLoss(),
        lambda: (normal(2, 3), np.array([[1, -1, 0], [2, 0, -1]])),
    ),
    "FocalLoss": (nn.FocalLoss(), lambda: (normal(3, 4), LABELS.reshape(3, 1))),
    "DiceLoss": (nn.DiceLoss(), lambda: (normal(3, 4), uniform(3, 4))),
    "MultiClassDiceLoss": (nn.MultiClassDiceLoss(), lambda: (normal(2, 3, 4), uniform(2, 3, 4))),
    "CosineEmbeddingLoss": (
        nn.CosineEmbeddingLoss(),
        lambda: (normal(3, 4), normal(3, 4), np.array([1, -1, 1])),
    ),
    "HingeEmbeddingLoss": (nn.HingeEmbeddingLoss(), lambda: (normal(3, 4), signs(3, 4).astype(int))),
    "MarginRankingLoss": (nn.MarginRankingLoss(0.3), lambda: (normal(5), normal(5), signs(5).astype(int))),
    "TripletMarginLoss": (
        nn.TripletMarginLoss(swap=True),
        lambda: (normal(3, 4), normal(3, 4), normal(3, 4)),
    ),
    "TripletMarginWithDistanceLoss": (
        nn.TripletMarginWithDistanceLoss(),
        lambda: (normal(3, 4), normal(3, 4), normal(3, 4)),
    ),
    "CTCLoss": (
        nn.CTCLoss(),
        lambda: (normal(5, 2, 4), np.array([[1, 2], [3, 3]]), np.array([5, 4]), np.array([2, 2])),
    ),
}


def differentiated(function, arrays, position):
    """The gradient along a random direction: by the tape, and by differences."""
    direction = normal(*arrays[position].shape)
    gradient = dyad.grad(function, position)(*map(Tensor, arrays))
    assert gradient.shape == arrays[position].shape and gradient.dtype == dyad.float64

    def moved(step):
        changed = list(arrays)
        changed[position] = arrays[position] + step * direction
        return float(function(*map(Tensor, changed)).sum().asnumpy())

    by_differences = (moved(STEP) - moved(-STEP)) / (2 * STEP)
    return float((gradient.asnumpy() * direction).sum()), by_differences


@pytest.mark.parametrize("name", LOSSES)
def test_gradients_agree_with_differences(name):
    loss, draw = LOSSES[name]
    arrays = draw()
    for position, array in enumerate(arrays):
        if array.dtype == np.float64:
            by_tape, by_differences = differentiated(loss, arrays, position)
            assert by_tape == pytest.approx(by_differences, rel=1e-5, abs=1e-7)


SECOND = [
    "MSELoss",
    "BCELoss",
    "BCEWithLogitsLoss",
    "CrossEntropyLoss",
    "CrossEntropyLoss, weighed and smoothed",
    "CrossEntropyLoss of places",
    "CrossEntropyLoss of distributions",
    "SoftmaxCrossEntropyWithLogits",
]


@pytest.mark.parametrize("name", SECOND)
def test_second_derivatives_agree_with_differences(name):
    loss, draw = LOSSES[name]
    arrays = draw()
    factors = Tensor(normal(*arrays[0].shape))

    def slope(x, *rest):
        return (dyad.grad(loss)(x, *rest) * factors).sum()

    by_tape, by_differences = differentiated(slope, arrays, 0)
    assert by_tape == pytest.approx(by_differences, rel=1e-4, abs=1e-6)


def test_class_weights_have_a_gradient():
    x, labels, weight = normal(3, 4), Tensor(LABELS), uniform(4, low=0.5, high=2)

    def loss(weight):
        return ops.cross_entropy(Tensor(x), labels, weight, label_smoothing=0.1)

    by_tape, by_differences = differentiated(loss, [weight], 0)
    assert by_tape == pytest.approx(by_differences, rel=1e-5)


def test_certain_wrong_probabilities_are_pushed_back_finitely():
    gradient = dyad.grad(nn.BCELoss(reduction="sum"))(Tensor([0.0, 1.0, 1.0]), Tensor([1.0, 0.0, 1.0]))
    assert np.isfinite(gradient.asnumpy()).all()
    assert gradient.asnumpy()[0] < -1e6 and gradient.asnumpy()[1] > 1e6 and gradient.asnumpy()[2] == 0


def test_ignored_samples_take_no_gradient():
    x = Tensor(normal(2, 3))
    gradient = dyad.grad(nn.CrossEntropyLoss())(x, Tensor([-100, 1])).asnumpy()
    assert not gradient[0].any() and gradient[1].any()
    assert not dyad.grad(nn.CrossEntropyLoss())(x, Tensor([-100, -100])).asnumpy().any()


@pytest.mark.parametrize("dtype", [dyad.float16, dyad.bfloat16])
def test_half_precision_gradients(dtype):
    x = normal(4, 10)
    exact = dyad.grad(nn.CrossEntropyLoss())(Tensor(x), Tensor([0, 1, 2, 3])).asnumpy()
    half = dyad.grad(nn.CrossEntropyLoss())(Tensor(x).astype(dtype), Tensor([0, 1, 2, 3]))
    assert half.dtype == dtype
    np.testing.assert_allclose(half.astype(dyad.float32).asnumpy(), exact, atol=3e-3)
