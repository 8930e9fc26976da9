"""The gradient of every sample for itself, by `vmap(grad(loss))`: all of a batch at once, as one static graph.

A gradient of a batch is a mean and hides who pulls at the weights. Here each sample's gradient is computed, for a
network written as a Cell, and used twice: training clips every sample's gradient before the mean, as private training
does, and samples whose gradients stay long after training turn out to be those that were given a wrong label.

    python examples/per_sample_gradients.py
"""

import timeit

import numpy as np

import dyad
from dyad import Tensor, jit, nn, ops, vmap

SAMPLES, WRONG = 240, 12
STEPS = 150
LONGEST = 0.5


def spirals():
    """Points on two spirals, their sides, and which samples were given the wrong side."""
    random = np.random.default_rng(2)
    side = np.arange(SAMPLES) % 2
    along = random.uniform(0.3, 1.0, SAMPLES)
    angle = 4.0 * along + np.pi * side
    points = np.stack([along * np.cos(angle), along * np.sin(angle)], 1) + 0.02 * random.normal(
        size=(SAMPLES, 2)
    )
    wrong = random.choice(SAMPLES, WRONG, replace=False)
    labels = side.copy()
    labels[wrong] = 1 - labels[wrong]
    return points.astype(np.float32), labels.astype(np.int32), set(wrong.tolist())


class Network(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layers = nn.SequentialCell(
            nn.Dense(2, 32), nn.Tanh(), nn.Dense(32, 32), nn.Tanh(), nn.Dense(32, 2)
        )

    def construct(self, point):
        return self.layers(point)


def gradients_of(network):
    """A function of one point and its label: the gradients by all weights."""

    def loss(point, label):
        return ops.cross_entropy(network(point).reshape(1, -1), label.reshape(1))

    return dyad.grad(loss, None, network.trainable_params())


def squared_norms(gradients):
    """The squared length of each sample's gradient, over all weights."""
    return sum((part.reshape(part.shape[0], -1) ** 2).sum(1) for part in gradients)


def in_a_loop(network):
    one = gradients_of(network)

    def per_sample(points, labels):
        found = [one(points[i], labels[i]) for i in range(len(labels))]
        return tuple(ops.stack(parts) for parts in zip(*found, strict=True))

    return per_sample


def all_at_once(network):
    return jit(vmap(gradients_of(network)))


def make_step(network):
    """Training with clipped samples as one graph: gradients of all samples, clipping, the mean, the update."""
    optimizer = nn.Adam(network.trainable_params(), learning_rate=2e-2)
    per_sample = vmap(gradients_of(network))

    @jit
    def step(points, labels):
        gradients = per_sample(points, labels)
        norms = ops.sqrt(squared_norms(gradients))
        share = ops.minimum(LONGEST / (norms + 1e-6), 1.0) / len(labels)
        optimizer(tuple(ops.tensordot(share, part, ((0,), (0,))) for part in gradients))
        return norms

    return step


def heading(text):
    print(f"\n{text}\n{'-' * len(text)}")


def compare(points, labels):
    network = Network()
    loop, together = in_a_loop(network), all_at_once(network)
    found, truth = together(points, labels), loop(points, labels)
    difference = max(
        np.abs(ours.asnumpy() - theirs.asnumpy()).max() for ours, theirs in zip(found, truth, strict=True)
    )
    for name, function, number in (
        ("a loop over the samples", loop, 1),
        ("vmap, one static graph", together, 20),
    ):
        seconds = min(timeit.repeat(lambda f=function: f(points, labels), number=number, repeat=3)) / number
        print(f"  {name:<26}{seconds * 1e3:>9.2f} ms")
    print(f"  largest difference {difference:.1e}")


def train(network, points, labels, steps=STEPS):
    """The lengths of the samples' gradients after the last step, and the share of right answers on the way."""
    step, right = make_step(network), []
    for number in range(steps):
        norms = step(points, labels)
        if number % 30 == 0 or number == steps - 1:
            answers = network(points).asnumpy().argmax(1)
            right.append((number, float((answers == labels.asnumpy()).mean()), float(norms.mean())))
    return norms.asnumpy(), right


def main():
    points, labels, wrong = spirals()
    points, labels = Tensor(points), Tensor(labels)
    dyad.set_seed(3)
    heading(f"Gradients of {SAMPLES} samples, each for itself")
    compare(points, labels)

    heading("Training, each sample's gradient clipped")
    norms, history = train(Network(), points, labels)
    for number, right, length in history:
        print(f"  step {number:>4}   right {right:6.1%}   mean length of a gradient {length:.3f}")

    heading(f"The {WRONG} samples with the longest gradients; {WRONG} of {SAMPLES} labels are wrong")
    longest = np.argsort(-norms)[:WRONG]
    for sample in longest:
        print(f"  sample {sample:>3}  {norms[sample]:7.2f}  {'wrong label' if sample in wrong else ''}")
    print(f"\n  found {len(wrong.intersection(longest.tolist()))} of {WRONG} wrong labels\n")


if __name__ == "__main__":
    main()
