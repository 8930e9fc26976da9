"""Mixed precision: a classifier trained in half precision with a scaled loss, beside the same in float32.

`amp.auto_mixed_precision(network, "O2")` computes in float16 or bfloat16, but for the norms; Parameters stay float32.
Small gradients would vanish in float16: the loss is multiplied by a factor before it is differentiated, and the
gradients divided by it. The factor finds its size by itself: a step whose gradients overflow changes no weight and
halves it, many good ones in a row double it. The whole step, with that decision, is one function and one static graph.

    python examples/mixed_precision.py [--mode pynative|graph|jit] [--dtype float16|bfloat16] [--steps 300]
"""

import argparse
import time

import numpy as np

import dyad
from dyad import Tensor, amp, jit, nn

CLASSES, FEATURES, HIDDEN, BATCH = 10, 784, 512, 64


class Network(nn.Cell):
    """Two hidden layers with a norm between them."""

    def __init__(self, hidden=HIDDEN):
        super().__init__()
        self.layers = nn.SequentialCell(
            nn.Dense(FEATURES, hidden),
            nn.BatchNorm1d(hidden),
            nn.ReLU(),
            nn.Dense(hidden, hidden),
            nn.ReLU(),
            nn.Dense(hidden, CLASSES),
        )

    def construct(self, x):
        return self.layers(x)


def make_batches(count, random):
    """Noisy pictures of ten patterns, and which one it is."""
    patterns = random.standard_normal((CLASSES, FEATURES)).astype(np.float32)
    for _ in range(count):
        labels = random.integers(0, CLASSES, BATCH).astype(np.int32)
        images = patterns[labels] + 4 * random.standard_normal((BATCH, FEATURES)).astype(np.float32)
        yield Tensor(images), Tensor(labels)


class Training:
    """A network and its step, in a precision and a form."""

    def __init__(self, dtype, mode, hidden=HIDDEN):
        dyad.set_seed(1)
        self.dtype, self.mode = dtype, mode
        network = Network(hidden).set_train()
        if dtype != dyad.float32:
            network = amp.auto_mixed_precision(network, "O2", dtype)
        self.network = network
        self.optimizer = nn.Momentum(network.trainable_params(), 0.02, 0.9)
        self.scaler = amp.DynamicLossScaler(scale_value=2**24, scale_factor=2, scale_window=200)
        self.loss_fn = nn.CrossEntropyLoss()
        self.gradients_of = dyad.value_and_grad(self.forward, None, self.optimizer.parameters, has_aux=True)
        self.run = self.static_step if mode == "jit" else self.step
        self.losses, self.seconds = [], []

    def forward(self, images, labels):
        loss = self.loss_fn(self.network(images), labels)
        return self.scaler.scale(loss), loss

    def step(self, images, labels):
        (_, loss), gradients = self.gradients_of(images, labels)
        gradients = self.scaler.unscale(gradients)
        finite = amp.all_finite(gradients)
        if finite:
            self.optimizer(gradients)
        self.scaler.adjust(finite)
        return loss

    static_step = jit(step)

    def train_on(self, images, labels):
        start = time.perf_counter()
        self.losses.append(float(self.run(images, labels)))
        self.seconds.append(time.perf_counter() - start)


def train(trainings, steps):
    """All of them on the same batches."""
    for number, batch in enumerate(make_batches(steps, np.random.default_rng(0))):
        for training in trainings:
            training.train_on(*batch)
        if number % max(steps // 10, 1) == 0:
            losses = "   ".join(f"{training.dtype}: {training.losses[-1]:.4f}" for training in trainings)
            print(f"step {number:4d}   {losses}")


def show(trainings):
    for training in trainings:
        loss, typical = np.mean(training.losses[-20:]), np.median(training.seconds) * 1000
        scale = float(training.scaler.scale_value)
        print(f"{training.dtype}: loss {loss:.4f}, {typical:.2f} ms per step, loss scale {scale:g}")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--mode", choices=["pynative", "graph", "jit"], default="jit")
    parser.add_argument("--dtype", choices=["float16", "bfloat16"], default="float16")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--hidden", type=int, default=HIDDEN)
    given = parser.parse_args(arguments)
    dyad.set_context(mode=dyad.GRAPH_MODE if given.mode == "graph" else dyad.PYNATIVE_MODE)
    trainings = [
        Training(dtype, given.mode, given.hidden) for dtype in (dyad.float32, getattr(dyad, given.dtype))
    ]
    train(trainings, given.steps)
    show(trainings)
    return trainings


if __name__ == "__main__":
    main()
