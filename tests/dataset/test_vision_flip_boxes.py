"""Flips, and the transforms that move bounding boxes with their image."""

import numpy as np
import pytest
from pictures import drawn, noise
from PIL import Image

from dyad.dataset import vision

DTYPES = ["bool", "int8", "uint8", "int16", "int32", "int64", "float16", "float32", "float64", "complex128"]
BOXES = np.array([[1, 2, 10, 20, 7], [40, 30, 5, 5, 8]], np.float32)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "shape", [(1, 1), (1, 7), (7, 1), (5, 6), (5, 6, 1), (5, 6, 2), (5, 6, 3), (5, 7, 4), (2, 5, 6, 3)]
)
def test_flips_agree_with_numpy(dtype, shape):
    image = np.random.default_rng(0).integers(0, 256, shape).astype(dtype)
    wide, high = (1, 0) if image.ndim == 2 else (-2, -3)
    for name, axis in (("HorizontalFlip", wide), ("VerticalFlip", high)):
        wanted = np.flip(image, axis)
        np.testing.assert_array_equal(getattr(vision, name)()(image), wanted)
        np.testing.assert_array_equal(getattr(vision, "Random" + name)(1.0)(image), wanted)
        np.testing.assert_array_equal(getattr(vision, "Random" + name)(0.0)(image), image)


@pytest.mark.parametrize("name", ["RandomHorizontalFlip", "RandomVerticalFlip"])
def test_random_flips(name):
    image = noise(5, 6)
    flip = getattr(vision, name)(0.3)
    flipped = sum(not np.array_equal(drawn(flip, key, image), image) for key in range(400))
    assert 80 < flipped < 160
    for key in range(10):
        a, b = drawn(flip, key, image, image.astype(np.float32))
        np.testing.assert_array_equal(a, b)
        picture = drawn(flip, key, Image.fromarray(image))
        np.testing.assert_array_equal(np.asarray(picture), a)


def test_flips_of_boxes():
    image = noise(37, 53)
    made, boxes = vision.RandomHorizontalFlipWithBBox(1.0)(image, BOXES)
    np.testing.assert_array_equal(made, image[:, ::-1])
    np.testing.assert_array_equal(boxes, [[42, 2, 10, 20, 7], [8, 30, 5, 5, 8]])
    made, boxes = vision.RandomVerticalFlipWithBBox(1.0)(image, BOXES)
    np.testing.assert_array_equal(made, image[::-1])
    np.testing.assert_array_equal(boxes, [[1, 15, 10, 20, 7], [40, 2, 5, 5, 8]])
    made, boxes = vision.RandomVerticalFlipWithBBox(0.0)(image, BOXES)
    np.testing.assert_array_equal(made, image)
    np.testing.assert_array_equal(boxes, BOXES)


def test_resized_boxes():
    image = noise(37, 53)
    scale = np.array([30 / 53, 20 / 37, 30 / 53, 20 / 37, 1], np.float32)
    made, boxes = vision.ResizeWithBBox((20, 30))(image, BOXES)
    np.testing.assert_array_equal(made, vision.Resize((20, 30))(image))
    np.testing.assert_allclose(boxes, BOXES * scale, rtol=1e-6)
    made, boxes = vision.RandomResizeWithBBox((20, 30))(image, BOXES)
    assert made.shape == (20, 30, 3)
    np.testing.assert_allclose(boxes, BOXES * scale, rtol=1e-6)


def box_pixels(image, boxes):
    return [image[int(y) : int(y + h), int(x) : int(x + w)] for x, y, w, h, *_ in boxes]


def test_cropped_boxes_show_the_same_pixels():
    image = np.zeros((37, 53), np.uint8)
    for i, part in enumerate(box_pixels(image, BOXES)):
        part[:] = i + 1
    kept = set()
    for key in range(60):
        made, boxes = drawn(vision.RandomCropWithBBox((20, 25), 2), key, image, BOXES)
        assert made.shape == (20, 25)
        for part, row in zip(box_pixels(made, boxes), boxes, strict=True):
            assert part.size and (part == row[4] - 6).all()
        assert (made > 0).sum() == sum(part.size for part in box_pixels(made, boxes))
        kept.add(len(boxes))
    assert len(kept) > 1


