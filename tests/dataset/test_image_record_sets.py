"""STL-10, PhotoTour and made up images; Semeion and USPS."""

import numpy as np
import pytest
from image_files import source_rows, write_text
from PIL import Image

from dyad.dataset import image_datasets as sources


def planes(count, seed):
    """Images as STL-10 stores them: planes of colors, column by column."""
    return np.random.default_rng(seed).integers(0, 256, (count, 3, 96, 96), np.uint8)


@pytest.fixture
def stl10(tmp_path):
    parts = {"train": planes(2, 0), "test": planes(1, 1), "unlabeled": planes(2, 2)}
    for name, images in parts.items():
        images.tofile(tmp_path / f"{name}_X.bin")
    (tmp_path / "train_y.bin").write_bytes(bytes([1, 10]))
    (tmp_path / "test_y.bin").write_bytes(bytes([3]))
    return tmp_path, parts


def test_stl10_has_the_images_of_each_usage(stl10):
    folder, parts = stl10
    labels = {"train": [0, 9], "test": [2], "unlabeled": [-1, -1]}
    for usage, names in (
        ("train", ["train"]),
        ("train+unlabeled", ["train", "unlabeled"]),
        (None, ["test", "train", "unlabeled"]),
    ):
        dataset = sources.STL10Dataset(str(folder), usage, shuffle=False)
        rows = source_rows(dataset)
        expected = np.concatenate([parts[name] for name in names]).transpose(0, 3, 2, 1)
        np.testing.assert_array_equal(np.stack([row["image"] for row in rows]), expected)
        assert [int(row["label"]) for row in rows] == [label for name in names for label in labels[name]]
        assert rows[0]["label"].dtype == np.int32
        assert dataset.open_source().classes == [int(row["label"]) for row in rows]


def test_damaged_stl10(stl10):
    folder = stl10[0]
    (folder / "train_y.bin").write_bytes(b"123")
    with pytest.raises(
        RuntimeError, match=r"train_X.bin has 2 images, .*train_y.bin has 3 labels; need as many"
    ):
        sources.STL10Dataset(str(folder), "train").open_source()
    (folder / "test_X.bin").write_bytes(bytes(100))
    with pytest.raises(
        RuntimeError, match=r"STL10Dataset: the file .*test_X.bin has 100 bytes; need a multiple"
    ):
        sources.STL10Dataset(str(folder), "test").open_source()
    (folder / "unlabeled_X.bin").unlink()
    with pytest.raises(RuntimeError, match=r"STL10Dataset: the file .*unlabeled_X.bin cannot be opened"):
        sources.STL10Dataset(str(folder), "unlabeled").open_source()


@pytest.fixture
def tour(tmp_path):
    pictures = np.random.default_rng(0).integers(0, 256, (2, 1024, 1024), np.uint8)
    (tmp_path / "liberty").mkdir()
    for number, pixels in enumerate(pictures):
        Image.fromarray(pixels).save(tmp_path / "liberty" / f"patches{number:04d}.bmp")
    write_text(tmp_path / "liberty" / "info.txt", "".join(f"{i // 2} 0\n" for i in range(300)))
    write_text(tmp_path / "liberty" / "m50_100000_100000_0.txt", "17 5 0 299 5 0 0\n0 5 0 257 6 0 0\n")
    patches = pictures.reshape(2, 16, 64, 16, 64).swapaxes(2, 3).reshape(512, 64, 64, 1)
    return tmp_path, patches


def test_photo_tour(tour):
    folder, patches = tour
    rows = source_rows(sources.PhotoTourDataset(str(folder), "liberty", shuffle=False))
    np.testing.assert_array_equal(np.stack([row["image"] for row in rows]), patches[:300])
    rows = source_rows(sources.PhotoTourDataset(str(folder), "liberty", "test", shuffle=False))
    assert [*rows[0]] == ["image1", "image2", "matches"]
    np.testing.assert_array_equal(rows[0]["image2"], patches[299])
    np.testing.assert_array_equal(rows[1]["image1"], patches[0])
    assert [int(row["matches"]) for row in rows] == [1, 0] and rows[0]["matches"].dtype == np.uint32


def test_damaged_photo_tour(tour):
    folder = tour[0] / "liberty"

    def fails(message, usage="train"):
        with pytest.raises(RuntimeError, match=f"PhotoTourDataset: {message}"):
            sources.PhotoTourDataset(str(tour[0]), "liberty", usage).open_source()

    write_text(folder / "m50_100000_100000_0.txt", "1 2 3\n")
    fails(r".*m50.*txt' has the line '1 2 3'; need seven numbers", "test")
    write_text(folder / "m50_100000_100000_0.txt", "1 2 3 512 5 6 7\n")
    fails("patch 512 is named; the bitmaps have 512 patches", "test")
    path = folder / "patches0001.bmp"
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    fails(r".*patches0001.bmp is truncated")
    path.write_bytes(whole[:20])
    fails(r".*patches0001.bmp is no BMP file")
    Image.new("RGB", (4, 4)).save(path)
    fails(r".*patches0001.bmp has 24 bits per pixel")
    Image.new("L", (3, 5)).save(path)
    fails(r".*patches0001.bmp has 5 by 3 pixels; need 1024 by 1024")


