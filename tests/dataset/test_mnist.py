"""MNIST and its relatives: IDX files."""

import numpy as np
import pytest
from image_files import source_rows, write_idx

from dyad.dataset import image_datasets as sources


def images(count, seed=0, height=28, width=28):
    return np.random.default_rng(seed).integers(0, 256, (count, height, width), np.uint8)


@pytest.fixture
def folder(tmp_path):
    write_idx(tmp_path / "train-images-idx3-ubyte", images(6))
    write_idx(tmp_path / "train-labels-idx1-ubyte", np.arange(6, dtype=np.uint8))
    write_idx(tmp_path / "t10k-images-idx3-ubyte", images(4, 1))
    write_idx(tmp_path / "t10k-labels-idx1-ubyte", np.arange(250, 254, dtype=np.uint8))
    return tmp_path


@pytest.mark.parametrize("name", ["MnistDataset", "FashionMnistDataset", "KMnistDataset"])
def test_images_and_labels(folder, name):
    rows = source_rows(getattr(sources, name)(str(folder), "train", shuffle=False))
    assert [*rows[0]] == ["image", "label"]
    assert rows[0]["image"].shape == (28, 28, 1) and rows[0]["image"].dtype == np.uint8
    assert rows[0]["label"].shape == () and rows[0]["label"].dtype == np.uint32
    np.testing.assert_array_equal(np.stack([row["image"] for row in rows])[..., 0], images(6))
    assert [int(row["label"]) for row in rows] == [*range(6)]


def test_mnist_has_the_images_of_each_usage(folder):
    labels = {
        usage: [
            int(row["label"]) for row in source_rows(sources.MnistDataset(str(folder), usage, shuffle=False))
        ]
        for usage in ("test", "all", None)
    }
    assert labels["test"] == [250, 251, 252, 253]
    assert labels["all"] == labels[None] == [250, 251, 252, 253, 0, 1, 2, 3, 4, 5]


def test_classes_are_those_of_the_rows(folder):
    source = sources.MnistDataset(str(folder)).open_source()
    assert source.classes == [250, 251, 252, 253, 0, 1, 2, 3, 4, 5]


def test_a_row_is_a_copy(folder):
    source = sources.MnistDataset(str(folder), "train").open_source()
    source[0][0][:] = 0
    np.testing.assert_array_equal(source[0][0][..., 0], images(6)[0])


@pytest.mark.parametrize("index", [-1, 6, 1 << 40])
def test_a_row_that_is_not_there(folder, index):
    with pytest.raises(IndexError, match=f"MnistDataset: row {index} was asked for; there are 6 rows"):
        sources.MnistDataset(str(folder), "train").open_source()[index]


@pytest.mark.parametrize("height,width", [(1, 1), (1, 7), (7, 1), (3, 5)])
def test_images_of_other_sizes(tmp_path, height, width):
    write_idx(tmp_path / "train-images.idx3-ubyte", images(2, 3, height, width))
    write_idx(tmp_path / "train-labels.idx1-ubyte", np.zeros(2, np.uint8))
    rows = source_rows(sources.MnistDataset(str(tmp_path)))
    np.testing.assert_array_equal(
        np.stack([row["image"] for row in rows])[..., 0], images(2, 3, height, width)
    )


def test_emnist_has_the_images_of_each_part(tmp_path):
    for usage, count in (("train", 3), ("test", 2)):
        write_idx(tmp_path / f"emnist-letters-{usage}-images-idx3-ubyte", images(count))
        write_idx(
            tmp_path / f"emnist-letters-{usage}-labels-idx1-ubyte", np.arange(count, dtype=np.uint8) + 1
        )
    assert len(source_rows(sources.EMnistDataset(str(tmp_path), "letters"))) == 5
    rows = source_rows(sources.EMnistDataset(str(tmp_path), "letters", "train", shuffle=False))
    assert [int(row["label"]) for row in rows] == [1, 2, 3]
    with pytest.raises(ValueError, match="EMnistDataset: name is 'roman'; need one of byclass, bymerge"):
        sources.EMnistDataset(str(tmp_path), "roman")
    with pytest.raises(RuntimeError, match="EMnistDataset: no data was found"):
        sources.EMnistDataset(str(tmp_path), "digits").open_source()


@pytest.fixture
def qmnist(tmp_path):
    for stem, count in (("qmnist-train", 3), ("qmnist-test", 4), ("xnist", 2)):
        write_idx(tmp_path / f"{stem}-images-idx3-ubyte", images(count))
        labels = np.arange(count * 8, dtype=np.int32).reshape(count, 8) + (70000 if stem == "xnist" else 0)
        write_idx(tmp_path / f"{stem}-labels-idx2-int", labels)
    return str(tmp_path)


