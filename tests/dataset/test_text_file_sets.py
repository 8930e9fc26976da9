import json

import numpy as np
import pytest
from record_files import epoch, first_column

from dyad.dataset import (
    AGNewsDataset,
    AmazonReviewDataset,
    CLUEDataset,
    CoNLL2000Dataset,
    DBpediaDataset,
    EnWik9Dataset,
    IMDBDataset,
    IWSLT2016Dataset,
    IWSLT2017Dataset,
    Multi30kDataset,
    PennTreebankDataset,
    PKSampler,
    Shuffle,
    SogouNewsDataset,
    SQuADDataset,
    SST2Dataset,
    UDPOSDataset,
    WikiTextDataset,
    YahooAnswersDataset,
    YelpReviewDataset,
)


@pytest.fixture
def folder(tmp_path):
    """Writes files, given as a dict from paths to texts, and gives the directory."""

    def folder(files):
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return str(tmp_path)

    return folder


@pytest.mark.parametrize(
    "kind, stem",
    [(WikiTextDataset, "wiki.{}.tokens"), (PennTreebankDataset, "ptb.{}.txt")],
    ids=["wiki", "ptb"],
)
def test_lines_in_files_by_usage(folder, kind, stem):
    path = folder(
        {stem.format(usage): f" first {usage} \n\nsecond\n" for usage in ("train", "test", "valid")}
    )
    assert first_column(kind(path, "valid", shuffle=False)) == [" first valid ", "second"]
    assert len(kind(path)) == len(kind(path, "all")) == 6
    assert sorted(first_column(kind(path, shuffle=Shuffle.FILES))) == sorted(first_column(kind(path)))


def test_enwik9_keeps_empty_lines(folder):
    assert first_column(EnWik9Dataset(folder({"enwik9": "<a>\n\n b \r\nc"}), shuffle=False)) == [
        "<a>",
        "",
        " b \r",
        "c",
    ]


@pytest.mark.parametrize(
    "kind, columns",
    [
        (AGNewsDataset, ["index", "title", "description"]),
        (DBpediaDataset, ["class", "title", "content"]),
        (AmazonReviewDataset, ["label", "title", "content"]),
        (SogouNewsDataset, ["index", "title", "content"]),
        (YahooAnswersDataset, ["class", "title", "content", "answer"]),
        (YelpReviewDataset, ["label", "text"]),
    ],
)
def test_records_in_csv_files(folder, kind, columns):
    first = ["1", 'a "quoted", text', "back\\slash \\n", "last"][: len(columns)]
    record = ",".join('"' + field.replace('"', '""') + '"' for field in first)
    other = ",".join(['"2"'] * len(columns))
    path = folder({"train.csv": f"{record}\n{other}\n", "test.csv": f"{other}\n"})
    dataset = kind(path, "train", shuffle=False)
    assert dataset.get_col_names() == columns
    assert epoch(dataset) == [tuple(first), ("2",) * len(columns)]
    assert len(kind(path)) == 3 and len(kind(path, usage="test")) == 1


def test_sst2_has_sentences_and_labels(folder):
    path = folder(
        {
            "train.tsv": "sentence\tlabel\nhide new \t0\n\ngood\t1\n",
            "dev.tsv": "sentence\tlabel\nd\t1\r\n",
            "test.tsv": "index\tsentence\n0\tuneasy .\n",
        }
    )
    assert epoch(SST2Dataset(path, shuffle=False)) == [("hide new ", "0"), ("good", "1")]
    assert epoch(SST2Dataset(path, "dev")) == [("d", "1")]
    assert epoch(SST2Dataset(path, "test")) == [("uneasy .",)]
    folder({"train.tsv": "sentence\tlabel\nx\n"})
    with pytest.raises(RuntimeError, match="at line 2: the line has 1 fields; need 2"):
        len(SST2Dataset(path))


