"""Rotations, affine changes, perspectives, against Pillow's transform."""

import math

import numpy as np
import pytest
from PIL import Image

import dyad.dataset.vision as vision
from dyad.dataset import config
from dyad.dataset.vision import Inter

SAMPLINGS = [
    (Inter.NEAREST, Image.Resampling.NEAREST),
    (Inter.BILINEAR, Image.Resampling.BILINEAR),
    (Inter.BICUBIC, Image.Resampling.BICUBIC),
]
SHAPES = [(37, 53, 3), (16, 16, 3), (1, 1, 3), (1, 9, 3), (9, 1, 3), (2, 3, 3), (16, 17)]
DEGREES = [0, 30, -30, 45.5, 90, 180, 270, 360, 1000]


def picture(shape):
    return np.random.default_rng(0).integers(0, 256, shape, dtype=np.uint8)


@pytest.fixture(autouse=True)
def seed():
    before = config.get_seed()
    config.set_seed(1)
    yield
    config.set_seed(before)


@pytest.mark.parametrize("inter, resample", SAMPLINGS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("expand", [False, True])
def test_rotations_are_as_pillow_makes_them(inter, resample, shape, expand):
    image = picture(shape)
    fill = (1, 2, 3) if len(shape) == 3 else 1
    for degrees in DEGREES:
        wanted = Image.fromarray(image).rotate(degrees, resample, expand, fillcolor=fill)
        np.testing.assert_array_equal(
            vision.Rotate(degrees, inter, expand, None, fill)(image), np.asarray(wanted)
        )


@pytest.mark.parametrize("inter, resample", SAMPLINGS)
@pytest.mark.parametrize("expand", [False, True])
def test_the_center_of_a_pil_image_is_as_pillow_has_it(inter, resample, expand):
    image = Image.fromarray(picture((20, 31, 3)))
    made = vision.RandomRotation((33, 33), inter, expand, (5, 9), 7)(image)
    assert isinstance(made, Image.Image)
    wanted = image.rotate(33, resample, expand, (5, 9), fillcolor=(7, 7, 7))
    np.testing.assert_array_equal(np.asarray(made), np.asarray(wanted))


def test_the_center_of_an_array_is_a_pixel():
    image = picture((9, 9, 3))
    turned = vision.Rotate(180, center=(3, 2))(image)
    np.testing.assert_array_equal(turned[2, 3], image[2, 3])
    np.testing.assert_array_equal(turned[0, 0], image[4, 6])
    np.testing.assert_array_equal(turned[8, 8], [0, 0, 0])


def test_rotation_of_frames_and_of_other_types():
    images = picture((2, 3, 8, 9, 3))
    turned = vision.Rotate(20, Inter.BILINEAR)(images)
    np.testing.assert_array_equal(turned[1, 2], vision.Rotate(20, Inter.BILINEAR)(images[1, 2]))
    wide = vision.Rotate(20, Inter.BILINEAR)(images[0, 0].astype(np.int32))
    np.testing.assert_array_equal(wide, turned[0, 0])
    assert wide.dtype == np.int32
    exact = vision.Rotate(20, Inter.BILINEAR)(images[0, 0].astype(np.float64))
    assert exact.dtype == np.float64
    np.testing.assert_array_equal(np.trunc(exact), turned[0, 0])


def test_fill_of_many_channels():
    corner = vision.Rotate(45, fill_value=9)(picture((9, 9, 5)))[0, 0]
    np.testing.assert_array_equal(corner, [9] * 5)


def matrix(degrees, moves, scale, shears, center):
    """The inverse of: shear and scale, turn clockwise, move; about `center`, as Pillow's transform wants it."""
    turn, along, down = (math.radians(angle) for angle in (degrees, *shears))
    rotation = np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])
    shear_y = np.array([[1, 0], [-math.tan(down), 1]])
    shear_x = np.array([[1, -math.tan(along)], [0, 1]])
    forward = scale * rotation @ shear_y @ shear_x
    inverse = np.linalg.inv(forward)
    offset = np.array(center) - inverse @ (np.array(center) + np.array(moves))
    return [*inverse[0], offset[0], *inverse[1], offset[1]]


CHANGES = [
    (0, (0, 0), 1.0, (0, 0)),
    (20, (0, 0), 1.0, (0, 0)),
    (0, (0.1, -0.2), 1.0, (0, 0)),
    (0, (0, 0), 1.37, (0, 0)),
    (0, (0, 0), 1.0, (20, 0)),
    (0, (0, 0), 1.0, (0, 20)),
    (-35, (0.11, 0.07), 0.61, (10, -15)),
]


