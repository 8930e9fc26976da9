"""Resize and its relatives, against the same sums in NumPy and against Pillow."""

import numpy as np
import pytest
from pictures import drawn, encoded, noise, waves
from PIL import Image

from dyad.dataset import vision
from dyad.dataset.vision import Inter

SIZES = [(1, 1), (1, 7), (7, 1), (5, 6), (6, 5), (37, 53), (74, 106), (18, 26)]


def spread(from_size, to_size, weigh):
    """The matrix of an axis: `weigh(i)` gives (place, weight) pairs; places outside count for the edge."""
    matrix = np.zeros((to_size, from_size))
    for i in range(to_size):
        for place, weight in weigh(i):
            matrix[i, min(max(place, 0), from_size - 1)] += weight
    return matrix


def bilinear(from_size, to_size):
    def weigh(i):
        center = (i + 0.5) * from_size / to_size - 0.5
        left = int(np.floor(center))
        return [(left, 1 - center + left), (left + 1, center - left)]

    return spread(from_size, to_size, weigh)


def cubic(x, a=-0.75):
    x = abs(x)
    return (a + 2) * x**3 - (a + 3) * x**2 + 1 if x < 1 else a * (x**3 - 5 * x**2 + 8 * x - 4)


def bicubic(from_size, to_size):
    def weigh(i):
        center = (i + 0.5) * from_size / to_size - 0.5
        left = int(np.floor(center))
        return [(place, cubic(center - place)) for place in range(left - 1, left + 3)]

    return spread(from_size, to_size, weigh)


def area(from_size, to_size):
    scale = from_size / to_size

    def weigh(i):
        covered = [(p, min(p + 1, (i + 1) * scale) - max(p, i * scale)) for p in range(from_size)]
        return [(place, share / scale) for place, share in covered if share > 0]

    return spread(from_size, to_size, weigh)


def expected(image, size, axis_matrix):
    down = axis_matrix(image.shape[0], size[0])
    across = axis_matrix(image.shape[1], size[1])
    return np.einsum("ay,yx...,bx->ab...", down, image.astype(float), across)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("from_size", [(37, 53), (1, 5), (5, 1), (1, 1), (2, 3)])
@pytest.mark.parametrize("channels", [None, 1, 2, 3, 4, 5])
def test_resized_bytes_agree_with_interpolation_matrices(size, from_size, channels):
    image = noise(*from_size, channels)
    for inter, matrix in ((Inter.BILINEAR, bilinear), (Inter.BICUBIC, bicubic)):
        made = vision.Resize(size, inter)(image)
        assert made.dtype == np.uint8 and made.shape == size + image.shape[2:]
        wanted = expected(image, size, matrix).clip(0, 255)
        np.testing.assert_allclose(made, wanted, atol=0.75)
    rows = np.minimum(np.arange(size[0]) * from_size[0] / size[0], from_size[0] - 1).astype(int)
    columns = np.minimum(np.arange(size[1]) * from_size[1] / size[1], from_size[1] - 1).astype(int)
    np.testing.assert_array_equal(vision.Resize(size, Inter.NEAREST)(image), image[rows][:, columns])


@pytest.mark.parametrize("size", [(1, 1), (12, 17), (18, 26), (37, 5), (36, 52), (9, 53)])
def test_means_of_areas(size):
    image = noise(37, 53)
    np.testing.assert_allclose(vision.Resize(size, Inter.AREA)(image), expected(image, size, area), atol=0.75)
    floats = image.astype(np.float64)
    np.testing.assert_allclose(
        vision.Resize(size, Inter.AREA)(floats), expected(image, size, area), atol=1e-3
    )


def test_halving_is_taking_means():
    image = noise(10, 14)
    means = image.reshape(5, 2, 7, 2, 3).astype(float).mean((1, 3))
    np.testing.assert_allclose(vision.Resize((5, 7))(image), means, atol=0.75)


