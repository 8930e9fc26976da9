import json
import random
import sqlite3
import struct

import numpy as np
import pytest
from record_files import epoch, first_column

from dyad.dataset import (
    DistributedSampler,
    MindDataset,
    PKSampler,
    SequentialSampler,
    Shuffle,
    SubsetSampler,
    vision,
)
from dyad.mindrecord import FileReader, FileWriter, MindPage

SCHEMA = {
    "name": {"type": "string"},
    "label": {"type": "int32"},
    "big": {"type": "int64"},
    "f": {"type": "float32"},
    "d": {"type": "float64"},
    "data": {"type": "bytes"},
    "ints": {"type": "int32", "shape": [-1]},
    "longs": {"type": "int64", "shape": [2, 2]},
    "floats": {"type": "float32", "shape": [-1, 2]},
}


def row(i):
    return {
        "name": f"nämé{i}" * (i % 40),
        "label": i % 5,
        "big": (i - 3) << 40,
        "f": i / 4,
        "d": i / 7,
        "data": bytes([i % 256]) * (i * 37 % 3000),
        "ints": (np.arange(i % 7) * (-1) ** i * 10 ** (i % 9)).astype(np.int32),
        "longs": np.array([[1, 200], [-3, i << 33]], np.int64),
        "floats": np.full((i % 5 + 1, 2), i, np.float32),
    }


def write(path, rows, schema=SCHEMA, shards=1, index=None, small=True):
    writer = FileWriter(str(path), shards, overwrite=True)
    if small:
        writer.set_header_size(1 << 14)
        writer.set_page_size(1 << 15)
    writer.add_schema(schema, "of a test")
    if index:
        writer.add_index(index)
    writer.write_raw_data(rows)
    writer.commit()
    return f"{path}{'0' * len(str(shards - 1)) if shards > 1 else ''}"


def same(a, b):
    return all(np.array_equal(a[name], b[name]) for name in b)


@pytest.fixture
def numbers(tmp_path):
    """Ten rows in three files: 0 to 3, 4 to 6, 7 to 9."""
    return write(tmp_path / "n", [{"n": i} for i in range(10)], {"n": {"type": "int32"}}, shards=3)


@pytest.mark.parametrize("shards", [1, 2, 3, 11])
@pytest.mark.parametrize("count", [1, 2, 150])
def test_rows_come_back_as_they_were_written(tmp_path, shards, count):
    rows = [row(i) for i in range(count)]
    reader = FileReader(write(tmp_path / "data", rows, shards=shards))
    read = list(reader.get_next())
    assert reader.len() == len(read) == count
    assert all(same(a, b) for a, b in zip(read, rows, strict=True))
    assert reader.schema() == SCHEMA


def test_values_have_the_types_of_python(tmp_path):
    reader = FileReader(write(tmp_path / "data", [{**row(3), "data": b"\0ab\0\0"}]))
    values = next(reader.get_next())
    assert [type(values[name]) for name in ("name", "label", "f", "data")] == [str, int, float, bytes]
    assert values["data"] == b"\0ab\0\0"
    assert next(FileReader(write(tmp_path / "data", [{**row(3), "data": b""}])).get_next())["data"] == b""


@pytest.mark.parametrize(
    "schema", [{"n": {"type": "int32"}}, {"b": {"type": "bytes"}}, {"a": SCHEMA["ints"]}]
)
def test_files_with_raw_or_blob_fields_only(tmp_path, schema):
    values = {"n": 7, "b": b"abc", "a": np.array([1, 300, 70000], np.int32)}
    path = write(tmp_path / "data", [values] * 3, schema)
    assert all(same(values, read) for read in FileReader(path).get_next())
    assert len(MindDataset(path)) == 3


def test_rows_are_appended(tmp_path):
    path = write(tmp_path / "data", [row(i) for i in range(40)], shards=2, index=["label"])
    for begin in (40, 80):
        writer = FileWriter.open_for_append(path)
        writer.write_raw_data([row(i) for i in range(begin, begin + 40)])
        writer.commit()
    labels = sorted(read["name"] for read in FileReader(path).get_next())
    assert labels == sorted(row(i)["name"] for i in range(120))
    assert MindPage(path).candidate_fields == ["label"]


