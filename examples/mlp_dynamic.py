"""A multi-layer perceptron on 28x28 images, as a dynamic graph.

Builds the network, shows what is in it, runs it operator by operator and measures where the time goes. Nothing is
compiled: every line of `construct` runs when Python reaches it, so intermediate values can be printed and inspected.

    python examples/mlp_dynamic.py
"""

import time

import numpy as np

import dyad
from dyad import Tensor, nn, ops

BATCH = 64
CLASSES = 10
RUNS = 20


class Network(nn.Cell):
    """Flatten, two hidden layers of 512 with ReLU, and one output per class."""

    def __init__(self):
        super().__init__()
        self.flatten = nn.Flatten()
        self.dense_relu_sequential = nn.SequentialCell(
            nn.Dense(28 * 28, 512, weight_init="normal", bias_init="zeros"),
            nn.ReLU(),
            nn.Dense(512, 512, weight_init="normal", bias_init="zeros"),
            nn.ReLU(),
            nn.Dense(512, CLASSES, weight_init="normal", bias_init="zeros"),
        )

    def construct(self, x):
        return self.dense_relu_sequential(self.flatten(x))


def heading(text):
    print(f"\n{text}\n{'-' * len(text)}")


def show_parameters(network):
    heading("Parameters")
    total = 0
    for parameter in network.get_parameters():
        total += parameter.size
        print(f"  {parameter.name:<34}{parameter.shape!s:<14}{parameter.size:>9,}  {parameter.dtype}")
    print(f"  {'total':<48}{total:>9,}  {total * 4 / 2**20:.1f} MiB")


def trace_layers(network, x):
    """Run with a hook on every layer that computes, and show shape, range and best time of what it returned."""
    heading(f"A forward pass, batch {x.shape[0]}, layer by layer")
    started, rows, handles = {}, {}, []

    def before(cell, inputs):
        started[id(cell)] = time.perf_counter()

    def after(cell, inputs, output):
        seconds = time.perf_counter() - started[id(cell)]
        best = rows[cell.param_prefix][2] if cell.param_prefix in rows else seconds
        rows[cell.param_prefix] = cell.cls_name, output, min(best, seconds)

    for _, cell in network.cells_and_names():
        if not list(cell.cells()):
            handles += [cell.register_forward_pre_hook(before), cell.register_forward_hook(after)]
    for _ in range(RUNS):
        network(x)
    for handle in handles:
        handle.remove()

    slowest = max(seconds for *_, seconds in rows.values())
    for path, (kind, output, seconds) in rows.items():
        values = output.asnumpy()
        bar = "#" * max(1, round(24 * seconds / slowest))
        print(
            f"  {path:<26}{kind:<9}{output.shape!s:<12}"
            f"[{values.min():7.3f}, {values.max():6.3f}]{seconds * 1e6:>9.1f} us  {bar}"
        )


def show_probabilities(network, image):
    heading("Class probabilities of one image (untrained, so near 10 % each)")
    probabilities = ops.softmax(network(image), -1)[0].asnumpy()
    for label, probability in enumerate(probabilities):
        print(f"  {label}  {probability:6.2%}  {'#' * round(200 * float(probability))}")


def same_answer_by_hand(network, x):
    """The same computation written with NumPy, to see that the network does what it says."""
    heading("Against NumPy")
    hidden = x.asnumpy().reshape(x.shape[0], -1)
    for cell in network.dense_relu_sequential:
        if isinstance(cell, nn.Dense):
            hidden = hidden @ cell.weight.asnumpy().T + cell.bias.asnumpy()
        else:
            hidden = np.maximum(hidden, 0)
    print(f"  largest difference {np.abs(network(x).asnumpy() - hidden).max():.1e}")


def measure(network):
    heading("Throughput")
    for batch in (1, 64, 512):
        x = Tensor(np.random.rand(batch, 28, 28).astype(np.float32))
        network(x)
        runs, start = 0, time.perf_counter()
        while time.perf_counter() - start < 0.3:
            network(x)
            runs += 1
        seconds = (time.perf_counter() - start) / runs
        print(f"  batch {batch:>4}  {seconds * 1e6:>9.1f} us per call  {batch / seconds:>12,.0f} images/s")


def main():
    dyad.set_seed(42)
    dyad.set_context(mode=dyad.PYNATIVE_MODE)
    print(f"Dyad {dyad.__version__} on {dyad.get_context('device_target')}", end=", ")
    print(f"{dyad.get_context('runtime_num_threads')} threads, dynamic graph")

    network = Network()
    heading("Network")
    print("  " + str(network).replace("\n", "\n  "))
    show_parameters(network)

    images = Tensor(np.random.rand(BATCH, 28, 28).astype(np.float32))
    trace_layers(network, images)
    show_probabilities(network, images[:1])
    same_answer_by_hand(network, images)
    measure(network)
    print(f"\n  memory: {dyad.runtime.max_memory_allocated() / 2**20:.1f} MiB at most in tensors\n")


if __name__ == "__main__":
    main()
