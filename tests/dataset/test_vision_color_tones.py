"""Invert, posterize, solarize, contrast and equalization by histogram, against Pillow and plain NumPy."""

import numpy as np
import pytest
from PIL import Image, ImageOps

import dyad.dataset.vision as vision
from dyad.dataset import config

SHAPES = [(37, 53, 3), (1, 1, 3), (1, 9, 3), (9, 1, 3), (16, 17), (4, 5, 1), (6, 7, 4)]


def picture(shape, high=256):
    return np.random.default_rng(0).integers(0, high, shape, dtype=np.uint8)


@pytest.fixture(autouse=True)
def seed():
    before = config.get_seed()
    config.set_seed(1)
    yield
    config.set_seed(before)


@pytest.mark.parametrize("shape", [(37, 53, 3), (1, 1, 3), (1, 9, 3), (9, 1, 3), (16, 17)])
@pytest.mark.parametrize("cutoff", [0, 2, 10, 33.3])
@pytest.mark.parametrize("ignore", [None, 100, (0, 20, 255)])
def test_auto_contrast_is_as_pillow_makes_it(shape, cutoff, ignore):
    image = picture(shape, 200)
    wanted = np.asarray(ImageOps.autocontrast(Image.fromarray(image), cutoff, ignore))
    np.testing.assert_array_equal(vision.AutoContrast(cutoff, ignore)(image), wanted)


@pytest.mark.parametrize("shape", [(60, 50, 3), (37, 53, 3), (3, 4, 3), (1, 1, 3), (70, 1)])
def test_equalize_of_a_pil_image_is_as_pillow_makes_it(shape):
    image = Image.fromarray(picture(shape, 200))
    made = vision.Equalize()(image)
    assert isinstance(made, Image.Image)
    np.testing.assert_array_equal(np.asarray(made), np.asarray(ImageOps.equalize(image)))


def scaled_levels(channel):
    """The running count without the lowest value, scaled to [0, 255]."""
    counts = np.bincount(channel.ravel(), minlength=256)
    lowest = counts[np.flatnonzero(counts)[0]]
    if lowest == channel.size:
        return channel
    return np.rint((np.cumsum(counts) - lowest) * np.float32(255 / (channel.size - lowest)))[channel]


@pytest.mark.parametrize("shape", [(60, 50, 3), (37, 53, 3), (3, 4, 3), (1, 1, 3), (70, 1, 1)])
def test_equalize_of_an_array_scales_the_running_count(shape):
    image = picture(shape, 200)
    wanted = np.stack([scaled_levels(image[:, :, c]) for c in range(shape[2])], 2)
    np.testing.assert_array_equal(vision.Equalize()(image), wanted)


def test_equalize_of_one_value_changes_nothing():
    image = np.full((5, 6, 3), 77, np.uint8)
    np.testing.assert_array_equal(vision.Equalize()(image), image)


@pytest.mark.parametrize("shape", SHAPES)
def test_invert_reflects_all_values(shape):
    image = picture(shape)
    np.testing.assert_array_equal(vision.Invert()(image), 255 - image)
    np.testing.assert_array_equal(vision.Invert()(image.astype(np.float32)), 255 - image.astype(np.float32))


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.uint16, np.int32, np.int64, np.float16, np.float64])
def test_invert_stays_within_the_type(dtype):
    low = np.iinfo(dtype).min if np.issubdtype(dtype, np.integer) else -9
    image = np.array([[low, 0], [5, 100]], dtype)
    wanted = 255 - image.astype(np.float64)
    if np.issubdtype(dtype, np.integer):
        info = np.iinfo(dtype)
        wanted = np.array([[max(info.min, min(info.max, 255 - int(v))) for v in row] for row in image])
    np.testing.assert_array_equal(vision.Invert()(image), wanted.astype(dtype))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("bits", range(9))
def test_posterize_keeps_the_highest_bits(shape, bits):
    image = picture(shape)
    np.testing.assert_array_equal(vision.Posterize(bits)(image), image & (256 - (1 << (8 - bits))) % 256)


@pytest.mark.parametrize("threshold, low, high", [((30, 100), 30, 100), (100, 100, 255), ((7, 7), 7, 255)])
def test_solarize_inverts_values_in_the_range(threshold, low, high):
    image = np.arange(256, dtype=np.uint8).reshape(16, 16)
    wanted = np.where((image >= low) & (image <= high), 255 - image, image)
    np.testing.assert_array_equal(vision.Solarize(threshold)(image), wanted)
    np.testing.assert_array_equal(vision.Solarize(threshold)(image.astype(np.float32)), wanted)


