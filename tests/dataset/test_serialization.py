"""Datasets as JSON, and datasets in files."""

import json

import numpy as np
import pytest
from pipeline_rows import firsts, numbers, pairs, rows

import dyad
from dyad import dataset as ds
from dyad.dataset import transforms, vision


def chain(count=6):
    images = np.arange(count * 12, dtype=np.uint8).reshape(count, 2, 2, 3)
    dataset = ds.NumpySlicesDataset({"image": images, "label": np.arange(count)}, shuffle=False)
    dataset = dataset.map([vision.Rescale(1 / 255, 0.0), vision.HWC2CHW()], "image")
    dataset = dataset.map(transforms.TypeCast(dyad.int32), ["label"], ["class"])
    return dataset.skip(1).batch(2, drop_remainder=True).repeat(2)


@pytest.mark.parametrize(
    "make",
    [
        chain,
        lambda: numbers(1, 2, 3).project("a").rename("a", "b").take(2),
        lambda: ds.zip((numbers(1, 2), numbers("x", "y").rename("a", "b"))),
        lambda: (numbers(1) + numbers(2)).concat([numbers(3)]),
        lambda: numbers(1, 2, 3, shuffle=None, sampler=ds.SubsetSampler([2, 0])),
        lambda: numbers(1, 2, 3, 4).split([2, 2], randomize=False)[1],
        lambda: numbers(1, 2, 3, 4).map(transforms.TypeCast("float32")).split([2, 2], randomize=False)[1],
        lambda: numbers([1.0], [1.0, 2.0]).padded_batch(2, pad_info={"a": ([None], 7)}),
        lambda: numbers(1, 2, num_shards=2, shard_id=1),
        lambda: ds.PaddedDataset([{"a": np.array(3)}]),
    ],
)
def test_a_dataset_made_again_gives_the_same_rows(make, tmp_path):
    path = str(tmp_path / "pipeline.json")
    tree = ds.serialize(make(), path)
    assert json.loads(json.dumps(tree)) == tree
    assert rows(ds.deserialize(tree)) == rows(ds.deserialize(json_filepath=path)) == rows(make())
    assert ds.compare(make(), ds.deserialize(tree))


def test_compare_tells_pipelines_apart_by_their_arguments():
    assert ds.compare(chain(), chain()) and not ds.compare(chain(), chain(7))
    assert not ds.compare(numbers(1).batch(2), numbers(1).batch(3))
    assert not ds.compare(
        numbers(1).map(transforms.TypeCast(dyad.int32)), numbers(1).map(transforms.TypeCast(dyad.int8))
    )


def test_show_prints_the_pipeline_as_json(capsys):
    ds.show(numbers(1).batch(2))
    assert json.loads(capsys.readouterr().out)["op_type"] == "BatchDataset"
    assert numbers(1).to_json()["op_type"] == "NumpySlicesDataset"


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: ds.serialize(3), TypeError, "got 3"),
        (lambda: ds.serialize(numbers(1), 3), TypeError, "json_filepath is 3"),
        (lambda: ds.deserialize(), ValueError, "need either"),
        (lambda: ds.deserialize({"a": 1}), ValueError, "need what serialize gives"),
        (lambda: ds.deserialize(json_filepath="/none.json"), RuntimeError, "cannot be read"),
        (
            lambda: ds.deserialize(ds.serialize(pairs())),
            RuntimeError,
            "'Pairs' is not part of the description",
        ),
        (lambda: ds.deserialize(ds.serialize(numbers(1).map(abs))), RuntimeError, "'abs' is not part"),
        (
            lambda: ds.deserialize({"op_type": "x", "class": "os:system", "arguments": {}}),
            RuntimeError,
            "not a class",
        ),
        (
            lambda: ds.deserialize({"op_type": "x", "class": "dyad.dataset:None_", "arguments": {}}),
            RuntimeError,
            "no ",
        ),
        (
            lambda: ds.deserialize({"op_type": "x", "class": "dyad.dataset:zip", "arguments": {}}),
            RuntimeError,
            "class",
        ),
        (lambda: numbers(1).save(3), TypeError, "file_name is 3"),
        (lambda: numbers(1).save("x", 0), ValueError, "num_files is 0"),
        (lambda: numbers(1).save("x", 1, "csv"), ValueError, "file_type is 'csv'"),
    ],
)
def test_wrong_arguments_of_serialization_are_rejected(make, error, text):
    with pytest.raises(error, match=text):
        make()


def test_save_as_mindrecord(tmp_path):
    path = str(tmp_path / "rows.mindrecord")
    data = {
        "x": np.arange(5, dtype=np.uint8),
        "y": np.arange(10, dtype=np.float32).reshape(5, 2),
        "z": list("abcde"),
    }
    ds.NumpySlicesDataset(data, shuffle=False).save(path)
    read = ds.MindDataset(path, shuffle=False).project(["x", "y", "z"])
    assert rows(read) == [[i, [2.0 * i, 2.0 * i + 1], "abcde"[i]] for i in range(5)]


@pytest.mark.parametrize("num_files", [1, 2])
def test_save_as_tfrecord(tmp_path, num_files):
    path = str(tmp_path / "rows.tfrecord")
    data = {"x": np.array([-1, 0, 1 << 40]), "y": np.array([0.5, 1.5, 2.5], np.float32), "z": ["a", "b", "c"]}
    ds.NumpySlicesDataset(data, shuffle=False).save(path, num_files, "tfrecord")
    files = sorted(map(str, tmp_path.iterdir()))
    assert len(files) == num_files
    read = ds.TFRecordDataset(files, shuffle=False).project(["x", "y", "z"])
    values = sorted((np.ravel(x)[0], np.ravel(y)[0], np.ravel(z)[0]) for x, y, z in rows(read))
    assert [value[0] for value in values] == [-1, 0, 1 << 40] and [value[1] for value in values] == [
        0.5,
        1.5,
        2.5,
    ]


def test_a_column_that_no_file_holds(tmp_path):
    with pytest.raises(RuntimeError, match="the column 'a' has complex"):
        numbers(1j).save(str(tmp_path / "x.mindrecord"))
    with pytest.raises(RuntimeError, match="the column 'a' has float64"):
        numbers(0.5).save(str(tmp_path / "x.tfrecord"), file_type="tfrecord")
    assert firsts(numbers(0.5)) == [0.5]
