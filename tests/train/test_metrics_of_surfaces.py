"""Distances of surfaces, against all pairs of points and SciPy; and which places a decision rests on."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import ndimage

from dyad import Parameter, Tensor, nn, ops, train
from dyad.train.metrics.surfaces import DISTANCES, distances, surface

shapes = arrays.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=5)
pairs = shapes.flatmap(lambda shape: st.tuples(arrays.arrays(bool, shape), arrays.arrays(bool, shape)))

LENGTH = {
    "euclidean": lambda ways: np.sqrt((ways**2).sum(-1)),
    "chessboard": lambda ways: np.abs(ways).max(-1),
    "taxicab": lambda ways: np.abs(ways).sum(-1),
}


def nearest(points, others, metric):
    """For each point the shortest way to another, of all there are."""
    ways = np.argwhere(points)[:, None] - np.argwhere(others)[None]
    return LENGTH[metric](ways).astype(float).min(1, initial=np.inf)


@given(pairs)
@settings(max_examples=60, deadline=None)
def test_a_surface_is_a_mask_without_its_erosion(masks):
    for mask in masks:
        np.testing.assert_array_equal(surface(mask), mask & ~ndimage.binary_erosion(mask))


@given(pairs, st.sampled_from(DISTANCES))
@settings(max_examples=100, deadline=None)
def test_distances_agree_with_the_nearest_points(masks, metric):
    np.testing.assert_allclose(distances(*masks, metric), nearest(*masks, metric))


def test_far_points_of_a_large_mask():
    first, second = np.zeros((40, 50), bool), np.zeros((40, 50), bool)
    first[3, 4] = first[39, 0] = second[30, 44] = second[2, 48] = True
    for metric in DISTANCES:
        np.testing.assert_allclose(distances(first, second, metric), nearest(first, second, metric))


def expected_ways(told, there, metric):
    told, there = surface(told), surface(there)
    return nearest(told, there, metric), nearest(there, told, metric)


@given(pairs.filter(lambda masks: masks[0].any() and masks[1].any()), st.sampled_from(DISTANCES))
@settings(max_examples=60, deadline=None)
def test_surface_metrics_agree_with_their_formulas(masks, metric):
    told, there = (Tensor(mask.astype(np.int32)) for mask in masks)
    there_way, back = expected_ways(*masks, metric)
    for crop in (True, False):
        found = train.HausdorffDistance(metric, crop=crop)(told, there, 1)
        np.testing.assert_allclose(found, max(there_way.max(), back.max()))
    np.testing.assert_allclose(
        train.HausdorffDistance(metric, directed=True)(told, there, 1), there_way.max()
    )
    np.testing.assert_allclose(
        train.HausdorffDistance(metric, percentile=50.0)(told, there, 1),
        max(np.percentile(there_way, 50), np.percentile(back, 50)),
    )
    mean = train.MeanSurfaceDistance(distance_metric=metric)
    np.testing.assert_allclose(mean(told, there, 1), there_way.mean())
    both = train.MeanSurfaceDistance(True, metric)
    np.testing.assert_allclose(both(told, there, 1), (there_way.mean() + back.mean()) / 2)
    square = train.RootMeanSquareDistance(distance_metric=metric)
    np.testing.assert_allclose(square(told, there, 1), (there_way**2).mean())
    both = train.RootMeanSquareDistance(True, metric)
    np.testing.assert_allclose(both(told, there, 1), np.sqrt(((there_way**2).mean() + (back**2).mean()) / 2))


METRICS = (train.HausdorffDistance, train.MeanSurfaceDistance, train.RootMeanSquareDistance)


@pytest.mark.parametrize("make", METRICS)
def test_an_empty_surface_is_infinitely_far(make):
    one, none = np.eye(3, dtype=int), np.zeros((3, 3), int)
    for told, there in itertools.permutations((one, none)):
        assert make()(told, there, 1) == np.inf


@pytest.mark.parametrize("make", METRICS)
def test_wrong_use_is_named(make):
    mask = np.eye(3, dtype=int)
    metric = make()
    with pytest.raises(ValueError, match="2 inputs were given; need 3: prediction, label, label index"):
        metric.update(mask, mask)
    with pytest.raises(ValueError, match=r"shape \(3, 3\), the label \(2, 3\)"):
        metric.update(mask, mask[:2], 1)
    with pytest.raises(ValueError, match="label index 5 is neither"):
        metric.update(mask, mask, 5)
    wrong_index = TypeError if make is train.RootMeanSquareDistance else ValueError
    with pytest.raises(wrong_index, match="label index is of type str"):
        metric.update(mask, mask, "1")
    with pytest.raises(ValueError, match="distance_metric is 'far'"):
        make(distance_metric="far")
    with pytest.raises(RuntimeError, match="call update before eval"):
        make().eval()


def test_a_percentile_lies_below_a_hundred():
    mask = np.eye(3, dtype=int)
    with pytest.raises(ValueError, match=r"percentile is 101.0; need a float from 0 to 100"):
        train.HausdorffDistance(percentile=101.0)(mask, mask, 1)


class Scores(nn.Cell):
    def __init__(self):
        super().__init__()
        weights = np.random.default_rng(4).standard_normal((12, 3))
        self.weight = Parameter(Tensor(weights.astype(np.float32)))

    def construct(self, x):
        return ops.tanh(ops.matmul(x.reshape((x.shape[0], -1)), self.weight))


image = np.random.default_rng(6).random((1, 3, 4)).astype(np.float32)


def covered(network, place, margins, value):
    copy = image.copy()
    rows, columns = (slice(max(0, p - m), p + m) for p, m in zip(place, margins, strict=True))
    copy[0, rows, columns] = value
    return network(Tensor(copy)).asnumpy()[0, 1]


@pytest.mark.parametrize(
    "settings, margins, value",
    [
        ({}, (2, 2), 0.0),
        ({"margin": 1, "pad_val": 0.5, "n_batch": 5}, (1, 1), 0.5),
        ({"margin": [1, 2]}, (1, 2), 0.0),
    ],
)
def test_what_a_decision_rests_on(settings, margins, value):
    network = Scores()
    expected = [[covered(network, (row, column), margins, value) for column in range(4)] for row in range(3)]
    expected = network(Tensor(image)).asnumpy()[0, 1] - np.array(expected)
    found = train.OcclusionSensitivity(**settings)(network, Tensor(image), Tensor(1))
    np.testing.assert_allclose(found, expected, atol=1e-6)
    within = train.OcclusionSensitivity(b_box=[1, -1, 0, 2], **settings)(network, image, 1)
    np.testing.assert_allclose(within, expected[1:, :3], atol=1e-6)


@pytest.mark.parametrize(
    "settings, kind, text",
    [
        ({"pad_val": 0}, TypeError, "pad_val is 0"),
        ({"margin": 1.0}, TypeError, "margin is 1.0"),
        ({"b_box": (0, 1)}, TypeError, "b_box is "),
        ({"b_box": [0, 1]}, ValueError, "b_box has 2 ints, the input 2 axes"),
        ({"b_box": [0, 3, 0, 1]}, ValueError, r"b_box is .* for axes of \(3, 4\)"),
        ({"margin": [1, 1, 1]}, ValueError, "margin has 3 ints, the input 2 axes"),
    ],
)
def test_wrong_settings_of_occlusion(settings, kind, text):
    with pytest.raises(kind, match=text):
        train.OcclusionSensitivity(**settings)(Scores(), image, 1)


def test_wrong_inputs_of_occlusion():
    metric = train.OcclusionSensitivity()
    with pytest.raises(TypeError, match="the model is of type function; need a Cell"):
        metric(lambda x: x, image, 1)
    with pytest.raises(RuntimeError, match=r"the input has shape \(2, 3, 4\); need \(1, ...\)"):
        metric(Scores(), np.concatenate([image, image]), 1)
    with pytest.raises(RuntimeError, match="there are 2 labels; need 1"):
        metric(Scores(), image, np.array([1, 2]))
