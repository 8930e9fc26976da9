"""Rescale, Normalize, HWC2CHW, ToTensor, NormalizePad, alone and in chains, against NumPy."""

import numpy as np
import pytest
from pictures import noise
from PIL import Image

import dyad
from dyad import dtype as dtypes
from dyad.dataset import vision
from dyad.dataset.transforms import Compose

MEAN, STD = [121.0, 115.0, 100.0, 90.0, 80.0], [70.0, 68.0, 71.0, 60.0, 50.0]
DTYPES = [
    "bool",
    "int8",
    "uint8",
    "int16",
    "uint16",
    "int32",
    "uint32",
    "int64",
    "float16",
    "float32",
    "float64",
]
SIZES = [(1, 1), (1, 5), (5, 1), (2, 3), (28, 28), (7, 9)]


def close(made, wanted):
    assert made.dtype == np.float32 and made.shape == wanted.shape
    np.testing.assert_allclose(made, wanted, rtol=2e-6, atol=2e-6)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("channels", [None, 1, 2, 3, 4, 5])
def test_rescale_and_normalize_agree_with_numpy(dtype, channels):
    image = noise(7, 9, channels).astype(dtype)
    numbers = image.astype(np.float64)
    close(vision.Rescale(1 / 255, -0.5)(image), numbers / 255 - 0.5)
    count = channels or 1
    mean, std = MEAN[:count], STD[:count]
    close(vision.Normalize(mean, std)(image), (numbers - np.array(mean)) / np.array(std))
    close(vision.Normalize([3.0], [2.0])(image), (numbers - 3) / 2)
    planes = numbers if channels is None else numbers.transpose(2, 0, 1)
    np.testing.assert_array_equal(vision.HWC2CHW()(image), planes.astype(dtype))
    close(vision.ToTensor()(image), planes[None] / 255 if channels is None else planes / 255)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("channels", [1, 3, 4])
@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_chains_are_what_their_parts_are(size, channels, dtype):
    image = noise(*size, channels).astype(dtype)
    numbers = image.astype(np.float64)
    mean, std = [0.2 * (c + 1) for c in range(channels)], [0.3 + c for c in range(channels)]
    normalized = (numbers / 255 + 0.1 - mean) / std
    planes = normalized.transpose(2, 0, 1)
    rescale, to_planes = vision.Rescale(1 / 255, 0.1), vision.HWC2CHW()
    last, first = vision.Normalize(mean, std), vision.Normalize(mean, std, is_hwc=False)
    close(Compose([rescale, last])(image), normalized)
    close(Compose([rescale, last, to_planes])(image), planes)
    close(Compose([rescale, to_planes, first])(image), planes)
    close(Compose([to_planes, rescale, first])(image), planes)
    close(Compose([last, rescale])(image), (numbers - mean) / std / 255 + 0.1)
    close(Compose([vision.ToTensor(), first])(image), ((numbers / 255 - mean) / std).transpose(2, 0, 1))


def test_normalize_accepts_leading_dimensions():
    video = np.stack([noise(4, 5, seed=i) for i in range(6)]).reshape(2, 3, 4, 5, 3)
    wanted = (video.astype(np.float64) - MEAN[:3]) / STD[:3]
    close(vision.Normalize(MEAN[:3], STD[:3])(video), wanted)
    planes = np.ascontiguousarray(video.transpose(0, 1, 4, 2, 3))
    close(vision.Normalize(MEAN[:3], STD[:3], False)(planes), wanted.transpose(0, 1, 4, 2, 3))
    close(vision.Rescale(2.0, 1.0)(np.arange(5)), np.arange(5) * 2.0 + 1)


