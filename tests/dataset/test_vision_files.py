"""read_image and the functions that write and encode images."""

import io

import numpy as np
import pytest
from pictures import encoded, noise, waves
from PIL import Image, ImageOps

from dyad import Tensor
from dyad.dataset import vision
from dyad.dataset.vision import ImageReadMode


def saved(folder, name, picture, **options):
    path = folder / name
    (Image.fromarray(picture) if isinstance(picture, np.ndarray) else picture).save(path, **options)
    return str(path)


@pytest.mark.parametrize("name", ["a.png", "a.bmp", "a.jpg"])
def test_read_image_converts_to_the_color_mode(tmp_path, name):
    image = waves(9, 14)
    color = saved(tmp_path, name, image, quality=95)
    gray = saved(tmp_path, "l" + name, Image.fromarray(image).convert("L"), quality=95)
    atol = 2 if name == "a.jpg" else 0
    rgb = np.asarray(Image.open(color).convert("RGB"))
    np.testing.assert_allclose(vision.read_image(color).astype(int), rgb, atol=atol)
    np.testing.assert_allclose(vision.read_image(color, ImageReadMode.COLOR).astype(int), rgb, atol=atol)
    light = np.asarray(Image.open(color).convert("L"))[..., None]
    np.testing.assert_allclose(
        vision.read_image(color, ImageReadMode.GRAYSCALE).astype(int), light, atol=max(atol, 1)
    )
    assert vision.read_image(gray).shape == (9, 14, 1)
    assert vision.read_image(gray, ImageReadMode.COLOR).shape == (9, 14, 3)


def test_16_bits_stay(tmp_path):
    gray = np.random.default_rng(0).integers(0, 1 << 16, (5, 6)).astype(np.uint16)
    path = saved(tmp_path, "a.png", gray)
    np.testing.assert_array_equal(vision.read_image(path), gray[..., None])
    assert vision.read_image(path, ImageReadMode.COLOR).dtype == np.uint8


@pytest.mark.parametrize("orientation", range(10))
def test_a_turned_camera(tmp_path, orientation):
    exif = Image.Exif()
    exif[274] = orientation
    path = saved(tmp_path, "a.jpg", waves(24, 40), exif=exif)
    stored = vision.read_image(path)
    assert stored.shape == (24, 40, 3)
    upright = ImageOps.exif_transpose(Image.open(path))
    made = vision.read_image(path, ImageReadMode.COLOR)
    np.testing.assert_allclose(made.astype(int), np.asarray(upright), atol=2)
    gray = vision.read_image(path, ImageReadMode.GRAYSCALE)
    assert gray.shape == (*made.shape[:2], 1)


@pytest.mark.parametrize("shape", [(1, 1), (7, 5), (7, 5, 1), (7, 5, 3), (1, 33, 3)])
def test_png_and_back(tmp_path, shape):
    image = np.random.default_rng(0).integers(0, 256, shape).astype(np.uint8)
    for level in (0, 6, 9):
        data = vision.encode_png(image, level)
        assert data.dtype == np.uint8 and data.ndim == 1
        np.testing.assert_array_equal(
            np.asarray(Image.open(io.BytesIO(data.tobytes()))),
            image.squeeze(2) if image.shape[2:] == (1,) else image,
        )
    vision.write_png(str(tmp_path / "a.png"), image)
    np.testing.assert_array_equal(vision.read_image(str(tmp_path / "a.png")).reshape(shape), image)


def test_jpeg_is_that_of_pillow(tmp_path):
    image = waves(31, 45)
    pillow = np.asarray(Image.open(io.BytesIO(encoded(image, "JPEG", quality=75).tobytes())))
    ours = np.asarray(Image.open(io.BytesIO(vision.encode_jpeg(image).tobytes())))
    np.testing.assert_allclose(ours.astype(int), pillow, atol=1)
    assert len(vision.encode_jpeg(image, 10)) < len(vision.encode_jpeg(image, 95))
    vision.write_jpeg(str(tmp_path / "a.jpg"), Tensor(image), 75)
    np.testing.assert_array_equal((tmp_path / "a.jpg").read_bytes(), vision.encode_jpeg(image).tobytes())


def test_files_as_they_are(tmp_path):
    path = str(tmp_path / "a")
    vision.write_file(path, np.arange(9, dtype=np.uint8))
    np.testing.assert_array_equal(vision.read_file(path), np.arange(9))
    vision.write_file(path, np.zeros(0, np.uint8))
    assert vision.read_file(path).shape == (0,)


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda path: vision.read_image(path), RuntimeError, "does not exist"),
        (lambda path: vision.read_file(path), RuntimeError, "does not exist"),
        (lambda path: vision.read_file(path.rsplit("/", 1)[0]), RuntimeError, "not a regular file"),
        (lambda path: vision.read_image(3), TypeError, "filename is 3"),
        (lambda path: vision.read_image(path, 1), TypeError, "mode is 1"),
        (lambda path: vision.write_file(path, [1]), TypeError, "data is of type list"),
        (lambda path: vision.write_file(path, np.zeros(3)), RuntimeError, "float64"),
        (
            lambda path: vision.write_file(path + "/x", np.zeros(3, np.uint8)),
            RuntimeError,
            "cannot be written",
        ),
        (lambda path: vision.encode_jpeg(noise(3, 4, 4)), RuntimeError, "4 channels; it must have 1, 3"),
        (lambda path: vision.encode_png(noise(3, 4, 2)), RuntimeError, "2 channels; it must have 1, 3"),
        (
            lambda path: vision.encode_png(noise(3, 4).astype("f4")),
            RuntimeError,
            "float32; it must be of uint8",
        ),
        (lambda path: vision.encode_jpeg(np.zeros(3, np.uint8)), RuntimeError, r"shape \(3,\)"),
        (
            lambda path: vision.encode_jpeg(noise(3, 4), 0),
            RuntimeError,
            r"quality is 0; need a value in \[1, 100\]",
        ),
        (lambda path: vision.encode_jpeg(noise(3, 4), 2.5), TypeError, "quality is 2.5"),
        (lambda path: vision.encode_png(noise(3, 4), 10), RuntimeError, r"in \[0, 9\]"),
        (lambda path: vision.encode_jpeg(np.zeros((1, 70000, 3), np.uint8)), RuntimeError, "70000"),
        (lambda path: vision.encode_jpeg([1]), TypeError, "image is of type list"),
        (lambda path: vision.get_image_size([1]), TypeError, "image is of type list"),
        (lambda path: vision.get_image_size(np.zeros(3)), RuntimeError, "at least 2 dimensions"),
    ],
)
def test_wrong_arguments_of_file_functions_are_rejected(tmp_path, call, kind, message):
    with pytest.raises(kind, match=message):
        call(str(tmp_path / "missing"))


def test_a_damaged_file_is_named(tmp_path):
    (tmp_path / "broken.jpg").write_bytes(encoded(waves(20, 20), "JPEG").tobytes()[:400])
    with pytest.raises(RuntimeError, match=r"broken\.jpg.*damaged"):
        vision.read_image(str(tmp_path / "broken.jpg"))


def test_image_size_and_channels_of_arrays_and_pil_images():
    image = noise(3, 5)
    assert vision.get_image_size(image) == vision.get_image_size(Image.fromarray(image)) == [3, 5]
    assert vision.get_image_size(image[None]) == vision.get_image_size(image[..., 0]) == [3, 5]
    channels = vision.get_image_num_channels
    assert (channels(image), channels(Image.fromarray(image)), channels(image[..., 0])) == (3, 3, 1)
