"""Tokenizers against plain Python models."""

import os
import random
import sys
import unicodedata

import numpy
import pytest

from dyad.dataset import text
from dyad.dataset.text.unicode_tables import script_runs

ALPHABET = "ab Z\t\u00a0\u3000é中京か.,!-[]1\u0301ßЖ€𠀀"
RANDOM = random.Random(3)
TEXTS = ["", " ", "a", "é"] + ["".join(RANDOM.choices(ALPHABET, k=RANDOM.randint(1, 30))) for _ in range(60)]


def check_offsets(source, columns):
    tokens, starts, ends = columns
    data = source.encode()
    assert starts.dtype == ends.dtype == numpy.uint32
    for token, start, end in zip(tokens.tolist(), starts.tolist(), ends.tolist(), strict=True):
        assert data[start:end].decode() == token


@pytest.mark.parametrize("source", TEXTS)
def test_whitespace_tokenizer_agrees_with_split(source):
    made = text.WhitespaceTokenizer(True)(source)
    assert made[0].tolist() == (source.split() or [""])
    check_offsets(source, made)


@pytest.mark.parametrize("source", TEXTS)
def test_character_tokenizer_agrees_with_list(source):
    made = text.UnicodeCharTokenizer(True)(source)
    assert made[0].tolist() == (list(source) or [""])
    check_offsets(source, made)


def script_of(character):
    if character.isspace():
        return "space"
    starts, scripts = script_runs()
    return [name for start, name in zip(starts, scripts, strict=True) if start <= ord(character)][-1]


@pytest.mark.parametrize("source", TEXTS)
def test_script_tokenizer_splits_at_changes_of_script(source):
    runs = []
    for character in source:
        if runs and script_of(runs[-1][-1]) == script_of(character):
            runs[-1] += character
        else:
            runs.append(character)
    made = text.UnicodeScriptTokenizer(True, True)(source)
    assert made[0].tolist() == (runs or [""])
    check_offsets(source, made)
    kept = [run for run in runs if not run.isspace()]
    assert text.UnicodeScriptTokenizer()(source).tolist() == (kept or [""])


def test_scripts_of_known_characters():
    expected = {
        "a": "Latin",
        "Я": "Cyrillic",
        "中": "Han",
        "か": "Hiragana",
        "カ": "Katakana",
        "ω": "Greek",
        "7": "Common",
    }
    assert {character: script_of(character) for character in expected} == expected
    assert text.UnicodeScriptTokenizer()("Welcome to 北京!12ab").tolist() == [
        "Welcome",
        "to",
        "北京",
        "!12",
        "ab",
    ]


def is_alone(character):
    code = ord(character)
    ascii_symbol = code < 128 and not character.isalnum() and not character.isspace()
    ideograph = "CJK" in unicodedata.name(character, "") and unicodedata.category(character) == "Lo"
    return ascii_symbol or ideograph or unicodedata.category(character).startswith("P")


def basic_model(source):
    tokens = [""]
    for character in source:
        if character.isspace():
            tokens.append("")
        elif is_alone(character):
            tokens += [character, ""]
        else:
            tokens[-1] += character
    return [token for token in tokens if token] or [""]


@pytest.mark.parametrize("source", TEXTS)
def test_basic_tokenizer_agrees_with_its_model(source):
    cleaned = source.replace("\t", " ")
    made = text.BasicTokenizer(with_offsets=True)(source)
    assert made[0].tolist() == basic_model(cleaned)
    check_offsets(cleaned, made)


@pytest.mark.parametrize("source", TEXTS)
def test_basic_in_lower_case(source):
    folded = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", source).casefold())
    plain = "".join(character for character in folded if unicodedata.category(character) != "Mn")
    assert text.BasicTokenizer(True)(source).tolist() == basic_model(plain.replace("\t", " "))


def test_basic_keeps_special_tokens():
    tokens = ["[CLS]", "a", "[unused1]", "[", "unusedx", "]", "[", "cls", "]", "u", "[MASK]"]
    for source in ("[CLS]A[unused1] [unusedx][cls] U[MASK]", "[CLS]Á[unused1] [unusedx][cls] Ü[MASK]"):
        assert text.BasicTokenizer(True)(source).tolist() == tokens
    assert text.BasicTokenizer(True, preserve_unused_token=False)("[CLS]").tolist() == ["[", "cls", "]"]


