"""Two networks learn from each other: one draws the digits it is asked for, the other tells drawn ones from true ones.

The true digits are written in a small font, with more or less ink and some noise. The generator makes a picture of a
few random numbers and of the digit that is asked for; the discriminator gives a score to a picture of a digit. Each is
trained against the other: the discriminator to score true pictures above drawn ones, the generator to draw such that
it cannot. Each has an optimizer of its own, and a step trains both, one after the other. What the generator draws is
shown as it learns.

    pynative   operator by operator
    graph      set_context(mode=GRAPH_MODE)
    jit        the whole step, both updates of it, is one graph

    python examples/gan.py [--mode pynative|graph|jit] [--steps 900]
"""

import argparse

import numpy as np

import dyad
from dyad import GRAPH_MODE, PYNATIVE_MODE, Tensor, jit, nn, ops

HEIGHT, WIDTH = 7, 7
DIGITS = 10
LATENT = 8
BATCH = 64
BLUR = 0.5  # noise on what the discriminator sees: without it, it soon knows every true picture

FONT = (
    " ### |#   #|#   #|#   #| ### ",
    "  #  | ##  |  #  |  #  | ### ",
    "#### |    #| ### |#    |#####",
    "#### |    #| ### |    #|#### ",
    "#  # |#  # |#####|   # |   # ",
    "#####|#    |#### |    #|#### ",
    " ### |#    |#### |#   #| ### ",
    "#####|    #|   # |  #  |  #  ",
    " ### |#   #| ### |#   #| ### ",
    " ### |#   #| ####|    #| ### ",
)


# --- True pictures --------------------------------------------------------------------------------------------


def written(text):
    ink = np.array([[mark == "#" for mark in row] for row in text.split("|")], np.float32)
    return 2 * np.pad(ink, 1) - 1


SHAPES = np.stack([written(text) for text in FONT])


def true_pictures(digits, random):
    """Pictures (n, HEIGHT * WIDTH) of the digits, from about -1, paper, to about 1, ink."""
    ink = random.uniform(0.7, 1.0, (len(digits), 1, 1))
    pictures = SHAPES[digits] * ink + random.normal(0, 0.1, (len(digits), HEIGHT, WIDTH))
    return pictures.reshape(len(digits), -1).astype(np.float32)


def make_batch(random):
    """True pictures, which digits they are, random numbers to draw the same digits from, and noise for the eye."""
    digits = random.integers(0, DIGITS, BATCH)
    latent = random.standard_normal((BATCH, LATENT))
    blur = BLUR * random.standard_normal((2, BATCH, HEIGHT * WIDTH))
    arrays = (true_pictures(digits, random), np.eye(DIGITS)[digits], latent, blur)
    return [Tensor(array.astype(np.float32)) for array in arrays]


# --- The two networks -----------------------------------------------------------------------------------------


class Generator(nn.Cell):
    def __init__(self, width=128):
        super().__init__()
        self.layers = nn.SequentialCell(
            nn.Dense(LATENT + DIGITS, width),
            nn.ReLU(),
            nn.Dense(width, width),
            nn.ReLU(),
            nn.Dense(width, HEIGHT * WIDTH),
        )

    def construct(self, latent, digit):
        return ops.tanh(self.layers(ops.cat((latent, digit), 1)))


class Discriminator(nn.Cell):
    def __init__(self, width=128):
        super().__init__()
        self.layers = nn.SequentialCell(
            nn.Dense(HEIGHT * WIDTH + DIGITS, width),
            nn.LeakyReLU(),
            nn.Dense(width, width),
            nn.LeakyReLU(),
            nn.Dense(width, 1),
        )

    def construct(self, pictures, digit):
        return self.layers(ops.cat((pictures, digit), 1))


class Training:
    def __init__(self, mode, seed=1):
        dyad.set_context(mode=GRAPH_MODE if mode == "graph" else PYNATIVE_MODE)
        dyad.set_seed(seed)
        self.generator, self.discriminator = Generator(), Discriminator()
        self.draws = nn.Adam(self.generator.trainable_params(), learning_rate=2e-3, beta1=0.5)
        self.judges = nn.Adam(self.discriminator.trainable_params(), learning_rate=1e-3, beta1=0.5)
        self.losses = []  # of the discriminator, and of the generator

        def lead(true, digit, latent, blur):
            """How much higher the true picture is scored than the drawn one, for each digit."""
            drawn = self.generator(latent, digit)
            return self.discriminator(true + blur[0], digit) - self.discriminator(drawn + blur[1], digit)

        def judge(*batch):
            return ops.softplus(-lead(*batch)).mean()

        def draw(*batch):
            return ops.softplus(lead(*batch)).mean()

        judge_gradients = dyad.value_and_grad(judge, None, self.judges.parameters)
        draw_gradients = dyad.value_and_grad(draw, None, self.draws.parameters)

        def train_step(*batch):
            judged, gradients = judge_gradients(*batch)
            self.judges(gradients)
            drawn, gradients = draw_gradients(*batch)
            self.draws(gradients)
            return judged, drawn

        self.step = jit(train_step) if mode == "jit" else train_step

    def run(self, steps, random, tell=print):
        for number in range(1, steps + 1):
            self.losses.append(tuple(map(float, self.step(*make_batch(random)))))
            if number % max(1, steps // 3) == 0:
                judged, drawn = self.losses[-1]
                tell(f"step {number}: discriminator {judged:.3f}, generator {drawn:.3f}")
                tell(self.picture())

    def drawn(self, digits, seed=5):
        """What the generator draws when it is asked for the digits."""
        latent = np.random.default_rng(seed).standard_normal((len(digits), LATENT))
        asked = np.eye(DIGITS)[digits]
        pictures = self.generator(*(Tensor(array.astype(np.float32)) for array in (latent, asked)))
        return pictures.asnumpy().reshape(-1, HEIGHT, WIDTH)

    def accuracy(self, count=200):
        """How often a drawn picture is nearest to the digit that was asked for."""
        digits = np.arange(count) % DIGITS
        apart = np.abs(self.drawn(digits)[:, None] - SHAPES).mean((2, 3))
        return float((apart.argmin(1) == digits).mean())

    def picture(self):
        """All ten digits as they are drawn, side by side."""
        marks = np.array(list(" .+#"))[np.digitize(self.drawn(range(DIGITS)), [-0.5, 0.0, 0.5])]
        return "\n".join(" ".join("".join(row) for row in rows) for rows in marks.transpose(1, 0, 2))


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--mode", choices=["pynative", "graph", "jit"], default="jit")
    parser.add_argument("--steps", type=int, default=900)
    options = parser.parse_args()
    training = Training(options.mode)
    training.run(options.steps, np.random.default_rng(0))
    print(f"{training.accuracy():.0%} of what it draws is nearest to the digit that was asked for")


if __name__ == "__main__":
    main()
