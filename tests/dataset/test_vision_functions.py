"""Functional image transforms of MindSpore 1: `vision.py_transforms_util`."""

import numpy as np
import pytest

from dyad.dataset import vision
from dyad.dataset.vision import py_transforms_util as functions

Image = pytest.importorskip("PIL.Image")
ARRAY = np.random.RandomState(0).randint(0, 255, (6, 8, 3)).astype(np.uint8)
PICTURE = Image.fromarray(ARRAY)


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (lambda: functions.horizontal_flip(PICTURE), ARRAY[:, ::-1]),
        (lambda: functions.vertical_flip(PICTURE), ARRAY[::-1]),
        (lambda: functions.random_horizontal_flip(PICTURE, 1.0), ARRAY[:, ::-1]),
        (lambda: functions.invert_color(PICTURE), 255 - ARRAY),
        (lambda: functions.rgb_to_bgr(ARRAY, True), ARRAY[..., ::-1]),
        (lambda: functions.rotate(PICTURE, 180.0, vision.Inter.NEAREST, False, None, 0), ARRAY[::-1, ::-1]),
        (
            lambda: functions.pad(PICTURE, 1, 0, vision.Border.CONSTANT),
            np.pad(ARRAY, ((1, 1), (1, 1), (0, 0))),
        ),
        (lambda: functions.five_crop(PICTURE, 3)[0], ARRAY[:3, :3]),
        (lambda: functions.ten_crop(PICTURE, 3)[5], ARRAY[:, ::-1][:3, :3]),
        (lambda: functions.random_crop(PICTURE, (6, 8), None, False, 0, vision.Border.CONSTANT), ARRAY),
    ],
)
def test_functional_transforms_agree_with_pillow(made, expected):
    np.testing.assert_array_equal(np.asarray(made()), expected)


def test_erase_takes_channels_first():
    picture = ARRAY.transpose(2, 0, 1).copy()
    erased = functions.erase(picture, 1, 2, 3, 4, 9)
    assert (erased[:, 1:4, 2:6] == 9).all() and erased is not picture
    assert (erased[:, 4:] == picture[:, 4:]).all() and not (picture[:, 1:4, 2:6] == 9).all()
    assert functions.erase(picture, 0, 0, 1, 1, 0, inplace=True) is picture


def test_functional_transforms_agree_with_their_formulas():
    hsv = functions.rgb_to_hsv(ARRAY / np.float32(255), True)
    np.testing.assert_allclose(functions.hsv_to_rgb(hsv, True), ARRAY / 255, atol=1e-5)
    brighter = np.asarray(functions.adjust_brightness(PICTURE, 1.5))
    np.testing.assert_allclose(brighter, np.minimum(ARRAY * 1.5, 255), atol=1)
    assert np.asarray(functions.grayscale(PICTURE, 1)).shape == (6, 8)
    np.testing.assert_array_equal(np.asarray(functions.random_color(PICTURE, (1.0, 1.0))), ARRAY)
