"""Loss Cells against NumPy statements, in every reduction."""

import math
import re

import numpy as np
import pytest

import dyad
from dyad import Tensor, nn

REDUCTIONS = {"none": lambda loss: loss, "mean": np.mean, "sum": np.sum}


def normal(*shape):
    return np.random.standard_normal(shape)


def uniform(*shape, low=0.05, high=0.95):
    return np.random.uniform(low, high, shape)


def signs(*shape):
    return np.random.choice([-1.0, 1.0], shape)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def log_softmax(x, axis=1):
    return (
        x
        - x.max(axis, keepdims=True)
        - np.log(np.exp(x - x.max(axis, keepdims=True)).sum(axis, keepdims=True))
    )


def smooth(difference, beta):
    distance = np.abs(difference)
    return np.where(distance < beta, distance**2 / (2 * beta), distance - beta / 2)


def cosine(a, b):
    return (a * b).sum(1) / (np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1))


def stirling(count):
    with np.errstate(divide="ignore", invalid="ignore"):
        term = (count + 0.5) * np.log(count) - count + 0.5 * math.log(2 * math.pi)
    return np.where(count > 1, term, 0)


def row_norm(x):
    return np.linalg.norm(x, axis=1)


# name: Cell of a reduction, inputs, loss per element
ELEMENTWISE = {
    "MSELoss": (nn.MSELoss, (normal, normal), lambda x, y: (x - y) ** 2),
    "L1Loss": (nn.L1Loss, (normal, normal), lambda x, y: np.abs(x - y)),
    "MAELoss": (nn.MAELoss, (normal, normal), lambda x, y: np.abs(x - y)),
    "SmoothL1Loss": (
        lambda reduction: nn.SmoothL1Loss(0.5, reduction),
        (normal, normal),
        lambda x, y: smooth(x - y, 0.5),
    ),
    "HuberLoss": (
        lambda reduction: nn.HuberLoss(reduction, 0.7),
        (normal, normal),
        lambda x, y: 0.7 * smooth(x - y, 0.7),
    ),
    "KLDivLoss": (nn.KLDivLoss, (normal, uniform), lambda x, y: y * (np.log(y) - x)),
    "BCELoss": (
        lambda reduction: nn.BCELoss(reduction=reduction),
        (uniform, uniform),
        lambda p, y: -(y * np.log(p) + (1 - y) * np.log(1 - p)),
    ),
    "BCEWithLogitsLoss": (
        nn.BCEWithLogitsLoss,
        (normal, uniform),
        lambda x, y: -(y * np.log(sigmoid(x)) + (1 - y) * np.log(sigmoid(-x))),
    ),
    "SoftMarginLoss": (nn.SoftMarginLoss, (normal, signs), lambda x, y: np.log1p(np.exp(-y * x))),
    "MarginRankingLoss": (
        lambda reduction: nn.MarginRankingLoss(0.3, reduction),
        (normal, normal, signs),
        lambda a, b, y: np.maximum(0, -y * (a - b) + 0.3),
    ),
    "HingeEmbeddingLoss": (
        lambda reduction: nn.HingeEmbeddingLoss(0.6, reduction),
        (normal, signs),
        lambda x, y: np.where(y == 1, x, np.maximum(0, 0.6 - x)),
    ),
    "GaussianNLLLoss": (
        lambda reduction: nn.GaussianNLLLoss(full=True, reduction=reduction),
        (normal, normal, uniform),
        lambda x, y, var: 0.5 * (np.log(var) + (x - y) ** 2 / var + np.log(2 * np.pi)),
    ),
    "PoissonNLLLoss of logarithms": (
        lambda reduction: nn.PoissonNLLLoss(reduction=reduction),
        (normal, uniform),
        lambda x, y: np.exp(x) - y * x,
    ),
    "PoissonNLLLoss of rates, in full": (
        lambda reduction: nn.PoissonNLLLoss(log_input=False, full=True, reduction=reduction),
        (uniform, lambda *shape: np.random.poisson(2, shape).astype(float)),
        lambda x, y: x - y * np.log(x + 1e-8) + stirling(y),
    ),
}


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("name", ELEMENTWISE)
def test_elementwise_loss(name, reduction):
    make, draws, statement = ELEMENTWISE[name]
    arrays = [draw(3, 4) for draw in draws]
    result = make(reduction=reduction)(*map(Tensor, arrays))
    expected = REDUCTIONS[reduction](statement(*arrays))
    assert result.dtype == dyad.float64 and result.shape == np.shape(expected)
    np.testing.assert_allclose(result.asnumpy(), expected, rtol=1e-6, atol=1e-9)


