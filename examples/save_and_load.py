"""Saving and loading: weights in two formats, and a training that stops and goes on as if it had not.

A small network learns to tell three clouds of points apart. After half of the steps its weights, the state of the
optimiser and the number of steps go into one file; a new network and a new optimiser read it and take the other half.
They end with exactly the weights of a training that was never stopped, in the dynamic and in the static graph. Then the
trained weights are written as `.ckpt` and as `.safetensors`, read back, put into a network that names them otherwise,
and a part of them into a network with another head.

    python examples/save_and_load.py [--steps 200] [--folder DIR] [--static]
"""

import argparse
import os
import tempfile

import numpy as np

import dyad
from dyad import Tensor, nn

CLASSES = 3
BATCH = 32


class Network(nn.Cell):
    """A body that sees the points, and a head that names their cloud."""

    def __init__(self, classes=CLASSES):
        super().__init__()
        self.body = nn.SequentialCell(nn.Dense(2, 16), nn.Tanh(), nn.Dense(16, 16), nn.Tanh())
        self.head = nn.Dense(16, classes)

    def construct(self, points):
        return self.head(self.body(points))


def batch(step):
    """The points of a step: the same whenever it is asked for."""
    random = np.random.default_rng(step)
    labels = random.integers(0, CLASSES, BATCH)
    angles = labels * 2 * np.pi / CLASSES
    centres = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    points = centres + random.normal(0, 0.4, (BATCH, 2))
    return Tensor(points.astype(np.float32)), Tensor(labels.astype(np.int32))


class Training:
    """A network, its optimiser and how many steps they took."""

    def __init__(self):
        dyad.set_seed(1)
        self.network = Network()
        optimizer = nn.Adam(self.network.trainable_params(), 0.01)
        with_loss = nn.WithLossCell(self.network, nn.CrossEntropyLoss())
        self.step = nn.TrainOneStepCell(with_loss, optimizer).set_train()
        self.done = 0

    def take_steps(self, count):
        """Train; returns the last loss."""
        for _ in range(count):
            loss = self.step(*batch(self.done))
            self.done += 1
        return float(loss)

    def save(self, path):
        """The Cell of a training step has the weights and the state of the optimiser."""
        dyad.save_checkpoint(self.step, path, append_dict={"steps": self.done}, crc_check=True)

    def resume(self, path):
        """Go on where `save` was called."""
        contents = dyad.load_checkpoint(path, crc_check=True)
        missing, unused = dyad.load_param_into_net(self.step, contents)
        assert missing == [] and unused == ["steps"]
        self.done = int(contents["steps"])


def weights(network):
    return {name: parameter.asnumpy().copy() for name, parameter in network.parameters_dict().items()}


def equal(one, other):
    return one.keys() == other.keys() and all((one[name] == other[name]).all() for name in one)


def stop_and_resume(steps, folder):
    """Train in one go, and in two; returns the network after checking that both ways gave the same weights."""
    whole = Training()
    loss = whole.take_steps(steps)
    first = Training()
    first.take_steps(steps // 2)
    path = os.path.join(folder, "half_way.ckpt")
    first.save(path)
    second = Training()
    second.resume(path)
    resumed_loss = second.take_steps(steps - second.done)
    print(
        f"loss after {steps} steps: {loss:.6f} in one go, {resumed_loss:.6f} stopped after {steps // 2} and resumed"
    )
    if not equal(weights(whole.network), weights(second.network)):
        raise SystemExit("the weights of the two trainings differ")
    return whole.network


def two_formats(network, folder):
    """Write the weights in both formats and read each back into a new network."""
    for format in ("ckpt", "safetensors"):
        path = os.path.join(folder, f"trained.{format}")
        dyad.save_checkpoint(network, path, append_dict={"note": "three clouds"}, format=format)
        contents = dyad.load_checkpoint(path, format=format)
        copy = Network()
        missing, unused = dyad.load_param_into_net(copy, contents)
        print(f"{os.path.basename(path)}: {os.path.getsize(path)} bytes, missing {missing}, unused {unused}")
        if not equal(weights(network), weights(copy)):
            raise SystemExit(f"{path} did not give the weights back")
    converted = os.path.join(folder, "converted")
    dyad.ckpt_to_safetensors(os.path.join(folder, "trained.ckpt"), converted)
    print("converted:", ", ".join(sorted(os.listdir(converted))))


def other_names_and_another_head(network, folder):
    """Weights that were saved inside another network, and the body without its head."""
    trained, path = weights(network), os.path.join(folder, "inside_another.ckpt")
    dyad.save_checkpoint(nn.SequentialCell(network), path)
    contents = dyad.load_checkpoint(path)
    copy = Network()
    missing, _ = dyad.load_param_into_net(copy, contents)
    print(f"names such as {next(iter(contents))}: missing {missing}")
    if not equal(trained, weights(copy)):
        raise SystemExit("names with a prefix were not found")
    body = dyad.load_checkpoint(path, choice_func=lambda name: ".body." in name)
    missing, _ = dyad.load_param_into_net(Network(classes=5), body)
    print(f"a network with five classes takes the body: missing {missing}")


def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--folder", help="where the files go; a temporary folder unless given")
    parser.add_argument("--static", action="store_true", help="train as a static graph")
    given = parser.parse_args(arguments)
    dyad.set_context(mode=dyad.GRAPH_MODE if given.static else dyad.PYNATIVE_MODE)
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or temporary
        network = stop_and_resume(given.steps, folder)
        two_formats(network, folder)
        other_names_and_another_head(network, folder)


if __name__ == "__main__":
    main()
