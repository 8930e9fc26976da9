"""Crops, padding and patches, against slices and numpy.pad."""

import numpy as np
import pytest
from pictures import drawn, noise
from PIL import Image

from dyad.dataset import vision
from dyad.dataset.vision import Border, SliceMode

DTYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "int64", "float16", "float32", "float64"]


def numpy_padded(image, left, top, right, bottom, border, fill=0):
    widths = [(top, bottom), (left, right)] + [(0, 0)] * (image.ndim - 2)
    if border is Border.CONSTANT:
        return np.pad(image, widths, constant_values=fill)
    return np.pad(image, widths, border.value)


@pytest.mark.parametrize("border", Border)
@pytest.mark.parametrize("padding", [0, 3, (1, 2), (1, 2, 3, 4), (0, 90, 0, 7), (80, 0, 1, 0)])
@pytest.mark.parametrize("shape", [(37, 53, 3), (5, 7), (1, 1, 1), (1, 6, 2), (6, 1, 5), (2, 2, 4)])
def test_pad_agrees_with_numpy(border, padding, shape):
    image = np.random.default_rng(0).integers(0, 256, shape).astype(np.uint8)
    sides = [padding] * 4 if isinstance(padding, int) else list(padding) * (4 // len(padding))
    made = vision.Pad(padding, 7, border)(image)
    np.testing.assert_array_equal(made, numpy_padded(image, *sides, border, 7))
    picture = vision.Pad(padding, 7, border)(Image.fromarray(noise(6, 5)))
    np.testing.assert_array_equal(np.asarray(picture), numpy_padded(noise(6, 5), *sides, border, 7))


@pytest.mark.parametrize("dtype", DTYPES)
def test_padding_of_other_elements(dtype):
    image = noise(5, 6).astype(dtype)
    made = vision.Pad(2, (1, 2, 3))(image)
    assert made.dtype == image.dtype
    np.testing.assert_array_equal(made[2:-2, 2:-2], image)
    np.testing.assert_array_equal(made[0, 0], np.array([1, 2, 3]).astype(dtype))


def test_padding_to_a_size():
    image = noise(3, 4)
    np.testing.assert_array_equal(
        vision.PadToSize((6, 7))(image), numpy_padded(image, 1, 1, 2, 2, Border.CONSTANT)
    )
    np.testing.assert_array_equal(
        vision.PadToSize((6, 7), (3, 0), padding_mode=Border.EDGE)(image),
        numpy_padded(image, 0, 3, 3, 0, Border.EDGE),
    )
    np.testing.assert_array_equal(
        vision.PadToSize(9, 2)(image), numpy_padded(image, 2, 2, 3, 4, Border.CONSTANT)
    )
    with pytest.raises(RuntimeError, match="must not be larger"):
        vision.PadToSize(2)(image)
    with pytest.raises(RuntimeError, match="does not fit"):
        vision.PadToSize((6, 7), (4, 0))(image)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("channels", [None, 1, 3, 5])
def test_crops_are_windows_of_the_image(dtype, channels):
    image = noise(11, 14, channels).astype(dtype)
    np.testing.assert_array_equal(vision.Crop((3, 4), (5, 6))(image), image[3:8, 4:10])
    np.testing.assert_array_equal(vision.CenterCrop((4, 7))(image), image[3:7, 3:10])
    np.testing.assert_array_equal(vision.CenterCrop((11, 14))(image), image)
    larger = vision.CenterCrop((14, 20))(image)
    np.testing.assert_array_equal(larger[2:13, 3:17], image)
    assert larger.shape[:2] == (14, 20) and larger[:2].max() == 0 and larger[:, 17:].max() == 0


def test_the_middle_of_pil_images():
    picture = Image.fromarray(noise(11, 14))
    for size in [(4, 7), (12, 17), (1, 1), (11, 14)]:
        made = vision.CenterCrop(size)(picture)
        top, left = round((11 - size[0]) / 2), round((14 - size[1]) / 2)
        wanted = picture.crop((left, top, left + size[1], top + size[0]))
        np.testing.assert_array_equal(np.asarray(made), np.asarray(wanted))


def test_random_windows_reach_every_place():
    ramp = np.arange(30, dtype=np.int32).reshape(5, 6)
    corners = set()
    for key in range(200):
        part = drawn(vision.RandomCrop((3, 4)), key, ramp)
        corners.add(int(part[0, 0]))
        np.testing.assert_array_equal(part, part[0, 0] + np.arange(3)[:, None] * 6 + np.arange(4))
    assert corners == {y * 6 + x for y in range(3) for x in range(3)}


@pytest.mark.parametrize("border", Border)
def test_random_windows_of_padded_images(border):
    image = noise(5, 6)
    larger = numpy_padded(image, 1, 2, 3, 4, border, 9)
    windows = {larger[y : y + 8, x : x + 7].tobytes() for y in range(4) for x in range(4)}
    made = {
        drawn(vision.RandomCrop((8, 7), (1, 2, 3, 4), False, 9, border), key, image).tobytes()
        for key in range(80)
    }
    assert made <= windows and len(made) > 8


def test_padding_if_needed():
    image = noise(3, 10) + 1
    for key in range(20):
        part = drawn(vision.RandomCrop((7, 4), pad_if_needed=True), key, image)
        assert part.shape == (7, 4, 3) and (part.reshape(7, -1).max(1) > 0).sum() == 3
    with pytest.raises(RuntimeError, match=r"RandomCrop: the size to crop is \(7, 4\)"):
        vision.RandomCrop((7, 4))(image)


def test_columns_and_frames_are_cropped_together():
    image = noise(20, 20)
    a, b = drawn(vision.RandomCrop(5), 3, image, image.astype(np.float64))
    np.testing.assert_array_equal(a, b)
    frames = drawn(vision.RandomCrop(5), 3, np.stack([image, image]))
    np.testing.assert_array_equal(frames, [a, a])
    np.testing.assert_array_equal(np.asarray(drawn(vision.RandomCrop(5), 3, Image.fromarray(image))), a)
    np.testing.assert_array_equal(
        vision.CenterCrop(4)(np.stack([image, image]))[1], vision.CenterCrop(4)(image)
    )


@pytest.mark.parametrize("vertical", [False, True])
def test_five_and_ten(vertical):
    image = noise(11, 14)

    def five(image):
        return [image[:4, :6], image[:4, -6:], image[-4:, :6], image[-4:, -6:], image[4:8, 4:10]]

    mirrored = image[::-1] if vertical else image[:, ::-1]
    for given in (image, Image.fromarray(image)):
        for made, wanted in (
            (vision.FiveCrop((4, 6))(given), five(image)),
            (vision.TenCrop((4, 6), vertical)(given), five(image) + five(mirrored)),
        ):
            assert len(made) == len(wanted) and all(type(part) is type(given) for part in made)
            for part, expected in zip(made, wanted, strict=True):
                np.testing.assert_array_equal(np.asarray(part), expected)


@pytest.mark.parametrize("shape", [(3, 5), (3, 5, 3), (4, 6, 1), (7, 7, 2)])
def test_slice_patches_agrees_with_numpy(shape):
    image = np.random.default_rng(0).integers(0, 256, shape).astype(np.uint8)
    height, width = -(-shape[0] // 2), -(-shape[1] // 3)
    larger = numpy_padded(image, 0, 0, width * 3 - shape[1], height * 2 - shape[0], Border.CONSTANT, 9)
    made = vision.SlicePatches(2, 3, fill_value=9)(image)
    wanted = [larger[y * height :, x * width :][:height, :width] for y in range(2) for x in range(3)]
    for part, expected in zip(made, wanted, strict=True):
        np.testing.assert_array_equal(part, expected)
    height, width = shape[0] // 2, shape[1] // 3
    made = vision.SlicePatches(2, 3, SliceMode.DROP)(image)
    wanted = [image[y * height :, x * width :][:height, :width] for y in range(2) for x in range(3)]
    for part, expected in zip(made, wanted, strict=True):
        np.testing.assert_array_equal(part, expected)


IMAGE = noise(5, 6)


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (lambda: vision.CenterCrop(0), ValueError, "CenterCrop: size is 0"),
        (lambda: vision.CenterCrop(1.5), TypeError, "CenterCrop: size is 1.5"),
        (lambda: vision.CenterCrop((1, 2, 3)), TypeError, "pair"),
        (lambda: vision.Crop((-1, 2), 5), ValueError, r"coordinates\[0\] is -1"),
        (lambda: vision.Crop(1, 5), TypeError, "coordinates is 1"),
        (lambda: vision.Crop((1, 2, 3), 5), ValueError, "need 2"),
        (lambda: vision.Crop((3, 2), 4)(IMAGE), RuntimeError, "goes beyond it"),
        (lambda: vision.Crop((0, 0), 1)(IMAGE[None]), RuntimeError, r"shape \(1, 5, 6, 3\)"),
        (lambda: vision.RandomCrop(5, -1), ValueError, "padding is -1"),
        (lambda: vision.RandomCrop(5, (1, 2, 3)), ValueError, "padding"),
        (lambda: vision.RandomCrop(5, pad_if_needed=1), TypeError, "pad_if_needed is 1"),
        (lambda: vision.RandomCrop(5, fill_value=300), ValueError, "fill_value is 300"),
        (lambda: vision.RandomCrop(5, fill_value=[1, 2, 3]), TypeError, "fill_value"),
        (lambda: vision.RandomCrop(5, padding_mode="edge"), TypeError, "padding_mode is 'edge'"),
        (lambda: vision.Pad(1.5), TypeError, "padding is 1.5"),
        (lambda: vision.Pad("a"), TypeError, "padding is 'a'"),
        (lambda: vision.Pad(1)(IMAGE.astype(complex)), RuntimeError, "complex128"),
        (lambda: vision.PadToSize(9, (1, 2, 3)), ValueError, "offset"),
        (lambda: vision.PadToSize(9, -1), ValueError, "offset is -1"),
        (lambda: vision.FiveCrop(9)(IMAGE), ValueError, "too small"),
        (lambda: vision.FiveCrop(2)([1]), TypeError, "PIL image"),
        (lambda: vision.TenCrop(2, 1), TypeError, "use_vertical_flip is 1"),
        (lambda: vision.SlicePatches(0), ValueError, "num_height is 0"),
        (lambda: vision.SlicePatches(2, 2, 0), TypeError, "slice_mode is 0"),
        (lambda: vision.SlicePatches(6, 1)(IMAGE), RuntimeError, "6 patches along its height"),
        (lambda: vision.SlicePatches(1, 7)(IMAGE), RuntimeError, "7 patches along its width"),
        (lambda: vision.SlicePatches(2, 2)(IMAGE, IMAGE), RuntimeError, "2 columns"),
    ],
)
def test_wrong_arguments_of_crops_are_rejected(make, kind, message):
    with pytest.raises(kind, match=message):
        make()
