"""Boxes that are kept because they overlap no better one: counted by hand."""

import numpy as np
import pytest

from dyad import Tensor, ops

BOXES = np.array(
    [[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, 0.05, 1, 1], [0, 10, 1, 11], [1, 11, 0, 10]], np.float32
)
SCORES = np.array([0.9, 0.75, 0.6, 0.95, 0.5], np.float32)


@pytest.mark.parametrize(
    ("most", "overlap", "score", "expected"),
    [(3, 0.5, 0.0, [3, 0]), (1, 0.5, 0.0, [3]), (5, 0.999, 0.0, [3, 0, 1, 2]), (5, 0.5, 0.92, [3])],
)
def test_boxes_by_score_and_overlap(most, overlap, score, expected):
    found = ops.NonMaxSuppressionV3()(
        Tensor(BOXES), Tensor(SCORES), Tensor(most), Tensor(overlap), Tensor(score)
    )
    assert found.tolist() == expected
    overlaps = np.array([[shared(a, b) for b in BOXES] for a in BOXES], np.float32)
    found = ops.NonMaxSuppressionWithOverlaps()(Tensor(overlaps), Tensor(SCORES), most, overlap, score)
    assert found.tolist() == expected


def shared(a, b):
    """The area that two boxes share over what they cover, from their corners."""
    (y1, x1), (y2, x2) = np.minimum(a[:2], a[2:]), np.maximum(a[:2], a[2:])
    (v1, u1), (v2, u2) = np.minimum(b[:2], b[2:]), np.maximum(b[:2], b[2:])
    both = max(min(y2, v2) - max(y1, v1), 0) * max(min(x2, u2) - max(x1, u1), 0)
    return both / ((y2 - y1) * (x2 - x1) + (v2 - v1) * (u2 - u1) - both)


def test_the_best_of_all_classes():
    scores = np.stack([SCORES, SCORES[::-1]], 1)[None]
    boxes = Tensor(BOXES[None, :, None])
    found, best, kinds, count = ops.CombinedNonMaxSuppression(clip_boxes=False)(
        boxes, Tensor(scores), 2, 6, 0.5, 0.0
    )
    assert count.tolist() == [4]
    np.testing.assert_allclose(best, [[0.95, 0.95, 0.9, 0.9, 0, 0]])
    assert kinds.tolist() == [[0, 1, 0, 1, 0, 0]]
    np.testing.assert_allclose(found[0, :4], BOXES[[3, 1, 0, 4]])
    clipped = ops.CombinedNonMaxSuppression()(boxes, Tensor(scores), 2, 6, 0.5, 0.0)[0].asnumpy()
    assert clipped.max() <= 1
    shorter = ops.CombinedNonMaxSuppression(pad_per_class=True)(boxes, Tensor(scores), 1, 6, 0.5, 0.0)
    assert shorter[1].shape == (1, 2)


def test_shapes_that_do_not_fit():
    with pytest.raises(ValueError, match=r"need \(n, 4\) and \(n,\)"):
        ops.NonMaxSuppressionV3()(Tensor(BOXES), Tensor(SCORES[:2]), 3, 0.5, 0.0)