def test_the_bytes_are_those_of_the_format(tmp_path):
    """Compares with the bytes that MindSpore 2.10 writes for these rows."""
    path = write(tmp_path / "data", [{"d": np.array([1, 2, 70000], np.int32), "n": 5}] * 2,
                 {"d": {"type": "int32", "shape": [-1]}, "n": {"type": "int32"}})  # fmt: skip
    with open(path, "rb") as file:
        contents = file.read()
    blob = b"\x0b\0\0\0\0\0\0\0" + b"\0\0\0\x03\x08\x01\x02\x70\x11\x01\x00"
    raw = b"\x04\0\0\0\0\0\0\0" + b"\x81\xa1n\x05"
    assert contents[1 << 14 :][: 2 * len(blob)] == blob * 2
    assert contents[(1 << 14) + (1 << 15) :] == raw * 2
    header = json.loads(contents[8 : 8 + struct.unpack("<Q", contents[:8])[0]])
    assert (
        header["compression_size"] == 2
        and header["version"] == "3.0"
        and header["shard_addresses"] == ["data"]
    )
    assert [page["page_type"] for page in header["page"]] == ["BLOB_DATA", "RAW_DATA"]


def reference_file(path):
    """A file as MindSpore 2.10 writes it: two rows of an index field, a text and packed integers."""
    page = {"row_group_ids": [{"id": 0, "offset": 0}], "shard_id": 0, "start_row_id": 0, "page_type_id": 0}
    header = {
        "header_size": 16384, "index_fields": [{"index_field": "id", "schema_id": 0}], "page_size": 32768,
        "page": [{**page, "page_id": 0, "page_type": "BLOB_DATA", "page_size": 38, "end_row_id": 2},
                 {**page, "page_id": 1, "page_type": "RAW_DATA", "page_size": 34, "end_row_id": 0}],
        "compression_size": 2, "schema": [{"blob_fields": ["d"], "desc": "", "schema": {
            "d": {"shape": [-1], "type": "int32"}, "id": {"type": "int32"}, "t": {"type": "string"}}}],
        "shard_addresses": [path.name], "shard_id": 0, "statistics": None, "version": "3.0",
    }  # fmt: skip
    text = json.dumps(header).encode()
    blob = b"\x0b\0\0\0\0\0\0\0" + b"\0\0\0\x03\x08\x01\xfe\x90\xee\xfe\xff"
    raw = [b"\x09\0\0\0\0\0\0\0" + b"\x82\xa2id" + bytes([i]) + b"\xa1t\xa1x" for i in range(2)]
    path.write_bytes(
        (struct.pack("<Q", len(text)) + text).ljust(16384, b"\0")
        + (blob * 2).ljust(32768, b"\0")
        + b"".join(raw)
    )
    with sqlite3.connect(f"{path}.db") as index:
        index.execute(
            "CREATE TABLE INDEXES(ROW_ID INT, PAGE_ID_RAW INT, PAGE_OFFSET_RAW INT, PAGE_OFFSET_RAW_END INT,"
            " ROW_GROUP_ID INT, PAGE_ID_BLOB INT, PAGE_OFFSET_BLOB INT, PAGE_OFFSET_BLOB_END INT,"
            " INC_0 INT, id_0 INTEGER, PRIMARY KEY(ROW_ID, INC_0))"
        )
        for i in range(2):
            index.execute(
                "INSERT INTO INDEXES VALUES(?,1,?,?,0,0,?,?,0,?)",
                (i, 17 * i, 17 * i + 17, 19 * i, 19 * i + 19, i),
            )
    index.close()
    return str(path)


def test_a_file_of_the_reference_is_read(tmp_path):
    path = reference_file(tmp_path / "reference.mindrecord")
    assert epoch(MindDataset(path, shuffle=False)) == [([1, -2, -70000], 0, "x"), ([1, -2, -70000], 1, "x")]


