import os
import stat

import numpy as np
import pytest

from dyad.mindrecord import FileReader, FileWriter, MindPage
from dyad.mindrecord.common import exceptions
from dyad.mindrecord.record_schema import pack_integers

PLAIN = {"id": {"type": "int32"}, "t": {"type": "string"}}


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def writer(schema=PLAIN, name="data"):
    made = FileWriter(name, overwrite=True)
    made.add_schema(schema)
    return made


def write(row, schema=PLAIN):
    made = writer(schema)
    made.write_raw_data([row])
    made.commit()
    return next(FileReader("data").get_next())


def test_shards_are_named_with_as_many_digits_as_the_last():
    made = FileWriter("s", 11)
    made.add_schema(PLAIN)
    made.write_raw_data([{"id": i, "t": "x"} for i in range(30)])
    made.commit()
    assert sorted(name for name in os.listdir() if not name.endswith(".db")) == [
        f"s{i:02d}" for i in range(11)
    ]
    assert FileReader("s00").len() == 30
    assert stat.S_IMODE(os.stat("s00").st_mode) == stat.S_IMODE(os.stat("s00.db").st_mode) == 0o600


def test_files_take_no_more_of_the_disk_than_their_rows():
    write({"id": 1, "t": "x"})
    assert os.stat("data").st_size > 1 << 24
    assert os.stat("data").st_blocks * 512 < 1 << 17


def test_existing_files_are_kept_unless_overwritten():
    write({"id": 1, "t": "x"})
    made = FileWriter("data")
    made.add_schema(PLAIN)
    with pytest.raises(RuntimeError, match="the file data exists; overwrite=True replaces it"):
        made.write_raw_data([{"id": 2, "t": "y"}])
    assert next(FileReader("data").get_next())["id"] == 1
    assert write({"id": 3, "t": "y"})["id"] == 3


def test_numpy_numbers_are_numbers():
    assert write({"id": np.int64(4), "t": "x", "more": "left out"}) == {"id": 4, "t": "x"}


def test_a_file_without_rows():
    writer().commit()
    assert list(FileReader("data").get_next()) == []


@pytest.mark.parametrize(
    "value", [0, 127, 128, 255, 256, 65535, 65536, 2**31 - 1, -1, -32, -33, -129, -32769, -(2**31)]
)
def test_plain_integers_of_every_size(value):
    assert write({"id": value, "t": "x" * abs(value % 300)}) == {"id": value, "t": "x" * abs(value % 300)}


@pytest.mark.parametrize("value", [2**63 - 1, -(2**63), 2**32, -(2**31) - 1])
def test_wide_integers(value):
    assert write({"n": value}, {"n": {"type": "int64"}}) == {"n": value}


