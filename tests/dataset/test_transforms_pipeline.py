"""Transforms of arrays, texts and audio in pipelines."""

import os

import numpy
import pytest

import dyad
from dyad import dataset
from dyad.dataset import audio, text, transforms

LINES = ["the cat sat", "on the mat", "Ünder thé Tür", "the end"]


@pytest.fixture(autouse=True)
def _seed():
    before = dataset.config.get_seed()
    dataset.config.set_seed(5)
    yield
    dataset.config.set_seed(before)


def columns_of(pipeline):
    return [row[0].tolist() for row in pipeline.create_tuple_iterator(num_epochs=1, output_numpy=True)]


def lines():
    return dataset.NumpySlicesDataset(LINES, ["line"], shuffle=False)


def test_words_to_batches_of_numbers():
    tokens = lines().map(text.BasicTokenizer(lower_case=True), ["line"])
    vocab = text.Vocab.from_dataset(tokens, "line", special_tokens=["<pad>", "<unk>"])
    assert vocab.tokens_to_ids(["<pad>", "the", "under"]) == [0, 2, vocab.vocab()["under"]]
    numbers = tokens.map([text.Lookup(vocab, "<unk>"), transforms.PadEnd([4], 0)], ["line"]).batch(2)
    batches = columns_of(numbers)
    assert numpy.array(batches).shape == (2, 2, 4)
    words = [
        [word for word in vocab.ids_to_tokens(row) if word != "<pad>"] for batch in batches for row in batch
    ]
    assert words[2] == ["under", "the", "tur"]


def test_one_column_becomes_three():
    pipeline = lines().map(text.WhitespaceTokenizer(True), ["line"], ["token", "start", "end"])
    row = next(pipeline.create_dict_iterator(num_epochs=1, output_numpy=True))
    assert sorted(row) == ["end", "start", "token"]
    assert row["start"].tolist() == [0, 4, 8]


def test_compose_with_functions():
    numbers = dataset.NumpySlicesDataset(numpy.arange(4, dtype=numpy.int32), ["x"], shuffle=False)
    chain = [
        transforms.TypeCast(dyad.float32),
        lambda x: x + 0.5,
        transforms.TypeCast("int64"),
        transforms.OneHot(4),
    ]
    assert columns_of(numbers.map(transforms.Compose(chain), ["x"])) == numpy.eye(4).tolist()


def own_process(x):
    return numpy.full_like(x, os.getpid())


def test_functions_of_compose_run_in_worker_processes():
    numbers = dataset.NumpySlicesDataset(numpy.arange(8), ["x"], shuffle=False)
    chain = transforms.Compose([own_process, transforms.TypeCast(dyad.int64)])
    pipeline = numbers.map(chain, ["x"], num_parallel_workers=2, python_multiprocessing=True)
    assert os.getpid() not in columns_of(pipeline)


def test_an_error_in_a_function_of_compose_shows_its_line():
    pipeline = lines().map(transforms.Compose([transforms.Fill("a"), lambda x: x.no_such_member]), ["line"])
    with pytest.raises(RuntimeError, match="no_such_member"):
        columns_of(pipeline)


def test_draws_do_not_depend_on_the_number_of_workers():
    numbers = numpy.zeros((200, 3), numpy.int64)
    choice = transforms.RandomChoice([transforms.Fill(value) for value in range(7)])
    order = transforms.RandomOrder([choice, transforms.RandomApply([transforms.Fill(9)], 0.3)])
    runs = [
        columns_of(
            dataset.NumpySlicesDataset(numbers, ["x"], shuffle=False).map(
                order, ["x"], num_parallel_workers=n
            )
        )
        for n in (1, 2, 4)
    ]
    assert runs[0] == runs[1] == runs[2]
    assert len({row[0] for row in runs[0]}) == 8


def test_audio_in_threads():
    waves = numpy.random.default_rng(0).standard_normal((12, 400)).astype(numpy.float32) * 0.2
    chain = [audio.LowpassBiquad(8000, 1000.0), audio.Spectrogram(64), audio.AmplitudeToDB()]
    pipeline = dataset.NumpySlicesDataset(waves, ["wave"], shuffle=False).map(
        chain, ["wave"], num_parallel_workers=2
    )
    expected = chain[2](chain[1](chain[0](waves[3])))
    numpy.testing.assert_allclose(columns_of(pipeline)[3], expected, atol=1e-4)


@pytest.mark.parametrize(
    "operation",
    [
        text.Lookup(text.Vocab.from_list(["a", "b"]), "b"),
        text.RegexReplace("a", "b"),
        text.RegexTokenizer(r"\s+"),
        text.BertTokenizer(text.Vocab.from_list(["a", "b"])),
        transforms.Slice(slice(1, None), [0]),
        transforms.Compose([transforms.Fill(1), transforms.TypeCast(dyad.float32)]),
        transforms.Mask(transforms.Relational.GE, 2),
        audio.Spectrogram(64),
        audio.MFCC(),
        audio.Flanger(8000),
    ],
    ids=lambda operation: type(operation).__name__,
)
def test_descriptions_can_be_read_back(operation):
    tree = dataset.serialize(lines().map(operation, ["line"]))
    assert dataset.serialize(dataset.deserialize(input_dict=tree)) == tree