def test_columns_and_their_types(tmp_path):
    path = write(tmp_path / "data", [row(i) for i in range(1, 4)])
    dataset = MindDataset(path, shuffle=False)
    assert dataset.get_col_names() == sorted(SCHEMA)
    kinds = dict(zip(sorted(SCHEMA), dataset.output_types(), strict=True))
    assert [kinds[name] for name in ("label", "big", "f", "d", "ints")] == [
        np.int32, np.int64, np.float32, np.float64, np.int32,
    ]  # fmt: skip
    chosen = MindDataset(path, ["f", "data", "name"], shuffle=False)
    assert epoch(chosen)[1] == (0.5, [row(2)["data"]], row(2)["name"])


def test_images_are_decoded(tmp_path):
    pixels = np.arange(75, dtype=np.uint8).reshape(5, 5, 3)
    encoded = np.asarray(vision.encode_png(pixels)).tobytes()
    path = write(tmp_path / "data", [{"image": encoded}], {"image": {"type": "bytes"}})
    dataset = MindDataset(path).map(vision.Decode(), ["image"])
    assert np.array_equal(epoch(dataset)[0][0], pixels)


def test_one_name_stands_for_all_files_and_a_list_for_itself(numbers):
    assert first_column(MindDataset(numbers, shuffle=False)) == list(range(10))
    assert first_column(MindDataset([numbers.replace("n0", "n2")], shuffle=False)) == [7, 8, 9]


def test_mindrecord_shuffles_rows_files_or_within_files(numbers):
    assert sorted(first_column(MindDataset(numbers))) == list(range(10))
    within = first_column(MindDataset(numbers, shuffle=Shuffle.INFILE))
    assert [sorted(within[a:b]) for a, b in ((0, 4), (4, 7), (7, 10))] == [[0, 1, 2, 3], [4, 5, 6], [7, 8, 9]]
    files = "".join(map(str, first_column(MindDataset(numbers, shuffle=Shuffle.FILES))))
    assert sorted(files) == list("0123456789") and all(part in files for part in ("0123", "456", "789"))
    chosen = first_column(MindDataset(numbers, shuffle=Shuffle.FILES, num_shards=2, shard_id=1))
    assert sorted(chosen) == [1, 3, 5, 7, 9]


def test_shards_samplers_and_samples(numbers):
    shards = [first_column(MindDataset(numbers, shuffle=False, num_shards=4, shard_id=i)) for i in range(4)]
    assert shards == [[0, 4, 8], [1, 5, 9], [2, 6, 0], [3, 7, 1]]
    assert first_column(MindDataset(numbers, shuffle=False, num_samples=3)) == [0, 1, 2]
    assert first_column(MindDataset(numbers, sampler=SubsetSampler([9, 0]))) == [9, 0]
    assert first_column(MindDataset(numbers, sampler=SequentialSampler(8))) == [8, 9]
    assert len(MindDataset(numbers, sampler=DistributedSampler(3, 0))) == 4


def test_as_many_rows_of_each_class(tmp_path):
    path = write(tmp_path / "data", [row(i) for i in range(20)], index=["label"])
    dataset = MindDataset(path, ["label"], sampler=PKSampler(2))
    assert len(dataset) == 10
    assert sorted(first_column(dataset)) == sorted(list(range(5)) * 2)
    with pytest.raises(RuntimeError, match="'big' is not in the index; need one of label"):
        len(MindDataset(path, sampler=PKSampler(2, class_column="big")))


def test_padded_rows_come_last(tmp_path):
    path = write(tmp_path / "data", [row(i) for i in range(1, 4)])
    columns = ["label", "data", "name", "floats"]
    padded = {"label": -1, "data": b"zz", "name": "none", "floats": np.zeros((1, 2), np.float32)}
    dataset = MindDataset(path, columns, shuffle=False, padded_sample=padded, num_padded=2)
    assert len(dataset) == 5
    assert epoch(dataset)[3:] == [(-1, [b"zz"], "none", [[0.0, 0.0]])] * 2
    shards = [MindDataset(path, columns, shuffle=False, padded_sample=padded, num_padded=3, num_shards=2, shard_id=i)
              for i in range(2)]  # fmt: skip
    assert [first_column(shard) for shard in shards] == [[1, 3, -1], [2, -1, -1]]


