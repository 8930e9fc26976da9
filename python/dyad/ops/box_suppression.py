"""Choice of boxes that do not overlap better ones; a box is (y1, x1, y2, x2), any two opposite corners."""

from dyad import _core
from dyad._core import Tensor
from dyad._src.base.argument_checks import require_bool
from dyad._src.operators import clamp, maximum, minimum, where
from dyad._src.primitive.primitive import primitive_of, primitive_with_settings

__all__ = ["CombinedNonMaxSuppression", "NonMaxSuppressionV3", "NonMaxSuppressionWithOverlaps"]


def _number(owner, name, value):
    number = value.item() if isinstance(value, Tensor) else value
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        raise TypeError(f"{owner}: {name} is {value!r}; need a number")
    return number


def _shares(boxes):
    """The area that each two boxes share over the area that they cover together."""
    wide = boxes.astype(_core.float32)
    low, high = minimum(wide[:, :2], wide[:, 2:]), maximum(wide[:, :2], wide[:, 2:])
    area = (high - low).prod(1)
    sides = minimum(high.expand_dims(0), high.expand_dims(1)) - maximum(
        low.expand_dims(0), low.expand_dims(1)
    )
    shared = clamp(sides, 0).prod(2)
    covered = area.expand_dims(0) + area.expand_dims(1) - shared
    return where(covered > 0, shared / where(covered > 0, covered, 1.0), 0.0)


def _kept(overlaps, scores, most, threshold, least):
    """Numbers of the boxes to keep, best first: those that overlap none before them by more than the threshold."""
    kept = []
    for place in sorted(range(len(scores)), key=lambda i: -scores[i]):
        if len(kept) >= most or scores[place] <= least:
            break
        if all(overlaps[place][other] <= threshold for other in kept):
            kept.append(place)
    return kept


def _require(owner, name, value, ndim):
    if not isinstance(value, Tensor):
        raise TypeError(f"{owner}: {name} is of type {type(value).__name__}; need a Tensor")
    if value.ndim != ndim:
        raise ValueError(f"{owner}: {name} has shape {value.shape}; need {ndim} dimensions")


def _by_boxes(boxes, scores, max_output_size, iou_threshold, score_threshold):
    """Numbers of the boxes to keep, best first: their score is above a threshold, their overlap with better ones not.

    Example:
        >>> from dyad import Tensor, ops
        >>> boxes = Tensor([[0.0, 0.0, 1.0, 1.0], [0.0, 0.1, 1.0, 1.0], [5.0, 5.0, 6.0, 6.0]])
        >>> print(ops.NonMaxSuppressionV3()(boxes, Tensor([0.5, 0.9, 0.7]), 3, 0.5, 0.0))
        [1 2]
    """
    owner = "NonMaxSuppressionV3"
    _require(owner, "boxes", boxes, 2)
    _require(owner, "scores", scores, 1)
    if boxes.shape != (scores.shape[0], 4):
        raise ValueError(
            f"{owner}: boxes has shape {boxes.shape} and scores {scores.shape}; need (n, 4) and (n,)"
        )
    limits = max_output_size, iou_threshold, score_threshold
    numbers = [_number(owner, "a limit", limit) for limit in limits]
    return Tensor(_kept(_shares(boxes).tolist(), scores.tolist(), *numbers), _core.int32)


def _by_overlaps(overlaps, scores, max_output_size, overlap_threshold, score_threshold):
    """As NonMaxSuppressionV3, with the overlap of each two boxes given.

    Example:
        >>> from dyad import Tensor, ops
        >>> overlaps = Tensor([[1.0, 0.9], [0.9, 1.0]])
        >>> print(ops.NonMaxSuppressionWithOverlaps()(overlaps, Tensor([0.5, 0.9]), 3, 0.5, 0.0))
        [1]
    """
    owner = "NonMaxSuppressionWithOverlaps"
    _require(owner, "overlaps", overlaps, 2)
    _require(owner, "scores", scores, 1)
    if overlaps.shape != (scores.shape[0], scores.shape[0]):
        raise ValueError(
            f"{owner}: overlaps has shape {overlaps.shape}; need one for each two of {scores.shape[0]}"
        )
    limits = max_output_size, overlap_threshold, score_threshold
    numbers = [_number(owner, "a limit", limit) for limit in limits]
    return Tensor(_kept(overlaps.tolist(), scores.tolist(), *numbers), _core.int32)


