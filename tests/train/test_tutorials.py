"""The examples that show how something is trained learn it, and the same in every form."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import dyad

EXAMPLES = Path(__file__).parents[2] / "examples"
FORMS = ("pynative", "graph", "jit")


@pytest.fixture(autouse=True)
def mode_is_put_back():
    before = dyad.get_context("mode")
    yield
    dyad.set_context(mode=before)


def load(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def silent(text):
    """Instead of print."""


def require_same(trained, steps):
    """All forms lost the same at first; later, rounding tells."""
    first, *others = (np.array(each.losses) for each in trained)
    assert len(first) >= steps and np.isfinite(first).all()
    for other in others:
        np.testing.assert_allclose(other[:steps], first[:steps], rtol=2e-3, atol=1e-5)


def require_fall(losses, share):
    assert np.mean(losses[-5:]) < share * np.mean(losses[:5])


def test_functional_training():
    example = load("functional_training")
    made = []
    for form, steps in zip(FORMS, (15, 15, 240), strict=True):
        made.append(example.Training(form))
        made[-1].run(steps, np.random.default_rng(0), silent)
    require_same(made, 15)
    require_fall(made[-1].losses, 0.5)
    assert made[-1].test(np.random.default_rng(1)) > 0.85
    assert set(made[-1].picture()) == set("#+-.\n")


def test_lstm_sentiment():
    example = load("lstm_sentiment")
    reviews = example.make_reviews(256, seed=1)
    assert {label for _, label in reviews} == {0, 1}
    vocabulary = example.make_vocabulary(reviews)
    batches = example.batches_of(reviews, vocabulary, shuffle=False)
    made = []
    for form, steps in zip(FORMS, (8, 8, 120), strict=True):
        made.append(example.Training(form, len(vocabulary.vocab())))
        made[-1].run(batches, steps, silent)
    require_same(made, 8)
    require_fall(made[-1].losses, 0.3)
    assert made[-1].accuracy(batches) > 0.9
    straight, turned = made[-1].praises(["the cast was great", "the cast was not great"], vocabulary)
    assert straight > 0.5 > turned


def test_the_gan_trains_alike_in_every_form():
    example = load("gan")
    made = []
    for form, steps in zip(FORMS, (10, 10, 700), strict=True):
        made.append(example.Training(form))
        before = made[-1].accuracy()
        made[-1].run(steps, np.random.default_rng(0), silent)
    require_same(made, 10)
    assert before < 0.3 and made[-1].accuracy() > 0.6
    assert len(made[-1].picture().splitlines()) == example.HEIGHT


def test_the_translation_trains_alike_in_every_form():
    example = load("translation")
    assert " ".join(example.english(417)) == "four hundred and seventeen"
    known = np.arange(1000)
    made = []
    for form, steps in zip(FORMS, (6, 6, 80), strict=True):
        made.append(example.Training(form))
        made[-1].run(known, steps, np.random.default_rng(0), silent)
    require_same(made, 6)
    require_fall(made[-1].losses, 0.2)
    numbers = known[::40]
    told = made[-1].translate(numbers)
    assert np.mean([str(number) == text for number, text in zip(numbers, told, strict=True)]) > 0.5


def test_transfer_learning(tmp_path):
    example = load("transfer_learning")
    file = str(tmp_path / "first.ckpt")
    first, tuned = [], []
    for form in FORMS:
        transfer = example.Transfer(form)
        first.append(transfer.pretrain(40, file))
        few = example.make_pictures(example.SECOND_TASK, example.FEW, np.random.default_rng(2))
        tuned.append(transfer.fine_tune(40, file, *few))
    require_same(first, 10)
    require_same(tuned, 3)
    require_fall(first[0].losses, 0.8)
    require_fall(tuned[0].losses, 0.9)
    network = tuned[0].network
    assert [parameter.name for parameter in network.trainable_params()] == ["head.weight", "head.bias"]
    for name, kept in first[-1].network.features.parameters_dict().items():
        loaded = tuned[-1].network.features.parameters_dict()[name]
        np.testing.assert_array_equal(loaded.asnumpy(), kept.asnumpy())
