import gzip
import json
import random
import zlib

import numpy as np
import pytest
from record_files import epoch, example, first_column, mutated, read_all, tf_record

import dyad
from dyad.dataset import Schema, Shuffle, TFRecordDataset

ROWS = [
    {"z": [1, 2, -3], "a": [0.5, 1.5], "img": [b"abc\0d"], "s": [b"one", b"two"]},
    {"z": [4, 5, 1 << 40], "a": [2.5, -1.0], "img": [b"\xff"], "s": [b"x", "ü".encode()]},
]


@pytest.fixture
def write(tmp_path):
    def write(examples, name="rows.tfrecord", compress=bytes):
        path = tmp_path / name
        path.write_bytes(compress(b"".join(tf_record(contents) for contents in examples)))
        return str(path)

    return write


@pytest.fixture
def path(write):
    return write([example(row) for row in ROWS])


def schema_of(**columns):
    schema = Schema()
    for name, (kind, shape) in columns.items():
        schema.add_column(name, kind, shape)
    return schema


@pytest.mark.parametrize("packed", [True, False])
def test_columns_without_a_schema_are_those_of_the_file(write, packed):
    dataset = TFRecordDataset(write([example(row, packed) for row in ROWS]), shuffle=False)
    assert dataset.get_col_names() == ["a", "img", "s", "z"]
    assert dataset.output_types() == [np.float32, np.uint8, np.uint8, np.int64]
    first, second = epoch(dataset)
    assert first == ([0.5, 1.5], list(b"abc\0d"), list(b"onetwo"), [1, 2, -3])
    assert second == ([2.5, -1.0], [255], list(b"x ") + list("ü".encode()), [4, 5, 1 << 40])


def test_chosen_columns_come_in_their_order(path):
    dataset = TFRecordDataset(path, columns_list=["z", "a"], shuffle=False)
    assert dataset.get_col_names() == ["z", "a"]
    assert epoch(dataset)[0] == ([1, 2, -3], [0.5, 1.5])


@pytest.mark.parametrize("kind", ["int8", "int16", "int32", "int64"])
@pytest.mark.parametrize("shape, shown", [(None, (3,)), ([3], (3,)), ([1, -1], (1, 3)), ([3, 1], (3, 1))])
def test_a_schema_says_types_and_shapes(write, kind, shape, shown):
    path = write([example({"z": [1, 2, -3]})])
    dataset = TFRecordDataset(path, schema=schema_of(z=(kind, shape)), shuffle=False)
    row = next(iter(dataset.create_tuple_iterator(num_epochs=1, output_numpy=True)))[0]
    assert row.dtype == kind and row.shape == shown and row.reshape(-1).tolist() == [1, 2, -3]


def test_floats_texts_and_numbers_without_dimensions(write):
    path = write([example({"f": [0.5], "s": [b"one", "zwö".encode()], "n": [200]})])
    schema = schema_of(f=(dyad.float16, []), s=(dyad.string, [2]), n=(dyad.uint8, []))
    dataset = TFRecordDataset(path, schema=schema, shuffle=False)
    assert epoch(dataset) == [(0.5, ["one", "zwö"], 200)]
    assert dataset.output_types()[0] == np.float16


def test_a_schema_in_a_file(path, tmp_path):
    file = tmp_path / "schema.json"
    columns = {"z": {"type": "int64", "rank": 1}, "a": {"type": "float32", "rank": 1, "shape": [2]}}
    file.write_text(json.dumps({"datasetType": "TF", "numRows": 1, "columns": columns}))
    dataset = TFRecordDataset(path, schema=str(file), shuffle=False)
    assert dataset.get_col_names() == ["a", "z"]
    assert epoch(dataset) == [([0.5, 1.5], [1, 2, -3])]
    assert epoch(TFRecordDataset(path, schema=str(file), columns_list=["z"], num_samples=2, shuffle=False))[
        1:
    ] == [([4, 5, 1 << 40],)]