def test_random_solarize_draws_both_ends():
    image = np.arange(256, dtype=np.uint8).reshape(16, 16)
    operation = vision.RandomSolarize((50, 200))
    changed = [np.flatnonzero(operation(image).ravel() != image.ravel()) for _ in range(300)]
    assert min(places.min() for places in changed if len(places)) in range(50, 56)
    assert len({(places.min(), places.max()) for places in changed if len(places)}) > 200
    for places in changed:
        whole = np.arange(places.min(), places.max() + 1)
        np.testing.assert_array_equal(places, whole)


def test_random_posterize_draws_the_bits():
    image = np.arange(256, dtype=np.uint8).reshape(16, 16)
    operation = vision.RandomPosterize((2, 5))
    assert {len(np.unique(operation(image))) for _ in range(100)} == {4, 8, 16, 32}


@pytest.mark.parametrize(
    "operation, fixed",
    [
        (vision.RandomInvert, vision.Invert()),
        (vision.RandomEqualize, vision.Equalize()),
        (lambda prob: vision.RandomAutoContrast(2.0, None, prob), vision.AutoContrast(2.0)),
    ],
)
def test_random_transforms_apply_with_their_probability(operation, fixed):
    image = picture((20, 21, 3), 100)
    changed = fixed(image)
    np.testing.assert_array_equal(operation(1)(image), changed)
    np.testing.assert_array_equal(operation(0.0)(image), image)
    half = operation(0.5)
    count = sum(np.array_equal(half(image), changed) for _ in range(400))
    assert 150 < count < 250


def test_what_pil_images_become():
    image = Image.fromarray(picture((5, 6, 3)))
    for operation in (vision.AutoContrast(), vision.Equalize(), vision.Invert()):
        assert isinstance(operation(image), Image.Image)
    for operation in (
        vision.RandomInvert(1.0),
        vision.Posterize(2),
        vision.Solarize(9),
        vision.RandomSolarize(),
    ):
        assert isinstance(operation(image), np.ndarray)


@pytest.mark.parametrize(
    "make, error, text",
    [
        (
            lambda: vision.AutoContrast(50),
            ValueError,
            r"AutoContrast: cutoff is 50.0; need a value in \[0, 50\)",
        ),
        (lambda: vision.AutoContrast(-1), ValueError, "AutoContrast: cutoff is -1"),
        (lambda: vision.AutoContrast(1, 300), ValueError, "AutoContrast: ignore is 300"),
        (lambda: vision.AutoContrast(1, "a"), TypeError, "AutoContrast: ignore is 'a'"),
        (lambda: vision.RandomAutoContrast(prob=1.5), ValueError, "RandomAutoContrast: prob is 1.5"),
        (lambda: vision.Posterize(9), ValueError, "Posterize: bits is 9"),
        (lambda: vision.Posterize(2.0), TypeError, "Posterize: bits is 2.0"),
        (lambda: vision.RandomPosterize((5, 3)), ValueError, r"RandomPosterize: bits is \(5, 3\)"),
        (lambda: vision.RandomPosterize(0), ValueError, "RandomPosterize: bits is 0"),
        (lambda: vision.Solarize((200, 100)), ValueError, r"Solarize: threshold is \(200, 100\)"),
        (lambda: vision.Solarize((1, 2, 3)), ValueError, "Solarize: threshold is"),
        (lambda: vision.Solarize("a"), TypeError, "Solarize: threshold is 'a'"),
        (lambda: vision.RandomSolarize((1.5, 3)), TypeError, "RandomSolarize: threshold is 1.5"),
        (lambda: vision.RandomInvert(True), TypeError, "RandomInvert: prob is True"),
        (lambda: vision.RandomEqualize(-0.1), ValueError, "RandomEqualize: prob is -0.1"),
    ],
)
def test_wrong_arguments(make, error, text):
    with pytest.raises(error, match=text):
        make()


@pytest.mark.parametrize("operation", [vision.AutoContrast(), vision.Equalize(), vision.Posterize(2)])
def test_only_bytes_have_histograms(operation):
    name = type(operation).__name__
    with pytest.raises(RuntimeError, match=f"{name}: the image is of float32; it must be of uint8"):
        operation(np.zeros((3, 4, 3), np.float32))
    with pytest.raises(RuntimeError, match=rf"{name}: the image has shape \(2, 3, 4, 3\)"):
        operation(np.zeros((2, 3, 4, 3), np.uint8))


def test_bool_has_no_inverse():
    with pytest.raises(RuntimeError, match="Invert: the image is of bool"):
        vision.Invert()(np.ones((2, 2), bool))
    with pytest.raises(RuntimeError, match="Invert: the image is of complex64"):
        vision.Invert()(np.ones((2, 2), np.complex64))
