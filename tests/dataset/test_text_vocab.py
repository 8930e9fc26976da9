"""Vocabularies, look-up and word vectors."""

import numpy
import pytest

import dyad
from dyad.dataset import text


class Rows:
    """Part of a dataset that `Vocab.from_dataset` uses."""

    def __init__(self, *rows):
        self.rows = rows

    def create_dict_iterator(self, num_epochs, output_numpy):
        assert num_epochs == 1
        assert output_numpy
        return iter(self.rows)


ROWS = Rows(*({"t": numpy.array(t), "u": numpy.array(u)} for t, u in zip("abbccc", "zzzzzb", strict=True)))


def test_from_list():
    vocab = text.Vocab.from_list(["a", "b"], special_tokens=["<pad>"], special_first=False)
    assert vocab.vocab() == {"a": 0, "b": 1, "<pad>": 2}
    assert text.Vocab.from_list(["a"], ["<pad>"]).vocab() == {"<pad>": 0, "a": 1}
    assert vocab.tokens_to_ids(["b", "q"]) == [1, -1]
    assert vocab.tokens_to_ids(numpy.array(["b"])) == [1]
    assert vocab.ids_to_tokens(2) == "<pad>"
    assert vocab.ids_to_tokens(numpy.array([0, 9])) == ["a", ""]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: text.Vocab.from_list(["a", "a"]), ValueError, "word_list has 'a' twice"),
        (
            lambda: text.Vocab.from_list(["a"], ["a"]),
            ValueError,
            r"\['a'\] stand in special_tokens and among",
        ),
        (lambda: text.Vocab.from_list([1]), TypeError, "a word of word_list is 1"),
        (lambda: text.Vocab.from_list("abc"), TypeError, "word_list is 'abc'"),
        (lambda: text.Vocab.from_dict({"a": -3}), ValueError, r"word_dict\['a'\] is -3"),
        (lambda: text.Vocab.from_dict({1: 3}), TypeError, "a word of word_dict is 1"),
        (lambda: text.Vocab.from_file("/no/such"), RuntimeError, "the file /no/such cannot be read"),
        (lambda: text.Vocab().vocab(), RuntimeError, "it has no words yet"),
        (lambda: text.Vocab.from_dict({"a": 1}).ids_to_tokens(-1), ValueError, "ids is -1"),
        (lambda: text.Vocab.from_dict({"a": 1}).tokens_to_ids(1), TypeError, "tokens is 1"),
        (lambda: text.Vocab.from_dataset(ROWS, top_k=0), ValueError, "top_k is 0"),
        (lambda: text.Vocab.from_dataset(ROWS, freq_range=(3, 2)), ValueError, "low <= high"),
        (lambda: text.Vocab.from_dataset(ROWS, "v"), RuntimeError, "no column 'v'"),
        (
            lambda: text.Vocab.from_dataset(Rows({"n": numpy.ones(2)})),
            RuntimeError,
            "dtype float64; need text",
        ),
    ],
)
def test_vocab_refuses(call, error, message):
    with pytest.raises(error, match=f"Vocab: {message}|{message}"):
        call()


def test_from_file(tmp_path):
    path = tmp_path / "words.txt"
    path.write_bytes(b"x,10\r\ny,11\n z ,12\n")
    assert text.Vocab.from_file(str(path), ",").vocab() == {"x": 0, "y": 1, " z ": 2}
    assert text.Vocab.from_file(str(path), ",", 1, ["<p>"]).vocab() == {"<p>": 0, "x": 1}
    assert text.Vocab.from_file(str(path)).ids_to_tokens(0) == "x,10"


def test_from_dataset():
    assert text.Vocab.from_dataset(ROWS).vocab() == {"z": 0, "b": 1, "c": 2, "a": 3}
    assert text.Vocab.from_dataset(ROWS, "t").vocab() == {"c": 0, "b": 1, "a": 2}
    assert text.Vocab.from_dataset(ROWS, ["t", "u"], (2, 3)).vocab() == {"b": 0, "c": 1}
    assert text.Vocab.from_dataset(ROWS, None, (None, 3), 1, ["<p>"], False).vocab() == {"b": 0, "<p>": 1}