@pytest.mark.parametrize("kind, compress", [("GZIP", gzip.compress), ("ZLIB", zlib.compress)])
def test_compressed_files(write, kind, compress):
    path = write([example(row) for row in ROWS], compress=compress)
    dataset = TFRecordDataset(path, columns_list=["z"], shuffle=False, compression_type=kind)
    assert epoch(dataset)[0] == ([1, 2, -3],)
    other = {"GZIP": "ZLIB", "ZLIB": "GZIP"}[kind]
    with pytest.raises(RuntimeError, match=f"is no {other.lower()} file, or broken"):
        epoch(TFRecordDataset(path, compression_type=other))


def test_a_gzip_file_of_several_parts(write):
    both = b"".join(gzip.compress(tf_record(example({"n": [n]}))) for n in range(3))
    path = write([], compress=lambda _: both)
    assert first_column(TFRecordDataset(path, compression_type="GZIP", shuffle=False)) == [[0], [1], [2]]


@pytest.fixture
def three_files(write):
    counts, paths = [2, 3, 1], []
    for number, count in enumerate(counts):
        start = sum(counts[:number])
        paths.append(write([example({"n": [start + i]}) for i in range(count)], f"{number}.tfrecord"))
    return paths


def numbers(paths, **arguments):
    return [row[0] for row in first_column(TFRecordDataset(paths, **arguments))]


def test_shards_are_whole_files_or_equally_many_rows(three_files):
    shards = [numbers(three_files, shuffle=False, num_shards=2, shard_id=i) for i in range(2)]
    assert shards == [[0, 1, 5], [2, 3, 4]]
    arguments = {"shuffle": False, "num_shards": 4, "shard_equal_rows": True}
    assert [numbers(three_files, shard_id=i, **arguments) for i in range(4)] == [
        [0, 1],
        [2, 3],
        [4, 5],
        [0, 1],
    ]
    with pytest.raises(ValueError, match="there are 3 files for 4 shards"):
        TFRecordDataset(three_files, num_shards=4, shard_id=0)


def test_tfrecord_shuffles_rows_or_files(three_files):
    assert sorted(numbers(three_files)) == list(range(6))
    assert "".join(map(str, numbers(three_files, shuffle=Shuffle.FILES))) in {
        "012345", "015234", "234015", "234501", "501234", "523401",
    }  # fmt: skip


@pytest.mark.parametrize(
    "schema, message",
    [
        ({"z": ("int64", [2])}, "column z has 3 values; the shape in the schema does not take them"),
        ({"z": ("int64", [])}, "column z has 3 values"),
        ({"z": ("float32", None)}, "column z holds int64; the schema says float32"),
        ({"a": ("int32", None)}, "column a holds float32; the schema says int32"),
        ({"img": ("int8", None)}, "column img holds bytes; the schema says int8"),
        ({"z": ("uint8", None)}, "column z holds -3, which is no uint8"),
        ({"nope": ("uint8", None)}, "there is no column nope"),
    ],
)
def test_a_schema_that_does_not_fit(path, schema, message):
    with pytest.raises(RuntimeError, match=f"rows.tfrecord, record at offset 0: {message}"):
        epoch(TFRecordDataset(path, schema=schema_of(**schema), shuffle=False))


def test_text_that_is_none(path):
    with pytest.raises(
        RuntimeError, match="column img is not UTF-8; a schema that says uint8 gives its bytes"
    ):
        epoch(TFRecordDataset(path, schema=schema_of(img=("string", None)), shuffle=False))


def test_broken_files_say_where(tmp_path, path):
    with open(path, "rb") as file:
        good = file.read()
    second = len(tf_record(example(ROWS[0])))
    faults = {
        good[:-3]: f"at offset {second}: the record has [0-9]+ bytes; [0-9]+ are left of the file",
        good[: second + 7]: f"at offset {second}: 7 bytes are left; a record has 16 or more",
        bytes([good[0] ^ 1])
        + good[1:]: "at offset 0: the length of the record does not agree with its check",
        good[:20] + bytes([good[20] ^ 1]) + good[21:]: "the data of the record does not agree with its check",
        tf_record(b"\x0a\x05a"): "the record is no tf.train.Example",
    }
    for contents, message in faults.items():
        (tmp_path / "broken").write_bytes(contents)
        with pytest.raises(
            RuntimeError, match=f"TFRecordDataset: the file .*broken is not valid .*{message}"
        ):
            epoch(TFRecordDataset(str(tmp_path / "broken"), shuffle=False))


