import itertools
import random

import pytest
from record_files import epoch, first_column, mutated, read_all

import dyad.dataset as ds
from dyad.dataset import Shuffle, TextFileDataset


@pytest.fixture
def files(tmp_path):
    for name, lines in (("a.txt", range(5)), ("b.txt", range(5, 8)), ("c.txt", range(8, 18))):
        (tmp_path / name).write_text("".join(f"line {i}\n" for i in lines))
    return tmp_path


def lines(numbers):
    return [f"line {i}" for i in numbers]


def line_numbers(dataset):
    return [int(line.split()[1]) for line in first_column(dataset)]


def test_lines_of_a_file_come_in_order_without_empty_ones(tmp_path):
    path = tmp_path / "text"
    path.write_bytes(b"one\r\n\n  two \nthree\n\n\n\xe4\xbd\xa0\xe5\xa5\xbd")
    dataset = TextFileDataset(str(path), shuffle=False)
    assert first_column(dataset) == ["one\r", "  two ", "three", "你好"]
    assert dataset.get_col_names() == ["text"]
    assert dataset.get_dataset_size() == len(dataset) == 4
    assert dataset.output_shapes() == [[]]
    assert dataset[2][0] == "three"


@pytest.mark.parametrize("ending", [b"", b"\n", b"\n\n\n"])
@pytest.mark.parametrize("rows", [1, 2, 7])
def test_the_last_line_needs_no_newline(tmp_path, rows, ending):
    path = tmp_path / "text"
    path.write_bytes(b"\n".join(b"x" * (i + 1) for i in range(rows)) + ending)
    assert first_column(TextFileDataset(str(path), shuffle=False)) == ["x" * (i + 1) for i in range(rows)]


def test_patterns_and_lists_name_files_in_sorted_order(files):
    assert first_column(TextFileDataset(str(files / "?.txt"), shuffle=False)) == lines(range(18))
    listed = [str(files / "b.txt"), str(files / "a.txt")]
    assert first_column(TextFileDataset(listed, shuffle=False)) == lines(range(8))


def test_global_shuffle_has_every_row_once_and_changes_with_the_epoch(files):
    dataset = TextFileDataset(str(files / "*.txt"))
    rows = dataset.create_tuple_iterator(num_epochs=2, output_numpy=True)
    first, second = [[row[0].item() for row in rows] for _ in range(2)]
    assert sorted(first) == sorted(second) == sorted(lines(range(18)))
    assert first != lines(range(18)) and first != second


def test_shuffled_files_keep_their_rows_together(files):
    orders = set()
    for seed in range(8):
        ds.config.set_seed(seed)
        numbers = line_numbers(TextFileDataset(str(files / "*"), shuffle=Shuffle.FILES))
        assert sorted(numbers) == list(range(18))
        assert sum(b - a != 1 for a, b in itertools.pairwise(numbers)) <= 2
        orders.add(tuple(numbers))
    assert len(orders) > 1


def test_shuffle_within_files(files):
    numbers = line_numbers(TextFileDataset(str(files / "*"), shuffle=Shuffle.INFILE))
    assert [sorted(numbers[a:b]) for a, b in ((0, 5), (5, 8), (8, 18))] == [
        list(range(5)), list(range(5, 8)), list(range(8, 18))
    ]  # fmt: skip
    assert numbers != list(range(18))


@pytest.mark.parametrize("shards", [1, 2, 3, 4, 5, 7, 25])
def test_shards_are_blocks_of_the_same_size(files, shards):
    size = -(-18 // shards)
    for shard in range(shards):
        dataset = TextFileDataset(str(files / "*"), shuffle=False, num_shards=shards, shard_id=shard)
        assert first_column(dataset) == lines(i % 18 for i in range(shard * size, (shard + 1) * size))


def test_num_samples_are_the_first_rows(files):
    assert first_column(TextFileDataset(str(files / "*"), num_samples=7, shuffle=False)) == lines(range(7))
    assert sorted(first_column(TextFileDataset(str(files / "b.txt"), num_samples=2))) == lines((5, 6))
    assert len(TextFileDataset(str(files / "b.txt"), num_samples=100)) == 3


def test_rows_go_through_a_pipeline(files):
    dataset = TextFileDataset(str(files / "*"), shuffle=False).batch(4).take(2)
    assert epoch(dataset) == [(lines(range(4)),), (lines(range(4, 8)),)]


@pytest.mark.parametrize("shuffle", [False, True, Shuffle.FILES, Shuffle.INFILE])
@pytest.mark.parametrize("randomize", [False, True])
def test_parts_of_a_split_have_no_common_rows(files, shuffle, randomize):
    parts = TextFileDataset(str(files / "*"), shuffle=shuffle).split([7, 11], randomize)
    rows = [first_column(part) for part in parts]
    assert [len(part) for part in parts] == [len(part) for part in rows] == [7, 11]
    assert sorted(rows[0] + rows[1]) == sorted(lines(range(18)))
    if not randomize:
        assert sorted(rows[0]) == sorted(lines(range(7)))


def test_a_byte_that_is_not_text_says_where(tmp_path):
    path = tmp_path / "text"
    path.write_bytes(b"good\nb\xffd\n")
    with pytest.raises(RuntimeError, match=r"text has a byte that is not UTF-8 at offset 6, in line 2"):
        epoch(TextFileDataset(str(path), shuffle=False))


def test_an_empty_file_has_no_rows(tmp_path):
    (tmp_path / "empty").touch()
    with pytest.raises(RuntimeError, match="TextFileDataset: no line was found in 1 files"):
        len(TextFileDataset(str(tmp_path / "empty")))


@pytest.mark.parametrize(
    "error, arguments, message",
    [
        (ValueError, {"dataset_files": "no/such*"}, r"patterns did not match any files: \['no/such\*'\]"),
        (ValueError, {"dataset_files": []}, "dataset_files can not be empty"),
        (TypeError, {"dataset_files": 3}, "dataset_files is 3 of type int; need a str or a list of str"),
        (TypeError, {"dataset_files": [3]}, "dataset_files has 3 of type int; need str"),
        (
            TypeError,
            {"shuffle": "files"},
            "shuffle is 'files' of type str; need a bool or a value of Shuffle",
        ),
        (ValueError, {"num_samples": -1}, "num_samples is -1; need an int of at least 0"),
        (TypeError, {"num_samples": 1.5}, "num_samples is 1.5 of type float; need an int"),
        (RuntimeError, {"num_shards": 2}, "num_shards is 2 and shard_id is None"),
        (ValueError, {"num_shards": 2, "shard_id": 2}, r"shard_id is 2; need an int in \[0, 1\]"),
        (ValueError, {"num_parallel_workers": 0}, "num_parallel_workers is 0"),
        (TypeError, {"cache": object()}, "there is no cache server here"),
    ],
)
def test_wrong_arguments(files, error, arguments, message):
    with pytest.raises(error, match=message):
        TextFileDataset(**{"dataset_files": str(files / "a.txt"), **arguments})


def test_files_with_faults_are_read_or_refused(tmp_path):
    path, generator = tmp_path / "text", random.Random(0)
    for _ in range(40):
        path.write_bytes(mutated("a line\nanother 你好 line\n\nthe last".encode(), generator))
        try:
            read_all(TextFileDataset(str(path)).source)
        except RuntimeError as error:
            assert "no line was found" in str(error)
