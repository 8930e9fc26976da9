"""A network trained, exported as a graph with its weights, loaded without its class, compared, and trained on.

    python examples/export_and_load.py [--mode graph] [--format DYAD] [--steps 200]

MINDIR is the format of MindSpore, which reads the file too; DYAD is the text of the graph, to look at in an editor.
"""

import argparse
import os
import tempfile

import numpy as np

import dyad
from dyad import Tensor, nn, ops

CLASSES, SIZE = 4, 8


class Network(nn.Cell):
    """A small convolutional network for pictures of 8 x 8."""

    def __init__(self):
        super().__init__()
        self.features = nn.SequentialCell(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.MaxPool2d(2, 2))
        self.dense = nn.Dense(8 * 4 * 4, CLASSES)

    def construct(self, x):
        return self.dense(self.features(x).flatten(start_dim=1))


def pictures(count, seed):
    """Bright quarters in noise: which quarter is the class."""
    random = np.random.RandomState(seed)
    labels = random.randint(0, CLASSES, count)
    images = random.rand(count, 1, SIZE, SIZE) * 0.5
    half = SIZE // 2
    for image, label in zip(images, labels, strict=True):
        row, column = half * (label // 2), half * (label % 2)
        image[0, row : row + half, column : column + half] += 0.3
    return Tensor(images.astype(np.float32)), Tensor(labels.astype(np.int32))


def train(network, steps, seed):
    """The mean loss of the last steps."""
    optimizer = nn.Adam(network.trainable_params(), 0.01)
    step = nn.TrainOneStepCell(nn.WithLossCell(network, nn.CrossEntropyLoss()), optimizer)
    step.set_train()
    losses = [float(step(*pictures(32, seed + number))) for number in range(steps)]
    return float(np.mean(losses[-5:]))


def accuracy(network, count=256):
    """The share of new pictures whose class is found."""
    network.set_train(False)
    images, labels = pictures(count, seed=10_000)
    return float((ops.argmax(network(images), 1) == labels).astype(dyad.float32).mean())


def main(mode="pynative", file_format="MINDIR", steps=120, folder=None):
    """Trains, exports, loads and compares; gives the accuracies of the network, and of the loaded one trained on."""
    dyad.set_context(mode=dyad.GRAPH_MODE if mode == "graph" else dyad.PYNATIVE_MODE)
    dyad.set_seed(1)
    network = Network()
    print(f"loss after {steps} steps: {train(network, steps, seed=0):.3f}")
    network.set_train(False)

    folder = folder or tempfile.mkdtemp()
    path = os.path.join(folder, f"quarters.{file_format.lower()}")
    any_number = Tensor(shape=[None, 1, SIZE, SIZE], dtype=dyad.float32)
    dyad.export(network, any_number, file_name=path, file_format=file_format)
    print(f"{path}: {os.path.getsize(path)} bytes")

    loaded = nn.GraphCell(dyad.load(path))  # from here on nobody needs the class Network
    images, _ = pictures(16, seed=5)
    difference = float((network(images) - loaded(images)).abs().max())
    print(f"largest difference of the two: {difference:.1e}")
    assert difference < 1e-4

    before = accuracy(loaded)
    train(loaded, steps // 2, seed=50_000)
    after = accuracy(loaded)
    print(f"accuracy {before:.3f}, and {after:.3f} after the loaded graph was trained on")
    return before, after


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--mode", choices=["pynative", "graph"], default="pynative")
    parser.add_argument("--format", choices=["MINDIR", "DYAD"], default="MINDIR")
    parser.add_argument("--steps", type=int, default=120)
    given = parser.parse_args()
    main(given.mode, given.format, given.steps)