@pytest.mark.parametrize(
    "task, usage, record, row",
    [
        ("AFQMC", "train", {"sentence1": "a", "sentence2": "b", "label": "0"}, ("0", "a", "b")),
        ("AFQMC", "test", {"id": 3, "sentence1": "a", "sentence2": "b"}, (3, "a", "b")),
        (
            "TNEWS",
            "eval",
            {"label": "102", "label_desc": "n", "sentence": "s", "keywords": "k"},
            ("k", "102", "n", "s"),
        ),
        ("TNEWS", "test", {"id": 0, "sentence": "s", "keywords": "k"}, (0, "k", "s")),
        ("IFLYTEK", "train", {"label": "11", "label_des": "w", "sentence": "s"}, ("11", "w", "s")),
        ("CMNLI", "train", {"sentence1": "a", "sentence2": "b", "label": "neutral"}, ("neutral", "a", "b")),
        (
            "WSC",
            "train",
            {
                "target": {"span1_index": 4, "span2_index": 25, "span1_text": "x", "span2_text": "y"},
                "idx": 0,
                "label": "false",
                "text": "t",
            },
            (0, "false", 4, "x", 25, "y", "t"),
        ),
        ("CSL", "test", {"id": 9, "abst": "ab", "keyword": ["k1", "k2"]}, ("ab", 9, ["k1", "k2"])),
    ],
)
def test_clue_has_the_columns_of_each_task(folder, task, usage, record, row):
    path = folder({"data.json": json.dumps(record) + "\n"})
    dataset = CLUEDataset(f"{path}/data.json", task, usage)
    assert dataset.get_col_names() == sorted(dataset.get_col_names())
    assert epoch(dataset) == [row]
    numbers = [
        kind for value, kind in zip(row, dataset.output_types(), strict=True) if isinstance(value, int)
    ]
    assert all(kind == np.uint32 for kind in numbers)


@pytest.mark.parametrize(
    "line, message",
    [
        ("one", "at line 2: it is no JSON"),
        ("[]", "at line 2: it is no JSON object"),
        ('{"label": "0"}', "there is no key 'sentence1', which task AFQMC has"),
        ('{"label": "0", "sentence1": [1], "sentence2": ""}', r"'sentence1' is \[1\]; need a text"),
    ],
)
def test_clue_says_what_is_wrong(folder, line, message):
    good = '{"label": "0", "sentence1": "a", "sentence2": "b"}\n'
    path = folder({"data.json": good + line})
    with pytest.raises(RuntimeError, match=f"CLUEDataset: the file .*data.json cannot be read .*{message}"):
        len(CLUEDataset(f"{path}/data.json"))


@pytest.mark.parametrize("version", ["1.1", "2.0"])
def test_squad_has_questions_with_their_answers(folder, version):
    answers = [{"text": "one", "answer_start": 4}, {"text": "Ctx", "answer_start": 0}]
    asked = [{"question": "Q1?", "answers": answers}, {"question": "Q2?", "answers": []}]
    content = json.dumps({"data": [{"title": "T", "paragraphs": [{"context": "Ctx one", "qas": asked}]}]})
    path = folder({f"train-v{version}.json": content, f"dev-v{version}.json": content})
    dataset = SQuADDataset(path, "train", shuffle=False)
    assert dataset.get_col_names() == ["context", "question", "text", "answer_start"]
    assert epoch(dataset) == [
        ("Ctx one", "Q1?", ["one", "Ctx"], [4, 0]),
        ("Ctx one", "Q2?", [""], [4294967295]),
    ]
    assert dataset.output_types()[3] == np.uint32
    assert len(SQuADDataset(path)) == 4
    folder({f"train-v{version}.json": '{"data": [{}]}'})
    with pytest.raises(RuntimeError, match="is not in the format of SQuAD: KeyError: 'paragraphs'"):
        len(SQuADDataset(path, "train"))


def test_sentences_with_tags(folder):
    path = folder({"train.txt": "Hi UH B-NP\nyou PRP B-NP\n\nA B C\n", "test.txt": "x y z\n\n\n"})
    dataset = CoNLL2000Dataset(path, "train", shuffle=False)
    assert dataset.get_col_names() == ["word", "pos_tag", "chunk_tag"]
    assert epoch(dataset) == [(["Hi", "you"], ["UH", "PRP"], ["B-NP", "B-NP"]), (["A"], ["B"], ["C"])]
    assert len(CoNLL2000Dataset(path)) == 3
    folder({"train.txt": "a b c\nd e\n"})
    with pytest.raises(RuntimeError, match="at line 2: it has 2 fields; need word, pos_tag, chunk_tag"):
        len(CoNLL2000Dataset(path, "train"))
    path = folder({f"en-ud-tag.v2.{name}.txt": f"{name}\tX\tY\n" for name in ("train", "test", "dev")})
    assert epoch(UDPOSDataset(path, "valid")) == [(["dev"], ["X"], ["Y"])]
    assert len(UDPOSDataset(path)) == 3


