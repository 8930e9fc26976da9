"""Brightness, contrast, saturation, hue, sharpness and gamma, against Pillow and plain NumPy."""

import colorsys

import numpy as np
import pytest
from PIL import Image, ImageEnhance

import dyad.dataset.vision as vision
from dyad.dataset import config

SHAPES = [(37, 53, 3), (1, 1, 3), (1, 9, 3), (9, 1, 3), (2, 5, 3), (3, 3, 3)]
ENHANCERS = [
    (vision.AdjustBrightness, ImageEnhance.Brightness),
    (vision.AdjustContrast, ImageEnhance.Contrast),
    (vision.AdjustSaturation, ImageEnhance.Color),
    (vision.AdjustSharpness, ImageEnhance.Sharpness),
]


def picture(shape, seed=0):
    return np.random.default_rng(seed).integers(0, 256, shape, dtype=np.uint8)


def grey_of(image):
    return image @ np.array([0.299, 0.587, 0.114])


@pytest.fixture(autouse=True)
def seed():
    before = config.get_seed()
    config.set_seed(1)
    yield
    config.set_seed(before)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("factor", [0, 0.3, 0.5, 1, 1.5, 2.7])
@pytest.mark.parametrize("operation, enhancer", ENHANCERS)
def test_bytes_are_as_pillow_makes_them(operation, enhancer, factor, shape):
    image = picture(shape)
    wanted = np.asarray(enhancer(Image.fromarray(image)).enhance(factor))
    np.testing.assert_array_equal(operation(factor)(image), wanted)


@pytest.mark.parametrize("shape", [(16, 17), (1, 5), (5, 1)])
@pytest.mark.parametrize(
    "operation, enhancer", [pair for pair in ENHANCERS if pair[0] is not vision.AdjustSaturation]
)
def test_grey_bytes_are_as_pillow_makes_them(operation, enhancer, shape):
    image = picture(shape)
    wanted = np.asarray(enhancer(Image.fromarray(image)).enhance(1.7))
    np.testing.assert_array_equal(operation(1.7)(image), wanted)
    np.testing.assert_array_equal(operation(1.7)(image[:, :, None]), wanted[:, :, None])


