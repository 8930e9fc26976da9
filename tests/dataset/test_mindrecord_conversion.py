import collections
import gzip
import pickle
import struct

import numpy as np
import pytest
from record_files import example, tf_record

from dyad.dataset import vision
from dyad.mindrecord import (
    Cifar10ToMR,
    Cifar100ToMR,
    CsvToMR,
    FileReader,
    ImageNetToMR,
    MindPage,
    MnistToMR,
    TFRecordToMR,
)

Feature = collections.namedtuple("Feature", ["shape", "dtype"])


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def rows(name):
    return list(FileReader(name).get_next())


def smooth(count, height, width, channels):
    """Images that JPEG keeps nearly as they are."""
    steps = (
        np.arange(height)[:, None, None] * 3 + np.arange(width)[None, :, None] * 2 + np.arange(channels) * 10
    )
    return np.stack([steps + 5 * i for i in range(count)]).astype(np.uint8)


def write_batch(path, images, **labels):
    batch = {b"data": images.transpose(0, 3, 1, 2).reshape(len(images), -1)}
    batch.update({name.encode(): values for name, values in labels.items()})
    path.write_bytes(pickle.dumps(batch))


def nearly(encoded, image):
    decoded = vision.Decode()(np.frombuffer(encoded, np.uint8)).astype(int)
    return np.abs(decoded - image).mean() < 6


def test_cifar10_is_converted_to_mindrecord(tmp_path):
    images = smooth(3, 32, 32, 3)
    for name in [*(f"data_batch_{i}" for i in range(1, 6)), "test_batch"]:
        write_batch(tmp_path / name, images, labels=[7, 8, 9])
    Cifar10ToMR(str(tmp_path), "cifar").transform(["label"])
    train, test = rows("cifar"), rows("cifar_test")
    assert [row["id"] for row in train] == list(range(15)) and len(test) == 3
    assert [row["label"] for row in test] == [7, 8, 9]
    assert all(nearly(row["data"], image) for row, image in zip(test, images, strict=True))
    assert MindPage("cifar").candidate_fields == ["label"]


def test_cifar100_is_converted_to_mindrecord(tmp_path):
    for name in ("train", "test"):
        write_batch(tmp_path / name, smooth(2, 32, 32, 3), fine_labels=[5, 6], coarse_labels=[0, 1])
    Cifar100ToMR(str(tmp_path), "cifar").run()
    assert [(row["fine_label"], row["coarse_label"]) for row in rows("cifar")] == [(5, 0), (6, 1)]


class Unwanted:
    def __reduce__(self):
        return (print, ("a pickle ran a program",))


@pytest.mark.parametrize("contents", [b"no pickle", pickle.dumps({}), pickle.dumps(Unwanted())])
def test_what_is_not_a_batch_is_refused_and_not_run(tmp_path, capsys, contents):
    (tmp_path / "train").write_bytes(contents)
    with pytest.raises(RuntimeError, match=r"Cifar100ToMR: the file .*train is no batch of CIFAR, or broken"):
        Cifar100ToMR(str(tmp_path), "cifar").run()
    assert capsys.readouterr().out == ""


def write_idx(path, array):
    header = struct.pack(f">{1 + array.ndim}I", 0x800 + array.ndim, *array.shape)
    path.write_bytes(gzip.compress(header + array.tobytes()))


def test_mnist_is_converted_to_mindrecord(tmp_path):
    images = smooth(3, 28, 28, 1)[..., 0]
    for stem in ("train", "t10k"):
        write_idx(tmp_path / f"{stem}-images-idx3-ubyte.gz", images)
        write_idx(tmp_path / f"{stem}-labels-idx1-ubyte.gz", np.array([3, 1, 2], np.uint8))
    MnistToMR(str(tmp_path), "mnist").transform()
    assert [row["label"] for row in rows("mnist_train.mindrecord")] == [3, 1, 2]
    assert nearly(rows("mnist_test.mindrecord")[1]["data"], images[1][..., None])
    (tmp_path / "t10k-labels-idx1-ubyte.gz").write_bytes(gzip.compress(b"\0\0\x08\x01\0\0\0\x09"))
    with pytest.raises(
        RuntimeError, match=r"t10k-labels-idx1-ubyte.gz is no IDX file of 1 dimensions, or cut off"
    ):
        MnistToMR(str(tmp_path), "again").transform()