def test_mutated_bitmaps_never_crash(tmp_path):
    folder = tmp_path / "liberty"
    folder.mkdir()
    write_text(folder / "info.txt", "0 0\n" * 256)
    path = folder / "patches0000.bmp"
    Image.new("L", (1024, 1024)).save(path)
    whole = path.read_bytes()
    generator = np.random.default_rng(0)
    for _ in range(150):
        changed = bytearray(whole)
        for position in generator.integers(0, 60, 2):
            changed[position] = generator.choice([0, 1, 127, 128, 255])
        path.write_bytes(changed)
        try:
            source = sources.PhotoTourDataset(str(tmp_path), "liberty").open_source()
        except RuntimeError as error:
            assert "patches0000.bmp" in str(error)
        else:
            assert source[255][0].shape == (64, 64, 1)


def test_fake_images():
    def rows(**options):
        return source_rows(sources.FakeImageDataset(20, (3, 5, 1), 4, shuffle=False, **options))

    first, again, other = rows(), rows(), rows(base_seed=1)
    images = np.stack([row["image"] for row in first])
    assert images.shape == (20, 3, 5, 1) and images.dtype == np.uint8
    assert len(np.unique(images)) > 100 and {int(row["label"]) for row in first} == {0, 1, 2, 3}
    np.testing.assert_array_equal(images, np.stack([row["image"] for row in again]))
    assert (images != np.stack([row["image"] for row in other])).any()
    dataset = sources.FakeImageDataset(20, (3, 5, 1), 4)
    assert (
        dataset.open_source().classes == [int(row["label"]) for row in first] and dataset.num_classes() == 4
    )


@pytest.mark.parametrize(
    "arguments,error,message",
    [
        ((0,), ValueError, "num_images is 0; need an int of at least 1"),
        ((1 << 31,), ValueError, "num_images is 2147483648; need an int below"),
        ((1, 5), TypeError, "image_size is 5; need a tuple"),
        ((1, (2, 2)), TypeError, r"image_size is \(2, 2\); need a tuple of height"),
        ((1, (2, 0, 3)), ValueError, "image_size is 0; need an int of at least 1"),
        ((1, (2, 1 << 20, 3)), ValueError, r"image_size is \(2, 1048576, 3\); need sizes below 1048576"),
        ((1, (2, 2, 3), 0), ValueError, "num_classes is 0"),
        ((1, (2, 2, 3), 5, -1), ValueError, "base_seed is -1"),
    ],
)
def test_wrong_fake_images(arguments, error, message):
    with pytest.raises(error, match=f"FakeImageDataset: {message}"):
        sources.FakeImageDataset(*arguments)


def semeion_line(seed, label):
    pixels = np.random.default_rng(seed).integers(0, 2, 256)
    return (
        " ".join(f"{pixel}.0000" for pixel in pixels)
        + " "
        + " ".join(str(int(i == label)) for i in range(10))
        + " \n"
    )


def test_semeion_has_images_of_0_and_1(tmp_path):
    write_text(tmp_path / "semeion.data", semeion_line(0, 7) + semeion_line(1, 0))
    rows = source_rows(sources.SemeionDataset(str(tmp_path), shuffle=False))
    np.testing.assert_array_equal(rows[1]["image"].ravel(), np.random.default_rng(1).integers(0, 2, 256))
    assert rows[0]["image"].shape == (16, 16) and rows[0]["image"].dtype == np.uint8
    assert [int(row["label"]) for row in rows] == [7, 0] and rows[0]["label"].dtype == np.uint32
    for text in (
        "1 2 3\n",
        semeion_line(0, 1).replace(" 1 ", " 0 "),
        semeion_line(0, 1).replace(".", "x", 1),
    ):
        write_text(tmp_path / "semeion.data", text)
        with pytest.raises(
            RuntimeError, match=r"SemeionDataset: line 1 of .*semeion.data' is .*; need 256 pixels"
        ):
            sources.SemeionDataset(str(tmp_path)).open_source()


def usps_line(label, seed):
    pixels = np.random.default_rng(seed).integers(-4, 5, 256) / 4
    return f"{label} " + " ".join(
        f"{place}:{pixel:.6f}" for place, pixel in enumerate(pixels, 1)
    ) + " \n", pixels


def test_usps_has_the_images_of_each_usage(tmp_path):
    lines = [usps_line(label, label) for label in (1, 10, 5)]
    write_text(tmp_path / "usps", lines[0][0] + lines[1][0])
    write_text(tmp_path / "usps.t", lines[2][0])
    for usage, chosen in (("train", lines[:2]), ("test", lines[2:]), (None, lines)):
        rows = source_rows(sources.USPSDataset(str(tmp_path), usage, shuffle=False))
        expected = [((pixels + 1) / 2 * 255).astype(np.uint8).reshape(16, 16, 1) for _, pixels in chosen]
        np.testing.assert_array_equal(np.stack([row["image"] for row in rows]), np.stack(expected))
        assert [int(row["label"]) for row in rows] == [int(line.split()[0]) - 1 for line, _ in chosen]
    assert sources.USPSDataset(str(tmp_path)).open_source().rows_per_file == [2, 1]
    good = lines[0][0]
    for text in (
        good.replace("1 ", "11 ", 1),
        good.replace(" 7:", " 8:"),
        good[:-12] + "\n",
        "x\n",
        good.replace(":", ""),
    ):
        write_text(tmp_path / "usps", text)
        with pytest.raises(
            RuntimeError, match=r"USPSDataset: line 1 of .*usps' is .*; need a label from 1 to 10"
        ):
            sources.USPSDataset(str(tmp_path), "train").open_source()
