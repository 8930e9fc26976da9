"""Training written as functions: a forward function, its gradient, and a step that is made static by one word.

Two spirals are wound into each other, and a small network learns which point belongs to which. Everything that training
does is in sight: `forward` computes the loss, `value_and_grad` makes a function of it that also gives the gradients,
and `train_step` hands these to the optimizer. Gradients of several batches are added up before each update. The same
functions run in every form:

    pynative   operator by operator, as Python comes to them
    graph      set_context(mode=GRAPH_MODE): gradients and updates are compiled
    jit        jit(train_step): the whole step is one graph

    python examples/functional_training.py [--mode pynative|graph|jit] [--steps 400]
"""

import argparse

import numpy as np

import dyad
from dyad import GRAPH_MODE, PYNATIVE_MODE, Tensor, jit, nn, ops

BATCH = 64
PARTS = 2  # batches whose gradients make one update


def spirals(count, random):
    """Points of the plane, and on which of the two spirals each of them lies."""
    label = random.integers(0, 2, count)
    turn = random.uniform(0.4, 3.4, count) * np.pi
    angle = turn + label * np.pi
    points = np.stack([turn * np.cos(angle), turn * np.sin(angle)], 1) / (3.4 * np.pi)
    return (points + random.normal(0, 0.01, points.shape)).astype(np.float32), label.astype(np.int32)


class Network(nn.Cell):
    def __init__(self, width=64):
        super().__init__()
        self.layers = nn.SequentialCell(
            nn.Dense(2, width), nn.Tanh(), nn.Dense(width, width), nn.Tanh(), nn.Dense(width, 2)
        )

    def construct(self, points):
        return self.layers(points * 6.0)


class Training:
    """A network, its optimizer, and the functions that train it in one of the forms."""

    def __init__(self, mode, seed=1):
        dyad.set_context(mode=GRAPH_MODE if mode == "graph" else PYNATIVE_MODE)
        dyad.set_seed(seed)
        self.network = Network()
        self.optimizer = nn.Adam(self.network.trainable_params(), learning_rate=5e-3)
        self.losses = []
        loss_fn = nn.CrossEntropyLoss()

        def forward(points, label):
            """The loss, and what else is worth keeping: only the loss is differentiated."""
            logits = self.network(points)
            right = (logits.argmax(1) == label).astype(dyad.float32).mean()
            return loss_fn(logits, label), right

        gradients_of = dyad.value_and_grad(forward, None, self.optimizer.parameters, has_aux=True)

        def train_step(points, label):
            """One update from the gradients of all parts."""
            (loss, right), total = gradients_of(points[0], label[0])
            for part in range(1, PARTS):
                (more, more_right), gradients = gradients_of(points[part], label[part])
                total = tuple(one + other for one, other in zip(total, gradients, strict=True))
                loss, right = loss + more, right + more_right
            self.optimizer(tuple(gradient / PARTS for gradient in total))
            return loss / PARTS, right / PARTS

        self.step = jit(train_step) if mode == "jit" else train_step

    def run(self, steps, random, tell=print):
        for number in range(1, steps + 1):
            points, label = spirals(PARTS * BATCH, random)
            loss, right = self.step(
                Tensor(points.reshape(PARTS, BATCH, 2)), Tensor(label.reshape(PARTS, BATCH))
            )
            self.losses.append(float(loss))
            if number % max(1, steps // 5) == 0:
                tell(f"step {number:4}: loss {float(loss):.4f}, {float(right):4.0%} right")

    def test(self, random):
        points, label = spirals(1000, random)
        return float((self.network(Tensor(points)).asnumpy().argmax(1) == label).mean())

    def picture(self, rows=22, columns=52):
        """What the network says of each place of the plane."""
        y, x = np.meshgrid(np.linspace(1, -1, rows), np.linspace(-1, 1, columns), indexing="ij")
        points = np.stack([x.ravel(), y.ravel()], 1).astype(np.float32)
        sure = ops.softmax(self.network(Tensor(points)), -1).asnumpy()[:, 1]
        marks = np.array(list("#+-."))[np.digitize(sure, [0.1, 0.5, 0.9])].reshape(rows, columns)
        return "\n".join("".join(row) for row in marks)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--mode", choices=["pynative", "graph", "jit"], default="jit")
    parser.add_argument("--steps", type=int, default=400)
    options = parser.parse_args()
    training = Training(options.mode)
    random = np.random.default_rng(0)
    training.run(options.steps, random)
    print(training.picture())
    print(f"{training.test(random):.1%} of new points are told right")


if __name__ == "__main__":
    main()
