import random

import numpy as np
import pytest
from record_files import epoch, mutated, read_all

from dyad.dataset import CSVDataset


@pytest.fixture
def write(tmp_path):
    def write(text, name="table.csv"):
        path = tmp_path / name
        path.write_bytes(text.encode())
        return str(path)

    return write


def read(path, **arguments):
    return epoch(CSVDataset(path, shuffle=False, **arguments))


def test_the_first_line_names_the_columns(write):
    dataset = CSVDataset(write("one,two\n1,2\r\n\n3,4"), shuffle=False)
    assert dataset.get_col_names() == ["one", "two"]
    assert epoch(dataset) == [("1", "2"), ("3", "4")]


def test_defaults_say_what_columns_hold(write):
    path = write("1,2.5,abc\n,,\n+3, -4e1 ,\n")
    dataset = CSVDataset(path, column_defaults=[7, 0.5, "x"], column_names=["a", "b", "c"], shuffle=False)
    assert dataset.output_types()[:2] == [np.int32, np.float32]
    assert epoch(dataset) == [(1, 2.5, "abc"), (7, 0.5, ""), (3, -40.0, "")]


def test_quoted_fields_hold_delimiters_quotes_and_lines(write):
    path = write('a,"b,c"\n"d ""e""","two\nlines"\n"",x')
    assert read(path, column_names=["p", "q"]) == [("a", "b,c"), ('d "e"', "two\nlines"), ("", "x")]


def test_other_delimiters(write):
    assert read(write("a;b,c\n"), field_delim=";", column_names=["p", "q"]) == [("a", "b,c")]
    assert read(write("a\tb\n"), field_delim="\t", column_names=["p", "q"]) == [("a", "b")]


def test_files_must_name_the_same_columns(write):
    first, second = write("a,b\n1,2\n", "1.csv"), write("a,b\n3,4\n", "2.csv")
    assert read([first, second]) == [("1", "2"), ("3", "4")]
    other = write("a,c\n3,4\n", "3.csv")
    with pytest.raises(
        RuntimeError, match=r"the first line of .*3\.csv names are not those of the files before it"
    ):
        read([first, other])


def test_shards_of_csv_rows_have_equal_sizes(write):
    path = write("".join(f"{i}\n" for i in range(5)))
    arguments = {"column_names": ["n"], "column_defaults": [0], "num_shards": 2}
    assert read(path, shard_id=0, **arguments) == [(0,), (1,), (2,)]
    assert read(path, shard_id=1, **arguments) == [(3,), (4,), (0,)]


@pytest.mark.parametrize(
    "text, arguments, message",
    [
        ("1,2\n3,4,5\n", {}, "at line 2: the record has 3 fields; there are 2 columns"),
        ("1,2\n\n3\n", {}, "at line 3: the record has 1 fields; there are 2 columns"),
        ('1,2\n3,"4\n', {}, "at line 2: the quote that opens field 2 is not closed"),
        ('1,2\n3,4"\n', {}, "at line 2: field 2 has a quote inside"),
        ('"1"x,2\n', {}, "at line 1: field 1 goes on after its closing quote"),
        ("x,2\n", {"column_defaults": [1, 2]}, "type does not match: column p is 'x', which is not an int32"),
        ("1.5,2\n", {"column_defaults": [1, 2]}, "column p is '1.5', which is not an int32"),
        ("3000000000,2\n", {"column_defaults": [1, 2]}, "column p is '3000000000', which is not an int32"),
        ("1,1e99\n", {"column_defaults": [1, 2.0]}, "column q is '1e99', which is not a float32"),
    ],
)
def test_broken_records_say_where(write, text, arguments, message):
    with pytest.raises(RuntimeError, match=message):
        read(write(text), column_names=["p", "q"], **arguments)


def test_an_empty_file(write):
    with pytest.raises(RuntimeError, match="is empty; its first line must name the columns"):
        read(write(""))
    with pytest.raises(RuntimeError, match="the files have no rows"):
        read(write("a,b\n"))


@pytest.mark.parametrize(
    "error, arguments, message",
    [
        (TypeError, {"field_delim": 3}, "field_delim is 3; need a str"),
        (ValueError, {"field_delim": ",,"}, "field_delim is ',,', which is invalid"),
        (ValueError, {"field_delim": '"'}, "which is invalid"),
        (ValueError, {"field_delim": "é"}, "need one ASCII character"),
        (TypeError, {"column_defaults": 3}, "column_defaults is 3; need a list"),
        (TypeError, {"column_defaults": [None]}, "column_defaults has None; need int, float or str"),
        (ValueError, {"column_defaults": [1 << 40]}, "need an int that int32 holds"),
        (TypeError, {"column_names": "p"}, "column_names is 'p'; need a list of str"),
        (ValueError, {"column_names": ["p", "p"]}, "duplicate column names are not allowed"),
    ],
)
def test_wrong_arguments(write, error, arguments, message):
    with pytest.raises(error, match=message):
        CSVDataset(write("1,2\n"), **arguments)


def test_as_many_defaults_as_columns(write):
    with pytest.raises(ValueError, match="column_defaults has 1 values; there are 2 columns"):
        read(write("1,2\n"), column_defaults=[1], column_names=["p", "q"])


def test_files_with_faults_are_read_or_refused(write):
    generator = random.Random(1)
    text = b'1,2.5,"a ""b"", c"\n2,3.5,plain\n3,4.5,"two\nlines"\n'
    for _ in range(60):
        path = write("")
        with open(path, "wb") as file:
            file.write(mutated(text, generator))
        try:
            read_all(CSVDataset(path, column_names=["a", "b", "c"], column_defaults=[1, 1.0, ""]).source)
        except RuntimeError as error:
            assert "no rows" in str(error)
