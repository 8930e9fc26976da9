"""Metrics of classes and of numbers, against counts written out."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dyad
from dyad import Tensor, nn, train
from dyad.train.metrics import get_metrics


@st.composite
def batches(draw):
    """A few batches of scores and classes, as many classes in each."""
    classes = draw(st.integers(2, 5))
    seed = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    sizes = draw(st.lists(st.integers(1, 7), min_size=1, max_size=3))
    return classes, [
        (seed.integers(0, 20, (size, classes)) / 19, seed.integers(0, classes, size)) for size in sizes
    ]


def over(metric, rows):
    metric.clear()
    for scores, label in rows:
        metric.update(Tensor(scores), Tensor(label))
    return metric


def together(rows):
    return np.concatenate([scores.argmax(1) for scores, _ in rows]), np.concatenate([row[1] for row in rows])


def share(part, whole):
    return part / whole if whole else 0.0


def shares(told, label, classes):
    """Precision and recall of each class, one sample after another."""
    right = [sum(a == b == c for a, b in zip(told, label, strict=True)) for c in range(classes)]
    precision = [share(right[c], list(told).count(c)) for c in range(classes)]
    return precision, [share(right[c], list(label).count(c)) for c in range(classes)]


@given(batches())
@settings(max_examples=40, deadline=None)
def test_classes_are_counted_over_batches(data):
    classes, rows = data
    told, label = together(rows)
    precision, recall = shares(told, label, classes)
    assert over(train.Accuracy(), rows).eval() == (told == label).mean()
    np.testing.assert_allclose(over(train.Precision(), rows).eval(), precision)
    np.testing.assert_allclose(over(train.Recall(), rows).eval(), recall)
    np.testing.assert_allclose(over(train.Recall(), rows).eval(average=True), np.mean(recall))
    for beta in (0.5, 1.0, 2.0):
        b = beta**2
        expected = [share((1 + b) * p * r, b * p + r) for p, r in zip(precision, recall, strict=True)]
        np.testing.assert_allclose(over(train.Fbeta(beta), rows).eval(), expected)
    np.testing.assert_array_equal(over(train.F1(), rows).eval(), over(train.Fbeta(1.0), rows).eval())


@given(batches(), st.integers(1, 5))
@settings(max_examples=40, deadline=None)
def test_the_likeliest(data, k):
    classes, rows = data
    k = min(k, classes)
    right = [
        number in sorted(range(classes), key=lambda each: -scores[each])[:k]
        for batch, label in rows
        for scores, number in zip(batch, label, strict=True)
    ]
    assert over(train.TopKCategoricalAccuracy(k), rows).eval() == np.mean(right)
    assert over(train.Top1CategoricalAccuracy(), rows).eval() == over(train.Accuracy(), rows).eval()


@given(batches())
@settings(max_examples=30, deadline=None)
def test_a_label_may_have_a_one_at_its_class(data):
    classes, rows = data
    marked = [(scores, np.eye(classes)[label]) for scores, label in rows]
    for make in (train.Accuracy, train.Precision, train.Recall, train.F1, train.Top1CategoricalAccuracy):
        np.testing.assert_array_equal(over(make(), marked).eval(), over(make(), rows).eval())


@given(batches())
@settings(max_examples=30, deadline=None)
def test_places_count_as_samples(data):
    """(N, C, ...) is the same as (N * ..., C)."""
    _, rows = data
    scores = np.stack([rows[0][0], rows[0][0][::-1]], axis=-1)
    label = np.stack([rows[0][1], rows[0][1][::-1]], axis=-1)
    flat = [(scores[..., place], label[..., place]) for place in (0, 1)]
    for make in (train.Accuracy, train.Precision, train.Recall, train.F1):
        np.testing.assert_allclose(over(make(), [(scores, label)]).eval(), over(make(), flat).eval())


def test_several_classes_of_a_sample():
    told = np.array([[0, 1, 0, 1], [1, 0, 1, 1], [0, 0, 0, 0]])
    there = np.array([[0, 1, 1, 1], [0, 1, 1, 1], [0, 0, 0, 1]])
    for metric, expected in (
        (train.Precision("multilabel"), [1, 2 / 3, 0]),
        (train.Recall("multilabel"), [2 / 3, 2 / 3, 0]),
    ):
        np.testing.assert_allclose(metric(told, there), expected)
        np.testing.assert_allclose(metric.eval(average=True), np.mean(expected))
        metric.update(told[:1], there[:1])
        np.testing.assert_allclose(metric.eval(), [*expected, expected[0]])
    assert train.Accuracy("multilabel")(told[:, :2], there[:, :2]) == 2 / 3


@given(st.integers(0, 2**32 - 1), st.sampled_from([(5,), (4, 1), (3, 2)]))
@settings(max_examples=30, deadline=None)
def test_errors_of_numbers(seed, shape):
    rng = np.random.default_rng(seed)
    rows = [(rng.standard_normal(shape), rng.standard_normal(shape)) for _ in range(2)]
    error = np.stack([label - told for told, label in rows])
    samples = 2 * shape[0]
    np.testing.assert_allclose(over(train.MAE(), rows).eval(), np.abs(error).sum() / samples)
    np.testing.assert_allclose(over(train.MSE(), rows).eval(), (error**2).sum() / samples)


def test_sums_are_made_in_float64():
    half = Tensor(np.full((4, 2048), 200, np.float16))
    assert over(train.MSE(), [(half, half * 0)]).eval() == 2048 * 200**2
    assert over(train.MAE(), [(half, half * 0)]).eval() == 2048 * 200
    assert train.Loss()(half[0]) == 200.0
    mask = Tensor(np.ones((1, 300), np.uint8))
    assert train.Dice()(mask, mask) == pytest.approx(1)


def test_a_label_may_lack_axes_of_one():
    assert train.MAE()(np.array([[1.0], [4.0]]), np.array([2.0, 2.0])) == 1.5


def test_loss_is_the_mean_over_batches():
    loss = train.Loss()
    for value in (Tensor([1.0, 3.0]), Tensor(4.0), np.array(3.0)):
        loss.update(value)
    assert loss.eval() == 3


def test_dice_agrees_with_its_formula():
    told, there = np.array([[0.5, 1.0], [0.0, 1.0]]), np.array([[1.0, 1.0], [0.0, 0.0]])
    expected = 2 * 1.5 / (2.25 + 2 + 1e-5) / 2
    np.testing.assert_allclose(train.Dice()(Tensor(told), Tensor(there)), expected)


class TestPerplexity:
    scores = np.array([[0.2, 0.5], [0.3, 0.1], [0.9, 0.6]])

    def test_it_is_the_inverse_geometric_mean_of_what_came(self):
        found = train.Perplexity()(self.scores, np.array([1, 0, 1]))
        np.testing.assert_allclose(found, (0.5 * 0.3 * 0.6) ** (-1 / 3))

    def test_places_that_are_ignored_need_no_class(self):
        metric = train.Perplexity(ignore_label=9)
        np.testing.assert_allclose(metric(self.scores, np.array([1, 9, 1])), (0.5 * 0.6) ** -0.5)

    def test_perplexity_of_sentences_is_that_of_their_words(self):
        sentences = np.stack([self.scores, self.scores])
        np.testing.assert_allclose(
            train.Perplexity()(sentences, np.array([[1, 0, 1], [1, 0, 1]])), (0.5 * 0.3 * 0.6) ** (-1 / 3)
        )


@pytest.mark.parametrize("zero_diagonal", [True, False])
@pytest.mark.parametrize("similarity", ["cosine", "dot"])
def test_cosine_similarity(similarity, zero_diagonal):
    rows = np.random.default_rng(2).standard_normal((4, 3))
    table = np.array([[a @ b for b in rows] for a in rows])
    if similarity == "cosine":
        lengths = np.sqrt((rows**2).sum(1))
        table = table / lengths / lengths[:, None]
    if zero_diagonal:
        table = table * (1 - np.eye(4))
    for reduction, expected in (("none", table), ("sum", table.sum(1)), ("mean", table.mean(1))):
        metric = train.CosineSimilarity(similarity, reduction, zero_diagonal)
        metric.update(Tensor(rows))
        np.testing.assert_allclose(metric.eval(), expected, atol=1e-12)
        np.testing.assert_allclose(metric.eval(), expected, atol=1e-12)


def sentence(text):
    return text.split()


class TestBleu:
    def test_phrases_are_those_of_a_reference(self):
        said = [sentence("a cat sat on the mat")]
        known = [[sentence("a cat sat on my mat"), sentence("there was a cat on the mat")]]
        np.testing.assert_allclose(train.BleuScore()(said, known), (6 / 6 * 5 / 5 * 3 / 4 * 1 / 3) ** 0.25)
        smooth = train.BleuScore(smooth=True)
        np.testing.assert_allclose(smooth(said, known), (7 / 7 * 6 / 6 * 4 / 5 * 2 / 4) ** 0.25)

    def test_short_sentences_lose(self):
        found = train.BleuScore(1)([["a"]], [[["a", "b", "c"]]])
        np.testing.assert_allclose(found, math.exp(1 - 3))

    def test_a_repeated_word_is_found_once(self):
        np.testing.assert_allclose(train.BleuScore(1)([["a", "a", "a"]], [[["a", "b", "c"]]]), 1 / 3)

    def test_no_phrase_in_common(self):
        assert train.BleuScore(2)([["a", "b"]], [[["b", "a"]]]) == 0


def test_metrics_are_found_by_name():
    assert {"acc", "F1", "topk", "top_5_accuracy", "roc", "auc", "dice", "perplexity"} <= set(train.names())
    assert isinstance(train.get_metric_fn("acc"), train.Accuracy)
    assert train.get_metric_fn("topk", 3).k == 3
    assert train.get_metric_fn("auc", np.array([0.0, 1.0]), np.array([1.0, 1.0])) == 1
    with pytest.raises(KeyError, match=r"there is no metric 'f1'; nearest is metric.F1"):
        train.get_metric_fn("f1")
    with pytest.raises(KeyError, match="there is no metric 3"):
        train.get_metric_fn(3)


def test_metrics_of_a_model():
    made = get_metrics({"acc", "loss"})
    assert isinstance(made["acc"], train.Accuracy) and isinstance(made["loss"], train.Loss)
    own = {"mine": train.MAE()}
    assert get_metrics(own) is own and get_metrics(None) is None
    for wrong in ({"mine": 3}, {3: train.MAE()}, ["acc"]):
        with pytest.raises(TypeError, match="get_metrics: metrics"):
            get_metrics(wrong)


def test_they_are_found_in_nn_too():
    from dyad.nn.metrics import Accuracy
    from dyad.train.metrics.accuracy import Accuracy as same

    assert nn.Accuracy is Accuracy is same is dyad.nn.metrics.Accuracy
    with pytest.raises(AttributeError, match=r"dyad.nn has no 'Acuracy'"):
        _ = nn.Acuracy


class Widest(train.Metric):
    """A metric as a program writes it."""

    def __init__(self):
        super().__init__()
        self.clear()

    def clear(self):
        self.widest = 0.0

    @train.rearrange_inputs
    def update(self, *inputs):
        low, high = map(self._convert_data, inputs)
        self.widest = max(self.widest, float((high - low).max()))

    def eval(self):
        return self.widest


def test_a_metric_of_a_program():
    assert Widest()(Tensor([1.0, 2.0]), [3.0, 5.0]) == 3
    with pytest.raises(TypeError, match="Widest: an input is of type int; need a Tensor, a list or an array"):
        Widest().update(1, 2)
    with pytest.raises(TypeError, match="abstract"):
        train.Metric()


def test_inputs_are_chosen_by_indexes():
    metric = Widest().set_indexes([2, 0])
    assert metric.indexes == [2, 0]
    assert metric([3.0, 5.0], "not looked at", [1.0, 2.0]) == 3
    for wrong in (0, [0.0, 1], ["1"], (0, 1)):
        with pytest.raises(ValueError, match=r"set_indexes: indexes is .*; need a list of ints"):
            metric.set_indexes(wrong)


def test_a_model_gives_all_outputs_to_a_metric_with_indexes():
    class Outputs(nn.Cell):
        def construct(self, x):
            return x, x + 1, x + 5

    model = train.Model(Outputs(), eval_network=Outputs(), metrics={"widest": Widest().set_indexes([0, 2])})
    assert model.eval([(Tensor([[0.0, 1.0]]),)]) == {"widest": 5}


scores = Tensor([[0.2, 0.5], [0.3, 0.1], [0.9, 0.6]])
label = Tensor([1, 0, 1])


@pytest.mark.parametrize(
    "wrong, kind, text",
    [
        (lambda: train.Accuracy("x"), TypeError, "Accuracy: eval_type is 'x'; need one of classification"),
        (lambda: train.Accuracy()(scores), ValueError, "1 inputs were given; need 2: prediction, label"),
        (lambda: train.Accuracy()(scores, scores), ValueError, r"shape \(3, 2\), the label \(3, 2\)"),
        (lambda: train.Accuracy("multilabel")(scores, scores), ValueError, "other values than 0 and 1"),
        (lambda: train.Precision()(scores, Tensor([1, 2, 0])), ValueError, "class 2.*need labels from 0 to 1"),
        (lambda: train.F1()(scores, Tensor([1, 0])), ValueError, "3 samples are predicted and 2 have a label"),
        (lambda: train.Fbeta(0), ValueError, "Fbeta: beta is 0; need a number above 0"),
        (lambda: train.TopKCategoricalAccuracy(2.0), TypeError, "k is 2.0"),
        (lambda: train.TopKCategoricalAccuracy(0), ValueError, "k is 0"),
        (lambda: train.Top5CategoricalAccuracy()(scores, label), ValueError, "no fewer than 5 classes"),
        (lambda: train.Loss()(np.ones((2, 2))), ValueError, r"shape \(2, 2\); need a number or one per sample"),
        (lambda: train.MSE()(scores, label), ValueError, "MSE.update: the prediction has shape"),
        (lambda: train.Dice(0.0), ValueError, "Dice: smooth is 0.0"),
        (lambda: train.Dice()(scores, label), ValueError, r"the prediction has shape \(3, 2\), the label \(3,\)"),
        (lambda: train.Perplexity("a"), TypeError, "ignore_label is 'a'"),
        (lambda: train.Perplexity()(scores, label[:2]), RuntimeError, "need one label for each row"),
        (lambda: train.Perplexity()(scores, label + 1), ValueError, "need values from 0 to 1"),
        (lambda: train.CosineSimilarity("x"), ValueError, "similarity is 'x'; need one of dot, cosine"),
        (lambda: train.BleuScore(5), ValueError, "n_gram is 5; need an int from 1 to 4"),
        (lambda: train.BleuScore()([["a"]], []), ValueError, "1 candidates and 0 lists of references"),
        (lambda: train.BleuScore().eval(), RuntimeError, "BleuScore: no sample was seen yet"),
    ],
)  # fmt: skip
def test_wrong_use_is_named(wrong, kind, text):
    with pytest.raises(kind, match=text):
        wrong()


@pytest.mark.parametrize("make", [train.Precision, train.Recall, train.F1])
def test_average_is_a_bool(make):
    metric = make()
    metric.update(scores, label)
    with pytest.raises(TypeError, match="eval: average is 1 of type int; need a bool"):
        metric.eval(1)


def test_another_number_of_classes():
    for metric in (train.Accuracy(), train.Precision(), train.F1()):
        metric.update(scores, label)
        with pytest.raises(ValueError, match="the prediction has 3 classes, earlier ones had 2"):
            metric.update(Tensor([[0.1, 0.2, 0.3]]), Tensor([1]))


@pytest.mark.parametrize("name", sorted({*train.names()} - {"auc", "topk", "confusion_matrix"}))
def test_nothing_is_known_before_the_first_sample(name):
    with pytest.raises(RuntimeError, match="call update before eval"):
        train.get_metric_fn(name).eval()
