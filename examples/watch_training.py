"""Two runs to look at while they train: the same network under two optimizers, recorded by SummaryCollector.

Small pictures of discs, rings, squares and crosses are drawn here, so nothing is downloaded; a convolutional network
learns to tell them apart. In another terminal

    dyad watch runs

shows both runs in one page, which follows them. TensorBoard opens the same folder: `tensorboard --logdir runs`.

    python examples/watch_training.py [--folder runs] [--epochs 12] [--pynative]
"""

import argparse
import os

import numpy as np

import dyad
from dyad import dataset, nn, ops
from dyad.train import LossMonitor, Model, SummaryCollector

SIZE = 20
BATCH = 64
SHAPES = ("disc", "ring", "square", "cross")


def draw(labels, random):
    """Pictures (n, 1, SIZE, SIZE) of the shapes, each of its own size and place, under noise."""
    count = len(labels)
    centre = random.uniform(0.35, 0.65, (2, count, 1, 1))
    radius = random.uniform(0.18, 0.32, (count, 1, 1))
    axis = (np.arange(SIZE) + 0.5) / SIZE
    x, y = np.abs(axis[None, None, :] - centre[0]), np.abs(axis[None, :, None] - centre[1])
    distance, reach = np.hypot(x, y), np.maximum(x, y)
    inside = [
        distance < radius,
        np.abs(distance - radius) < 0.07,
        reach < radius,
        (np.minimum(x, y) < 0.06) & (reach < radius),
    ]
    pictures = np.choose(labels[:, None, None], inside) * random.uniform(0.5, 1, (count, 1, 1))
    return (pictures + random.normal(0, 0.25, pictures.shape)).clip(0, 1).astype(np.float32)[:, None]


def make_data(count, seed):
    """Batches of pictures and the numbers of their shapes."""
    random = np.random.default_rng(seed)
    labels = random.integers(0, len(SHAPES), count)
    rows = dataset.NumpySlicesDataset((draw(labels, random), labels.astype(np.int32)), ["picture", "shape"])
    return rows.batch(BATCH, drop_remainder=True)


class Network(nn.Cell):
    """Two convolutions and a layer on top; it records how many of its features are active."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(1, 8, 3)
        self.second = nn.Conv2d(8, 16, 3)
        self.pool = nn.MaxPool2d(2, 2)
        self.flatten = nn.Flatten()
        self.classify = nn.Dense(16 * (SIZE // 4) ** 2, len(SHAPES))
        self.scalar = ops.ScalarSummary()
        self.histogram = ops.HistogramSummary()

    def construct(self, pictures):
        features = self.pool(ops.relu(self.first(pictures)))
        features = self.pool(ops.relu(self.second(features)))
        self.scalar("active features", (features > 0).astype(dyad.float32).mean())
        logits = self.classify(self.flatten(features))
        self.histogram("logits", logits)
        return logits


def optimizers(steps):
    """What the runs differ in, by the name of the run."""
    decay = nn.CosineDecayLR(1e-4, 0.05, steps)
    return {
        "momentum": lambda weights: nn.Momentum(weights, decay, 0.9),
        "adam": lambda weights: nn.Adam(weights, 1e-3),
    }


def train(folder, name, make_optimizer, epochs, training, test):
    """One run; returns its accuracy on pictures that it has not seen."""
    dyad.set_seed(1)
    network = Network()
    optimizer = make_optimizer(network.trainable_params())
    model = Model(network, nn.CrossEntropyLoss(), optimizer, metrics={"accuracy", "loss"})
    collector = SummaryCollector(
        os.path.join(folder, name), collect_freq=5, custom_lineage_data={"run": name}
    )
    model.fit(epochs, training, test, callbacks=[collector, LossMonitor(training.get_dataset_size())])
    return model.eval(test)["accuracy"]


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", default="runs", help="where the runs are recorded")
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--pictures", type=int, default=6000)
    parser.add_argument("--pynative", action="store_true", help="run operator by operator, not as a graph")
    given = parser.parse_args(arguments)
    dyad.set_context(mode=dyad.PYNATIVE_MODE if given.pynative else dyad.GRAPH_MODE)
    training, test = make_data(given.pictures, seed=0), make_data(max(given.pictures // 6, BATCH), seed=1)
    print(f"in another terminal:  dyad watch {given.folder}")
    found = {}
    for name, make_optimizer in optimizers(given.epochs * training.get_dataset_size()).items():
        print(f"--- {name}")
        found[name] = train(given.folder, name, make_optimizer, given.epochs, training, test)
    for name, accuracy in found.items():
        print(f"{name}: {accuracy:.1%} of the pictures it has not seen")
    return found


if __name__ == "__main__":
    main()
