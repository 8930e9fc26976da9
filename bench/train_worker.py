"""One framework in one process: prepares a row of train_rows, takes its training steps, reports time and memory.

Started by train.py as `train_worker.py dyad|torch`. Requests and answers are lines of JSON:
  {"prepare": row index}  -> {"losses": of the first steps}
  {"measure": seconds}    -> {"seconds": fastest time of one step}
  {"memory": true}        -> {"bytes": peak of resident memory}
"""

from __future__ import annotations

import json
import math
import re
import sys
import time
import timeit
from pathlib import Path

import numpy

from process import THREADS, on_gpu
from train_rows import ROWS, TrainRow
from worker import weights

FIRST_STEPS = 5
LEARNING_RATE = {"momentum": 0.01, "adam": 1e-3}


class Dyad:
    def __init__(self) -> None:
        import dyad
        import models_dyad

        if on_gpu():
            dyad.set_device("GPU")
        self.dyad = dyad
        self.models = models_dyad
        self.synchronize = dyad.runtime.synchronize
        self.peak_on_device = dyad.runtime.max_memory_allocated

    def momentum(self, net):
        return self.dyad.nn.Momentum(net.trainable_params(), LEARNING_RATE["momentum"], 0.9)

    def adam(self, net):
        return self.dyad.nn.Adam(net.trainable_params(), LEARNING_RATE["adam"])

    def make_step(self, row: TrainRow):
        step, inputs = self.step_and_inputs(row)
        return lambda: step(*inputs)

    def step_and_inputs(self, row: TrainRow):
        """A step as a function of a batch, and a batch."""
        dyad = self.dyad
        net = getattr(self.models, row.model)()
        for parameter in net.trainable_params():
            parameter.set_data(dyad.Tensor(weights(tuple(parameter.shape))))
        net.set_train()
        optimizer = getattr(self, row.optimizer)(net)

        def forward(x, labels):
            return dyad.ops.cross_entropy(net(x), labels)

        differentiated = dyad.value_and_grad(forward, None, optimizer.parameters)

        def step(x, labels):
            loss, gradients = differentiated(x, labels)
            optimizer(gradients)
            return loss

        return step, [dyad.Tensor(array) for array in batch(row)]


class Torch:
    def __init__(self) -> None:
        import torch

        import models_torch

        torch.set_num_threads(THREADS)
        self.synchronize = lambda: None
        if on_gpu():
            torch.set_default_device("cuda")
            self.synchronize = torch.cuda.synchronize
        self.peak_on_device = torch.cuda.max_memory_allocated
        self.torch = torch
        self.models = models_torch

    # Each optimizer in its fastest form on a CPU.
    def momentum(self, net):
        return self.torch.optim.SGD(net.parameters(), LEARNING_RATE["momentum"], momentum=0.9, fused=True)

    def adam(self, net):
        return self.torch.optim.Adam(net.parameters(), LEARNING_RATE["adam"], fused=True)

    def make_step(self, row: TrainRow):
        torch = self.torch
        net = getattr(self.models, row.model)()
        with torch.no_grad():
            for parameter in net.parameters():
                parameter.copy_(torch.from_numpy(weights(tuple(parameter.shape))))
        net.train()
        optimizer = getattr(self, row.optimizer)(net)
        x, labels = (torch.from_numpy(array).to(torch.get_default_device()) for array in batch(row))

        def step():
            optimizer.zero_grad(set_to_none=True)
            loss = torch.nn.functional.cross_entropy(net(x), labels)
            loss.backward()
            optimizer.step()
            return loss.detach()

        return step


def batch(row: TrainRow) -> tuple[numpy.ndarray, numpy.ndarray]:
    random = numpy.random.default_rng(7)
    x = random.integers(0, row.words, row.input) if row.words else random.uniform(-1, 1, row.input)
    labels = random.integers(0, row.classes, row.labels)
    return x.astype(numpy.int64 if row.words else numpy.float32), labels.astype(numpy.int64)


def fastest_step(step, seconds: float, synchronize) -> float:
    """The fastest of several batches of steps, since disturbances only make a run slower."""
    timer = timeit.Timer(step)

    def time_of(steps: int) -> float:
        start = time.perf_counter()
        timer.timeit(steps)
        synchronize()
        return time.perf_counter() - start

    steps = max(1, int(0.05 / time_of(1)))
    fastest, spent = math.inf, 0.0
    while spent < seconds:
        taken = time_of(steps)
        spent += taken
        fastest = min(fastest, taken / steps)
    return fastest


def peak_memory() -> int:
    return int(re.search(r"VmHWM:\s*(\d+)", Path("/proc/self/status").read_text())[1]) * 1024


def main() -> None:
    framework = {"dyad": Dyad, "torch": Torch}[sys.argv[1]]()
    step = None
    for line in sys.stdin:
        request = json.loads(line)
        answer: dict = {}
        if "prepare" in request:
            step = framework.make_step(ROWS[request["prepare"]])
            answer["losses"] = [float(step()) for _ in range(FIRST_STEPS)]
        elif "measure" in request:
            answer["seconds"] = fastest_step(step, request["measure"], framework.synchronize)
        else:
            answer["bytes"] = framework.peak_on_device() if on_gpu() else peak_memory()
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
