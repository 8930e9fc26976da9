"""Non-maximum suppression of boxes, and windows of images: patches, glimpses and random crops.

A box is (y1, x1, y2, x2), any two opposite corners.
"""

import math

from dyad import _core
from dyad._core import Tensor
from dyad._src.base.argument_checks import require_bool, require_choice, require_int
from dyad._src.base.host_only import host_only
from dyad._src.operators import arange, cat, clamp, maximum, minimum, pad, rand, randn, where, zeros
from dyad._src.primitive.primitive import primitive_of, primitive_with_settings

__all__ = [
    "CombinedNonMaxSuppression",
    "ExtractGlimpse",
    "ExtractImagePatches",
    "NonMaxSuppressionV3",
    "NonMaxSuppressionWithOverlaps",
    "SampleDistortedBoundingBoxV2",
]


def _number(owner, name, value):
    number = value.item() if isinstance(value, Tensor) else value
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        raise TypeError(f"{owner}: {name} is {value!r}; need a number")
    return number


def _shares(boxes):
    """Intersection over union (IoU) of each two boxes."""
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
    """Indexes of the boxes to keep, best first: those that overlap no better one by more than the threshold."""
    kept: list = []
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
    """Non-maximum suppression: indexes of the boxes to keep, best first, by score and overlap (IoU) thresholds.

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
    """Non-maximum suppression like NonMaxSuppressionV3, with the overlaps of each two boxes as an argument.

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
    """Non-maximum suppression by class: boxes, scores and classes of each image, padded with 0, and their number.

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
    """Boxes, scores and classes of one image, padded to `length`, and their number."""
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


def _require_images(owner, name, value):
    if not isinstance(value, Tensor):
        raise TypeError(f"{owner}: {name} is of type {type(value).__name__}; need a Tensor")
    if value.ndim != 4:
        raise ValueError(f"{owner}: {name} has shape {value.shape}; need 4 dimensions")


def _patches(input_x, *, ksizes, strides, rates, padding="VALID"):
    """Extracts patches of images (N, C, H, W) as channels, ordered by row and column in the patch, then by channel.

    The three sizes are (1, 1, rows, columns).

    Example:
        >>> from dyad import ops
        >>> patches = ops.ExtractImagePatches((1, 1, 2, 2), (1, 1, 1, 1), (1, 1, 1, 1))(ops.ones((1, 3, 4, 4)))
        >>> print(patches.shape)
        (1, 12, 3, 3)
    """
    owner = "ExtractImagePatches"
    _require_images(owner, "input_x", input_x)
    kernel, step, rate = (tuple(sizes[2:]) for sizes in (ksizes, strides, rates))
    extents = [(size - 1) * wide + 1 for size, wide in zip(kernel, rate, strict=True)]
    if padding.lower() == "same":
        margins = []
        for axis in (1, 0):
            size = input_x.shape[2 + axis]
            total = max((-(-size // step[axis]) - 1) * step[axis] + extents[axis] - size, 0)
            margins += [total // 2, total - total // 2]
        input_x = pad(input_x, tuple(margins))
    counts = [(input_x.shape[2 + axis] - extents[axis]) // step[axis] + 1 for axis in (0, 1)]
    if min(counts) < 1:
        raise ValueError(
            f"{owner}: input_x has shape {input_x.shape}; a patch of {tuple(extents)} does not fit"
        )
    parts = []
    for row in range(kernel[0]):
        for column in range(kernel[1]):
            starts = (row * rate[0], column * rate[1])
            down, across = (
                slice(start, start + (count - 1) * stride + 1, stride)
                for start, count, stride in zip(starts, counts, step, strict=True)
            )
            parts.append(input_x[:, :, down, across])
    return cat(parts, 1)


def _check_patches(name, settings):
    for key in ("ksizes", "strides", "rates"):
        sizes = settings[key]
        if not isinstance(sizes, (tuple, list)) or len(sizes) != 4 or tuple(sizes[:2]) != (1, 1):
            raise ValueError(f"{name}: {key} is {sizes!r}; need (1, 1, rows, columns)")
        for size in sizes[2:]:
            require_int(name, key, size, 1)
    padding = settings["padding"]
    if not isinstance(padding, str) or padding.lower() not in ("same", "valid"):
        raise ValueError(f"{name}: padding is {padding!r}; need 'same' or 'valid'")


def _glimpses(x, size, offsets, *, centered=True, normalized=True, uniform_noise=True, noise="uniform"):
    """Extracts a window of each image (N, H, W, C) around a position (row, column); outside is noise or zeros.

    The position counts from the upper left corner or, if `centered`, half of it from the middle; if `normalized`, in
    sizes of the image.

    Example:
        >>> from dyad import Tensor, ops
        >>> x = ops.arange(9.0).reshape(1, 3, 3, 1)
        >>> glimpse = ops.ExtractGlimpse(False, False, False, "zero")(x, (2, 2), Tensor([[1.0, 1.0]]))
        >>> print(glimpse.reshape(2, 2))
        [[0. 1.]
         [3. 4.]]
    """
    owner = "ExtractGlimpse"
    _require_images(owner, "x", x)
    if not isinstance(offsets, Tensor) or offsets.shape != (x.shape[0], 2):
        raise ValueError(f"{owner}: offsets is {offsets!r}; need a Tensor of shape {(x.shape[0], 2)}")
    sizes = size.tolist() if isinstance(size, Tensor) else list(size)
    if len(sizes) != 2 or min(sizes) < 1:
        raise ValueError(f"{owner}: size is {sizes}; need two sizes of 1 or more, height and width")
    places, inside = [], []
    for axis in (0, 1):
        length = x.shape[1 + axis]
        at = offsets[:, axis] * length if normalized else offsets[:, axis]
        at = (at + length) / 2 if centered else at
        first = (at - sizes[axis] / 2).trunc().astype(_core.int64)
        place = first.reshape(-1, 1) + arange(sizes[axis])
        inside.append((place >= 0) & (place < length))
        places.append(clamp(place, 0, length - 1))
    image = arange(x.shape[0]).reshape(-1, 1, 1)
    found = x[image, places[0].expand_dims(2), places[1].expand_dims(1)]
    covered = (inside[0].expand_dims(2) & inside[1].expand_dims(1)).expand_dims(3)
    return where(covered, found, _noise(found.shape, found.dtype, noise))


def _noise(shape, dtype, kind):
    """Values outside of images: uniform in [-1, 1], normal with mean 10, or zeros."""
    if kind == "zero":
        return zeros(shape, dtype)
    drawn = rand(shape) * 2 - 1 if kind == "uniform" else randn(*shape) * 0.5 + 10
    return drawn.astype(dtype)


def _check_glimpses(name, settings):
    for key in ("centered", "normalized", "uniform_noise"):
        require_bool(name, key, settings[key])
    noise = require_choice(name, "noise", settings["noise"], ("uniform", "gaussian", "zero"))
    if settings["uniform_noise"] and noise != "uniform":
        raise ValueError(f"{name}: noise is {noise!r}; need 'uniform' with uniform_noise")


@host_only
def _crop(
    image_size,
    bounding_boxes,
    min_object_covered,
    *,
    seed=0,
    seed2=0,
    aspect_ratio_range=(0.75, 1.33),
    area_range=(0.05, 1.0),
    max_attempts=100,
    use_image_if_no_bounding_boxes=False,
):
    """Random crop of an image that covers enough of one of the boxes: its start, its size, and its box.

    If every attempt fails, it is the whole image. Boxes are (top, left, bottom, right) in sizes of the image.

    Example:
        >>> from dyad import Tensor, ops
        >>> boxes = Tensor([[[0.3, 0.1, 0.9, 0.4]]])
        >>> begin, size, box = ops.SampleDistortedBoundingBoxV2(1)(Tensor([64, 48, 3]), boxes, Tensor([0.8]))
        >>> print(begin.shape, size[-1], box.shape)
        (3,) -1 (1, 1, 4)
    """
    owner = "SampleDistortedBoundingBoxV2"
    for name, value in (("image_size", image_size), ("bounding_boxes", bounding_boxes)):
        if not isinstance(value, Tensor):
            raise TypeError(f"{owner}: {name} is of type {type(value).__name__}; need a Tensor")
    if image_size.shape != (3,):
        raise ValueError(
            f"{owner}: image_size has shape {image_size.shape}; need (3,), height, width and channels"
        )
    if bounding_boxes.ndim != 3 or bounding_boxes.shape[2] != 4:
        raise ValueError(f"{owner}: bounding_boxes has shape {bounding_boxes.shape}; need (batch, boxes, 4)")
    height, width, _ = image_size.tolist()
    boxes = bounding_boxes.reshape(-1, 4).tolist()
    if not boxes:
        if not use_image_if_no_bounding_boxes:
            raise ValueError(f"{owner}: bounding_boxes has shape {bounding_boxes.shape}; need a box")
        boxes = [[0.0, 0.0, 1.0, 1.0]]
    least = (
        min_object_covered.reshape(-1).tolist()[0]
        if isinstance(min_object_covered, Tensor)
        else min_object_covered
    )
    chosen = (0, 0, height, width)
    one_seed = seed * 31 + seed2 + 1 if seed or seed2 else None
    for numbers in rand((max_attempts, 4), seed=one_seed).tolist():
        window = _attempt(numbers, (height, width), aspect_ratio_range, area_range)
        if window is not None and _covers(window, boxes, (height, width), least):
            chosen = window
            break
    top, left, rows, columns = chosen
    channels = 255 if image_size.dtype == _core.uint8 else -1
    box = [top / height, left / width, (top + rows) / height, (left + columns) / width]
    return (
        Tensor([top, left, 0], image_size.dtype),
        Tensor([rows, columns, channels], image_size.dtype),
        Tensor([[box]], _core.float32),
    )


def _attempt(numbers, sizes, aspect_ratio_range, area_range):
    """Random window with the wanted aspect ratio and area in the image; None if it does not fit."""
    height, width = sizes
    aspect = aspect_ratio_range[0] + numbers[0] * (aspect_ratio_range[1] - aspect_ratio_range[0])
    low, high = (share * height * width for share in area_range)
    most = round(math.sqrt(high / aspect))
    if round(most * aspect) > width:
        most = int((width + 0.5 - 1e-7) / aspect)
    most = min(most, height)
    rows = min(round(math.sqrt(low / aspect)), most)
    rows += int(numbers[1] * (most - rows + 1))
    if round(rows * aspect) * rows < low:
        rows += 1
    if round(rows * aspect) * rows > high:
        rows -= 1
    columns = round(rows * aspect)
    if not (low <= rows * columns <= high and 0 < rows <= height and 0 < columns <= width):
        return None
    return int(numbers[2] * (height - rows + 1)), int(numbers[3] * (width - columns + 1)), rows, columns


def _covers(window, boxes, sizes, least):
    """True if the window covers at least the share `least` of one of the boxes."""
    top, left, rows, columns = window
    for box in boxes:
        edges = [int(edge * sizes[place % 2]) for place, edge in enumerate(box)]
        area = (edges[2] - edges[0]) * (edges[3] - edges[1])
        down = min(top + rows, edges[2]) - max(top, edges[0])
        across = min(left + columns, edges[3]) - max(left, edges[1])
        if area > 0 and max(down, 0) * max(across, 0) >= least * area:
            return True
    return False


def _check_crop(name, settings):
    for key, low in (("seed", 0), ("seed2", 0), ("max_attempts", 1)):
        require_int(name, key, settings[key], low)
    require_bool(name, "use_image_if_no_bounding_boxes", settings["use_image_if_no_bounding_boxes"])
    for key in ("aspect_ratio_range", "area_range"):
        ends = settings[key]
        if (
            not isinstance(ends, (tuple, list))
            or len(ends) != 2
            or not all(type(end) is float for end in ends)
        ):
            raise TypeError(f"{name}: {key} is {ends!r}; need two floats")
        if not 0 < ends[0] <= ends[1]:
            raise ValueError(f"{name}: {key} is {ends!r}; need ends above 0 in order")
    if settings["area_range"][1] > 1:
        raise ValueError(f"{name}: area_range is {settings['area_range']!r}; need shares of at most 1.0")


ExtractGlimpse = primitive_with_settings("ExtractGlimpse", _glimpses, _check_glimpses)
ExtractImagePatches = primitive_with_settings("ExtractImagePatches", _patches, _check_patches)
SampleDistortedBoundingBoxV2 = primitive_with_settings("SampleDistortedBoundingBoxV2", _crop, _check_crop)
