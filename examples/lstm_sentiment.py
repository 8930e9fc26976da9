"""An LSTM reads short reviews and tells whether they praise: from text to batches, and from batches to a classifier.

The reviews are made here of praise, blame and words that turn them round: "not bad at all" praises, "hardly a good
film" does not, so counting words is not enough and the order must be read. `dyad.dataset` turns them into numbers: it
splits, builds a vocabulary, looks words up, pads and batches. An embedding, an LSTM in both directions and a dense
layer learn from them. The loop is plain; `--mode` says how it runs:

    pynative   operator by operator
    graph      set_context(mode=GRAPH_MODE)
    jit        the whole training step is one graph

    python examples/lstm_sentiment.py [--mode pynative|graph|jit] [--steps 120]
"""

import argparse

import numpy as np

import dyad
from dyad import GRAPH_MODE, PYNATIVE_MODE, dataset, jit, nn
from dyad.dataset import text, transforms

LENGTH = 14
BATCH = 32
PAD, UNKNOWN = "<pad>", "<unknown>"

THINGS = ("film", "plot", "cast", "ending", "music", "script")
PRAISE = ("good", "great", "moving", "funny", "clever", "lovely")
BLAME = ("bad", "dull", "weak", "boring", "silly", "awful")
TURNED = ("not {}", "never {}", "hardly a {} thing", "far from {}")
STRAIGHT = ("{}", "very {}", "really {}", "so {} again")
FRAMES = (
    "the {thing} was {said}",
    "i found the {thing} {said}",
    "what a {thing} , {said}",
    "{said} {thing} , they say",
)


# --- Reviews --------------------------------------------------------------------------------------------------


def make_review(random):
    """A sentence, and 1 if it praises."""
    word_praises, turned = random.integers(0, 2, 2)
    word = random.choice(PRAISE if word_praises else BLAME)
    said = random.choice(TURNED if turned else STRAIGHT).format(word)
    sentence = random.choice(FRAMES).format(thing=random.choice(THINGS), said=said)
    return sentence, np.float32(word_praises != turned)


def make_reviews(count, seed):
    random = np.random.default_rng(seed)
    return [make_review(random) for _ in range(count)]


def make_vocabulary(reviews):
    words = dataset.GeneratorDataset(reviews, ["text", "label"], shuffle=False)
    words = words.map(text.WhitespaceTokenizer(), "text")
    return text.Vocab.from_dataset(words, columns="text", special_tokens=[PAD, UNKNOWN], special_first=True)


def numbered(vocabulary):
    """From a sentence to the numbers of its words, all of one length."""
    padding = vocabulary.tokens_to_ids(PAD)
    return [
        text.WhitespaceTokenizer(),
        text.Lookup(vocabulary, unknown_token=UNKNOWN),
        transforms.PadEnd([LENGTH], pad_value=padding),
    ]


def batches_of(reviews, vocabulary, shuffle):
    rows = dataset.GeneratorDataset(reviews, ["text", "label"], shuffle=shuffle)
    return rows.map(numbered(vocabulary), "text").batch(BATCH, drop_remainder=True)


# --- The network ----------------------------------------------------------------------------------------------


class Sentiment(nn.Cell):
    """How much a review praises, before the sigmoid."""

    def __init__(self, words, width=24, hidden=24):
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        self.lstm = nn.LSTM(width, hidden, bidirectional=True, batch_first=True)
        self.head = nn.Dense(2 * hidden, 1)

    def construct(self, numbers):
        states, _ = self.lstm(self.embedding(numbers))
        return self.head(states.max(axis=1)).squeeze(-1)


class Training:
    def __init__(self, mode, words, seed=1):
        dyad.set_context(mode=GRAPH_MODE if mode == "graph" else PYNATIVE_MODE)
        dyad.set_seed(seed)
        self.network = Sentiment(words)
        self.optimizer = nn.Adam(self.network.trainable_params(), learning_rate=1e-2)
        self.losses = []
        loss_fn = nn.BCEWithLogitsLoss()

        def forward(numbers, label):
            return loss_fn(self.network(numbers), label)

        gradients_of = dyad.value_and_grad(forward, None, self.optimizer.parameters)

        def train_step(numbers, label):
            loss, gradients = gradients_of(numbers, label)
            self.optimizer(gradients)
            return loss

        self.step = jit(train_step) if mode == "jit" else train_step

    def run(self, batches, steps, tell=print):
        while len(self.losses) < steps:
            for numbers, label in batches:
                self.losses.append(float(self.step(numbers, label)))
                if len(self.losses) == steps:
                    break
            tell(f"after {len(self.losses):4} steps: loss {np.mean(self.losses[-20:]):.4f}")

    def accuracy(self, batches):
        metric = dyad.train.Accuracy("multilabel")
        for numbers, label in batches:
            told = (self.network(numbers) > 0).astype(dyad.int32)
            metric.update(told.reshape(-1, 1), label.astype(dyad.int32).reshape(-1, 1))
        return metric.eval()

    def praises(self, sentences, vocabulary):
        """How sure the network is that each of the sentences praises."""
        rows = dataset.NumpySlicesDataset(np.array(sentences), ["text"], shuffle=False)
        rows = rows.map(numbered(vocabulary), "text").batch(len(sentences))
        (numbers,) = next(iter(rows))
        return self.network(numbers).sigmoid().asnumpy()


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--mode", choices=["pynative", "graph", "jit"], default="jit")
    parser.add_argument("--steps", type=int, default=120)
    options = parser.parse_args()
    dataset.config.set_seed(3)
    reviews, unseen = make_reviews(1024, seed=1), make_reviews(256, seed=2)
    vocabulary = make_vocabulary(reviews)
    print(f"{len(vocabulary.vocab())} words; the first review: {reviews[0]}")
    training = Training(options.mode, len(vocabulary.vocab()))
    training.run(batches_of(reviews, vocabulary, shuffle=True), options.steps)
    print(
        f"{training.accuracy(batches_of(unseen, vocabulary, shuffle=False)):.1%} of unseen reviews are told right"
    )
    sentences = [
        "the music was lovely",
        "the music was not lovely",
        "a film far from dull",
        "hardly a clever script",
    ]
    for sentence, sure in zip(sentences, training.praises(sentences, vocabulary), strict=True):
        print(f"{sure:6.1%} praise: {sentence}")


if __name__ == "__main__":
    main()
