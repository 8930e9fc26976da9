"""Behavior shared by all datasets of image files: arguments, and runs in a pipeline."""

import threading

import numpy as np
import pytest
from image_files import picture, save_picture, write_idx

from dyad import dataset as ds


@pytest.fixture
def mnist(tmp_path):
    folder = tmp_path / "mnist"
    images = np.random.default_rng(0).integers(0, 256, (20, 28, 28), np.uint8)
    write_idx(folder / "train-images-idx3-ubyte", images)
    write_idx(folder / "train-labels-idx1-ubyte", np.arange(20, dtype=np.uint8) % 4)
    return str(folder)


@pytest.fixture
def folder(tmp_path):
    for seed in range(8):
        save_picture(tmp_path / "images" / f"class{seed % 2}" / f"{seed}.png", seed)
    return tmp_path / "images"


def labels(dataset):
    return [int(row[1]) for row in dataset.create_tuple_iterator(num_epochs=1, output_numpy=True)]


@pytest.mark.parametrize(
    "options,error,message",
    [
        ({"dataset_dir": 3}, TypeError, "dataset_dir is 3 of type int; need a str"),
        ({"dataset_dir": "/none"}, ValueError, "dataset_dir is '/none'; the folder does not exist"),
        ({"usage": "valid"}, ValueError, "usage is 'valid'; need one of train, test, all"),
        ({"usage": 3}, TypeError, "usage is 3 of type int; need a str"),
        ({"num_samples": -1}, ValueError, "num_samples is -1; need an int of at least 0"),
        ({"num_samples": 2.0}, TypeError, "num_samples is 2.0 of type float; need an int"),
        ({"num_parallel_workers": 0}, ValueError, "num_parallel_workers is 0; need an int of at least 1"),
        ({"num_parallel_workers": "a"}, TypeError, "num_parallel_workers is 'a' of type str; need an int"),
        ({"shuffle": 1}, TypeError, "shuffle is 1 of type int; need a bool"),
        (
            {"num_shards": 2},
            RuntimeError,
            "num_shards is 2 and shard_id is None; num_shards requires shard_id",
        ),
        ({"shard_id": 0}, RuntimeError, "shard_id is 0 and num_shards is None; shard_id requires num_shards"),
        ({"num_shards": 0, "shard_id": 0}, ValueError, "num_shards is 0; need an int of at least 1"),
        ({"num_shards": 2, "shard_id": 2}, ValueError, r"shard_id is 2; need an int in \[0, 1\]"),
        ({"num_shards": "2", "shard_id": 0}, TypeError, "num_shards is '2' of type str; need an int"),
        ({"num_shards": 1 << 31, "shard_id": 0}, ValueError, r"num_shards is 2147483648; need an int in \[1"),
        (
            {"sampler": "abc", "shuffle": True},
            RuntimeError,
            "sampler and shuffle cannot be specified at the same time",
        ),
        ({"sampler": [1], "num_samples": 1}, RuntimeError, "sampler and num_samples cannot be specified"),
        (
            {"sampler": [1], "num_shards": 1, "shard_id": 0},
            RuntimeError,
            "sampler and sharding cannot be specified",
        ),
        ({"sampler": 3.5}, TypeError, "sampler is 3.5; need a sampler"),
        ({"cache": 3}, TypeError, "cache is 3"),
    ],
)
def test_wrong_arguments(mnist, options, error, message):
    with pytest.raises(error, match=f"MnistDataset: {message}"):
        ds.MnistDataset(**{"dataset_dir": mnist, **options})


def test_sizes_names_and_types(mnist):
    dataset = ds.MnistDataset(mnist)
    assert dataset.get_dataset_size() == len(dataset) == 20
    assert dataset.get_col_names() == ["image", "label"]
    assert dataset.output_shapes() == [[28, 28, 1], []]
    assert dataset.output_types() == [np.uint8, np.uint32]


def test_rows_are_shuffled_unless_told_otherwise(mnist):
    in_order = [i % 4 for i in range(20)]
    assert labels(ds.MnistDataset(mnist, shuffle=False)) == in_order
    mixed = labels(ds.MnistDataset(mnist))
    assert mixed != in_order and sorted(mixed) == sorted(in_order)
    assert labels(ds.MnistDataset(mnist, num_samples=3, shuffle=False)) == in_order[:3]


def test_shards_and_samplers(mnist):
    assert labels(ds.MnistDataset(mnist, num_shards=4, shard_id=3, shuffle=False)) == [3] * 5
    assert labels(ds.MnistDataset(mnist, sampler=ds.SubsetSampler([5, 2]))) == [1, 2]
    dataset = ds.MnistDataset(mnist, sampler=ds.PKSampler(2))
    assert dataset.get_dataset_size() == 8 and sorted(labels(dataset)) == [0, 0, 1, 1, 2, 2, 3, 3]


def test_a_row_that_a_sampler_names_and_is_not_there(mnist):
    with pytest.raises((RuntimeError, ValueError, IndexError), match="20"):
        labels(ds.MnistDataset(mnist, sampler=ds.SubsetSampler([20])))


def test_decoded_images_in_batches(folder):
    dataset = ds.ImageFolderDataset(str(folder), decode=True, shuffle=False, num_parallel_workers=2).batch(4)
    batches = [*dataset.create_dict_iterator(num_epochs=1, output_numpy=True)]
    expected = np.stack([picture(seed) for seed in (0, 2, 4, 6, 1, 3, 5, 7)])
    np.testing.assert_array_equal(np.concatenate([batch["image"] for batch in batches]), expected)
    assert np.concatenate([batch["label"] for batch in batches]).tolist() == [0] * 4 + [1] * 4


def test_a_corrupt_image_in_a_pipeline_is_named(folder):
    (folder / "class1" / "3.png").write_bytes(b"broken")
    threads = threading.active_count()
    with pytest.raises(RuntimeError, match=r"ImageFolderDataset: the file .*class1/3\.png cannot be read"):
        labels(ds.ImageFolderDataset(str(folder), decode=True, shuffle=False))
    assert threading.active_count() == threads


def test_a_missing_file_in_a_pipeline_is_named(folder):
    dataset = ds.ImageFolderDataset(str(folder), shuffle=False)
    assert len(dataset) == 8
    (folder / "class0" / "4.png").unlink()
    with pytest.raises(RuntimeError, match=r"ImageFolderDataset: the file .*class0/4\.png cannot be opened"):
        labels(dataset)


def test_decrypt_in_a_pipeline(folder):
    def read(path):
        with open(path, "rb") as file:
            return file.read()

    dataset = ds.ImageFolderDataset(
        str(folder), decode=True, shuffle=False, decrypt=read, num_parallel_workers=3
    )
    rows = [*dataset.create_tuple_iterator(num_epochs=1, output_numpy=True)]
    np.testing.assert_array_equal(rows[7][0], picture(7))


def test_the_public_names():
    for name in ds.image_datasets.__all__:
        assert getattr(ds, name) is getattr(ds.image_datasets, name)
        assert getattr(ds, name).__doc__