@pytest.mark.parametrize(
    "dtype", [dyad.int32, dyad.int64, dyad.uint8, dyad.float32, dyad.float16, dyad.bool_]
)
def test_lookup_maps_words_to_ids_of_the_dtype(dtype):
    vocab = text.Vocab.from_dict({"a": 3, "é": 7, "<unk>": 0})
    made = text.Lookup(vocab, "<unk>", dtype)(numpy.array([["a", "é"], ["q", ""]]))
    expected = numpy.array([[3, 7], [0, 0]]).astype(made.dtype)
    numpy.testing.assert_array_equal(made, expected)
    assert str(made.dtype) == dtype.name.rstrip("_")


def test_lookup_refuses():
    vocab = text.Vocab.from_list(["a"])
    with pytest.raises(
        RuntimeError, match="Lookup: the word 'q' is not in the vocabulary; give an unknown_token"
    ):
        text.Lookup(vocab)(numpy.array(["a", "q"]))
    with pytest.raises(ValueError, match="unknown_token is 'nope', which is not in the vocabulary"):
        text.Lookup(vocab, "nope")
    with pytest.raises(TypeError, match=r"Lookup: vocab is {'a': 1}"):
        text.Lookup({"a": 1})
    with pytest.raises(TypeError, match="Lookup: got an array of int64"):
        text.Lookup(vocab)(3)


@pytest.fixture
def files(tmp_path):
    lines = "ok 0.5 1\n! 2 3\nthis 4 5\n"
    (tmp_path / "glove.6B.txt").write_text(lines)
    (tmp_path / "words.vec").write_text("3 2\n" + lines)
    (tmp_path / "words.txt").write_text(lines)
    grams = [
        "1gram-o 0.1 0.2",
        "2gram-#BEGIN#o 5 6",
        "2gram-ok 7 8",
        "3gram-ok#END# 1 1",
        "4gram-#BEGIN#ok#END# 9 9",
    ]
    (tmp_path / "grams.txt").write_text("\n".join(grams) + "\n")
    return tmp_path


@pytest.mark.parametrize(
    ("kind", "name"), [("GloVe", "glove.6B.txt"), ("FastText", "words.vec"), ("Vectors", "words.txt")]
)
def test_to_vectors(files, kind, name):
    vectors = getattr(text, kind).from_file(str(files / name))
    assert text.ToVectors(vectors)(numpy.array(["ok", "zz"])).tolist() == [[0.5, 1], [0, 0]]
    assert text.ToVectors(vectors, [9, 8])("zz").tolist() == [9, 8]
    assert text.ToVectors(vectors, lower_case_backup=True)("THIS").tolist() == [4, 5]
    few = getattr(text, kind).from_file(str(files / name), 1)
    assert text.ToVectors(few)(numpy.array(["ok", "!"])).tolist() == [[0.5, 1], [0, 0]]


def test_vectors_of_character_grams(files):
    vectors = text.CharNGram.from_file(str(files / "grams.txt"))
    made = text.ToVectors(vectors, [-1, -1])(numpy.array(["ok", "o", "zz", ""]))
    assert made.tolist() == [[5.5, 6], [5, 6], [-1, -1], [-1, -1]]


def test_vectors_refuse(files):
    (files / "ragged.txt").write_text("a 1 2\nb 1 2 3\n")
    (files / "words_only.txt").write_text("a b c\n")
    (files / "empty.txt").write_text("")
    for name, message in [
        ("ragged.txt", "line 2 of .* has 3 numbers; those before have 2"),
        ("words_only.txt", "line 1 of .* something other than numbers"),
        ("empty.txt", "has no vectors"),
        ("none.txt", "cannot be read"),
    ]:
        with pytest.raises(RuntimeError, match=f"Vectors: .*{message}"):
            text.Vectors.from_file(str(files / name))
    with pytest.raises(RuntimeError, match="need a name like glove"):
        text.GloVe.from_file(str(files / "words.txt"))
    with pytest.raises(ValueError, match="unk_init has 3 numbers; the vectors have 2"):
        text.ToVectors(text.Vectors.from_file(str(files / "words.txt")), [1, 2, 3])