def test_qmnist_labels(qmnist):
    rows = source_rows(sources.QMnistDataset(qmnist, "all", shuffle=False))
    assert [int(row["label"]) for row in rows] == [0, 8, 16, 0, 8, 16, 24, 70000, 70008]
    rows = source_rows(sources.QMnistDataset(qmnist, "nist", compat=False))
    np.testing.assert_array_equal(rows[1]["label"], np.arange(8) + 70008)
    assert rows[1]["label"].dtype == np.uint32
    assert len(source_rows(sources.QMnistDataset(qmnist, "test10k"))) == 4


def test_qmnist_parts_of_the_test_images(tmp_path):
    write_idx(tmp_path / "qmnist-test-images-idx3-ubyte", np.zeros((10003, 1, 1), np.uint8))
    labels = np.repeat(np.arange(10003, dtype=np.int32), 8).reshape(-1, 8)
    write_idx(tmp_path / "qmnist-test-labels-idx2-int", labels)
    first = sources.QMnistDataset(str(tmp_path), "test10k").open_source()
    rest = sources.QMnistDataset(str(tmp_path), "test50k").open_source()
    assert (len(first), len(rest)) == (10000, 3)
    assert rest.classes == [10000, 10001, 10002] and int(rest[2][1]) == 10002


def test_qmnist_without_the_rest(qmnist):
    with pytest.raises(RuntimeError, match="has 4 images; need more than 10000"):
        sources.QMnistDataset(qmnist, "test50k").open_source()


def damaged(folder, name, change):
    path = folder / name
    path.write_bytes(change(path.read_bytes()))


@pytest.mark.parametrize(
    "name,change,message",
    [
        ("train-images-idx3-ubyte", lambda data: data[:-1], "has 4719 bytes; its header says 4720"),
        ("train-images-idx3-ubyte", lambda data: data[:10], "truncated"),
        ("train-images-idx3-ubyte", lambda data: data + b"x", "its header says 4720"),
        ("train-images-idx3-ubyte", lambda data: b"", "is no IDX file"),
        ("train-images-idx3-ubyte", lambda data: b"\x1f\x8b" + data[2:], "is no IDX file"),
        ("train-images-idx3-ubyte", lambda data: data[:4] + b"\xff" * 12 + data[16:], "truncated"),
        ("train-images-idx3-ubyte", lambda data: data[:4] + bytes(12), "holds no elements"),
        (
            "train-images-idx3-ubyte",
            lambda data: b"\0\0\x08\x01" + struct_int(4) + b"abcd",
            "holds no images",
        ),
        (
            "train-labels-idx1-ubyte",
            lambda data: b"\0\0\x08\x01" + struct_int(5) + b"abcde",
            "6 images, .* 5 labels",
        ),
        (
            "train-labels-idx1-ubyte",
            lambda data: b"\0\0\x08\x03" + struct_int(1) * 3 + b"a",
            "holds no labels",
        ),
    ],
)
def test_damaged_files_are_named(folder, name, change, message):
    damaged(folder, name, change)
    with pytest.raises(RuntimeError, match=f"MnistDataset: .*{name}.*{message}|MnistDataset: .*{message}"):
        sources.MnistDataset(str(folder)).open_source()


def struct_int(number):
    return number.to_bytes(4, "big")


def test_every_truncation_is_an_error(folder):
    path = folder / "train-labels-idx1-ubyte"
    whole = path.read_bytes()
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        with pytest.raises(RuntimeError, match="train-labels-idx1-ubyte"):
            sources.MnistDataset(str(folder), "train").open_source()


def test_mutated_headers_never_crash(folder):
    path = folder / "train-images-idx3-ubyte"
    whole = bytearray(path.read_bytes())
    for position in range(16):
        for value in (0, 1, 2, 127, 255):
            changed = bytearray(whole)
            changed[position] = value
            path.write_bytes(changed)
            try:
                rows = source_rows(sources.MnistDataset(str(folder), "train"))
            except RuntimeError as error:
                assert "train-images-idx3-ubyte" in str(error)
            else:
                assert changed == whole and len(rows) == 6


def test_missing_files(tmp_path, folder):
    (folder / "train-labels-idx1-ubyte").rename(folder / "train-labels-idx1-ubyte.gz")
    with pytest.raises(RuntimeError, match=r"'train-labels-idx1-ubyte' is missing in .*; unpack .*\.gz"):
        sources.MnistDataset(str(folder)).open_source()
    (tmp_path / "empty").mkdir()
    with pytest.raises(RuntimeError, match=r"MnistDataset: no data was found in .*empty"):
        sources.MnistDataset(str(tmp_path / "empty")).open_source()


def test_files_whose_images_differ_in_size(folder):
    write_idx(folder / "t10k-images-idx3-ubyte", images(4, 1, 10, 12))
    with pytest.raises(RuntimeError, match="differ in size"):
        sources.MnistDataset(str(folder)).open_source()