def test_boxes_of_random_parts():
    image = np.zeros((40, 40), np.float32)
    boxes = np.array([[10, 10, 20, 20]], np.float32)
    image[10:30, 10:30] = 1
    for key in range(40):
        made, moved = drawn(vision.RandomResizedCropWithBBox(80, (0.3, 0.9)), key, image, boxes)
        assert made.shape == (80, 80)
        for x, y, w, h in moved:
            assert abs(made.sum() - w * h) / (w * h) < 0.15
            assert x >= 0 and y >= 0 and x + w <= 80.01 and y + h <= 80.01


def test_the_inside_of_boxes():
    image = noise(37, 53)
    made, boxes = vision.BoundingBoxAugment(vision.HorizontalFlip(), 1.0)(image, BOXES)
    np.testing.assert_array_equal(boxes, BOXES)
    wanted = image.copy()
    for part in box_pixels(wanted, BOXES):
        part[:] = part[:, ::-1].copy()
    np.testing.assert_array_equal(made, wanted)
    made, _ = vision.BoundingBoxAugment(vision.HorizontalFlip(), 0.0)(image, BOXES)
    np.testing.assert_array_equal(made, image)
    made, _ = vision.BoundingBoxAugment(vision.Resize((3, 4)), 1.0)(image, BOXES)
    assert made.shape == image.shape and not np.array_equal(made, image)
    changed = [
        (drawn(vision.BoundingBoxAugment(vision.VerticalFlip(), 0.5), key, image, BOXES)[0] != image).any()
        for key in range(60)
    ]
    assert 30 < sum(changed) < 58


IMAGE = noise(37, 53)


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (lambda: vision.RandomHorizontalFlip(2), ValueError, r"prob is 2; need a value in \[0.0, 1.0\]"),
        (lambda: vision.RandomHorizontalFlip("a"), TypeError, "prob is 'a'"),
        (lambda: vision.HorizontalFlip()(np.zeros(3)), RuntimeError, r"shape \(3,\)"),
        (lambda: vision.RandomVerticalFlipWithBBox(1.0)(IMAGE), RuntimeError, "1 columns were given"),
        (lambda: vision.ResizeWithBBox(3)(IMAGE, BOXES[0]), RuntimeError, r"of shape \(boxes, 4 or more\)"),
        (lambda: vision.ResizeWithBBox(3)(IMAGE, BOXES[:, :3]), RuntimeError, "left, top, width, height"),
        (
            lambda: vision.ResizeWithBBox(3)(IMAGE, BOXES + 30),
            RuntimeError,
            "inside of the image, which is 53 wide",
        ),
        (lambda: vision.ResizeWithBBox(3)(IMAGE, -BOXES), RuntimeError, "left -1"),
        (lambda: vision.ResizeWithBBox(3)(IMAGE, np.full((1, 4), np.nan, "f4")), RuntimeError, "inside"),
        (lambda: vision.BoundingBoxAugment(3), TypeError, "transform is 3"),
        (lambda: vision.BoundingBoxAugment(vision.HorizontalFlip(), 2), ValueError, "ratio is 2"),
        (
            lambda: vision.BoundingBoxAugment(vision.Rescale(1, 1), 1.0)(IMAGE, BOXES),
            RuntimeError,
            "it must keep the type",
        ),
        (
            lambda: vision.BoundingBoxAugment(vision.SlicePatches(2, 2), 1.0)(IMAGE, BOXES),
            RuntimeError,
            "made 4 columns",
        ),
    ],
)
def test_wrong_arguments_of_flips_are_rejected(make, kind, message):
    with pytest.raises(kind, match=message):
        make()
