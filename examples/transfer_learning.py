"""What a network learned of one task helps with another: a small ResNet, trained, frozen and given a new head.

First it learns to tell four figures apart, of many pictures. Its parameters are saved, loaded into a second network,
and all but the new head are frozen: they take no gradient, and batch normalization keeps its averages. The head then
learns two new figures from a handful of pictures. A third network learns the same from nothing, for comparison.

    pynative   operator by operator
    graph      set_context(mode=GRAPH_MODE)
    jit        the whole training step is one graph

    python examples/transfer_learning.py [--mode pynative|graph|jit] [--steps 200]
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np

import dyad
from dyad import GRAPH_MODE, PYNATIVE_MODE, Tensor, jit, nn

SIZE = 16
BATCH = 32
FEW = 24  # pictures of the new task

# A figure is where its value is below 0; x and y go from -1 to 1.
FIRST_TASK = {
    "disc": lambda x, y: x**2 + y**2 - 0.5,
    "square": lambda x, y: np.maximum(abs(x), abs(y)) - 0.65,
    "cross": lambda x, y: np.minimum(abs(x), abs(y)) - 0.25,
    "stripes": lambda x, y: np.sin(9 * (x + y)),
}
SECOND_TASK = {
    "ring": lambda x, y: abs(x**2 + y**2 - 0.5) - 0.22,
    "frame": lambda x, y: abs(np.maximum(abs(x), abs(y)) - 0.65) - 0.16,
}


def make_pictures(task, count, random):
    """Pictures (count, 1, SIZE, SIZE) of the figures of a task, moved, scaled and noisy, and which figure each is."""
    label = random.integers(0, len(task), count)
    place = np.linspace(-1, 1, SIZE)
    pictures = np.empty((count, 1, SIZE, SIZE), np.float32)
    figures = list(task.values())
    for picture, figure in zip(pictures, label, strict=True):
        shift_x, shift_y = random.uniform(-0.25, 0.25, 2)
        scale = random.uniform(0.85, 1.25)
        x, y = (place[None] - shift_x) * scale, (place[:, None] - shift_y) * scale
        picture[0] = figures[figure](x, y) < 0
    return pictures + random.normal(0, 0.35, pictures.shape).astype(np.float32), label.astype(np.int32)


# --- The network ----------------------------------------------------------------------------------------------


class Block(nn.Cell):
    """Two convolutions and a way around them."""

    def __init__(self, inner, outer, stride):
        super().__init__()
        self.first = nn.Conv2d(inner, outer, 3, stride, has_bias=False)
        self.first_norm = nn.BatchNorm2d(outer)
        self.second = nn.Conv2d(outer, outer, 3, has_bias=False)
        self.second_norm = nn.BatchNorm2d(outer)
        self.around = nn.Conv2d(inner, outer, 1, stride, has_bias=False)
        self.relu = nn.ReLU()

    def construct(self, x):
        y = self.relu(self.first_norm(self.first(x)))
        y = self.second_norm(self.second(y))
        return self.relu(y + self.around(x))


class ResNet(nn.Cell):
    def __init__(self, classes, width=8):
        super().__init__()
        self.features = nn.SequentialCell(Block(1, width, 2), Block(width, 2 * width, 2))
        self.head = nn.Dense(2 * width, classes)

    def construct(self, pictures):
        return self.head(self.features(pictures).mean((2, 3)))


def freeze(cell):
    """Its parameters take no part in training, and neither do the averages of batch normalization."""
    for parameter in cell.get_parameters():
        parameter.requires_grad = False
    cell.set_train(False)


class Training:
    def __init__(self, network, mode, learning_rate=1e-2):
        self.network = network
        self.optimizer = nn.Adam(network.trainable_params(), learning_rate=learning_rate)
        self.losses = []
        step = nn.TrainOneStepCell(nn.WithLossCell(network, nn.CrossEntropyLoss()), self.optimizer)
        self.step = jit(step) if mode == "jit" else step

    def run(self, pictures, label, steps, random):
        for _ in range(steps):
            chosen = random.integers(0, len(label), BATCH)
            self.losses.append(float(self.step(Tensor(pictures[chosen]), Tensor(label[chosen]))))
        return self

    def accuracy(self, pictures, label):
        self.network.set_train(False)
        told = self.network(Tensor(pictures)).asnumpy().argmax(1)
        return float((told == label).mean())


class Transfer:
    """Both tasks in one of the forms, from the same seed."""

    def __init__(self, mode, seed=1):
        self.mode = mode
        dyad.set_context(mode=GRAPH_MODE if mode == "graph" else PYNATIVE_MODE)
        dyad.set_seed(seed)
        self.random = np.random.default_rng(seed)

    def pretrain(self, steps, file):
        """A network that knows the first task; its parameters are in the file."""
        network = ResNet(len(FIRST_TASK)).set_train()
        made = Training(network, self.mode).run(
            *make_pictures(FIRST_TASK, 600, self.random), steps, self.random
        )
        dyad.save_checkpoint(network, file)
        return made

    def fine_tune(self, steps, file, pictures, label):
        """A new head on what the file has of the features, which stay as they are."""
        network = ResNet(len(SECOND_TASK)).set_train()
        loaded = {
            name: value for name, value in dyad.load_checkpoint(file).items() if not name.startswith("head")
        }
        dyad.load_param_into_net(network, loaded)
        freeze(network.features)
        return Training(network, self.mode, 3e-2).run(pictures, label, steps, self.random)

    def from_nothing(self, steps, pictures, label):
        network = ResNet(len(SECOND_TASK)).set_train()
        return Training(network, self.mode).run(pictures, label, steps, self.random)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--mode", choices=["pynative", "graph", "jit"], default="jit")
    parser.add_argument("--steps", type=int, default=200)
    options = parser.parse_args()
    transfer = Transfer(options.mode)
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder) / "first_task.ckpt")
        made = transfer.pretrain(options.steps, file)
        accuracy = made.accuracy(*make_pictures(FIRST_TASK, 200, transfer.random))
        print(f"{', '.join(FIRST_TASK)}: {accuracy:.1%} right after {options.steps} steps")
        few = make_pictures(SECOND_TASK, FEW, transfer.random)
        unseen = make_pictures(SECOND_TASK, 400, transfer.random)
        tuned = transfer.fine_tune(options.steps, file, *few)
        scratch = transfer.from_nothing(options.steps, *few)
    print(f"{' or '.join(SECOND_TASK)}, from {FEW} pictures:")
    for name, each in (("frozen features, new head", tuned), ("from nothing", scratch)):
        trained = sum(parameter.size for parameter in each.network.trainable_params())
        print(
            f"  {name:26} {trained:5} numbers trained, {each.accuracy(*unseen):.1%} of unseen pictures right"
        )


if __name__ == "__main__":
    main()