def test_floats_are_not_cut_off():
    image = picture((11, 7, 3)).astype(np.float32)
    np.testing.assert_allclose(vision.AdjustBrightness(1.5)(image), image * 1.5, rtol=1e-6)
    mean = grey_of(image).mean()
    np.testing.assert_allclose(vision.AdjustContrast(1.5)(image), mean + 1.5 * (image - mean), rtol=1e-4)
    grey = grey_of(image)[:, :, None]
    np.testing.assert_allclose(
        vision.AdjustSaturation(1.5)(image), grey + 1.5 * (image - grey), rtol=1e-4, atol=1e-3
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sharpness_of_floats(dtype):
    image = np.random.default_rng(0).random((9, 8, 3)).astype(dtype)
    smooth = image.copy()
    around = sum(np.roll(image, (y, x), (0, 1)) for y in (-1, 0, 1) for x in (-1, 0, 1))
    smooth[1:-1, 1:-1] = ((around + 4 * image) / 13)[1:-1, 1:-1]
    made = vision.AdjustSharpness(0.2)(image)
    assert made.dtype == dtype
    np.testing.assert_allclose(made, smooth + dtype(0.2) * (image - smooth), rtol=1e-5)


def test_brightness_of_other_integers():
    image = picture((4, 5, 3)).astype(np.int32)
    np.testing.assert_array_equal(vision.AdjustBrightness(2)(image), image * 2)


@pytest.mark.parametrize("turn", [-0.5, -0.2, 0, 0.1, 0.25, 0.5])
def test_hue_turns_the_circle(turn):
    image = picture((5, 6, 3))
    wanted = np.empty(image.shape)
    for place in np.ndindex(5, 6):
        hue, saturation, value = colorsys.rgb_to_hsv(*(image[place] / 255))
        wanted[place] = np.array(colorsys.hsv_to_rgb((hue + turn) % 1, saturation, value)) * 255
    assert np.abs(vision.AdjustHue(turn)(image) - wanted).max() <= 0.5001
    floats = vision.AdjustHue(turn)(image / 255)
    np.testing.assert_allclose(floats, wanted / 255, atol=1e-12)


@pytest.mark.parametrize("gamma, gain", [(0, 1), (0.4, 1), (1, 1.3), (2.2, 0.5), (3, 4)])
def test_adjust_gamma_agrees_with_its_formula(gamma, gain):
    image = picture((6, 7, 3))
    light = gain * (image / 255) ** gamma
    made = vision.AdjustGamma(gamma, gain)(image)
    np.testing.assert_array_equal(made, np.clip(255.999 * light, 0, 255).astype(np.uint8))
    np.testing.assert_allclose(vision.AdjustGamma(gamma, gain)(image / 255), np.clip(light, 0, 1), rtol=1e-12)


def test_gamma_takes_batches():
    images = picture((2, 3, 4, 5, 3))
    np.testing.assert_array_equal(vision.AdjustGamma(2)(images)[1, 2], vision.AdjustGamma(2)(images[1, 2]))


@pytest.mark.parametrize(
    "operation",
    [
        vision.AdjustBrightness(0.5),
        vision.AdjustContrast(0.5),
        vision.AdjustSaturation(0.5),
        vision.AdjustHue(0.1),
        vision.AdjustGamma(2.0),
        vision.RandomColor((0.5, 0.5)),
        vision.RandomSharpness((2, 2)),
        vision.RandomColorAdjust(0.1, 0.1, 0.1, 0.1),
    ],
)
def test_pil_images_stay_pil_images(operation):
    made = operation(Image.fromarray(picture((5, 6, 3))))
    assert isinstance(made, Image.Image) and made.mode == "RGB" and made.size == (6, 5)


def test_sharpness_of_a_pil_image_is_an_array():
    made = vision.AdjustSharpness(0.5)(Image.fromarray(picture((5, 6, 3))))
    assert isinstance(made, np.ndarray) and made.shape == (5, 6, 3)


def test_random_factors_come_from_the_range():
    image = np.full((3, 3, 3), 100, np.uint8)
    image[1, 1] = (200, 100, 0)
    operation = vision.RandomColorAdjust(brightness=(0.5, 1.5))
    values = [int(operation(image)[0, 0, 0]) for _ in range(200)]
    assert 50 <= min(values) < 70 and 130 < max(values) < 150
    assert len(set(values)) > 50


def test_color_adjust_draws_the_order():
    image = picture((8, 8, 3))
    operation = vision.RandomColorAdjust((0.5, 0.5), (1.7, 1.7), (0.3, 0.3), (0.1, 0.1))
    assert len({operation(image).tobytes() for _ in range(300)}) == 24


def test_color_adjust_without_ranges_changes_nothing():
    image = picture((8, 8, 3))
    np.testing.assert_array_equal(vision.RandomColorAdjust()(image), image)


def test_fixed_ranges_are_the_fixed_operations():
    image = picture((8, 9, 3))
    np.testing.assert_array_equal(vision.RandomColor((0.3, 0.3))(image), vision.AdjustSaturation(0.3)(image))
    np.testing.assert_array_equal(
        vision.RandomSharpness((1.9, 1.9))(image), vision.AdjustSharpness(1.9)(image)
    )
    np.testing.assert_array_equal(vision.RandomAdjustSharpness(3, 1)(image), vision.AdjustSharpness(3)(image))
    np.testing.assert_array_equal(vision.RandomAdjustSharpness(3, 0)(image), image)


def test_the_same_seed_gives_the_same_images():
    image = picture((8, 9, 3))
    operation = vision.RandomColorAdjust(0.5, 0.5, 0.5, 0.5)
    config.set_seed(7)
    first = [operation(image) for _ in range(3)]
    config.set_seed(8)
    operation(image)
    config.set_seed(7)
    np.testing.assert_array_equal(first, [operation(image) for _ in range(3)])


def test_arrays_that_are_not_contiguous():
    image = picture((8, 9, 3))
    np.testing.assert_array_equal(
        vision.AdjustContrast(2)(image[::-1, ::2]), vision.AdjustContrast(2)(image[::-1, ::2].copy())
    )


@pytest.mark.parametrize(
    "make, error, text",
    [
        (lambda: vision.AdjustBrightness(-1), ValueError, "AdjustBrightness: brightness_factor is -1"),
        (lambda: vision.AdjustContrast("a"), TypeError, "AdjustContrast: contrast_factor is 'a'"),
        (lambda: vision.AdjustContrast(True), TypeError, "AdjustContrast: contrast_factor is True"),
        (lambda: vision.AdjustContrast(float("nan")), ValueError, "contrast_factor is nan"),
        (
            lambda: vision.AdjustHue(0.6),
            ValueError,
            r"AdjustHue: hue_factor is 0.6; need a value in \[-0.5, 0.5\]",
        ),
        (lambda: vision.AdjustGamma(-1), ValueError, "AdjustGamma: gamma is -1"),
        (lambda: vision.AdjustSharpness(None), TypeError, "AdjustSharpness: sharpness_factor is None"),
        (lambda: vision.RandomColor((2, 1)), ValueError, r"RandomColor: degrees is \(2, 1\)"),
        (lambda: vision.RandomColor(2.0), TypeError, "RandomColor: degrees is 2.0"),
        (lambda: vision.RandomColorAdjust(-1.0), ValueError, "RandomColorAdjust: brightness is -1.0"),
        (lambda: vision.RandomColorAdjust(contrast=(2, 1)), ValueError, "RandomColorAdjust: contrast is"),
        (lambda: vision.RandomColorAdjust(hue=0.7), ValueError, "RandomColorAdjust: hue is 0.7"),
        (lambda: vision.RandomAdjustSharpness(1, 2), ValueError, "RandomAdjustSharpness: prob is 2"),
    ],
)
def test_wrong_arguments(make, error, text):
    with pytest.raises(error, match=text):
        make()


@pytest.mark.parametrize(
    "image, error, text",
    [
        (picture((4, 5)), RuntimeError, r"AdjustSaturation: the image has shape \(4, 5\) and so 1 channels"),
        (picture((4, 5, 4)), RuntimeError, "and so 4 channels; it must have 3"),
        (picture((4, 5, 3)).astype(np.int64), RuntimeError, "AdjustSaturation: the image is of int64"),
        (picture((4, 5, 3)) > 9, RuntimeError, "AdjustSaturation: the image is of bool"),
        (picture((4, 0, 3)), RuntimeError, "AdjustSaturation: the image has shape"),
        (picture((5,)), RuntimeError, r"AdjustSaturation: the image has shape \(5,\)"),
        ([[1, 2, 3]], TypeError, "AdjustSaturation: the input is of type list"),
    ],
)
def test_wrong_images(image, error, text):
    with pytest.raises(error, match=text):
        vision.AdjustSaturation(0.5)(image)