def test_imagenet_is_converted_to_mindrecord(tmp_path):
    for folder, names in (("n01", ("b.JPEG", "a.JPEG")), ("n02", ("c.JPEG",))):
        (tmp_path / "images" / folder).mkdir(parents=True)
        for name in names:
            (tmp_path / "images" / folder / name).write_bytes(name.encode())
    (tmp_path / "map.txt").write_text("n01 0\nn02 1\n")
    ImageNetToMR("map.txt", "images", "out").transform()
    assert [(row["image"], row["label"]) for row in rows("out")] == [
        (b"a.JPEG", 0),
        (b"b.JPEG", 0),
        (b"c.JPEG", 1),
    ]
    (tmp_path / "map.txt").write_text("n01\n")
    with pytest.raises(
        RuntimeError, match=r"line 1 of map.txt is 'n01'; need the name of a folder and a number"
    ):
        ImageNetToMR("map.txt", "images", "other").transform()


def test_csv_is_converted_to_mindrecord(tmp_path):
    (tmp_path / "table.csv").write_text('id,name,score,good\n1,"ann, x",2.5,True\n-2,bob,3,False\n')
    CsvToMR("table.csv", "out").transform()
    assert rows("out") == [
        {"good": 1, "id": 1, "name": "ann, x", "score": 2.5},
        {"good": 0, "id": -2, "name": "bob", "score": 3.0},
    ]
    kinds = {name: field["type"] for name, field in FileReader("out").schema().items()}
    assert kinds == {"good": "int32", "id": "int64", "name": "string", "score": "float64"}
    CsvToMR("table.csv", "two", ["name"], 2).transform()
    assert [row["name"] for row in rows("two0")] == ["ann, x", "bob"]
    with pytest.raises(RuntimeError, match="there is no column 'nope'; need one of id, name, score, good"):
        CsvToMR("table.csv", "x", ["nope"]).transform()
    (tmp_path / "table.csv").write_text("a,b\n1\n")
    with pytest.raises(RuntimeError, match=r"record 2 of table.csv has 1 fields; need 2"):
        CsvToMR("table.csv", "x").transform()


def test_tfrecord_is_converted_to_mindrecord(tmp_path):
    features = {"n": [7], "img/raw": [b"\xff\0"], "s": ["é".encode()], "list": [0.5, 1.5], "f": [2.5]}
    (tmp_path / "rows").write_bytes(tf_record(example(features)) * 2)
    declared = {
        "n": Feature([], "int64"),
        "img/raw": Feature([], "string"),
        "s": Feature([], "string"),
        "list": Feature([2], "float32"),
        "f": Feature([], "float32"),
    }
    TFRecordToMR("rows", "out", declared, ["img/raw"]).transform()
    first, second = rows("out")
    assert first["list"].tolist() == second["list"].tolist() == [0.5, 1.5]
    assert {name: first[name] for name in ("n", "img_raw", "s", "f")} == {
        "n": 7, "img_raw": b"\xff\0", "s": "é", "f": 2.5,
    }  # fmt: skip


@pytest.mark.parametrize(
    "error, call, message",
    [
        (TypeError, lambda: CsvToMR(3, "x"), "source is 3 of type int; need a str"),
        (RuntimeError, lambda: CsvToMR("no.csv", "x"), "source is 'no.csv'; the file does not exist"),
        (RuntimeError, lambda: MnistToMR("nowhere", "x"), "source is 'nowhere'; the folder does not exist"),
        (RuntimeError, lambda: Cifar10ToMR(".", "x").run(), "data_batch_1'; the file does not exist"),
        (TypeError, lambda: Cifar10ToMR(".", "x").run("label"), "fields is 'label'; need a list of str"),
        (RuntimeError, lambda: ImageNetToMR("no", ".", "x"), "map_file is 'no'; the file does not exist"),
        (TypeError, lambda: TFRecordToMR(__file__, "x", {}), "need a dict of FixedLenFeature"),
        (
            TypeError,
            lambda: TFRecordToMR(__file__, "x", {"a": 3}),
            r"feature_dict\['a'\] is 3; need a FixedLenFeature",
        ),
        (ValueError, lambda: TFRecordToMR(__file__, "x", {"a": Feature([2, 2], "int64")}), "has shape"),
        (ValueError, lambda: TFRecordToMR(__file__, "x", {"a": Feature([], "complex64")}), "is of complex64"),
        (
            ValueError,
            lambda: TFRecordToMR(__file__, "x", {"a": Feature([], "int64")}, ["b"]),
            "bytes_fields has 'b'",
        ),
    ],
)
def test_wrong_calls(error, call, message):
    with pytest.raises(error, match=message):
        call()
