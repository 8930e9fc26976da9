"""Conversions between layouts of channels, gray, HSV, lighting, linear transformations and blurs."""

import colorsys

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view
from PIL import Image

import dyad.dataset.vision as vision
from dyad.dataset import config
from dyad.dataset.vision import ConvertMode


def picture(shape):
    return np.random.default_rng(0).integers(0, 256, shape, dtype=np.uint8)


@pytest.fixture(autouse=True)
def seed():
    before = config.get_seed()
    config.set_seed(1)
    yield
    config.set_seed(before)


def converted(image, name):
    """Result of a conversion like "BGR2RGBA", channel by channel."""
    source, target = name.split("2")
    opaque = 255 if image.dtype == np.uint8 else 65535 if image.dtype == np.uint16 else 1
    if source == "GRAY":
        planes = dict.fromkeys("RGB", image[:, :, 0].astype(float))
    else:
        planes = {letter: image[:, :, i].astype(float) for i, letter in enumerate(source)}
    if target == "GRAY":
        return 0.299 * planes["R"] + 0.587 * planes["G"] + 0.114 * planes["B"]
    planes.setdefault("A", np.full(image.shape[:2], float(opaque)))
    return np.stack([planes[letter] for letter in target], 2)


@pytest.mark.parametrize("name", list(ConvertMode.__members__))
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.float32])
def test_convert_color(name, dtype):
    source = name.removeprefix("COLOR_").split("2")[0]
    image = picture((4, 7, {"GRAY": 1}.get(source, len(source)))).astype(dtype)
    made = vision.ConvertColor(ConvertMode[name])(image)
    assert made.dtype == dtype
    wanted = converted(image, name.removeprefix("COLOR_"))
    assert made.shape == wanted.shape
    assert np.abs(made - wanted).max() <= (0.51 if name.endswith("GRAY") else 0)


def test_grey_without_a_third_dimension_can_be_converted():
    image = picture((4, 7))
    made = vision.ConvertColor(ConvertMode.COLOR_GRAY2RGB)(image)
    np.testing.assert_array_equal(made, np.stack([image] * 3, 2))


@pytest.mark.parametrize("shape", [(5, 6, 3), (1, 1, 3), (5, 6)])
def test_grayscale_is_as_pillow_makes_it(shape):
    image = Image.fromarray(picture(shape))
    grey = np.asarray(image.convert("L"))
    one, three = vision.Grayscale()(image), vision.Grayscale(3)(image)
    assert one.mode == "L" and three.mode == "RGB"
    np.testing.assert_array_equal(np.asarray(one), grey)
    np.testing.assert_array_equal(np.asarray(three), np.stack([grey] * 3, 2))
    np.testing.assert_array_equal(vision.Grayscale()(picture(shape)), grey[:, :, None])


def test_random_grayscale():
    image = picture((5, 6, 3))
    grey = np.asarray(Image.fromarray(image).convert("L").convert("RGB"))
    np.testing.assert_array_equal(vision.RandomGrayscale(1.0)(image), grey)
    made = vision.RandomGrayscale(1.0)(Image.fromarray(image))
    assert made.mode == "RGB"
    np.testing.assert_array_equal(np.asarray(made), grey)
    np.testing.assert_array_equal(vision.RandomGrayscale(0.0)(image), image)
    assert vision.RandomGrayscale(1.0)(Image.fromarray(image[:, :, 0])).mode == "L"
    count = sum(np.array_equal(vision.RandomGrayscale(0.3)(image), grey) for _ in range(400))
    assert 85 < count < 155


def hsv_of(image):
    """HSV of an image (height, width, 3)."""
    wanted = np.empty(image.shape)
    for place in np.ndindex(image.shape[:2]):
        wanted[place] = colorsys.rgb_to_hsv(*image[place].astype(float))
    return wanted