@pytest.mark.parametrize(
    "error, arguments, message",
    [
        (TypeError, {"schema": 3}, "schema is 3 of type int; need a str or a Schema"),
        (ValueError, {"schema": "no.json"}, "schema_file is 'no.json'; the file does not exist"),
        (TypeError, {"columns_list": "z"}, "columns_list is 'z'; need a list of str"),
        (ValueError, {"columns_list": ["z", "z"]}, "duplicate column names are not allowed"),
        (TypeError, {"shard_equal_rows": 1}, "shard_equal_rows is 1 of type int; need a bool"),
        (
            ValueError,
            {"compression_type": "BZ2"},
            "compression_type is 'BZ2'; need None, '', 'GZIP' or 'ZLIB'",
        ),
    ],
)
def test_wrong_arguments(path, error, arguments, message):
    with pytest.raises(error, match=message):
        TFRecordDataset(path, **arguments)


def test_a_column_that_the_schema_lacks(path):
    dataset = TFRecordDataset(path, schema=schema_of(z=("int64", None)), columns_list=["a"])
    with pytest.raises(RuntimeError, match="the schema has no column 'a'; need one of z"):
        len(dataset)


def test_schemas_round_trip_as_json():
    schema = schema_of(a=(dyad.int32, [2, -1]), b=("string", None))
    described = json.loads(schema.to_json())["columns"]
    assert described[0] == {"name": "a", "rank": 2, "shape": [2, -1], "type": "int32"}
    other = Schema()
    other.from_json(json.loads(str(schema)))
    assert other.to_json() == schema.to_json()


@pytest.mark.parametrize(
    "error, call, message",
    [
        (TypeError, lambda s: s.add_column(3, "int32"), "name is 3 of type int; need a str"),
        (TypeError, lambda s: s.add_column("a", "foo"), "de_type is 'foo': unknown column type"),
        (TypeError, lambda s: s.add_column("a", int), "unknown column type; need one of bool, int8"),
        (TypeError, lambda s: s.add_column("a", "int32", 3), "shape is 3 of type int; need a list of int"),
        (TypeError, lambda s: s.add_column("a", "int32", ["x"]), "which has 'x'; need a list of int"),
        (ValueError, lambda s: s.add_column("a", "int32", [-2]), "need sizes of 0 or more, or -1"),
        (TypeError, lambda s: s.parse_columns(3), "columns is 3; need a list or a dict"),
        (ValueError, lambda s: s.parse_columns([]), "columns is empty"),
        (ValueError, lambda s: s.parse_columns([{"name": "a"}]), "has no 'type'"),
        (TypeError, lambda s: s.parse_columns(["a"]), "is 'a'; need a dict with 'type'"),
        (ValueError, lambda s: s.from_json(3), "json_obj is 3; need a dict"),
        (ValueError, lambda s: s.from_json({}), "has no 'columns'"),
    ],
)
def test_wrong_schemas(error, call, message):
    with pytest.raises(error, match=message):
        call(Schema())


def test_files_with_faults_are_read_or_refused(write, tmp_path):
    generator, good = random.Random(2), example(ROWS[0])
    for number in range(120):
        path = write([mutated(good, generator), good])  # faults behind a check that agrees
        if number % 3 == 0:
            (tmp_path / "rows.tfrecord").write_bytes(mutated(tf_record(good) * 2, generator))
        try:
            source = TFRecordDataset(path, columns_list=["z", "a", "s"] if number % 2 else None).source
        except RuntimeError as error:
            assert "rows.tfrecord" in str(error) or "no records" in str(error)
        else:
            read_all(source)


def test_compressed_files_with_faults_are_refused(write):
    generator, packed = random.Random(3), gzip.compress(tf_record(example(ROWS[0])))
    for _ in range(30):
        path = write([], compress=lambda _: mutated(packed, generator))
        try:
            read_all(TFRecordDataset(path, compression_type="GZIP").source)
        except RuntimeError as error:
            assert "rows.tfrecord" in str(error) or "no records" in str(error)
