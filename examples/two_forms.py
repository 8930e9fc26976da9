"""One program, two forms: the same network as a dynamic graph and as a static graph, in every way to ask for it.

In the dynamic graph every line of `construct` runs when Python reaches it. As a static graph the program is captured
at its first call, optimised as a whole, and runs from then on without Python. The answer is the same; the way to
switch is one line.

    python examples/two_forms.py
"""

import time
import timeit

import numpy as np

import dyad
from dyad import Parameter, Tensor, jit, nn

BATCH = 4
RUNS = 200


class Network(nn.Cell):
    """Flatten, two hidden layers with ReLU, and one output per class."""

    def __init__(self):
        super().__init__()
        self.flatten = nn.Flatten()
        self.dense_relu_sequential = nn.SequentialCell(
            nn.Dense(8 * 8, 32), nn.ReLU(), nn.Dense(32, 32), nn.ReLU(), nn.Dense(32, 10)
        )

    def construct(self, x):
        x = self.flatten(x)
        return self.dense_relu_sequential(x)


class NetworkWithJit(Network):
    """The same with a static `construct`: calling it looks no different."""

    @jit
    def construct(self, x):
        x = self.flatten(x)
        return self.dense_relu_sequential(x)


# --- The forms. Each makes the network anew, from the same seed, and returns what is called with the images. --------


def dynamic_graph():
    return Network()


def graph_mode():
    dyad.set_context(mode=dyad.GRAPH_MODE)
    return Network()


def jit_as_decorator():
    network = Network()

    @jit
    def run(x):
        return network(x)

    return run


def jit_as_transform():
    network = Network()

    def run(x):
        return network(x)

    return jit(run)


def jit_of_a_network():
    return jit(Network())


def jit_on_construct():
    return NetworkWithJit()


def network_made_inside():
    @jit
    def run(x):
        network = Network()  # in each call another one: its weights are drawn when the graph runs
        return network(x)

    return run


FORMS = [
    dynamic_graph,
    graph_mode,
    jit_as_decorator,
    jit_as_transform,
    jit_of_a_network,
    jit_on_construct,
    network_made_inside,
]


def images():
    return Tensor(np.linspace(-1, 1, BATCH * 64, dtype=np.float32).reshape(BATCH, 1, 8, 8))


def run_form(form, x):
    """(answer of the first call, seconds of that, seconds of a later one)."""
    try:
        dyad.set_seed(42)
        call = form()
        start = time.perf_counter()
        answer = call(x).asnumpy()
        first = time.perf_counter() - start
        return answer, first, min(timeit.repeat(lambda: call(x), number=RUNS, repeat=5)) / RUNS
    finally:
        dyad.set_context(mode=dyad.PYNATIVE_MODE)


def compare_forms():
    x = images()
    truth = run_form(dynamic_graph, x)[0]
    run_form(jit_of_a_network, x)  # the first compilation of a process loads the compiler
    print(f"  {'form':<24}{'first call':>12}{'later call':>12}   scores of the first image")
    for form in FORMS:
        answer, first, later = run_form(form, x)
        times = f"{first * 1e3:>9.2f} ms{later * 1e6:>9.1f} us"
        scores = " ".join(f"{score:6.3f}" for score in answer[0, :5])
        # An optimised graph adds up in another order: the last digits of a float32 may differ.
        verdict = "same" if np.allclose(answer, truth, rtol=1e-5, atol=1e-6) else "DIFFERENT"
        print(f"  {form.__name__.replace('_', ' '):<24}{times}   {scores} ...  {verdict}")


# --- Mixed execution: a static Cell inside a dynamic network, and decisions that depend on data -----------------------


class AddMulMul(nn.Cell):
    """A static graph with a Parameter."""

    def __init__(self):
        super().__init__()
        self.param = Parameter(Tensor(0.5))

    @jit
    def construct(self, x):
        x = x + x
        x = x * self.param
        return x * x


class MixedNetwork(nn.Cell):
    """Convolution, normalisation and ReLU run operator by operator, the Cell between them as one graph."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, kernel_size=2, stride=1, pad_mode="valid", weight_init="ones")
        self.norm = nn.BatchNorm2d(2, momentum=0.99, eps=0.00001, gamma_init="ones")
        self.relu = nn.ReLU()
        self.add_mul_mul = AddMulMul()

    def construct(self, x):
        x = self.conv(x)
        x = self.norm(x)
        x = self.add_mul_mul(x)
        return self.relu(x)


def mixed_execution():
    network = MixedNetwork()
    x = Tensor(np.ones([1, 1, 2, 2], np.float32))
    for _ in range(2):
        print(network(x))


def collatz_steps(n):
    """How often n must be halved, or tripled and one added, until it is 1: the loop runs inside the graph."""
    steps = Tensor(0)
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps = steps + 1
    return steps


def control_flow():
    static = jit(collatz_steps)
    for number in (6, 7, 27):
        dynamic, inside = int(collatz_steps(Tensor(number))), int(static(Tensor(number)))
        print(f"  {number:>4}: {dynamic:>4} steps in the dynamic graph, {inside:>4} in the static one")


def heading(text):
    print(f"\n{text}\n{'-' * len(text)}")


def main():
    heading("One network in every form")
    compare_forms()
    heading("A static Cell inside a dynamic network, called twice")
    mixed_execution()
    heading("if and while on data, one graph for all numbers")
    control_flow()
    print()


if __name__ == "__main__":
    main()