@pytest.mark.parametrize("inter, resample", SAMPLINGS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("degrees, moves, scale, shears", CHANGES)
def test_affine_changes_are_as_pillow_makes_them(inter, resample, shape, degrees, moves, scale, shears):
    image = picture(shape)
    height, width = shape[:2]
    pixels = (moves[0] * width, moves[1] * height)
    numbers = matrix(degrees, pixels, scale, shears, (width / 2, height / 2))
    fill = (4, 5, 6) if len(shape) == 3 else 4
    wanted = Image.fromarray(image).transform(
        (width, height), Image.Transform.AFFINE, numbers, resample, fillcolor=fill
    )
    made = vision.Affine(degrees, moves, scale, shears, inter, fill)(image)
    far = np.abs(made.astype(int) - np.asarray(wanted))
    assert (far > 1).mean() < 0.02  # the two matrices differ in their last digits, which decide at edges


def test_one_shear_is_along_x():
    image = picture((9, 12, 3))
    np.testing.assert_array_equal(
        vision.Affine(0, (0, 0), 1.0, 10)(image), vision.Affine(0, (0, 0), 1.0, (10, 0))(image)
    )


def test_random_affine_with_ranges_of_one_value_is_affine():
    image = picture((21, 30, 3))
    made = vision.RandomAffine((20, 20), (0.1, 0.1, 0.2, 0.2), (1.2, 1.2), (5, 5, 7, 7), Inter.BILINEAR, 3)(
        image
    )
    np.testing.assert_array_equal(made, vision.Affine(20, (0.1, 0.2), 1.2, (5, 7), Inter.BILINEAR, 3)(image))


def test_random_affine_draws_each_value():
    image = np.zeros((1, 100, 1), np.uint8)
    image[0, 50] = 1
    operation = vision.RandomAffine(0, translate=(-0.2, 0.3))
    places = [int(operation(image)[0, :, 0].argmax()) for _ in range(300)]
    assert 30 <= min(places) < 35 and 75 < max(places) <= 80 and len(set(places)) > 30
    turned = {vision.RandomAffine(30)(picture((60, 61, 3))).tobytes() for _ in range(20)}
    assert len(turned) == 20


def test_extreme_scales_and_sizes():
    image = picture((3, 4, 3))
    for scale in (1e-9, 1e-300, 16777216):
        for inter, _ in SAMPLINGS:
            assert vision.Affine(10, (0, 0), scale, 0, inter)(image).shape == image.shape
    assert vision.Affine(0, (0, 0), 1, (90, 90), Inter.BICUBIC)(image).shape == image.shape


def coefficients(source, result):
    """Of Pillow's perspective transform."""
    rows = []
    for (u, v), (x, y) in zip(source, result, strict=True):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
    return np.linalg.solve(np.array(rows, float), np.array(source, float).ravel())


START = [[0, 0], [52, 0], [52, 36], [0, 36]]
END = [[6, 3], [45, 5], [50, 30], [2, 35]]


@pytest.mark.parametrize("inter, resample", SAMPLINGS)
def test_perspective_of_a_pil_image_is_as_pillow_makes_it(inter, resample):
    image = Image.fromarray(picture((37, 53, 3)))
    numbers = coefficients(START, END)
    wanted = image.transform((53, 37), Image.Transform.PERSPECTIVE, numbers, resample)
    made = vision.Perspective(START, END, inter)(image)
    assert isinstance(made, Image.Image)
    assert (np.asarray(made) != np.asarray(wanted)).mean() < 0.01


@pytest.mark.parametrize("inter, resample", SAMPLINGS)
def test_perspective_of_an_array_places_pixels(inter, resample):
    image = picture((37, 53, 3))
    numbers = coefficients(np.array(START) + 0.5, np.array(END) + 0.5)
    wanted = Image.fromarray(image).transform((53, 37), Image.Transform.PERSPECTIVE, numbers, resample)
    assert (vision.Perspective(START, END, inter)(image) != np.asarray(wanted)).mean() < 0.01
    same = vision.Perspective(START, START, inter)(image)
    np.testing.assert_array_equal(same, image)


def test_random_perspective():
    image = picture((20, 30, 3))
    np.testing.assert_array_equal(vision.RandomPerspective(0.5, 0.0)(image), image)
    np.testing.assert_array_equal(vision.RandomPerspective(0.0, 1.0, Inter.NEAREST)(image), image)
    white = np.full((40, 60, 3), 255, np.uint8)
    operation = vision.RandomPerspective(0.5, 1.0, Inter.NEAREST)
    shares = [(operation(white)[:, :, 0] == 255).mean() for _ in range(50)]
    assert min(shares) > 0.25 and max(shares) < 1 and len(set(shares)) > 40
    changed = sum(not np.array_equal(vision.RandomPerspective()(image), image) for _ in range(300))
    assert 110 < changed < 190
    for shape in [(1, 1, 3), (1, 9, 3), (9, 1)]:
        for scale in (0.5, 1.0):
            assert vision.RandomPerspective(scale, 1.0)(picture(shape)).shape == shape
    assert isinstance(vision.RandomPerspective(prob=1.0)(Image.fromarray(image)), Image.Image)


def test_random_rotation_draws_the_angle():
    image = np.zeros((41, 41), np.uint8)
    image[20, 20:] = 255
    operation = vision.RandomRotation(60)
    angles = []
    for _ in range(200):
        y, x = np.nonzero(operation(image))
        angles.append(math.degrees(math.atan2(20 - y.mean(), x.mean() - 20)))
    assert -62 < min(angles) < -50 and 50 < max(angles) < 62
    assert np.mean(np.array(angles) > 0) == pytest.approx(0.5, abs=0.12)


@pytest.mark.parametrize(
    "make, error, text",
    [
        (lambda: vision.Rotate("a"), TypeError, "Rotate: degrees is 'a'"),
        (lambda: vision.Rotate(True), TypeError, "Rotate: degrees is True"),
        (lambda: vision.Rotate(float("inf")), ValueError, "Rotate: degrees is inf"),
        (lambda: vision.Rotate(3, 3), TypeError, "Rotate: resample is 3"),
        (
            lambda: vision.Rotate(3, Inter.ANTIALIAS),
            ValueError,
            "Rotate: resample is .*ANTIALIAS|resample is 1",
        ),
        (lambda: vision.Rotate(3, expand=1), TypeError, "Rotate: expand is 1"),
        (lambda: vision.Rotate(3, center=[1, 2]), ValueError, r"Rotate: center is \[1, 2\]"),
        (lambda: vision.Rotate(3, fill_value=300), ValueError, "Rotate: fill_value is 300"),
        (lambda: vision.Rotate(3, fill_value=(1, 2)), TypeError, r"Rotate: fill_value is \(1, 2\)"),
        (lambda: vision.RandomRotation(-5), ValueError, "RandomRotation: degrees is -5"),
        (lambda: vision.RandomRotation((5, 1)), ValueError, r"RandomRotation: degrees is \(5, 1\)"),
        (lambda: vision.Affine(200, (0, 0), 1.0, 0), ValueError, "Affine: degrees is 200"),
        (lambda: vision.Affine(0, (0, 2), 1.0, 0), ValueError, "Affine: translate is 2"),
        (lambda: vision.Affine(0, (0,), 1.0, 0), ValueError, "Affine: translate is"),
        (lambda: vision.Affine(0, (0, 0), 0, 0), ValueError, "Affine: scale is 0.0; need a number above 0"),
        (lambda: vision.Affine(0, (0, 0), 1, (1, 2, 3)), ValueError, "Affine: shear is"),
        (lambda: vision.RandomAffine(5, (0, 2.0)), ValueError, r"RandomAffine: translate\[1\] is 2.0"),
        (lambda: vision.RandomAffine(5, None, (0, 0)), ValueError, "RandomAffine: scale is"),
        (lambda: vision.RandomAffine(5, None, None, -3), ValueError, "RandomAffine: shear is -3"),
        (lambda: vision.RandomAffine(5, None, None, (1, 2, 3)), ValueError, "RandomAffine: shear is"),
        (lambda: vision.Perspective([[0, 0]], END), TypeError, r"Perspective: start_points is \[\[0, 0\]\]"),
        (lambda: vision.Perspective(START, [[1, 1]] * 4), ValueError, "Perspective: three of the points"),
        (lambda: vision.RandomPerspective(2), ValueError, "RandomPerspective: distortion_scale is 2"),
    ],
)
def test_wrong_arguments(make, error, text):
    with pytest.raises(error, match=text):
        make()


def test_wrong_images():
    with pytest.raises(RuntimeError, match="Rotate: the image is of bool"):
        vision.Rotate(3)(np.ones((3, 3), bool))
    with pytest.raises(RuntimeError, match=r"Affine: the image has shape \(1, 3, 3, 3\)"):
        vision.Affine(0, (0, 0), 1.0, 0)(np.ones((1, 3, 3, 3), np.uint8))
    with pytest.raises(RuntimeError, match=r"Rotate: the image has shape \(3, 0, 3\)"):
        vision.Rotate(3)(np.ones((3, 0, 3), np.uint8))
    with pytest.raises(TypeError, match="Rotate: the input is of type str"):
        vision.Rotate(3)("picture")
