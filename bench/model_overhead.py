"""Measures the overhead of `Model.train` per training step: an MLP 784-512-512-10 at batch 64, in both forms.

One network is trained on the same batches by a loop written by hand (a function of a batch with `value_and_grad`,
jitted for the static form) and by `Model.train`, bare and with callbacks. They take turns, in random order. Kernels are
the same, so what is added is Python's. On a busy machine that is lost in the noise of a whole step; so it is measured
in a network of the same layers with 4 units too, in which kernels take no time and Python finds its caches warm.
Usage: model_overhead.py [--turns N]; started by `./dev bench model_overhead`.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import platform
import random
import statistics
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", os.environ.get("BENCH_THREADS", "1"))

import numpy

import dyad
from dyad import Tensor, nn
from dyad.train import History, LossMonitor, Model, TimeMonitor
from process import warn_if_busy
from report import machine, mark, shown

BATCHES, WARMUP = 100, 2
BAR = 0.02
FORMS = {"dynamic": dyad.PYNATIVE_MODE, "static": dyad.GRAPH_MODE}
WHOLE, SMALL = (64, 784, 512), (1, 4, 4)  # batch, inputs, units
HAND, BARE, WATCHED = "by hand", "`Model.train`", "`Model.train`, three callbacks"

Epoch = Callable[[], None]


def make_batches(batch: int, inputs: int) -> list[tuple[Tensor, Tensor]]:
    generator = numpy.random.default_rng(7)
    return [
        (
            Tensor(generator.uniform(-1, 1, (batch, inputs)).astype(numpy.float32)),
            Tensor(generator.integers(0, 10, batch).astype(numpy.int32)),
        )
        for _ in range(BATCHES)
    ]


def parts(inputs: int, units: int):
    dyad.set_seed(1)
    layers = (nn.Dense(inputs, units), nn.ReLU(), nn.Dense(units, units), nn.ReLU(), nn.Dense(units, 10))
    network = nn.SequentialCell(*layers)
    return network, nn.CrossEntropyLoss(), nn.Momentum(network.trainable_params(), 0.01, 0.9)


def by_hand(form: str, batches, network, loss_fn, optimizer) -> Epoch:
    differentiated = dyad.value_and_grad(lambda x, y: loss_fn(network(x), y), None, optimizer.parameters)

    def step(x, y):
        loss, gradients = differentiated(x, y)
        optimizer(gradients)
        return loss

    called = dyad.jit(step) if form == "static" else step

    def epoch() -> None:
        network.set_train()
        for x, y in batches:
            called(x, y)

    return epoch


def seconds_of_a_step(epoch: Epoch) -> float:
    start = time.process_time()
    with contextlib.redirect_stdout(io.StringIO()):
        epoch()
    return (time.process_time() - start) / BATCHES


def measure(form: str, size: tuple[int, int, int], turns: int) -> dict[str, float]:
    """10th percentile of the processor time of a step."""
    batch, inputs, units = size
    batches, trained = make_batches(batch, inputs), parts(inputs, units)
    model, callbacks = Model(*trained), [LossMonitor(50), TimeMonitor(), History()]
    epochs = {
        HAND: by_hand(form, batches, *trained),
        BARE: lambda: model.train(1, batches),
        WATCHED: lambda: model.train(1, batches, callbacks),
    }
    times: dict[str, list[float]] = {name: [] for name in epochs}
    for turn in range(-WARMUP, turns):
        for name in random.sample(list(epochs), len(epochs)):
            seconds = seconds_of_a_step(epochs[name])
            if turn >= 0:
                times[name].append(seconds)
    return {name: statistics.quantiles(each, n=10)[0] for name, each in times.items()}


def rows(form: str, turns: int) -> list[str]:
    dyad.set_context(mode=FORMS[form])
    whole, small = (measure(form, size, turns) for size in (WHOLE, SMALL))
    lines = [f"| {form} | {HAND} | {shown(whole[HAND])} | | | | |"]
    for name in (BARE, WATCHED):
        share, alone = whole[name] / whole[HAND] - 1, small[name] - small[HAND]
        judged = f"{share:.1%} | {BAR:.0%} | {mark(share, BAR)} | {shown(alone)}"
        lines.append(f"| {form} | {name} | {shown(whole[name])} | {judged} |")
    return lines


def introduction(turns: int, busy: str) -> str:
    threads = os.environ["OMP_NUM_THREADS"]
    return (
        "# What `Model.train` adds to a step of training\n\n"
        f"Written by `./dev bench model_overhead` in one run on {machine()}, {threads} thread, Python\n"
        f"{platform.python_version()}: an MLP 784-512-512-10 at batch 64, cross entropy and Momentum, trained on\n"
        "the same batches by a loop written by hand and by `Model.train`, in both forms. The callbacks are\n"
        f"`LossMonitor(50)`, `TimeMonitor` and `History`. They take turns of {BATCHES} steps in random order; a\n"
        f"time is the processor time of a step that one in ten of {turns} turns stays below. *Python alone* is what\n"
        "is added in a network of the same layers with 4 units, in which kernels take no time and Python finds\n"
        f"its caches warm.\n{busy}"
    ).rstrip()


def main() -> None:
    parser = argparse.ArgumentParser(description="measure what Model.train adds to a step")
    parser.add_argument("--turns", type=int, default=60, help="how often each is measured")
    options = parser.parse_args()
    busy = warn_if_busy()
    head = [
        "| Form | Trained | A step | Added | At most | Met | Python alone |",
        "|---|---|--:|--:|--:|---|--:|",
    ]
    table = "\n".join([*head, *(line for form in FORMS for line in rows(form, options.turns))])
    print(table)
    page = Path(__file__).resolve().parent.parent / "docs/bench-model_overhead.md"
    page.write_text(f"{introduction(options.turns, busy)}\n\n{table}\n")


if __name__ == "__main__":
    main()
