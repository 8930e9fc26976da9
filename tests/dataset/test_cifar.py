"""CIFAR-10 and CIFAR-100: the binary version."""

import numpy as np
import pytest
from image_files import source_rows

from dyad.dataset.image_datasets import Cifar10Dataset, Cifar100Dataset


def records(count, labels, seed):
    """Random records with `labels` bytes of labels."""
    return np.random.default_rng(seed).integers(0, 256, (count, labels + 3072), np.uint8)


def expected_images(records, labels):
    return records[:, labels:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)


@pytest.fixture
def cifar10(tmp_path):
    files = {
        "data_batch_1.bin": records(3, 1, 0),
        "data_batch_2.bin": records(1, 1, 1),
        "test_batch.bin": records(2, 1, 2),
    }
    for name, contents in files.items():
        contents.tofile(tmp_path / name)
    (tmp_path / "batches.meta.txt").write_text("airplane\n")
    return tmp_path, files


def test_cifar10_has_the_records_of_each_usage(cifar10):
    folder, files = cifar10
    for usage, names in {
        "train": ["data_batch_1.bin", "data_batch_2.bin"],
        "test": ["test_batch.bin"],
        "all": [*files],
        None: [*files],
    }.items():
        given = np.concatenate([files[name] for name in names])
        rows = source_rows(Cifar10Dataset(str(folder), usage, shuffle=False))
        assert [*rows[0]] == ["image", "label"]
        np.testing.assert_array_equal(np.stack([row["image"] for row in rows]), expected_images(given, 1))
        assert [int(row["label"]) for row in rows] == given[:, 0].tolist()
        assert rows[0]["label"].dtype == np.uint32 and rows[0]["label"].shape == ()


def test_cifar100_has_coarse_and_fine_labels(tmp_path):
    train, test = records(2, 2, 3), records(3, 2, 4)
    train.tofile(tmp_path / "train.bin")
    test.tofile(tmp_path / "test.bin")
    rows = source_rows(Cifar100Dataset(str(tmp_path), "test", shuffle=False))
    assert [*rows[0]] == ["image", "coarse_label", "fine_label"]
    np.testing.assert_array_equal(np.stack([row["image"] for row in rows]), expected_images(test, 2))
    assert [int(row["coarse_label"]) for row in rows] == test[:, 0].tolist()
    assert [int(row["fine_label"]) for row in rows] == test[:, 1].tolist()
    source = Cifar100Dataset(str(tmp_path)).open_source()
    assert len(source) == 5 and source.classes == [*train[:, 1].tolist(), *test[:, 1].tolist()]


@pytest.mark.parametrize("size", [0, 1, 3072, 3074, 2 * 3073 - 1])
def test_a_file_of_another_size_is_named(cifar10, size):
    (cifar10[0] / "data_batch_2.bin").write_bytes(bytes(size))
    with pytest.raises(
        RuntimeError, match=rf"Cifar10Dataset: .*data_batch_2.bin has {size} bytes; need a multiple"
    ):
        Cifar10Dataset(str(cifar10[0])).open_source()


def test_no_file(tmp_path):
    with pytest.raises(RuntimeError, match="Cifar100Dataset: no data was found"):
        Cifar100Dataset(str(tmp_path)).open_source()


def test_a_row_that_is_not_there(cifar10):
    source = Cifar10Dataset(str(cifar10[0])).open_source()
    for index in (-1, len(source)):
        with pytest.raises(IndexError, match="Cifar10Dataset: row"):
            source[index]
