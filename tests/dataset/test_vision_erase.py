"""CutOut, Erase and RandomErasing."""

import numpy as np
import pytest
from PIL import Image

import dyad.dataset.vision as vision
from dyad.dataset import config


@pytest.fixture(autouse=True)
def seed():
    before = config.get_seed()
    config.set_seed(1)
    yield
    config.set_seed(before)


def bounds(changed):
    """(top, left, height, width) of the rectangle that is true, which must be one."""
    y, x = np.nonzero(changed)
    box = y.min(), x.min(), y.max() - y.min() + 1, x.max() - x.min() + 1
    assert changed.sum() == box[2] * box[3]
    return box


@pytest.mark.parametrize("is_hwc", [True, False])
def test_cutout_sets_a_square_to_zero(is_hwc):
    image = np.ones((20, 24, 3) if is_hwc else (3, 20, 24), np.uint8)
    operation = vision.CutOut(10, is_hwc=is_hwc)
    boxes = []
    for _ in range(200):
        gone = operation(image) == 0
        planes = np.moveaxis(gone, -1, 0) if is_hwc else gone
        np.testing.assert_array_equal(planes[0], planes[2])
        boxes.append(bounds(planes[0]))
    assert max(box[2] for box in boxes) == 10 and min(box[2] for box in boxes) < 8
    assert {box[0] for box in boxes} >= {0, 12} and max(box[1] + box[3] for box in boxes) == 24
    assert image.min() == 1


def test_cutout_of_several_patches():
    image = np.ones((100, 100, 1), np.float32)
    gone = [(vision.CutOut(3, 5)(image) == 0).sum() for _ in range(50)]
    assert max(gone) == 45 and min(gone) > 10
    assert (vision.CutOut(1)(np.ones((1, 1, 2), np.int16)) == 0).all()


@pytest.mark.parametrize("dtype", [np.uint8, np.int32, np.float16, np.float64])
def test_erase_sets_the_rectangle_inside_the_image(dtype):
    image = np.ones((5, 6, 3), dtype)
    wanted = image.copy()
    wanted[3:5, 4:6] = (8, 9, 10)
    np.testing.assert_array_equal(vision.Erase(3, 4, 2, 5, (8, 9, 10))(image), wanted)
    wanted[...] = 1
    wanted[1:3, 0:6] = 7
    np.testing.assert_array_equal(vision.Erase(1, 0, 2, 6, 7)(image), wanted)
    assert image.min() == image.max() == 1


def test_values_are_rounded_for_bytes():
    assert vision.Erase(0, 0, 1, 1, (7.6, 8.4, 9))(np.ones((2, 2, 3), np.uint8))[0, 0].tolist() == [8, 8, 9]


def test_in_place():
    image = np.ones((5, 6, 3), np.uint8)
    made = vision.Erase(1, 1, 2, 2, 5, True)(image)
    assert image[1, 1].tolist() == [5, 5, 5]
    np.testing.assert_array_equal(made, image)
    image = np.ones((3, 20, 30), np.float32)
    made = vision.RandomErasing(1.0, value=9, inplace=True)(image)
    assert (image == 9).any()
    np.testing.assert_array_equal(made, image)


def test_in_place_never_writes_to_what_is_read_only():
    image = np.ones((5, 6, 3), np.uint8)
    image.flags.writeable = False
    assert vision.Erase(1, 1, 2, 2, 5, True)(image)[1, 1, 0] == 5
    assert image.min() == image.max() == 1


def test_random_erasing_draws_area_ratio_and_place():
    image = np.ones((3, 40, 60), np.float32)
    operation = vision.RandomErasing(1.0, (0.1, 0.2), (0.5, 2.0), (4, 5, 6))
    boxes = []
    for _ in range(200):
        made = operation(image)
        boxes.append(bounds(made[0] != 1))
        assert [np.unique(plane).tolist() for plane in made] == [[1, 4], [1, 5], [1, 6]]
    areas = np.array([box[2] * box[3] for box in boxes]) / 2400
    ratios = np.array([box[2] / box[3] for box in boxes])
    assert 0.09 < areas.min() < 0.12 and 0.18 < areas.max() < 0.22
    assert 0.45 < ratios.min() < 0.6 and 1.7 < ratios.max() < 2.2
    assert len({box[:2] for box in boxes}) > 150


