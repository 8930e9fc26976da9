"""ROC curves, the areas below them, and confusion matrices, against counts written out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dyad import Tensor, train
from dyad.train.metrics.confusion_rates import RATE_OF


def points(scores, positive):
    """Rates at each threshold, the highest first."""
    thresholds = sorted(set(scores), reverse=True)
    told = [[score >= threshold for score in scores] for threshold in [thresholds[0] + 1, *thresholds]]
    rates = [
        [sum(t and p == sign for t, p in zip(row, positive, strict=True)) / list(positive).count(sign) for row in told]
        for sign in (False, True)
    ]  # fmt: skip
    return *rates, [thresholds[0] + 1, *thresholds]


@st.composite
def scored(draw):
    number = draw(st.integers(2, 12))
    scores = draw(st.lists(st.integers(0, 5), min_size=number, max_size=number))
    positive = draw(
        st.lists(st.booleans(), min_size=number, max_size=number).filter(lambda v: 0 < sum(v) < len(v))
    )
    return np.array(scores) / 4, np.array(positive)


@given(scored())
@settings(max_examples=50, deadline=None)
def test_a_curve(data):
    scores, positive = data
    found = train.ROC()(Tensor(scores), Tensor(positive.astype(np.int32)))
    for one, other in zip(found, points(scores.tolist(), positive.tolist()), strict=True):
        np.testing.assert_allclose(one, other)
    # The area is the share of pairs that are in order.
    pairs = [(a > b) + 0.5 * (a == b) for a in scores[positive] for b in scores[~positive]]
    np.testing.assert_allclose(train.auc(found[0], found[1]), np.mean(pairs))


@given(scored(), st.integers(1, 11))
@settings(max_examples=20, deadline=None)
def test_a_curve_is_one_of_all_batches(data, cut):
    scores, positive = data[0], data[1].astype(np.int32)
    metric = train.ROC()
    for part in (slice(cut), slice(cut, None)):
        metric.update(scores[part], positive[part])
    for one, other in zip(metric.eval(), train.ROC()(scores, positive), strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_curve_for_each_class():
    rng = np.random.default_rng(1)
    scores, label = rng.random((7, 3)), np.array([0, 1, 2, 0, 1, 2, 0])
    found = train.ROC(class_num=3)(Tensor(scores), Tensor(label))
    for number in range(3):
        alone = train.ROC()(scores[:, number], (label == number).astype(int))
        for one, other in zip(found, alone, strict=True):
            np.testing.assert_array_equal(one[number], other)


def test_auc_agrees_with_the_area_of_the_polygon():
    x, y = np.array([0.0, 1.0, 3.0]), np.array([0.0, 2.0, 2.0])
    assert train.auc(x, y) == 5
    assert train.auc(x[::-1], y[::-1]) == 5
    assert train.auc(x[[2, 0, 1]], y[[2, 0, 1]], reorder=True) == 5
    with pytest.raises(ValueError, match="auc: x rises and falls"):
        train.auc(x[[2, 0, 1]], y)


def matrix(label, told, classes):
    made = np.zeros((classes, classes))
    for a, b in zip(label, told, strict=True):
        made[a, b] += 1
    return made


@given(st.integers(2, 4), st.integers(1, 20), st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_a_confusion_matrix(classes, size, seed):
    rng = np.random.default_rng(seed)
    scores, label = rng.random((size, classes)), rng.integers(0, classes, size)
    expected = matrix(label, scores.argmax(1), classes)
    np.testing.assert_array_equal(train.ConfusionMatrix(classes)(Tensor(scores), Tensor(label)), expected)
    np.testing.assert_array_equal(train.ConfusionMatrix(classes)(scores.argmax(1), label), expected)
    for normalize, total in (
        ("target", expected.sum(1, keepdims=True)),
        ("prediction", expected.sum(0, keepdims=True)),
        ("all", np.array(size)),
    ):
        found = train.ConfusionMatrix(classes, normalize)(scores, label)
        np.testing.assert_allclose(found * total, expected)
        assert (found[np.broadcast_to(total == 0, found.shape)] == 0).all()


def test_a_threshold_tells_two_classes():
    metric = train.ConfusionMatrix(2, threshold=0.3)
    metric.update(np.array([0.2, 0.3, 0.9]), np.array([0, 0, 1]))
    metric.update(np.array([0.1]), np.array([1]))
    np.testing.assert_array_equal(metric.eval(), [[1, 1], [1, 1]])


# Each rate, of true and false positives, true and false negatives that are all above 0.
RATES = {
    "sensitivity": lambda tp, fp, tn, fn: tp / (tp + fn),
    "specificity": lambda tp, fp, tn, fn: tn / (tn + fp),
    "precision": lambda tp, fp, tn, fn: tp / (tp + fp),
    "negative predictive value": lambda tp, fp, tn, fn: tn / (tn + fn),
    "miss_rate": lambda tp, fp, tn, fn: fn / (fn + tp),
    "fall_out": lambda tp, fp, tn, fn: fp / (fp + tn),
    "false_discovery_rate": lambda tp, fp, tn, fn: fp / (fp + tp),
    "false_omission_rate": lambda tp, fp, tn, fn: fn / (fn + tn),
    "prevalence_threshold": lambda tp, fp, tn, fn: (
        np.sqrt(fp / (fp + tn)) / (np.sqrt(tp / (tp + fn)) + np.sqrt(fp / (fp + tn)))
    ),
    "threat_score": lambda tp, fp, tn, fn: tp / (tp + fn + fp),
    "accuracy": lambda tp, fp, tn, fn: (tp + tn) / (tp + tn + fp + fn),
    "balanced_accuracy": lambda tp, fp, tn, fn: (tp / (tp + fn) + tn / (tn + fp)) / 2,
    "F1 score": lambda tp, fp, tn, fn: 2 * tp / (2 * tp + fp + fn),
    "matthews_correlation_coefficient": lambda tp, fp, tn, fn: (
        (tp * tn - fp * fn) / np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    ),
    "fowlkes_mallows_index": lambda tp, fp, tn, fn: tp / np.sqrt((tp + fp) * (tp + fn)),
    "informedness": lambda tp, fp, tn, fn: tp / (tp + fn) + tn / (tn + fp) - 1,
    "markedness": lambda tp, fp, tn, fn: tp / (tp + fp) + tn / (tn + fn) - 1,
}


def four(told, there):
    """True and false positives, true and false negatives."""
    return [((told == a) & (there == b)).sum() for a, b in ((1, 1), (1, 0), (0, 0), (0, 1))]


def masks(seed, shape=(3, 2, 40)):
    rng = np.random.default_rng(seed)
    there = rng.integers(0, 2, shape)
    return np.where(rng.random(shape) < 0.25, 1 - there, there), there


@pytest.mark.parametrize("name", RATES)
def test_rates_of_the_confusion_matrix_agree_with_their_formulas(name):
    told, there = masks(3)
    rate = RATES[name]
    for skip_channel, first in ((True, 0), (False, 1)):
        metric = train.ConfusionMatrixMetric(skip_channel, name)
        expected = rate(*four(told[:, first:], there[:, first:]))
        np.testing.assert_allclose(metric(Tensor(told), Tensor(there)), [expected])
    by_class = np.array(
        [[rate(*four(*pair)) for pair in zip(*pairs, strict=True)] for pairs in zip(told, there, strict=True)]
    )
    for decrease, expected in {
        "none": by_class,
        "mean": by_class.mean(),
        "sum": by_class.sum(),
        "mean_batch": by_class.mean(0),
        "sum_batch": by_class.sum(0),
        "mean_channel": by_class.mean(1),
        "sum_channel": by_class.sum(1),
    }.items():
        found = train.ConfusionMatrixMetric(True, name, True, decrease)(told, there)
        np.testing.assert_allclose(found, expected)


def test_each_rate_has_a_test():
    assert {RATE_OF[name.lower().replace(" ", "_")] for name in RATES} == set(RATE_OF.values())


def test_rates_over_batches():
    (told, there), (more_told, more_there) = masks(4), masks(5)
    all_told, all_there = np.concatenate([told, more_told]), np.concatenate([there, more_there])
    for decrease in ("none", "mean", "mean_batch", "mean_channel"):
        metric = train.ConfusionMatrixMetric(True, "f1", True, decrease)
        once = metric(all_told, all_there)
        metric.clear()
        metric.update(told, there)
        metric.update(more_told, more_there)
        np.testing.assert_allclose(metric.eval(), once)


def test_a_rate_that_is_not_known_is_left_out():
    there = np.zeros((1, 2, 4))
    there[0, 0, :2] = 1
    metric = train.ConfusionMatrixMetric(True, "recall", True, "mean")
    assert metric(there, there) == 1
    np.testing.assert_array_equal(
        train.ConfusionMatrixMetric(True, "recall", True, "mean_batch")(there, there), [1, np.nan]
    )


def test_one_place_for_each_class_is_counted_over_samples():
    told, there = np.array([[1, 0], [1, 1]]), np.array([[1, 0], [0, 1]])
    np.testing.assert_allclose(train.ConfusionMatrixMetric(True, "ppv", True)(told, there), [2 / 3])


@pytest.mark.parametrize(
    "wrong, kind, text",
    [
        (lambda: train.ROC("a"), TypeError, "ROC: class_num is 'a'"),
        (lambda: train.ROC(3)(np.ones((2, 2)), np.array([0, 1])), ValueError, "class_num is 3 and pos_label None"),
        (lambda: train.ROC(2)(np.ones(2), np.array([0, 1])), ValueError, "class_num is 2, .* need 1"),
        (lambda: train.ROC()(np.ones((2, 2)), np.array([1])), ValueError, "need the same, or"),
        (lambda: train.ROC()(np.ones(2), np.array([1, 1])), ValueError, "of 2 samples 2 are positive"),
        (lambda: train.auc([1], [2]), TypeError, "auc: x is of type list; need an array"),
        (lambda: train.auc(np.ones(3), np.ones(2)), ValueError, "x has 3 points and y 2"),
        (lambda: train.auc(np.ones((2, 2)), np.ones(2)), ValueError, r"x has shape \(2, 2\)"),
        (lambda: train.ConfusionMatrix(2, "label"), ValueError, "normalize is 'label'; need one of no_norm"),
        (lambda: train.ConfusionMatrix(2, threshold=1), TypeError, "threshold is 1"),
        (lambda: train.ConfusionMatrix(2)(np.array([2]), np.array([0])), ValueError, "classes from 2 to 2"),
        (lambda: train.ConfusionMatrix(2)(np.array([1, 0]), np.array([0])), ValueError, "need the same"),
        (lambda: train.ConfusionMatrix(2).eval(), RuntimeError, "call update before eval"),
        (lambda: train.ConfusionMatrixMetric(metric_name=1), TypeError, "metric_name is 1"),
        (lambda: train.ConfusionMatrixMetric(metric_name="f1-score"), NotImplementedError, "nearest is rate.f1_score"),
        (lambda: train.ConfusionMatrixMetric(decrease="x"), ValueError, "decrease is 'x'"),
        (lambda: train.ConfusionMatrixMetric()(np.ones((2, 2)), np.ones(2)), ValueError, "need .N, C, ...."),
    ],
)  # fmt: skip
def test_wrong_use_is_named(wrong, kind, text):
    with pytest.raises(kind, match=text):
        wrong()