def test_multi30k_has_pairs_of_sentences(folder):
    stems = {"train": "training/train", "valid": "validation/val", "test": "mmt16_task1_test/test"}
    path = folder(
        {f"{stem}.{lang}": f"{lang} 1\n{lang} 2\n" for stem in stems.values() for lang in ("en", "de")}
    )
    assert epoch(Multi30kDataset(path, "train", shuffle=False)) == [("en 1", "de 1"), ("en 2", "de 2")]
    assert epoch(Multi30kDataset(path, "valid", ["de", "en"], shuffle=False))[0] == ("de 1", "en 1")
    assert len(Multi30kDataset(path)) == 6
    folder({"training/train.de": "one\n"})
    with pytest.raises(RuntimeError, match=r"train.en has 2 sentences and .*train.de 1; need as many"):
        len(Multi30kDataset(path, "train"))
    with pytest.raises(ValueError, match=r"language_pair is \['en', 'fr'\]"):
        Multi30kDataset(path, language_pair=["en", "fr"])


@pytest.mark.parametrize(
    "kind, where, valid, test",
    [
        (IWSLT2016Dataset, "texts/de/en/de-en", "IWSLT16.TED.tst2013", "IWSLT16.TED.tst2014"),
        (
            IWSLT2017Dataset,
            "texts/DeEnItNlRo/DeEnItNlRo/DeEnItNlRo-DeEnItNlRo",
            "IWSLT17.TED.dev2010",
            "IWSLT17.TED.tst2010",
        ),
    ],
)
def test_iwslt_has_pairs_of_sentences(folder, kind, where, valid, test):
    files = {}
    for language in ("de", "en"):
        files[f"{where}/train.tags.de-en.{language}"] = (
            f"<url>http</url>\n {language} train \n<title>T</title>\n"
        )
        for stem in (valid, test):
            xml = f'<?xml version="1.0"?>\n<doc>\n<seg id="1"> {language} &amp; {stem} </seg>\n</doc>\n'
            files[f"{where}/{stem}.de-en.{language}.xml"] = xml
    path = folder(files)
    assert epoch(kind(path, "train")) == [("de train", "en train")]
    assert epoch(kind(path, "valid")) == [(f"de & {valid}", f"en & {valid}")]
    assert epoch(kind(path, "test")) == [(f"de & {test}", f"en & {test}")]
    assert len(kind(path)) == 3
    with pytest.raises(ValueError, match="language_pair is"):
        kind(path, language_pair=["en", "xx"])


def test_imdb_has_reviews_and_labels(folder):
    path = folder({f"{half}/{kind}/{i}_1.txt": f"{half} {kind} {i}\nmore"
                   for half in ("train", "test") for kind in ("pos", "neg") for i in range(3)})  # fmt: skip
    dataset = IMDBDataset(path, "train", shuffle=False)
    assert dataset.get_col_names() == ["text", "label"]
    assert epoch(dataset)[0] == ("train pos 0\nmore", 1) and epoch(dataset)[5] == ("train neg 2\nmore", 0)
    assert dataset.output_types()[1] == np.int32
    assert len(IMDBDataset(path)) == 12 and dataset.num_classes() == 2
    assert sorted(row[1] for row in epoch(IMDBDataset(path, sampler=PKSampler(2)))) == [0, 0, 1, 1]
    assert [row[0][:11] for row in epoch(IMDBDataset(path, "test", num_shards=3, shard_id=1, shuffle=False))] == [
        "test pos 1\n", "test neg 1\n",
    ]  # fmt: skip
    (dataset_file := f"{path}/train/pos/0_1.txt") and open(dataset_file, "wb").close()
    assert epoch(IMDBDataset(path, "train", shuffle=False))[0] == ("", 1)


@pytest.mark.parametrize(
    "kind",
    [
        WikiTextDataset,
        AGNewsDataset,
        SST2Dataset,
        SQuADDataset,
        CoNLL2000Dataset,
        Multi30kDataset,
        IMDBDataset,
    ],
)
def test_wrong_folders_and_usages(tmp_path, kind):
    with pytest.raises(
        ValueError, match=f"{kind.__name__}: dataset_dir is 'nowhere'; the folder does not exist"
    ):
        kind("nowhere")
    with pytest.raises(ValueError, match=f"{kind.__name__}: usage is 'x'; need one of train"):
        kind(str(tmp_path), "x")
    with pytest.raises(RuntimeError, match=f"{kind.__name__}: the f.* (is missing|does not exist)"):
        len(kind(str(tmp_path)))
