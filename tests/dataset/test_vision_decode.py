"""Decode: JPEG, PNG and BMP files against Pillow, damaged files, and PIL images."""

import struct

import numpy as np
import pytest
from pictures import bmp, decoded, encoded, interlaced_png, noise, waves
from PIL import Image

from dyad.dataset import vision

SIZES = [(1, 1), (1, 9), (9, 1), (7, 13), (16, 16), (37, 53)]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("subsampling", [0, 1, 2])
@pytest.mark.parametrize("progressive", [False, True])
def test_decoded_jpeg_agrees_with_pillow(size, subsampling, progressive):
    data = encoded(waves(*size), "JPEG", subsampling=subsampling, progressive=progressive)
    made = vision.Decode()(data)
    assert made.dtype == np.uint8 and made.shape == (*size, 3)
    np.testing.assert_allclose(made.astype(int), decoded(data), atol=2)


@pytest.mark.parametrize("mode", ["L", "CMYK"])
def test_jpeg_of_other_color_modes_decodes_to_rgb(mode):
    data = encoded(Image.fromarray(waves(20, 30)).convert(mode), "JPEG")
    np.testing.assert_allclose(vision.Decode()(data).astype(int), decoded(data), atol=2)


def test_jpeg_of_inks_with_black():
    inks = np.dstack([waves(20, 30), waves(20, 30, 1)])
    data = encoded(Image.fromarray(inks, "CMYK"), "JPEG", quality=95)
    np.testing.assert_allclose(vision.Decode()(data).astype(int), decoded(data), atol=2)


def test_orientation_of_a_camera_is_ignored():
    exif = Image.Exif()
    exif[274] = 6
    assert vision.Decode()(encoded(waves(20, 30), "JPEG", exif=exif)).shape == (20, 30, 3)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    ("form", "mode"),
    [(form, mode) for form in ("PNG", "BMP") for mode in ("RGB", "L", "P", "1", "RGBA")] + [("PNG", "LA")],
)
def test_decoded_lossless_files_agree_with_pillow(size, form, mode):
    data = encoded(Image.fromarray(noise(*size)).convert(mode), form)
    np.testing.assert_array_equal(vision.Decode()(data), decoded(data))


def test_png_with_a_transparent_color():
    data = encoded(Image.fromarray(noise(9, 11)).convert("P"), "PNG", transparency=3)
    np.testing.assert_array_equal(vision.Decode()(data), decoded(data))


def test_png_of_16_bits_keeps_the_upper_byte():
    gray = np.random.default_rng(0).integers(0, 1 << 16, (9, 11)).astype(np.uint16)
    made = vision.Decode()(encoded(gray, "PNG"))
    np.testing.assert_array_equal(made, np.repeat((gray >> 8).astype(np.uint8)[..., None], 3, 2))


@pytest.mark.parametrize("size", SIZES)
def test_interlaced_png(size):
    image = noise(*size)
    np.testing.assert_array_equal(vision.Decode()(interlaced_png(image)), image)


PALETTE = np.array([[10, 20, 30, 0], [40, 50, 60, 0], [70, 80, 90, 0]], np.uint8)


def of_palette(indices):
    return PALETTE[np.array(indices), 2::-1]


def test_bmp_with_runs_of_bytes():
    runs = bytes([3, 1, 0, 0, 0, 3, 2, 0, 1, 0, 0, 1])  # three ones; then two, zero, one
    made = vision.Decode()(bmp(3, 2, 8, 1, runs, PALETTE.tobytes()))
    np.testing.assert_array_equal(made, of_palette([[2, 0, 1], [1, 1, 1]]))


def test_bmp_with_runs_of_half_bytes_and_a_step():
    runs = bytes([4, 0x12, 0, 0, 0, 2, 1, 0, 2, 0x22, 0, 1])
    made = vision.Decode()(bmp(4, 2, 4, 2, runs, PALETTE.tobytes()))
    lower = of_palette([1, 2, 1, 2])
    np.testing.assert_array_equal(made[1], lower)
    np.testing.assert_array_equal(made[0], [[0] * 3, *of_palette([2, 2]), [0] * 3])