def test_strides_do_not_matter():
    image = noise(20, 30)[::2, ::-3]
    np.testing.assert_array_equal(vision.ToTensor()(image), vision.ToTensor()(image.copy()))


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_a_channel_of_zeros(dtype):
    image = noise(4, 5)
    wanted = np.dstack([(image - np.array(MEAN[:3])) / STD[:3], np.zeros((4, 5))])
    made = vision.NormalizePad(MEAN[:3], STD[:3], dtype)(image)
    assert made.dtype == dtype
    np.testing.assert_allclose(made, wanted, atol=2e-3 if dtype == "float16" else 1e-6)
    planes = vision.NormalizePad(MEAN[:3], STD[:3], dtype, False)(
        np.ascontiguousarray(image.transpose(2, 0, 1))
    )
    np.testing.assert_array_equal(planes, made.transpose(2, 0, 1))
    assert vision.NormalizePad([1.0], [2.0])(image[..., 0]).shape == (4, 5, 2)


@pytest.mark.parametrize("output", [np.float64, "float16", np.int32, np.uint8, dtypes.float64, dyad.float32])
def test_other_types_of_a_tensor(output):
    made = vision.ToTensor(output)(noise(4, 5))
    wanted = noise(4, 5).transpose(2, 0, 1) / 255
    name = getattr(output, "name", None) or np.dtype(output).name
    assert made.dtype == name
    np.testing.assert_allclose(made, wanted.astype(name), atol=1e-3)


def test_pil_images_become_arrays():
    image = noise(4, 5)
    picture = Image.fromarray(image)
    for operation in (
        vision.Rescale(0.5, 0.0),
        vision.HWC2CHW(),
        vision.ToTensor(),
        vision.Normalize([1.0], [2.0]),
    ):
        np.testing.assert_array_equal(operation(picture), operation(image))
    gray = vision.ToTensor()(Image.fromarray(image[..., 0]))
    assert gray.shape == (1, 4, 5)
    chain = Compose([vision.ToTensor(), vision.Normalize([0.5], [0.5], is_hwc=False)])
    (found,) = chain(picture)  # a tuple, as of every chain over a PIL image
    np.testing.assert_allclose(found, chain(image), atol=1e-6)


IMAGE = noise(4, 5)


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (lambda: vision.Rescale("a", 0), TypeError, "rescale is 'a'"),
        (lambda: vision.Rescale(1, None), TypeError, "shift is None"),
        (lambda: vision.Rescale(1, 1)([1]), TypeError, "NumPy or PIL image"),
        (lambda: vision.Rescale(1, 1)(IMAGE.astype(complex)), RuntimeError, "complex128"),
        (lambda: vision.Normalize(1.0, 2.0), TypeError, "mean is 1.0"),
        (lambda: vision.Normalize([1.0], [0.0]), ValueError, r"std\[0\] is 0"),
        (lambda: vision.Normalize([1.0], [1.0, 2.0]), ValueError, "as many"),
        (lambda: vision.Normalize([], []), ValueError, "mean"),
        (lambda: vision.Normalize([300.0], [1.0]), ValueError, r"mean\[0\] is 300"),
        (lambda: vision.Normalize(["a"], [1.0]), TypeError, r"mean\[0\] is 'a'"),
        (lambda: vision.Normalize([1.0], [1.0], 3), TypeError, "is_hwc is 3"),
        (
            lambda: vision.Normalize([1.0, 2.0], [1.0, 2.0])(IMAGE),
            RuntimeError,
            "3 channels; mean and std have 2",
        ),
        (lambda: vision.Normalize([1.0], [1.0])(np.zeros(3)), RuntimeError, r"shape \(3,\)"),
        (lambda: vision.NormalizePad([1.0], [1.0], "float64"), ValueError, "dtype is 'float64'"),
        (lambda: vision.NormalizePad([1.0, 2.0], [1.0, 2.0])(IMAGE), RuntimeError, "3 channels"),
        (lambda: vision.HWC2CHW()(IMAGE[None]), RuntimeError, r"shape \(1, 4, 5, 3\)"),
        (lambda: vision.HWC2CHW()(IMAGE, IMAGE), RuntimeError, "2 columns"),
        (lambda: vision.ToTensor()(np.zeros(3)), RuntimeError, r"shape \(3,\)"),
        (lambda: vision.ToTensor(3), TypeError, "output_type is 3"),
    ],
)
def test_wrong_arguments_of_normalization_are_rejected(make, kind, message):
    with pytest.raises(kind, match=message):
        make()
