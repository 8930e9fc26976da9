"""Training a digit classifier in both forms: as a dynamic graph, and as a static graph by one added line, `@jit`.

The digits are drawn here, stroke by stroke, then turned, shifted, thickened and covered with noise, so nothing is
downloaded. A small convolutional network learns them in a few seconds. Two copies of it, from the same seed, take the
same batches: one step runs operator by operator, the other is captured at its first call and then runs without Python.
Their losses are the same but for rounding; the time per step of both is shown side by side. The loss curve and some
predictions are shown in the terminal and, where matplotlib is installed, saved as a PNG.

    python examples/train_digits.py [--epochs 4] [--png train_digits.png]
"""

import argparse
import sys
import time
from itertools import pairwise

import numpy as np

import dyad
from dyad import Tensor, jit, nn, ops

SIZE = 20
BATCH = 64
TRAINING_IMAGES = 8000
TEST_IMAGES = 2000
LEAST_ACCURACY = 0.95
MOST_APART = 0.01  # in the first 100 steps


# --- Digits ---------------------------------------------------------------------------------------------------


def arc(x, y, radius_x, radius_y, start, end, pieces=8):
    """Points on an ellipse; angles in degrees, 0 to the right, growing clockwise as y points down."""
    angles = np.radians(np.linspace(start, end, pieces + 1))
    return [(x + radius_x * np.cos(a), y + radius_y * np.sin(a)) for a in angles]


# Each digit as lines through points of the unit square.
STROKES = [
    [arc(0.5, 0.5, 0.28, 0.4, 0, 360, 14)],
    [[(0.32, 0.3), (0.55, 0.1), (0.55, 0.9)]],
    [[*arc(0.5, 0.34, 0.26, 0.24, 190, 380), (0.25, 0.9), (0.78, 0.9)]],
    [arc(0.46, 0.3, 0.26, 0.2, 200, 450), arc(0.46, 0.7, 0.28, 0.2, 270, 520)],
    [[(0.62, 0.9), (0.62, 0.1), (0.22, 0.64), (0.8, 0.64)]],
    [[(0.74, 0.1), (0.32, 0.1), (0.29, 0.46), *arc(0.46, 0.64, 0.28, 0.25, 235, 500)]],
    [[(0.66, 0.1), (0.34, 0.45)], arc(0.5, 0.65, 0.25, 0.25, 0, 360, 12)],
    [[(0.22, 0.1), (0.78, 0.1), (0.42, 0.9)]],
    [arc(0.5, 0.29, 0.2, 0.19, 0, 360, 9), arc(0.5, 0.69, 0.25, 0.21, 0, 360, 9)],
    [arc(0.5, 0.35, 0.25, 0.25, 0, 360, 12), [(0.74, 0.38), (0.6, 0.9)]],
]


def segments_of(strokes, count=20):
    """(count, 2, 2): the ends of the segments, the last repeated to fill up."""
    segments = [pair for line in strokes for pair in pairwise(line)]
    return np.array((segments + segments[-1:] * count)[:count], np.float32)


SEGMENTS = np.stack([segments_of(strokes) for strokes in STROKES])


def random_maps(count, random):
    """One linear map (2, 2) per image: a small turn, a slant and a stretch."""
    turn, slant = random.uniform(-0.25, 0.25, (2, count))
    stretch = random.uniform(0.75, 1.05, (2, count))
    cos, sin = np.cos(turn), np.sin(turn)
    rows = [[cos, slant * cos - sin], [sin, slant * sin + cos]]
    return (np.array(rows) * stretch).transpose(2, 0, 1).astype(np.float32)


def draw(labels, random):
    """Images (n, 1, SIZE, SIZE) of the digits, each drawn in its own hand."""
    count = len(labels)
    points = (SEGMENTS[labels] - 0.5) @ random_maps(count, random)[:, None].swapaxes(2, 3)
    points += 0.5 + random.uniform(-0.1, 0.1, (count, 1, 1, 2)).astype(np.float32)
    axis = (np.arange(SIZE, dtype=np.float32) + 0.5) / SIZE
    pixel_x, pixel_y = (part.reshape(1, -1) for part in np.meshgrid(axis, axis))
    nearest = np.full((count, SIZE * SIZE), np.inf, np.float32)
    for (start_x, start_y), (end_x, end_y) in points.transpose(1, 2, 3, 0)[..., None]:
        along_x, along_y = end_x - start_x, end_y - start_y
        x, y = pixel_x - start_x, pixel_y - start_y
        share = (x * along_x + y * along_y) / np.maximum(along_x**2 + along_y**2, np.float32(1e-9))
        share = np.clip(share, 0, 1)
        nearest = np.minimum(nearest, (x - share * along_x) ** 2 + (y - share * along_y) ** 2)
    width = random.uniform(0.03, 0.07, (count, 1))
    ink = np.clip((width - np.sqrt(nearest)) * SIZE + 0.5, 0, 1) * random.uniform(0.6, 1.0, (count, 1))
    noisy = ink + random.normal(0, 0.12, ink.shape)
    return np.clip(noisy, 0, 1).astype(np.float32).reshape(count, 1, SIZE, SIZE)