def _by_classes(
    boxes,
    scores,
    max_output_size_per_class,
    max_total_size,
    iou_threshold,
    score_threshold,
    *,
    pad_per_class=False,
    clip_boxes=True,
):
    """The best boxes of all classes of each image: boxes, scores, classes, padded with 0, and how many there are.

    `boxes` are (images, n, 1 or classes, 4) and `scores` (images, n, classes).

    Example:
        >>> from dyad import Tensor, ops
        >>> boxes = Tensor([[[[0.0, 0.0, 1.0, 1.0]], [[0.0, 0.1, 1.0, 1.0]]]])
        >>> scores = Tensor([[[0.5], [0.9]]])
        >>> print(ops.CombinedNonMaxSuppression()(boxes, scores, 2, 2, 0.5, 0.0)[1])
        [[0.9 0. ]]
    """
    owner = "CombinedNonMaxSuppression"
    _require(owner, "boxes", boxes, 4)
    _require(owner, "scores", scores, 3)
    classes = scores.shape[2]
    if boxes.shape[:2] != scores.shape[:2] or boxes.shape[2] not in (1, classes) or boxes.shape[3] != 4:
        raise ValueError(
            f"{owner}: boxes has shape {boxes.shape} and scores {scores.shape}; need (b, n, 1 or c, 4) and (b, n, c)"
        )
    names = ("max_output_size_per_class", "max_total_size", "iou_threshold", "score_threshold")
    values = (max_output_size_per_class, max_total_size, iou_threshold, score_threshold)
    each, total, threshold, least = (_number(owner, n, v) for n, v in zip(names, values, strict=True))
    length = min(total, each * classes) if pad_per_class else total
    rows = [
        _best_of_image(boxes[image], scores[image].tolist(), each, length, threshold, least)
        for image in range(boxes.shape[0])
    ]
    found = Tensor([row[0] for row in rows], boxes.dtype).reshape(len(rows), length, 4)
    found = clamp(found, 0, 1) if clip_boxes else found
    best, kinds = (Tensor([row[i] for row in rows], scores.dtype) for i in (1, 2))
    return found, best, kinds, Tensor([row[3] for row in rows], _core.int32)


def _best_of_image(boxes, scores, each, length, threshold, least):
    """Boxes, scores and classes of one image, each `length` long, and how many of them are given."""
    chosen = []
    for kind in range(len(scores[0]) if scores else 0):
        own = boxes[:, kind if boxes.shape[1] > 1 else 0]
        of_class = [row[kind] for row in scores]
        corners = own.tolist()
        for place in _kept(_shares(own).tolist(), of_class, each, threshold, least):
            chosen.append((of_class[place], kind, corners[place]))
    chosen = sorted(chosen, key=lambda box: -box[0])[:length]
    missing = length - len(chosen)
    return (
        [box[2] for box in chosen] + [[0.0] * 4] * missing,
        [box[0] for box in chosen] + [0.0] * missing,
        [float(box[1]) for box in chosen] + [0.0] * missing,
        len(chosen),
    )


def _check_bools(name, settings):
    for key, value in settings.items():
        require_bool(name, key, value)


CombinedNonMaxSuppression = primitive_with_settings("CombinedNonMaxSuppression", _by_classes, _check_bools)
NonMaxSuppressionV3 = primitive_of("NonMaxSuppressionV3", _by_boxes)
NonMaxSuppressionWithOverlaps = primitive_of("NonMaxSuppressionWithOverlaps", _by_overlaps)