def test_basic_white_space_control_and_forms():
    assert text.BasicTokenizer(keep_whitespace=True)("a  b\tc").tolist() == ["a", "  ", "b", " ", "c"]
    assert text.BasicTokenizer()("a\x07b\u200dc").tolist() == ["a", "b", "c"]
    assert text.BasicTokenizer(normalization_form=text.NormalizeForm.NFKC)("ﬁ ①").tolist() == ["fi", "1"]


WORDS = ["my", "favor", "##ite", "un", "##aff", "##able", "中", "##é", '"', "[CLS]"]
VOCAB = text.Vocab.from_list(WORDS)


def test_wordpiece_tokenizer_takes_the_longest_pieces():
    words = numpy.array(["my", "favorite", "unaffable", "what", "", "中é"])
    tokens, starts, ends = text.WordpieceTokenizer(VOCAB, with_offsets=True)(words)
    assert tokens.tolist() == ["my", "favor", "##ite", "un", "##aff", "##able", "[UNK]", "中", "##é"]
    assert starts.tolist() == [0, 0, 5, 0, 2, 5, 0, 0, 3]
    assert ends.tolist() == [2, 5, 8, 2, 5, 9, 4, 3, 5]
    assert text.WordpieceTokenizer(VOCAB, unknown_token="")("what").tolist() == ["what"]
    assert text.WordpieceTokenizer(VOCAB, max_bytes_per_token=4)("favorite").tolist() == ["[UNK]"]
    assert text.WordpieceTokenizer(VOCAB)(numpy.array([], dtype="U1")).tolist() == [""]
    with pytest.raises(RuntimeError, match="it takes a text or a list of texts"):
        text.WordpieceTokenizer(VOCAB)(numpy.array([["my"]]))