def test_pages_of_a_category(tmp_path):
    page = MindPage(write(tmp_path / "data", [row(i) for i in range(23)], shards=2, index=["label", "name"]))
    page.category_field = "label"
    info = json.loads(page.read_category_info())
    assert info["key"] == "label_0"
    assert info["categories"][0] == {"count": 5, "id": 0, "name": "0"}
    rows = [page.read_at_page_by_name("1", number, 2) for number in range(3)]
    assert [len(part) for part in rows] == [2, 2, 1]
    assert all(read["label"] == 1 for part in rows for read in part)
    assert page.read_at_page_by_id(1, 2, 2)[0]["big"] == rows[2][0]["big"]


def test_a_file_cut_off_or_with_the_index_of_another(tmp_path):
    path = write(tmp_path / "data", [row(i) for i in range(50)])
    other = write(tmp_path / "other", [row(i) for i in range(50, 100)])
    with open(f"{other}.db", "rb") as index:
        (tmp_path / "data.db").write_bytes(index.read())
    with pytest.raises(RuntimeError, match=r"MindDataset: the file .*data, row [0-9]+"):
        epoch(MindDataset([path], shuffle=False))
    with open(path, "r+b") as file:
        file.truncate(20000)
    with pytest.raises(RuntimeError, match=r"which the file of 20000 bytes does not have|its length is"):
        epoch(MindDataset([path], shuffle=False))


@pytest.mark.parametrize(
    "error, arguments, message",
    [
        (TypeError, {"dataset_files": 3}, "dataset_files is 3; need a str or a list of str"),
        (ValueError, {"dataset_files": []}, "dataset_files can not be empty"),
        (ValueError, {"dataset_files": "no.mindrecord"}, "'no.mindrecord'; the file does not exist"),
        (TypeError, {"columns_list": "n"}, "columns_list is 'n'; need a list of str"),
        (RuntimeError, {"columns_list": ["x"]}, "there is no column 'x'; need one of n"),
        (RuntimeError, {"padded_sample": {"n": 1}, "columns_list": ["n"]}, "requires num_padded as well"),
        (RuntimeError, {"num_padded": 1, "columns_list": ["n"]}, "requires padded_sample as well"),
        (RuntimeError, {"num_padded": 1, "padded_sample": {"n": 1}}, "requires columns_list as well"),
        (ValueError, {"num_padded": 1, "padded_sample": {}, "columns_list": ["n"]}, "has no column 'n'"),
        (TypeError, {"num_padded": 1, "padded_sample": {"n": "x"}, "columns_list": ["n"]}, "need int32"),
        (
            RuntimeError,
            {"sampler": SequentialSampler(), "shuffle": True},
            "sampler and shuffle cannot be specified",
        ),
        (TypeError, {"shuffle": 3}, "shuffle is 3 of type int; need a bool or a value of Shuffle"),
    ],
)
def test_wrong_arguments(numbers, error, arguments, message):
    with pytest.raises(error, match=message):
        MindDataset(**{"dataset_files": numbers, **arguments})


def test_files_with_faults_are_read_or_refused(tmp_path):
    path, generator = tmp_path / "data", random.Random(4)
    write(path, [row(i) for i in range(12)])
    good = [path.read_bytes(), (tmp_path / "data.db").read_bytes()]
    used = [8 + struct.unpack("<Q", good[0][:8])[0], 1 << 14]
    for number in range(60):
        data, index = map(bytearray, good)
        for _ in range(generator.choice([1, 3, 10, 40])):
            if number % 3 == 0:
                index[generator.randrange(len(index))] = generator.randrange(256)
            elif number % 3 == 1:
                data[generator.randrange(used[0])] = generator.randrange(256)
            else:
                data[generator.randrange(used[1], len(data))] = generator.randrange(256)
        path.write_bytes(data)
        (tmp_path / "data.db").write_bytes(index)
        try:
            source = MindDataset([str(path)]).source
        except RuntimeError as error:
            assert "data" in str(error)
            continue
        for i in range(len(source)):
            try:
                source[i]
            except (RuntimeError, MemoryError) as error:
                assert f"row {i}" in str(error)