def test_hsv_conversion_agrees_with_its_formula():
    image = picture((7, 5, 3)) / 255
    image[0, 0] = 0.25
    image[0, 1] = 0
    wanted = hsv_of(image)
    np.testing.assert_allclose(vision.RgbToHsv(True)(image), wanted, atol=1e-12)
    np.testing.assert_allclose(vision.HsvToRgb(True)(wanted), image, atol=1e-12)
    planes = np.moveaxis(image, 2, 0)
    np.testing.assert_allclose(vision.RgbToHsv()(planes), np.moveaxis(wanted, 2, 0), atol=1e-12)
    batch = np.stack([planes, planes[::-1]])
    made = vision.RgbToHsv()(batch)
    np.testing.assert_allclose(made[1], np.moveaxis(hsv_of(image[:, :, ::-1]), 2, 0), atol=1e-12)
    np.testing.assert_allclose(vision.HsvToRgb()(made), batch, atol=1e-12)
    frames = np.stack([image, image[::-1]])
    np.testing.assert_allclose(vision.RgbToHsv(True)(frames)[1], wanted[::-1], atol=1e-12)


def test_hsv_of_bytes_is_float64():
    image = picture((3, 4, 3))
    made = vision.RgbToHsv(True)(image)
    assert made.dtype == np.float64
    np.testing.assert_allclose(made, hsv_of(image), atol=1e-12)


def test_lighting_moves_all_pixels_alike():
    image = np.full((3, 4, 3), 128, np.float64)
    moves = []
    for _ in range(2000):
        move = vision.RandomLighting(1.0)(image) - image
        assert np.abs(move - move[0, 0]).max() < 1e-12
        moves.append(move[0, 0] / 255)
    directions = np.array(
        [[-0.5675, 0.7192, 0.4009], [-0.5808, -0.0045, -0.8140], [-0.5836, -0.6948, 0.4203]]
    )
    wanted = directions @ np.diag([0.2175, 0.0188, 0.0045]) ** 2 @ directions.T
    np.testing.assert_allclose(np.cov(np.array(moves).T), wanted, rtol=0.12)
    np.testing.assert_array_equal(vision.RandomLighting(0.0)(image), image)


def test_lighting_of_bytes_is_rounded_and_cut_off():
    operation = vision.RandomLighting(3.0)
    image = picture((20, 20, 3))
    made = []
    for pixels in (image, image.astype(np.float64)):
        config.set_seed(2)  # the same draws for both
        made.append([operation(pixels) for _ in range(5)])
        config.set_seed(3)
        operation(pixels)
    assert made[0][0].dtype == np.uint8
    np.testing.assert_array_equal(made[0], np.rint(np.clip(made[1], 0, 255)))
    assert np.max(made[1]) > 255 and np.min(made[1]) < 0


def test_linear_transformation():
    rng = np.random.default_rng(0)
    matrix, mean, image = rng.random((24, 24)), rng.random(24), rng.random((2, 3, 4))
    wanted = ((image.ravel() - mean) @ matrix).reshape(image.shape)
    np.testing.assert_allclose(vision.LinearTransformation(matrix, mean)(image), wanted)
    single = vision.LinearTransformation(matrix.astype(np.float32), mean.astype(np.float32))
    assert single(image.astype(np.float32)).dtype == np.float32