def test_bert_tokenizer_cleans_and_splits_into_pieces():
    source = 'My favorite [CLS] "what" Unaffable'
    tokens, starts, ends = text.BertTokenizer(VOCAB, lower_case=True, with_offsets=True)(source)
    assert tokens.tolist() == ["my", "favor", "##ite", "[CLS]", '"', "[UNK]", '"', "un", "##aff", "##able"]
    pieces = [source[start:end].lower() for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
    assert pieces == ["my", "favor", "ite", "[cls]", '"', "what", '"', "un", "aff", "able"]


@pytest.mark.parametrize(
    "make",
    [
        text.WhitespaceTokenizer,
        text.UnicodeCharTokenizer,
        text.UnicodeScriptTokenizer,
        text.BasicTokenizer,
        lambda: text.BertTokenizer(VOCAB),
    ],
)
def test_tokenizers_take_one_text(make):
    tokenizer = make()
    name = type(tokenizer).__name__
    with pytest.raises(RuntimeError, match=rf"{name}: got texts with shape \(1,\); (need|it takes) one text"):
        tokenizer(numpy.array(["a"]))
    with pytest.raises(TypeError, match=f"{name}: got an array of int64"):
        tokenizer(3)
    with pytest.raises(RuntimeError, match=f"{name}: 2 columns"):
        tokenizer("a", "b")


@pytest.mark.parametrize(
    "source", [b"\xff", b"\xc3", b"\xe4\xb8", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc0\x80", b"a\x80"]
)
def test_bytes_that_are_not_utf8_are_rejected(source):
    with pytest.raises(RuntimeError, match=r"WhitespaceTokenizer: byte . of the text is not UTF-8"):
        text.WhitespaceTokenizer()(source)
    assert text.WhitespaceTokenizer()("é b".encode()).tolist() == ["é".encode(), b"b"]


def test_python_tokenizer():
    assert text.PythonTokenizer(str.split)("a b").tolist() == ["a", "b"]
    assert text.PythonTokenizer(str.split)(numpy.array(["a b", "c d"])).tolist() == [["a", "b"], ["c", "d"]]
    with pytest.raises(TypeError, match="PythonTokenizer: tokenizer is 3"):
        text.PythonTokenizer(3)


def test_regex_tokenizer():
    source = "é,b c,,d"
    made = text.RegexTokenizer(r"[,\s]", ",", True)(source)
    assert made[0].tolist() == ["é", ",", "b", "c", ",", ",", "d"]
    check_offsets(source, made)
    assert text.RegexTokenizer(r"\p{Han}", r"\p{Han}")("a北京b").tolist() == ["a", "北", "京", "b"]
    assert text.RegexTokenizer(r"[\p{P}[:space:]]+")("a。 b!c").tolist() == ["a", "b", "c"]
    assert text.RegexTokenizer(r"\P{L}")("a1b").tolist() == ["a", "b"]
    assert text.RegexTokenizer("x*")("axb").tolist() == ["a", "b"]
    assert text.RegexTokenizer(" ")("  ").tolist() == [""]
    with pytest.raises(ValueError, match=r"delim_pattern is '\('; need a regular expression"):
        text.RegexTokenizer("(")
    with pytest.raises(ValueError, match="the property 'Nonsense'"):
        text.RegexTokenizer(r"\p{Nonsense}")


def test_regex_replace():
    assert text.RegexReplace("(a)(c)", "$2-$1")("xacac").item() == "xc-ac-a"
    assert text.RegexReplace("a", r"\$", False)(numpy.array(["aa", "b"])).tolist() == ["$a", "b"]
    assert text.RegexReplace("(?<first>a)", "${first}!")("a").item() == "a!"
    with pytest.raises(ValueError, match="names a group that pattern has not"):
        text.RegexReplace("a", "$5")


def test_packages_that_are_missing(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "jieba", None)
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    path = tmp_path / "dictionary.txt"
    path.write_text("a 1\n")
    with pytest.raises(
        RuntimeError, match=r"JiebaTokenizer: needs the package jieba, .* run `pip install jieba`"
    ):
        text.JiebaTokenizer(str(path), str(path))
    with pytest.raises(RuntimeError, match="SentencePieceTokenizer: needs the package sentencepiece"):
        text.SentencePieceTokenizer(str(path), text.SPieceTokenizerOutType.INT)


def test_jieba_tokenizer_agrees_with_the_package(tmp_path):
    jieba = pytest.importorskip("jieba")
    dictionary = os.path.join(os.path.dirname(jieba.__file__), "dict.txt")
    model = tmp_path / "hmm.txt"
    model.write_text("")
    tokenizer = text.JiebaTokenizer(str(model), dictionary, with_offsets=True)
    made = tokenizer("今天天气太好了我们一起去外面玩吧")
    assert made[0].tolist()[:3] == ["今天天气", "太好了", "我们"]
    check_offsets("今天天气太好了我们一起去外面玩吧", made)
    tokenizer.add_word("男默女泪", 10)
    assert tokenizer("男默女泪")[0].tolist() == ["男默女泪"]
    words = text.JiebaTokenizer(str(model), dictionary, text.JiebaMode.MP)("今天天气")
    assert "".join(words.tolist()) == "今天天气"


def test_sentencepiece_tokenizer_agrees_with_the_package(tmp_path):
    pytest.importorskip("sentencepiece")
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("the cat sat on the mat\nthe dog sat on the log\n" * 20)
    quiet = {"minloglevel": 2, "hard_vocab_limit": False}
    vocab = text.SentencePieceVocab.from_file(
        [str(corpus)], 30, 0.9995, text.SentencePieceModel.UNIGRAM, quiet
    )
    text.SentencePieceVocab.save_model(vocab, str(tmp_path), "m.model")
    pieces = text.SentencePieceTokenizer(vocab, text.SPieceTokenizerOutType.STRING)("the cat")
    assert "".join(pieces.tolist()).replace("▁", " ").strip() == "the cat"
    numbers = text.SentencePieceTokenizer(str(tmp_path / "m.model"), text.SPieceTokenizerOutType.INT)(
        "the cat"
    )
    assert len(numbers) == len(pieces)