@pytest.mark.parametrize("size", [0, 31, 32, 255, 256, 65535, 65536])
def test_texts_of_every_size(size):
    assert len(write({"id": 0, "t": "é" * (size // 2) + "x" * (size % 2)})["t"].encode()) == size


@pytest.mark.parametrize("value", [0.5, 0.1, 1e300, -1e-300, float("inf")])
def test_floats_are_written_and_read_back(value):
    assert write({"x": value}, {"x": {"type": "float64"}}) == {"x": value}
    if abs(value) < 1e38:
        assert write({"x": value}, {"x": {"type": "float32"}}) == {"x": pytest.approx(value)}


def test_integers_are_packed():
    assert pack_integers(np.array([], np.int32)) == b"\0\0\0\0"
    assert pack_integers([0, -128, 128, 40000, 1 << 40]) == (
        b"\0\0\0\x05"
        + bytes([0b00000110, 0b11000000])
        + b"\0\x80\x80\0\x40\x9c\0\0"
        + (1 << 40).to_bytes(8, "little")
    )


@pytest.mark.parametrize(
    "row, schema, message",
    [
        ({"id": 1}, PLAIN, "row 0 has no field 't'; the schema needs it"),
        (
            {"id": "1", "t": "x"},
            PLAIN,
            "field 'id' of row 0 is '1' of type str; need an int that int32 holds",
        ),
        ({"id": 1.5, "t": "x"}, PLAIN, "is 1.5 of type float; need an int that int32 holds"),
        ({"id": True, "t": "x"}, PLAIN, "is True of type bool; need an int"),
        ({"id": 1 << 31, "t": "x"}, PLAIN, "is 2147483648 of type int; need an int that int32 holds"),
        ({"id": 1, "t": 5}, PLAIN, "field 't' of row 0 is 5 of type int; need a str"),
        ({"x": "a"}, {"x": {"type": "float32"}}, "need a float"),
        ({"b": "a"}, {"b": {"type": "bytes"}}, "need bytes"),
        (
            {"a": np.zeros((3, 3), np.int32)},
            {"a": {"type": "int32", "shape": [2, -1]}},
            r"is an array of int32 with shape \(3, 3\); need a NumPy array of int32 with shape \[2, -1\]",
        ),
        ({"a": np.zeros(3)}, {"a": {"type": "int32", "shape": [3]}}, "is an array of float64 with shape"),
        ({"a": [1]}, {"a": {"type": "int32", "shape": [1]}}, "need a NumPy array of int32"),
    ],
)
def test_rows_that_the_schema_does_not_take(row, schema, message):
    with pytest.raises(exceptions.MRMValidateDataError, match=message):
        writer(schema).write_raw_data([row])


@pytest.mark.parametrize(
    "content",
    [
        {}, 3, {"a": 3}, {"a": {}}, {"a": {"type": "int8"}}, {"a": {"type": "bytes", "shape": [1]}},
        {"a": {"type": "int32", "shape": 3}}, {"a": {"type": "int32", "shape": [-1, -1]}},
        {"a": {"type": "int32", "shape": ["x"]}}, {"a": {"type": "int32", "shape": [0]}}, {"a b": {"type": "int32"}},
        {"a": {"type": "int32", "x": 1}}, {3: {"type": "int32"}}, {"": {"type": "int32"}},
    ],
)  # fmt: skip
def test_schemas_that_are_none(content):
    with pytest.raises(exceptions.MRMInvalidSchemaError, match="add_schema: "):
        FileWriter("data").add_schema(content)


@pytest.mark.parametrize(
    "error, call, message",
    [
        (TypeError, lambda: FileWriter(3), "file name is 3 of type int; need a str"),
        (ValueError, lambda: FileWriter(""), "file name is empty"),
        (ValueError, lambda: FileWriter("x", 0), r"shard_num is 0; need an int in \[1, 1000\]"),
        (TypeError, lambda: FileWriter("x", 1.5), "shard_num is 1.5; need an int"),
        (TypeError, lambda: FileWriter("x", overwrite=3), "overwrite is 3; need a bool"),
        (TypeError, lambda: FileWriter("x").add_schema(PLAIN, 4), "desc is 4; need a str"),
        (RuntimeError, lambda: writer().add_schema(PLAIN), "there is a schema already"),
        (TypeError, lambda: writer().add_index("id"), "index_fields is 'id'; need a list of names"),
        (TypeError, lambda: writer().add_index([3]), "index_fields has 3; need str"),
        (ValueError, lambda: writer().add_index(["x"]), "'x' is no field; need one of id, t"),
        (ValueError, lambda: writer().add_index(["id", "id"]), "field 'id' is named twice"),
        (ValueError, lambda: writer({"b": {"type": "bytes"}}).add_index(["b"]), "holds bytes or an array"),
        (
            RuntimeError,
            lambda: FileWriter("x").write_raw_data([{"a": 1}]),
            "there is no schema; call add_schema",
        ),
        (RuntimeError, lambda: FileWriter("x").commit(), "there is no schema"),
        (TypeError, lambda: writer().write_raw_data({"id": 1}), "raw_data is no list of dicts"),
        (TypeError, lambda: writer().write_raw_data([3]), "raw_data is no list of dicts"),
        (RuntimeError, lambda: writer().write_raw_data([]), "raw_data is empty"),
        (ValueError, lambda: writer().set_page_size(1000), r"need a multiple of 4 in \[32768, 268435456\]"),
        (ValueError, lambda: writer().set_header_size(1 << 29), "need a multiple of 4"),
        (TypeError, lambda: writer().set_page_size("a"), "the size is 'a' of type str; need an int"),
        (RuntimeError, lambda: FileWriter.open_for_append("nope"), "the file nope does not exist"),
        (RuntimeError, lambda: FileReader("nope"), "the file nope does not exist"),
        (TypeError, lambda: FileReader(3), "file name is 3 of type int"),
        (TypeError, lambda: FileReader("x", columns="a"), "columns is 'a'; need a list of str"),
        (ValueError, lambda: FileReader("x", num_consumer=0), "num_consumer is 0; need an int of at least 1"),
        (ValueError, lambda: FileReader([]), "the list of files is empty"),
        (RuntimeError, lambda: MindPage("nope"), "the file nope does not exist"),
    ],
)
def test_wrong_calls(error, call, message):
    with pytest.raises(error, match=message) as raised:
        call()
    assert isinstance(raised.value, exceptions.MindRecordException)


def test_nothing_is_written_after_commit():
    made = writer()
    made.write_raw_data([{"id": 1, "t": "x"}])
    made.commit()
    with pytest.raises(RuntimeError, match="Not allowed to call write_raw_data after commit"):
        made.write_raw_data([{"id": 1, "t": "x"}])


def test_a_row_larger_than_a_page():
    made = writer({"b": {"type": "bytes"}})
    made.set_page_size(1 << 15)
    with pytest.raises(
        RuntimeError, match="a row has 40008 bytes; pages have 32768, which set_page_size makes larger"
    ):
        made.write_raw_data([{"b": bytes(40000)}])


def test_wrong_questions_about_categories():
    write({"id": 1, "t": "x"})
    page = MindPage("data")
    with pytest.raises(RuntimeError, match="category_field is not set"):
        page.read_category_info()
    with pytest.raises(ValueError, match="'nope' is no candidate; need one of id, t"):
        page.category_field = "nope"
    page.category_field = "t"
    with pytest.raises(RuntimeError, match=r"category_id is 7; need an int in \[0, 0\]"):
        page.read_at_page_by_id(7, 0, 1)
    with pytest.raises(RuntimeError, match="there is no category 'y'"):
        page.read_at_page_by_name("y", 0, 1)
    with pytest.raises(RuntimeError, match="page is 1; the category has 1 rows, which are 1 pages"):
        page.read_at_page_by_id(0, 1, 1)
    with pytest.raises(ValueError, match="num_row is 0; need an int of at least 1"):
        page.read_at_page_by_id(0, 0, 0)


def test_a_reader_reads_on_and_closes():
    made = writer()
    made.write_raw_data([{"id": i, "t": "x"} for i in range(3)])
    made.commit()
    reader = FileReader("data", columns=["id"])
    assert next(reader.get_next()) == {"id": 0}
    assert [row["id"] for row in reader.get_next()] == [1, 2]
    reader.close()
    with pytest.raises(RuntimeError, match="the reader is closed"):
        next(reader.get_next())