# Losses with one number per row of (5, 4) inputs.
BY_ROW = {
    "CosineEmbeddingLoss": (
        lambda reduction: nn.CosineEmbeddingLoss(0.2, reduction),
        lambda: (normal(5, 4), normal(5, 4), np.array([1, -1, 1, -1, -1])),
        lambda a, b, y: np.where(y == 1, 1 - cosine(a, b), np.maximum(0, cosine(a, b) - 0.2)),
    ),
    "TripletMarginLoss": (
        lambda reduction: nn.TripletMarginLoss(reduction=reduction, eps=0.0),
        lambda: (normal(5, 4), normal(5, 4), normal(5, 4)),
        lambda x, near, far: np.maximum(0, row_norm(x - near) - row_norm(x - far) + 1),
    ),
    "TripletMarginWithDistanceLoss": (
        lambda reduction: nn.TripletMarginWithDistanceLoss(swap=True, reduction=reduction, margin=0.5),
        lambda: (normal(5, 4), normal(5, 4), normal(5, 4)),
        lambda x, near, far: np.maximum(
            0, row_norm(x - near) - np.minimum(row_norm(x - far), row_norm(near - far)) + 0.5
        ),
    ),
    "MultiLabelSoftMarginLoss": (
        lambda reduction: nn.MultiLabelSoftMarginLoss(reduction=reduction),
        lambda: (normal(5, 4), np.random.choice([0.0, 1.0], (5, 4))),
        lambda x, y: -(y * np.log(sigmoid(x)) + (1 - y) * np.log(sigmoid(-x))).mean(1),
    ),
    "MultiMarginLoss": (
        lambda reduction: nn.MultiMarginLoss(2, 0.8, reduction),
        lambda: (normal(5, 4), np.array([0, 3, 2, 1, 3])),
        lambda x, y: np.array(
            [
                sum(max(0, 0.8 - row[label] + row[c]) ** 2 for c in range(4) if c != label) / 4
                for row, label in zip(x, y, strict=True)
            ]
        ),
    ),
    "MultilabelMarginLoss": (
        nn.MultilabelMarginLoss,
        lambda: (normal(2, 3), np.array([[1, -1, 0], [2, 0, -1]])),
        lambda x, y: np.array(
            [
                sum(max(0, 1 - x[0, 1] + x[0, c]) for c in (0, 2)) / 3,
                sum(max(0, 1 - x[1, label] + x[1, 1]) for label in (2, 0)) / 3,
            ]
        ),
    ),
    "SoftmaxCrossEntropyWithLogits": (
        lambda reduction: nn.SoftmaxCrossEntropyWithLogits(reduction=reduction),
        lambda: (normal(5, 4), uniform(5, 4)),
        lambda x, y: -(log_softmax(x) * y).sum(1),
    ),
    "SoftmaxCrossEntropyWithLogits of indices": (
        lambda reduction: nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction=reduction),
        lambda: (normal(5, 4), np.array([0, 3, 2, 1, 3])),
        lambda x, y: -log_softmax(x)[np.arange(5), y],
    ),
    "NLLLoss": (
        lambda reduction: nn.NLLLoss(reduction=reduction),
        lambda: (normal(5, 4), np.array([0, 3, 2, 1, 3])),
        lambda x, y: -x[np.arange(5), y],
    ),
}


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("name", BY_ROW)
def test_loss_per_row(name, reduction):
    make, draw, statement = BY_ROW[name]
    arrays = draw()
    result = make(reduction=reduction)(*map(Tensor, arrays))
    expected = REDUCTIONS[reduction](statement(*arrays))
    assert result.shape == np.shape(expected)
    np.testing.assert_allclose(result.asnumpy(), expected, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint8"])
def test_cross_entropy_takes_class_indices_of_any_integer_dtype(dtype):
    x, labels = normal(3, 4), np.array([0, 3, 1], dtype)
    loss = nn.CrossEntropyLoss()(Tensor(x), Tensor(labels))
    np.testing.assert_allclose(loss.asnumpy(), -log_softmax(x)[np.arange(3), labels].mean(), rtol=1e-6)


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_cross_entropy_weighs_smooths_and_ignores(reduction, smoothing):
    x, labels = normal(4, 3, 2), np.array([[0, 2], [1, -1], [2, 2], [-1, 1]])
    weight = np.array([0.5, 1.0, 2.0])
    log_p = log_softmax(x)
    losses, weights = np.zeros(labels.shape), np.zeros(labels.shape)
    for at in np.argwhere(labels != -1):
        n, i = at
        row, label = log_p[n, :, i], labels[n, i]
        weights[n, i] = weight[label]
        losses[n, i] = -(1 - smoothing) * weight[label] * row[label] - smoothing * (weight * row).mean()
    expected = losses.sum() / weights.sum() if reduction == "mean" else REDUCTIONS[reduction](losses)
    loss = nn.CrossEntropyLoss(Tensor(weight), -1, reduction, smoothing)
    np.testing.assert_allclose(loss(Tensor(x), Tensor(labels)).asnumpy(), expected, rtol=1e-6)


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_cross_entropy_takes_distributions(reduction):
    x, wanted, weight = normal(4, 3), uniform(4, 3), np.array([0.5, 1.0, 2.0])
    smoothed = 0.8 * wanted + 0.2 / 3
    expected = REDUCTIONS[reduction](-(log_softmax(x) * smoothed * weight).sum(1))
    loss = nn.CrossEntropyLoss(Tensor(weight), reduction=reduction, label_smoothing=0.2)
    np.testing.assert_allclose(loss(Tensor(x), Tensor(wanted)).asnumpy(), expected, rtol=1e-6)


def test_cross_entropy_is_stable_for_large_scores():
    x = Tensor(np.array([[1e4, -1e4], [-1e4, 1e4]], np.float32))
    assert nn.CrossEntropyLoss(reduction="none")(x, Tensor([0, 0])).asnumpy().tolist() == [0.0, 2e4]


def test_cross_entropy_of_ignored_samples_alone_is_nan():
    loss = nn.CrossEntropyLoss()(Tensor(normal(2, 3)), Tensor([-100, -100]))
    assert np.isnan(loss.asnumpy())


def test_cross_entropy_refuses_a_class_that_is_not_there():
    with pytest.raises(IndexError, match=re.escape("target holds class 3; accepted are 0 to 2")):
        nn.CrossEntropyLoss()(Tensor(normal(2, 3)), Tensor([0, 3]))


def test_half_precision_keeps_its_dtype():
    x = Tensor(normal(3, 4).astype(np.float16))
    assert nn.CrossEntropyLoss()(x, Tensor([0, 1, 2])).dtype == dyad.float16
    assert nn.MSELoss()(x, x).dtype == dyad.float16
    assert nn.BCEWithLogitsLoss()(x, x).dtype == dyad.float16


def test_weights_of_binary_losses():
    p, y, weight = uniform(3, 4), uniform(3, 4), uniform(4)
    expected = (-(y * np.log(p) + (1 - y) * np.log(1 - p)) * weight).mean()
    np.testing.assert_allclose(nn.BCELoss(Tensor(weight))(Tensor(p), Tensor(y)).asnumpy(), expected)
    x, positive = normal(3, 4), uniform(4, low=1, high=3)
    losses = -(positive * y * np.log(sigmoid(x)) + (1 - y) * np.log(sigmoid(-x))) * weight
    loss = nn.BCEWithLogitsLoss(weight=Tensor(weight), pos_weight=Tensor(positive))
    np.testing.assert_allclose(loss(Tensor(x), Tensor(y)).asnumpy(), losses.mean())


def test_certain_wrong_answers_cost_a_hundred():
    loss = nn.BCELoss(reduction="none")(Tensor([0.0, 1.0, 1.0]), Tensor([1.0, 0.0, 1.0]))
    assert loss.asnumpy().tolist() == [100.0, 100.0, 0.0]


def test_kl_divergence_by_rows():
    x, y = normal(3, 4), uniform(3, 4)
    loss = nn.KLDivLoss("batchmean")(Tensor(x), Tensor(y))
    np.testing.assert_allclose(loss.asnumpy(), (y * (np.log(y) - x)).sum() / 3)


def test_root_of_the_mean_square():
    x, y = normal(3, 4), normal(3, 4)
    np.testing.assert_allclose(nn.RMSELoss()(Tensor(x), Tensor(y)).asnumpy(), np.sqrt(((x - y) ** 2).mean()))


def dice(x, y):
    return 1 - 2 * (x * y).sum() / ((x**2).sum() + (y**2).sum() + 1e-5)


def test_dice_losses():
    x, y = normal(2, 3, 4), uniform(2, 3, 4)
    np.testing.assert_allclose(nn.DiceLoss()(Tensor(x), Tensor(y)).asnumpy(), dice(x, y))
    share = sigmoid(x)
    weights = np.array([[1.0], [2.0], [3.0]])
    loss = nn.MultiClassDiceLoss(Tensor(weights), ignore_indiex=1, activation="sigmoid")(Tensor(x), Tensor(y))
    expected = (dice(share[:, 0], y[:, 0]) + 3 * dice(share[:, 2], y[:, 2])) / 3
    np.testing.assert_allclose(loss.asnumpy(), [expected])


def test_focal_loss_of_indices_and_of_channels():
    x, weight = normal(2, 3, 4), np.array([0.5, 1.0, 2.0])
    labels = np.random.randint(0, 3, (2, 1, 4))
    log_p = log_softmax(x)
    focal = -((1 - np.exp(log_p)) ** 2) * log_p * weight[:, None]
    chosen = np.take_along_axis(focal, labels, 1)
    loss = nn.FocalLoss(Tensor(weight))
    np.testing.assert_allclose(loss(Tensor(x), Tensor(labels)).asnumpy(), chosen.mean(), rtol=1e-6)
    channels = np.concatenate([labels == c for c in range(3)], 1).astype(float)
    expected = (focal * channels).mean(-1)
    loss = nn.FocalLoss(Tensor(weight), reduction="none")
    np.testing.assert_allclose(loss(Tensor(x), Tensor(channels)).asnumpy(), expected, rtol=1e-6)


def test_ctc_loss_of_one_alignment_and_of_several():
    log_p = log_softmax(normal(3, 3), 1)
    # Three steps and two different labels after a blank leave one alignment; one label leaves six.
    only = -(log_p[0, 1] + log_p[1, 0] + log_p[2, 1])
    same = nn.CTCLoss(reduction="none")(Tensor(log_p), Tensor([1, 1]), Tensor([3]), Tensor([2]))
    np.testing.assert_allclose(same.asnumpy(), only, rtol=1e-6)
    p = np.exp(log_p)
    paths = [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (0, 1, 1), (1, 1, 1)]
    total = sum(p[0, a] * p[1, b] * p[2, c] for a, b, c in paths)
    batch = Tensor(np.stack([log_p, log_p], 1))
    loss = nn.CTCLoss(reduction="sum")(batch, Tensor([[1, 0], [1, 1]]), Tensor([3, 3]), Tensor([1, 2]))
    np.testing.assert_allclose(loss.asnumpy(), only - np.log(total), rtol=1e-6)


def test_ctc_loss_of_a_sequence_that_does_not_fit():
    log_p = Tensor(log_softmax(normal(2, 1, 3), 2))
    arguments = log_p, Tensor([[1, 1]]), Tensor([2]), Tensor([2])
    assert np.isinf(nn.CTCLoss()(*arguments).asnumpy())
    assert nn.CTCLoss(zero_infinity=True)(*arguments).asnumpy() == 0


def test_a_loss_of_ones_own_reduces_with_get_loss():
    class Cubed(nn.LossBase):
        def construct(self, logits, labels):
            return self.get_loss((logits - labels) ** 3, 2.0)

    x, y = normal(3, 4), normal(3, 4)
    for reduction, reduce in REDUCTIONS.items():
        loss = Cubed(reduction)(Tensor(x), Tensor(y))
        np.testing.assert_allclose(loss.asnumpy(), reduce(2 * (x - y) ** 3), rtol=1e-6)
    assert Cubed().get_axis(Tensor(x)) == (0, 1)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: nn.MSELoss("avg"), ValueError, "MSELoss: reduction is 'avg'; need one of none, mean, sum"),
        (
            lambda: nn.MSELoss(None),
            ValueError,
            "MSELoss: reduction is None of type NoneType; need a str, one of none",
        ),
        (
            lambda: nn.CrossEntropyLoss(weight=[1.0]),
            TypeError,
            "weight is of type list; need a Tensor or None",
        ),
        (
            lambda: nn.CrossEntropyLoss(label_smoothing=1.5),
            ValueError,
            "CrossEntropyLoss: label_smoothing is 1.5",
        ),
        (lambda: nn.CrossEntropyLoss(ignore_index=0.5), TypeError, "ignore_index is 0.5 of type float"),
        (lambda: nn.SmoothL1Loss(-1.0), ValueError, "SmoothL1Loss: beta is -1.0; need 0 or more"),
        (lambda: nn.HuberLoss(delta=0.0), ValueError, "HuberLoss: delta is 0.0; need more than 0"),
        (lambda: nn.CosineEmbeddingLoss(2.0), ValueError, "CosineEmbeddingLoss: margin is 2.0"),
        (lambda: nn.MultiMarginLoss(3), ValueError, "MultiMarginLoss: p is 3; need 1 or 2"),
        (lambda: nn.DiceLoss(0), ValueError, "DiceLoss: smooth is 0"),
        (lambda: nn.GaussianNLLLoss(eps=0.0), ValueError, "GaussianNLLLoss: eps is 0.0"),
        (lambda: nn.SoftmaxCrossEntropyWithLogits(1), TypeError, "sparse is 1 of type int; need a bool"),
        (lambda: nn.MultiClassDiceLoss(activation="elu"), ValueError, "activation is 'elu'; need one of"),
        (
            lambda: nn.TripletMarginWithDistanceLoss(distance_function=3),
            TypeError,
            "distance_function is of type int",
        ),
    ],
)
def test_wrong_settings_are_refused(make, error, message):
    with pytest.raises(error, match=re.escape(message)):
        make()


def test_a_loss_of_a_user_with_the_operators_it_finds():
    class Weighted(nn.LossBase):
        def construct(self, base, target):
            square = self.mul(base - target, base - target)
            each = self.reduce_mean(self.cast(square, dyad.float32), 1)
            return self.get_loss(each) + 0 * self.reduce_sum(each)

    base, target = np.float32([[1, 2], [3, 5]]), np.float32([[0, 0], [3, 4]])
    for reduction, expected in (("mean", 1.5), ("sum", 3.0), ("none", [2.5, 0.5])):
        found = Weighted(reduction)(Tensor(base), Tensor(target))
        np.testing.assert_allclose(found.asnumpy(), expected)