def blurred(image, sizes, sigmas):
    """A blur in plain NumPy."""
    for axis, size, sigma in ((1, sizes[0], sigmas[0]), (0, sizes[1], sigmas[1])):
        places = np.arange(size) - size // 2
        weights = np.exp(-(places**2) / (2 * sigma**2))
        pad = [(0, 0)] * image.ndim
        pad[axis] = (size // 2, size // 2)
        windows = sliding_window_view(np.pad(image.astype(float), pad, mode="reflect"), size, axis)
        image = windows @ (weights / weights.sum())
    return image


BLURS = [
    (3, None, (3, 3), (0.8, 0.8)),
    (7, None, (7, 7), (1.4, 1.4)),
    ((3, 7), None, (3, 7), (0.8, 0.8)),
    (5, 1.5, (5, 5), (1.5, 1.5)),
    ([3, 9], [1.0, 2.5], (3, 9), (1.0, 2.5)),
    (1, None, (1, 1), (0.5, 0.5)),
    (31, 4, (31, 31), (4, 4)),
]


@pytest.mark.parametrize("kernel_size, sigma, sizes, sigmas", BLURS)
@pytest.mark.parametrize("shape", [(9, 11, 3), (16, 17), (1, 9, 3), (9, 1, 3), (1, 1, 3), (2, 2, 5)])
def test_gaussian_blur(kernel_size, sigma, sizes, sigmas, shape):
    image = picture(shape)
    wanted = blurred(image, sizes, sigmas)
    made = vision.GaussianBlur(kernel_size, sigma)(image)
    assert made.dtype == np.uint8 and made.shape == shape
    assert np.abs(made - wanted).max() <= 0.501
    floats = vision.GaussianBlur(kernel_size, sigma)(image.astype(np.float64))
    np.testing.assert_allclose(floats, wanted, rtol=1e-5)


def test_blur_of_a_pil_image_is_an_array():
    assert isinstance(vision.GaussianBlur(3)(Image.fromarray(picture((5, 6, 3)))), np.ndarray)


@pytest.mark.parametrize(
    "make, error, text",
    [
        (lambda: vision.GaussianBlur(4), ValueError, "GaussianBlur: kernel_size is 4; need an odd number"),
        (lambda: vision.GaussianBlur(0), ValueError, "GaussianBlur: kernel_size is 0"),
        (lambda: vision.GaussianBlur((3, 3, 3)), TypeError, "GaussianBlur: kernel_size is"),
        (lambda: vision.GaussianBlur(3.0), TypeError, "GaussianBlur: kernel_size is 3.0"),
        (lambda: vision.GaussianBlur(3, -1.0), ValueError, "GaussianBlur: sigma is -1.0"),
        (lambda: vision.GaussianBlur(3, "a"), TypeError, "GaussianBlur: sigma is 'a'"),
        (lambda: vision.ConvertColor(4), TypeError, "ConvertColor: convert_mode is 4"),
        (lambda: vision.Grayscale(2), ValueError, "Grayscale: num_output_channels is 2"),
        (lambda: vision.RandomGrayscale(2.0), ValueError, "RandomGrayscale: prob is 2.0"),
        (lambda: vision.RgbToHsv(1), TypeError, "RgbToHsv: is_hwc is 1"),
        (lambda: vision.RandomLighting(-1), ValueError, "RandomLighting: alpha is -1"),
        (
            lambda: vision.LinearTransformation(np.ones((2, 3)), np.ones(2)),
            ValueError,
            "need a square matrix",
        ),
        (
            lambda: vision.LinearTransformation(np.ones((2, 2)), np.ones(3)),
            ValueError,
            "mean_vector has shape",
        ),
        (lambda: vision.LinearTransformation([[1]], np.ones(1)), TypeError, "transformation_matrix is"),
    ],
)
def test_wrong_arguments(make, error, text):
    with pytest.raises(error, match=text):
        make()


@pytest.mark.parametrize(
    "operation, image, error, text",
    [
        (
            vision.ConvertColor(ConvertMode.COLOR_BGR2GRAY),
            picture((3, 4)),
            RuntimeError,
            "1 channels; it must have 3",
        ),
        (vision.RgbToHsv(), picture((4, 5, 3)), RuntimeError, "and so 4 channels where is_hwc is False"),
        (vision.RgbToHsv(), picture((4, 5)), RuntimeError, "RgbToHsv: the image has shape"),
        (vision.RgbToHsv(), Image.new("RGB", (3, 3)), TypeError, "RgbToHsv: the image is of type Image"),
        (
            vision.GaussianBlur(3),
            picture((4, 5)).astype(np.int64),
            RuntimeError,
            "GaussianBlur: the image is of int64",
        ),
        (vision.LinearTransformation(np.eye(3), np.ones(3)), picture((2, 2)), ValueError, "takes 3"),
        (vision.LinearTransformation(np.eye(3), np.ones(3)), "a", TypeError, "of type str"),
    ],
)
def test_wrong_images(operation, image, error, text):
    with pytest.raises(error, match=text):
        operation(image)
