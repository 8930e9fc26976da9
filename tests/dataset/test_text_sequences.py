"""Transforms of lists of tokens and of whole texts."""

import unicodedata

import numpy
import pytest

import dyad
from dyad.dataset import text

TOKENS = numpy.array(["a", "b", "c"])


def test_ngram_joins_neighboring_tokens():
    assert text.Ngram([1, 2])(TOKENS).tolist() == ["a", "b", "c", "a b", "b c"]
    assert text.Ngram(3, ("_", 2), ("-", 1), "|")(TOKENS).tolist() == ["_|_|a", "_|a|b", "a|b|c", "b|c|-"]
    assert text.Ngram([2, 5])(TOKENS).tolist() == ["a b", "b c", ""]
    assert text.Ngram(1, ("_", 3), ("-", 3))(TOKENS).tolist() == ["a", "b", "c"]
    with pytest.raises(ValueError, match="left_pad is 3; need a tuple"):
        text.Ngram(2, 3)
    with pytest.raises(ValueError, match="n is 0"):
        text.Ngram(0)


@pytest.mark.parametrize("dtype", ["int32", "float16", "complex128", "U1"])
def test_sliding_window(dtype):
    values = numpy.arange(5).astype(dtype)
    expected = numpy.lib.stride_tricks.sliding_window_view(values, 3)
    numpy.testing.assert_array_equal(text.SlidingWindow(3)(values), expected)
    assert text.SlidingWindow(9)(values).shape == (0,)


def test_truncate_cuts_rows():
    values = numpy.arange(12).reshape(4, 3)
    numpy.testing.assert_array_equal(text.Truncate(2)(values.T), values.T[:, :2])
    assert text.Truncate(2)(TOKENS).tolist() == ["a", "b"]
    assert text.Truncate(9)(TOKENS).tolist() == ["a", "b", "c"]
    with pytest.raises(RuntimeError, match="Truncate: got a text; it takes one or two dimensions"):
        text.Truncate(2)("abc")


@pytest.mark.parametrize("first", range(6))
@pytest.mark.parametrize("second", range(6))
@pytest.mark.parametrize("most", [0, 1, 4, 5, 12])
def test_truncate_sequence_pair(first, second, most):
    expected = [first, second]
    while sum(expected) > most:
        expected[0 if expected[0] > expected[1] else 1] -= 1
    made = text.TruncateSequencePair(most)(numpy.arange(first), numpy.array(["x"] * second, dtype="U1"))
    assert [len(part) for part in made] == expected
    assert made[0].tolist() == list(range(expected[0]))


def test_add_token():
    assert text.AddToken("X")(TOKENS).tolist() == ["X", "a", "b", "c"]
    assert text.AddToken("X", False)(numpy.array([["a"], ["b"]])).tolist() == [["a", "X"], ["b", "X"]]
    with pytest.raises(RuntimeError, match="AddToken: got a text"):
        text.AddToken("X")("a")


NUMBERS = [
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float32",
    "float64",
]


@pytest.mark.parametrize("name", NUMBERS)
def test_to_number(name):
    made = text.ToNumber(getattr(dyad, name))(numpy.array([["1", " 2 "], ["+3", "100"]]))
    assert made.dtype == name
    assert made.tolist() == [[1, 2], [3, 100]]


@pytest.mark.parametrize("name", NUMBERS)
def test_to_number_at_the_bounds(name):
    info = numpy.finfo(name) if name.startswith("float") else numpy.iinfo(name)
    bounds = numpy.array([str(info.min), str(info.max)])
    assert text.ToNumber(getattr(dyad, name))(bounds).tolist() == [info.min, info.max]
    beyond = "-1" if name.startswith("u") else "1e6" if name == "float16" else "1" + str(int(info.max))
    with pytest.raises(RuntimeError, match=f"ToNumber: '{beyond}' is out of the range of {name}"):
        text.ToNumber(getattr(dyad, name))(numpy.array(beyond))


@pytest.mark.parametrize("given", ["", "abc", "1a", "1.5", "0x10", "--1", "+-1", "1 2", "-"])
def test_to_number_refuses(given):
    with pytest.raises(RuntimeError, match=r"ToNumber: .* is not a number of int32"):
        text.ToNumber(dyad.int32)(given)
    with pytest.raises(TypeError, match="data_type is bool_"):
        text.ToNumber(dyad.bool_)


def test_to_number_of_special_floats():
    made = text.ToNumber(dyad.float16)(numpy.array(["-inf", "nan", "1e-3"]))
    numpy.testing.assert_array_equal(made, numpy.array([-numpy.inf, numpy.nan, 1e-3], numpy.float16))


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
def test_normal_forms(form):
    source = numpy.array(["abc", "ﬁé①", "e\u0301"])
    expected = [unicodedata.normalize(form, given) for given in source.tolist()]
    assert text.NormalizeUTF8(text.NormalizeForm[form])(source).tolist() == expected


def test_case_fold():
    source = numpy.array(["ABc", "Straße İ", "\uff21\u00ad½"])
    assert text.CaseFold()(source).tolist() == ["abc", "strasse i̇", "a1\u20442"]
    assert text.CaseFold()("ÀB".encode()).item() == "àb".encode()


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("Hello, <b>China</b> World 23!", "hello world two three"),
        ("a &amp; b; c", "a b c"),
        ("a & b; c", "a c"),
        ("[[Link|label]] é X", "link label x"),
        ("x #REDIRECT y", ""),
        ("<a\n>b", "a b"),
        ("a<b c", "a b c"),
        ("", ""),
        ("&", ""),
        ("0a9", "zero a nine"),
    ],
)
def test_filter_wikipedia(source, expected):
    assert text.FilterWikipediaXML()(source).item() == expected


def test_bytes_and_str():
    words = numpy.array(["é", "b"])
    assert text.to_bytes(words).tolist() == ["é".encode(), b"b"]
    assert text.to_str(text.to_bytes(words, "latin-1"), "latin-1").tolist() == words.tolist()
    with pytest.raises(TypeError, match="need an array of str"):
        text.to_bytes(numpy.ones(1))
    with pytest.raises(TypeError, match="need a NumPy array"):
        text.to_str("a")
