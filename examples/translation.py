"""A transformer translates numbers: "four hundred and seventeen" becomes 4 1 7.

The source language is English, the target language has ten words, the digits; a number below one thousand is said in
both. Neither the number of words nor their places agree ("seventeen" is two digits, and "four hundred and two" has one
that nobody says), so the decoder has to look back at the source while it writes. `nn.Transformer` learns that by
teacher forcing: it is given the translation up to each place and says what comes next. Translating, it is given what it
wrote itself.

    pynative   operator by operator
    graph      set_context(mode=GRAPH_MODE)
    jit        the whole training step is one graph

    python examples/translation.py [--mode pynative|graph|jit] [--steps 300]
"""

import argparse

import numpy as np

import dyad
from dyad import GRAPH_MODE, PYNATIVE_MODE, Tensor, jit, nn, ops

ONES = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
PADDING, START, END = "<pad>", "<start>", "<end>"
SOURCE = [PADDING, *ONES, *TENS, "hundred", "and"]
TARGET = [PADDING, START, END, *"0123456789"]
SOURCE_LENGTH, TARGET_LENGTH = 6, 5
BATCH = 64


# --- Two languages --------------------------------------------------------------------------------------------


def english(number):
    """The words of a number below 1000."""
    if number < 20:
        return [ONES[number]]
    if number < 100:
        tens, ones = divmod(number, 10)
        return [TENS[tens - 2], *([ONES[ones]] if ones else [])]
    hundreds, rest = divmod(number, 100)
    return [ONES[hundreds], "hundred", *(["and", *english(rest)] if rest else [])]


def numbered(words, language, length):
    """The numbers of the words, padded."""
    numbers = [language.index(word) for word in words]
    return numbers + [0] * (length - len(numbers))


def pair(number):
    digits = [START, *str(number), END]
    return numbered(english(number), SOURCE, SOURCE_LENGTH), numbered(digits, TARGET, TARGET_LENGTH)


def pairs(numbers):
    source, target = zip(*map(pair, numbers), strict=True)
    return np.array(source, np.int32), np.array(target, np.int32)


# --- The network ----------------------------------------------------------------------------------------------


class Translator(nn.Cell):
    """Scores of the words that may come next, for each place of the translation so far."""

    def __init__(self, width=48, heads=4, layers=1):
        super().__init__()
        self.source, self.target = nn.Embedding(len(SOURCE), width), nn.Embedding(len(TARGET), width)
        self.source_places = nn.Embedding(SOURCE_LENGTH, width)
        self.target_places = nn.Embedding(TARGET_LENGTH, width)
        self.transformer = nn.Transformer(
            width, heads, layers, layers, 2 * width, dropout=0.0, batch_first=True
        )
        self.head = nn.Dense(width, len(TARGET))

    def construct(self, source, target):
        length = target.shape[1]
        future = ops.triu(ops.ones((length, length), dyad.bool_), 1)
        padding = source == 0
        decoded = self.transformer(
            self.source(source) + self.source_places(ops.arange(SOURCE_LENGTH)),
            self.target(target) + self.target_places(ops.arange(length)),
            tgt_mask=future,
            src_key_padding_mask=padding,
            memory_key_padding_mask=padding,
        )
        return self.head(decoded)


class Training:
    def __init__(self, mode, seed=1):
        dyad.set_context(mode=GRAPH_MODE if mode == "graph" else PYNATIVE_MODE)
        dyad.set_seed(seed)
        self.network = Translator()
        self.optimizer = nn.Adam(self.network.trainable_params(), learning_rate=3e-3)
        self.losses = []
        loss_fn = nn.CrossEntropyLoss(ignore_index=0)

        def forward(source, target):
            scores = self.network(source, target[:, :-1])
            return loss_fn(scores.reshape(-1, len(TARGET)), target[:, 1:].reshape(-1))

        gradients_of = dyad.value_and_grad(forward, None, self.optimizer.parameters)

        def train_step(source, target):
            loss, gradients = gradients_of(source, target)
            self.optimizer(gradients)
            return loss

        self.step = jit(train_step) if mode == "jit" else train_step

    def run(self, known, steps, random, tell=print):
        for number in range(1, steps + 1):
            source, target = pairs(random.choice(known, BATCH))
            self.losses.append(float(self.step(Tensor(source), Tensor(target))))
            if number % max(1, steps // 5) == 0:
                tell(f"step {number:4}: loss {np.mean(self.losses[-20:]):.4f}")

    def translate(self, numbers):
        """Each number's words in digits, as the network writes them one after another."""
        source, _ = pairs(numbers)
        written = np.zeros((len(numbers), TARGET_LENGTH), np.int32)
        written[:, 0] = TARGET.index(START)
        for place in range(1, TARGET_LENGTH):
            scores = self.network(Tensor(source), Tensor(written[:, :-1])).asnumpy()
            written[:, place] = scores[:, place - 1].argmax(-1)
        return ["".join(words(row)) for row in written[:, 1:]]


def words(row):
    """The words up to the end."""
    said = [TARGET[number] for number in row]
    return said[: said.index(END)] if END in said else said


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--mode", choices=["pynative", "graph", "jit"], default="jit")
    parser.add_argument("--steps", type=int, default=300)
    options = parser.parse_args()
    random = np.random.default_rng(0)
    numbers = random.permutation(1000)
    known, unseen = numbers[:800], numbers[800:]
    training = Training(options.mode)
    training.run(known, options.steps, random)
    translated = training.translate(unseen)
    right = [str(number) == told for number, told in zip(unseen, translated, strict=True)]
    print(f"{np.mean(right):.1%} of {len(unseen)} numbers that it never saw are translated rightly")
    for number, told in list(zip(unseen, translated, strict=True))[:6]:
        print(f"  {' '.join(english(number)):36} {told}")


if __name__ == "__main__":
    main()