def make_digits(count, random):
    labels = random.integers(0, 10, count)
    # A few at a time stay in the processor's cache.
    return np.concatenate([draw(part, random) for part in np.array_split(labels, count // 100)]), labels


# --- Network and training -------------------------------------------------------------------------------------


class Network(nn.Cell):
    """Two convolutions with pooling, then two dense layers."""

    def __init__(self):
        super().__init__()
        self.features = nn.SequentialCell(
            nn.Conv2d(1, 16, 3, pad_mode="same"),
            nn.ReLU(),
            nn.MaxPool2d(2, 2),
            nn.Conv2d(16, 32, 3, pad_mode="same"),
            nn.ReLU(),
            nn.MaxPool2d(2, 2),
            nn.Flatten(),
        )
        self.head = nn.SequentialCell(
            nn.Dense(32 * (SIZE // 4) ** 2, 64),
            nn.ReLU(),
            nn.Dense(64, 10),
        )

    def construct(self, x):
        return self.head(self.features(x))


def as_it_stands(function):
    return function


FORMS = {"dynamic graph": as_it_stands, "static graph": jit}


class Training:
    """A network with its training step, and what its steps gave and took."""

    def __init__(self, form):
        dyad.set_seed(1)
        self.network = Network()
        self.step = self.make_step(form)
        self.losses, self.right, self.seconds = [], 0, []

    def make_step(self, form):
        network = self.network.set_train()
        loss_function = nn.CrossEntropyLoss()
        optimizer = nn.Adam(network.trainable_params(), learning_rate=2e-3)

        def forward(x, y):
            logits = network(x)
            return loss_function(logits, y), logits

        value_and_gradients = dyad.value_and_grad(forward, None, optimizer.parameters, has_aux=True)

        @form  # with @jit here the step is a static graph, without this line a dynamic one
        def step(x, y):
            (loss, logits), gradients = value_and_gradients(x, y)
            optimizer(gradients)
            return loss, logits

        return step

    def take(self, x, y, labels):
        """One step, timed until its results are there."""
        start = time.perf_counter()
        loss, logits = self.step(x, y)
        self.losses.append(float(loss))
        scores = logits.asnumpy()
        self.seconds.append(time.perf_counter() - start)
        self.right += int((scores.argmax(1) == labels).sum())

    @property
    def time_per_step(self):
        """The median, which the first step does not move."""
        return float(np.median(self.seconds))


def train(trainings, images, labels, epochs, random):
    """Trains all of them on the same random batches, in turns."""
    steps = len(images) // BATCH
    for epoch in range(epochs):
        order = random.permutation(len(images))
        for training in trainings:
            training.right = 0
        for step in range(steps):
            chosen = order[step * BATCH : (step + 1) * BATCH]
            x, y = Tensor(images[chosen]), Tensor(labels[chosen])
            for training in trainings if step % 2 == 0 else trainings[::-1]:
                training.take(x, y, labels[chosen])
            first = trainings[0]
            times = " | ".join(f"{training.time_per_step * 1e3:5.2f}" for training in trainings)
            text = f"loss {first.losses[-1]:.3f}  right {first.right / ((step + 1) * BATCH):6.1%}  {times} ms a step"
            show_progress(f"  epoch {epoch + 1}/{epochs}", step + 1, steps, text)


def predict(network, images):
    """Class probabilities, (n, 10)."""
    network.set_train(False)
    batches = [images[i : i + 500] for i in range(0, len(images), 500)]
    return np.concatenate([ops.softmax(network(Tensor(batch)), -1).asnumpy() for batch in batches])


# --- What is shown --------------------------------------------------------------------------------------------


def show_progress(title, done, total, text):
    """A bar that is redrawn in place; in a file, one line when it is full."""
    if not sys.stdout.isatty() and done < total:
        return
    filled = 30 * done // total
    print(
        f"\r{title}  {'█' * filled}{'░' * (30 - filled)}  {text}",
        end="\n" if done == total else "",
        flush=True,
    )


def show_forms(trainings):
    """The forms side by side: what a step takes, and how far apart their losses are.

    An optimised graph adds up in another order, and what rounding changes grows from step to step.
    """
    print(f"\n  {'':<16}{'first step':>12}{'later step':>12}{'last loss':>12}   losses apart")
    truth = trainings[0].losses
    for name, training in zip(FORMS, trainings, strict=True):
        times = f"{training.seconds[0] * 1e3:>9.1f} ms{training.time_per_step * 1e3:>9.2f} ms"
        apart = [f"{apart_by(training.losses, truth, steps):.0e} by step {steps}" for steps in (10, 100)]
        shown = "" if training.losses is truth else "   " + ", ".join(apart)
        print(f"  {name:<16}{times}{training.losses[-1]:>12.6f}{shown}")


def apart_by(losses, truth, steps):
    return np.abs(np.array(losses[:steps]) - np.array(truth[:steps])).max()


def show_curve(losses, width=64, height=9):
    """The losses, averaged to `width` columns, as a curve of eighths of a line."""
    columns = np.array([part.mean() for part in np.array_split(np.array(losses), min(width, len(losses)))])
    eighths = np.round(columns / columns.max() * height * 8).astype(int)
    print("\n  loss")
    for row in reversed(range(height)):
        level = columns.max() * (row + 1) / height
        line = "".join(" ▁▂▃▄▅▆▇█"[np.clip(value - row * 8, 0, 8)] for value in eighths)
        print(f"  {level:5.2f} ┤{line}")
    print(f"        └{'─' * len(columns)}\n         step 1{f'step {len(losses)}':>{len(columns) - 6}}")


def picture(image):
    """Lines of text, two rows of pixels in each."""
    shades = " ░▒▓█"
    pairs = image.reshape(SIZE // 2, 2, SIZE).mean(1)
    return ["".join(shades[int(pixel * 4.99)] for pixel in row) for row in pairs]


def show_predictions(images, labels, probabilities, chosen):
    print("\n  some predictions, the hardest last\n")
    for group in np.array_split(chosen, 2):
        for row in zip(*(picture(images[i, 0]) for i in group), strict=True):
            print("  " + "  ".join(row))
        for i in group:
            guess = int(probabilities[i].argmax())
            mark = "✓" if guess == labels[i] else f"✗ is {labels[i]}"
            text = f"{guess}  {probabilities[i].max():4.0%} {mark}"
            print(f"  {text:<{SIZE}}", end="")
        print("\n")


def save_png(path, losses, images, labels, probabilities, chosen):
    try:
        import matplotlib
    except ImportError:
        print("  (matplotlib is not installed, so no PNG is written)")
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure = pyplot.figure(figsize=(10, 5))
    curve = figure.add_subplot(1, 2, 1)
    curve.semilogy(losses, linewidth=0.7)
    curve.set(xlabel="step", ylabel="loss", title="Training")
    for place, i in enumerate(chosen):
        axes = figure.add_subplot(
            2, len(chosen), len(chosen) // 2 + 1 + place % 4 + len(chosen) * (place // 4)
        )
        axes.imshow(images[i, 0], cmap="gray_r")
        guess = int(probabilities[i].argmax())
        axes.set_title(
            f"{guess} ({probabilities[i].max():.0%})", color="black" if guess == labels[i] else "red"
        )
        axes.axis("off")
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    print(f"  saved {path}")


def main():
    parser = argparse.ArgumentParser(description="Train a digit classifier on digits drawn here.")
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--png", default="train_digits.png")
    options = parser.parse_args()

    random = np.random.default_rng(1)
    start = time.perf_counter()
    images, labels = make_digits(TRAINING_IMAGES, random)
    test_images, test_labels = make_digits(TEST_IMAGES, random)
    trainings = [Training(form) for form in FORMS.values()]
    network = trainings[-1].network
    count = sum(parameter.size for parameter in network.trainable_params())
    print(
        f"Dyad {dyad.__version__}: {len(images)} digits drawn in {time.perf_counter() - start:.1f} s, "
        f"a network of {count:,} weights, trained as a {' | '.join(FORMS)}\n"
    )

    train(trainings, images, labels, options.epochs, random)
    losses = trainings[-1].losses
    show_forms(trainings)
    probabilities = predict(network, test_images)
    right = probabilities.argmax(1) == test_labels
    show_curve(losses)

    hard = np.argsort(probabilities[np.arange(TEST_IMAGES), test_labels])[:4]
    chosen = np.concatenate([np.flatnonzero(right)[:4], hard[::-1]])
    show_predictions(test_images, test_labels, probabilities, chosen)
    save_png(options.png, losses, test_images, test_labels, probabilities, chosen)
    seconds = time.perf_counter() - start
    print(
        f"  accuracy on {TEST_IMAGES} digits not seen before: {right.mean():.1%}  ({seconds:.0f} s in all)\n"
    )
    if right.mean() < LEAST_ACCURACY:
        sys.exit(f"train_digits: accuracy {right.mean():.1%} is below {LEAST_ACCURACY:.0%}")
    if apart_by(losses, trainings[0].losses, 100) > MOST_APART:
        sys.exit("train_digits: the two forms did not learn along the same curve")


if __name__ == "__main__":
    main()