def test_random_erasing_with_random_values():
    image = np.full((3, 40, 60), 50, np.float64)
    made = vision.RandomErasing(1.0, (0.5, 0.5), (1, 1), "random")(image)
    values = made[made != 50]
    assert values.size > 3000 and abs(values.mean()) < 0.1 and abs(values.std() - 1) < 0.1


def test_chance_and_attempts():
    image = np.ones((3, 20, 30), np.float32)
    changed = sum((vision.RandomErasing()(image) != 1).any() for _ in range(300))
    assert 110 < changed < 190
    never = vision.RandomErasing(1.0, (1, 1), (1, 1))  # a square of the whole area does not fit
    np.testing.assert_array_equal(never(image), image)
    tiny = np.ones((1, 1, 1), np.uint8)
    np.testing.assert_array_equal(vision.RandomErasing(1.0)(tiny), tiny)


@pytest.mark.parametrize(
    "make, error, text",
    [
        (lambda: vision.CutOut(0), ValueError, "CutOut: length is 0"),
        (lambda: vision.CutOut(1.5), TypeError, "CutOut: length is 1.5"),
        (lambda: vision.CutOut(3, 0), ValueError, "CutOut: num_patches is 0"),
        (lambda: vision.CutOut(3, 1, "a"), TypeError, "CutOut: is_hwc is 'a'"),
        (lambda: vision.Erase(-1, 0, 1, 1), ValueError, "Erase: top is -1"),
        (lambda: vision.Erase(0, 0, 0, 1), ValueError, "Erase: height is 0"),
        (lambda: vision.Erase(0, 0, 1, 1, 300), ValueError, "Erase: value is 300"),
        (lambda: vision.Erase(0, 0, 1, 1, (1, 2)), TypeError, r"Erase: value is \(1, 2\)"),
        (lambda: vision.Erase(0, 0, 1, 1, 1, 1), TypeError, "Erase: inplace is 1"),
        (lambda: vision.RandomErasing(2.0), ValueError, "RandomErasing: prob is 2.0"),
        (lambda: vision.RandomErasing(scale=(2, 1)), ValueError, "RandomErasing: scale is"),
        (lambda: vision.RandomErasing(ratio=(0, 1)), ValueError, "RandomErasing: ratio is"),
        (lambda: vision.RandomErasing(value="foo"), ValueError, "RandomErasing: value is 'foo'"),
        (lambda: vision.RandomErasing(value=(1, 2)), ValueError, "RandomErasing: value is"),
        (lambda: vision.RandomErasing(value=1.5), TypeError, "RandomErasing: value is 1.5"),
        (lambda: vision.RandomErasing(max_attempts=0), ValueError, "RandomErasing: max_attempts is 0"),
    ],
)
def test_wrong_arguments(make, error, text):
    with pytest.raises(error, match=text):
        make()


@pytest.mark.parametrize(
    "operation, image, error, text",
    [
        (vision.CutOut(9), np.ones((8, 20, 3), np.uint8), RuntimeError, "CutOut: length is 9"),
        (
            vision.CutOut(2),
            np.ones((8, 20), np.uint8),
            RuntimeError,
            r"CutOut: the image has shape \(8, 20\)",
        ),
        (vision.Erase(6, 0, 1, 1), np.ones((5, 6, 3)), RuntimeError, r"Erase: the region begins at \(6, 0\)"),
        (vision.Erase(0, 0, 6, 1), np.ones((5, 6, 3)), RuntimeError, "Erase: the region"),
        (vision.Erase(0, 0, 1, 1, (1, 2, 3)), np.ones((5, 6, 1)), RuntimeError, "Erase: value has 3 numbers"),
        (vision.Erase(0, 0, 1, 1), np.ones((5, 6, 3), bool), RuntimeError, "Erase: the image is of bool"),
        (
            vision.RandomErasing(),
            np.ones((5, 6)),
            RuntimeError,
            r"RandomErasing: the image has shape \(5, 6\)",
        ),
        (
            vision.RandomErasing(),
            Image.new("RGB", (4, 4)),
            TypeError,
            "RandomErasing: the image is of type Image",
        ),
    ],
)
def test_wrong_images(operation, image, error, text):
    with pytest.raises(error, match=text):
        operation(image)