def test_bmp_of_16_bits_with_masks():
    masks = struct.pack("<III", 0xF800, 0x7E0, 0x1F)
    made = vision.Decode()(bmp(2, 1, 16, 3, struct.pack("<HH", 0xF800, 0x07FF), masks=masks))
    np.testing.assert_array_equal(made, [[[255, 0, 0], [0, 255, 255]]])


def test_bmp_from_top_to_bottom():
    made = vision.Decode()(bmp(1, -2, 24, 0, bytes([1, 2, 3, 0, 4, 5, 6, 0])))
    np.testing.assert_array_equal(made, [[[3, 2, 1]], [[6, 5, 4]]])


FILES = {
    "jpeg": encoded(waves(12, 17), "JPEG"),
    "progressive": encoded(waves(12, 17), "JPEG", progressive=True),
    "png": encoded(noise(12, 17), "PNG"),
    "interlaced": interlaced_png(noise(12, 17)),
    "bmp": encoded(noise(12, 17), "BMP"),
    "palette": encoded(Image.fromarray(noise(12, 17)).convert("P"), "BMP"),
    "runs": bmp(3, 2, 8, 1, bytes([3, 1, 0, 0, 3, 1, 0, 0, 0, 1]), PALETTE.tobytes()),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_ends_early_is_an_error(name):
    data = FILES[name]
    for length in range(0, len(data) // 2, 3):
        with pytest.raises(RuntimeError, match="Decode: "):
            vision.Decode()(data[:length].copy())


@pytest.mark.parametrize("name", FILES)
def test_damage_is_an_error_or_another_image(name):
    random = np.random.default_rng(0)
    for _ in range(150):
        data = FILES[name].copy()
        data[random.integers(0, len(data), 3)] = random.integers(0, 256, 3)
        if name in ("bmp", "palette", "runs") and int(data[18:26].view("<i4").astype(int).prod()) > 1 << 20:
            continue  # a size that is no fault, but slow
        try:
            assert vision.Decode()(data).ndim == 3
        except RuntimeError as error:
            assert str(error).startswith("Decode: ")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (np.zeros(0, np.uint8), "there are no bytes"),
        (np.arange(50, dtype=np.uint8), "no JPEG, PNG or BMP"),
        (encoded(noise(3, 4), "GIF"), "a GIF"),
        (encoded(noise(3, 4), "TIFF"), "a TIFF"),
        (np.zeros(9, np.int32), "of uint8"),
    ],
)
def test_decode_rejects_data_that_is_not_an_image(data, message):
    with pytest.raises(RuntimeError, match=message):
        vision.Decode()(data)


@pytest.mark.parametrize("value", ["text", 3, np.zeros((2, 2), np.uint8), np.array(["a"])])
def test_decode_rejects_inputs_that_are_not_bytes(value):
    with pytest.raises(TypeError, match="Decode: the encoded image"):
        vision.Decode()(value)


def test_decode_accepts_bytes():
    data = FILES["png"].tobytes()
    np.testing.assert_array_equal(vision.Decode()(data), decoded(data))


def test_to_pil():
    for form in ("JPEG", "PNG", "GIF", "TIFF"):
        data = encoded(Image.fromarray(waves(9, 12)).convert("L"), form)
        made = vision.Decode(to_pil=True)(data)
        assert isinstance(made, Image.Image) and made.mode == "RGB" and made.size == (12, 9)
        np.testing.assert_array_equal(np.asarray(made), decoded(data))
    with pytest.raises(ValueError, match="Decode: image decode failed"):
        vision.Decode(True)(np.arange(50, dtype=np.uint8))
    with pytest.raises(TypeError, match="to_pil is 3"):
        vision.Decode(3)