@pytest.mark.parametrize(
    "dtype", ["int8", "int16", "uint16", "int32", "int64", "float16", "float32", "float64"]
)
@pytest.mark.parametrize("channels", [None, 3, 5])
def test_other_elements(dtype, channels):
    image = (noise(11, 13, channels).astype(int) // 2).astype(dtype)
    for inter, matrix in ((Inter.BILINEAR, bilinear), (Inter.BICUBIC, bicubic)):
        made = vision.Resize((9, 20), inter)(image)
        assert made.dtype == image.dtype
        wanted = expected(image, (9, 20), matrix)
        if image.dtype.kind != "f":
            wanted = wanted.clip(np.iinfo(dtype).min, np.iinfo(dtype).max)
        atol = {"f": 1e-3}.get(image.dtype.kind, 0.51) if dtype != "float16" else 0.1
        np.testing.assert_allclose(made.astype(float), wanted, atol=atol)
    assert vision.Resize((4, 4))(image > 60).dtype == np.bool_


@pytest.mark.parametrize("size", [(20, 30), (74, 106), (60, 20), (1, 1), (15, 100)])
def test_pilcubic_is_that_of_pillow(size):
    image = noise(37, 53)
    wide = Image.fromarray(image).resize(
        (size[1], 37), Image.BICUBIC
    )  # along the rows first, as older Pillows do
    pillow = np.asarray(wide.resize(size[::-1], Image.BICUBIC))
    made = vision.Resize(size, Inter.PILCUBIC)(image).astype(int)
    np.testing.assert_allclose(made, pillow, atol=2)
    assert np.abs(made - pillow).mean() < 0.05


@pytest.mark.parametrize("inter", [Inter.NEAREST, Inter.BILINEAR, Inter.BICUBIC, Inter.ANTIALIAS])
def test_pil_images_are_resized_by_pillow(inter):
    picture = Image.fromarray(noise(37, 53))
    filters = {Inter.NEAREST: Image.NEAREST, Inter.BILINEAR: Image.BILINEAR, Inter.BICUBIC: Image.BICUBIC}
    made = vision.Resize((20, 30), inter)(picture)
    wanted = picture.resize((30, 20), filters.get(inter, Image.LANCZOS))
    np.testing.assert_array_equal(np.asarray(made), np.asarray(wanted))
    assert vision.Resize(20, inter)(picture).size == (28, 20)


@pytest.mark.parametrize("shape", [(37, 53), (53, 37), (1, 100), (100, 1), (5, 5), (100, 3)])
def test_a_shorter_side_keeps_the_aspect(shape):
    height, width = shape
    long = int(7 * max(shape) / min(shape))
    wanted = (7, long) if height < width else (long, 7)
    assert vision.Resize(7)(noise(*shape)).shape[:2] == wanted
    assert vision.Resize(7)(Image.fromarray(noise(*shape))).size == wanted[::-1]


def test_many_frames():
    video = np.stack([noise(9, 11, seed=i) for i in range(6)]).reshape(2, 3, 9, 11, 3)
    made = vision.Resize((5, 4))(video)
    assert made.shape == (2, 3, 5, 4, 3)
    np.testing.assert_array_equal(made[1, 2], vision.Resize((5, 4))(video[1, 2]))


def test_strides_do_not_matter():
    image = noise(20, 30)[::2, ::-3]
    np.testing.assert_array_equal(vision.Resize((7, 8))(image), vision.Resize((7, 8))(image.copy()))


def test_part_of_an_image():
    image = noise(37, 53)
    made = vision.ResizedCrop(3, 4, 20, 30, (10, 12), Inter.BICUBIC)(image)
    np.testing.assert_array_equal(made, vision.Resize((10, 12), Inter.BICUBIC)(image[3:23, 4:34].copy()))
    with pytest.raises(RuntimeError, match="goes beyond it"):
        vision.ResizedCrop(30, 0, 10, 10, 5)(image)


def test_random_parts_have_the_area_and_aspect_that_was_asked_for():
    ramp = np.arange(100 * 120, dtype=np.float32).reshape(100, 120)
    seen = set()
    for seed in range(40):
        made = drawn(vision.RandomResizedCrop((2, 2), (0.2, 0.5), (0.5, 2.0), Inter.NEAREST), seed, ramp)
        top, left = divmod(int(made[0, 0]), 120)
        height = 2 * (int(made[1, 0]) // 120 - top)
        width = 2 * (int(made[0, 1]) % 120 - left)
        assert 0.17 <= height * width / 12000 <= 0.53 and 0.4 <= width / height <= 2.2
        seen.add((top, left))
    assert len(seen) > 20


def test_a_part_that_cannot_be_found_is_the_largest_in_the_middle():
    image = noise(10, 100)
    made = vision.RandomResizedCrop((10, 20), (1.0, 1.0), (2.0, 2.0), Inter.NEAREST)(image)
    np.testing.assert_array_equal(made, image[:, 40:60])


def test_columns_are_cropped_together_and_pil_images_like_arrays():
    image = waves(60, 80)
    crop = vision.RandomResizedCrop(30, (0.05, 0.1))
    a, b = drawn(crop, 3, image, image.astype(np.float32))
    np.testing.assert_allclose(a, b, atol=0.75)
    picture = drawn(crop, 3, Image.fromarray(image))
    np.testing.assert_allclose(np.asarray(picture).astype(int), a, atol=2)


@pytest.mark.parametrize("subsampling", [0, 1, 2])
@pytest.mark.parametrize("size", [(61, 83), (16, 16), (1, 40), (40, 1), (130, 35)])
def test_a_part_of_a_jpeg_is_decoded_as_in_the_whole(size, subsampling):
    data = encoded(waves(*size), "JPEG", subsampling=subsampling)
    whole = vision.Decode()(data)
    for seed in range(25):
        part = drawn(vision.RandomCropDecodeResize(9, (0.05, 0.9), (0.2, 5.0)), seed, data)
        wanted = drawn(vision.RandomResizedCrop(9, (0.05, 0.9), (0.2, 5.0)), seed, whole)
        np.testing.assert_array_equal(part, wanted)


@pytest.mark.parametrize("form", ["PNG", "BMP"])
def test_parts_of_other_files(form):
    data = encoded(noise(20, 30), form)
    part = drawn(vision.RandomCropDecodeResize(9), 1, data)
    np.testing.assert_array_equal(part, drawn(vision.RandomResizedCrop(9), 1, noise(20, 30)))
    assert vision.RandomCropDecodeResize(9)(data.tobytes()).shape == (9, 9, 3)


def test_random_interpolations():
    image = noise(20, 30)
    made = {drawn(vision.RandomResize((7, 8)), seed, image).tobytes() for seed in range(30)}
    inters = (Inter.NEAREST, Inter.BILINEAR, Inter.BICUBIC, Inter.AREA)
    assert made == {vision.Resize((7, 8), inter)(image).tobytes() for inter in inters}


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (lambda: vision.Resize(0), ValueError, r"size is 0; need a value in \[1, 16777216\]"),
        (lambda: vision.Resize((0, 3)), ValueError, r"size\[0\] is 0"),
        (lambda: vision.Resize((1, 2, 3)), TypeError, "pair"),
        (lambda: vision.Resize(2.5), TypeError, "size is 2.5"),
        (lambda: vision.Resize(3, 2), TypeError, "interpolation is 2 of type int; need type Inter"),
        (lambda: vision.Resize(3)([[1]]), TypeError, "of type list; need a NumPy or PIL image"),
        (lambda: vision.Resize(3)(np.zeros(3)), RuntimeError, r"shape \(3,\)"),
        (lambda: vision.Resize(3)(np.zeros((0, 3, 3))), RuntimeError, "holds no pixel"),
        (lambda: vision.Resize(3)(np.zeros((3, 3), complex)), RuntimeError, "complex128"),
        (lambda: vision.Resize(3)(noise(3, 3), noise(3, 3)), RuntimeError, "2 columns"),
        (
            lambda: vision.Resize(3, Inter.PILCUBIC)(noise(3, 3, 1)),
            RuntimeError,
            "1 channels; it must have 3",
        ),
        (lambda: vision.Resize(3, Inter.ANTIALIAS)(noise(3, 3)), TypeError, "ANTIALIAS"),
        (lambda: vision.Resize(3, Inter.AREA)(Image.fromarray(noise(3, 3))), TypeError, "Inter.AREA"),
        (lambda: vision.RandomResizedCrop(3, (2, 1)), ValueError, "scale"),
        (lambda: vision.RandomResizedCrop(3, (0, 0)), ValueError, "scale"),
        (lambda: vision.RandomResizedCrop(3, 0.5), TypeError, "scale is 0.5"),
        (lambda: vision.RandomResizedCrop(3, ratio=(0, 1)), ValueError, "ratio"),
        (lambda: vision.RandomResizedCrop(3, max_attempts=0), ValueError, "max_attempts is 0"),
        (lambda: vision.RandomCropDecodeResize(3)(noise(3, 3)), TypeError, "encoded image"),
        (lambda: vision.ResizedCrop(-1, 0, 1, 1, 3), ValueError, "top is -1"),
        (lambda: vision.ResizedCrop(0.5, 0, 1, 1, 3), TypeError, "top is 0.5"),
        (lambda: vision.Resize(3).device("GPU"), ValueError, "device_target is 'GPU'"),
    ],
)
def test_wrong_arguments_of_resizing_are_rejected(make, kind, message):
    with pytest.raises(kind, match=message):
        make()
