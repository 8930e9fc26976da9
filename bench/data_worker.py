"""One form of one framework in one process: builds a pipeline of data_rows and times its epochs.

Started by data.py as `data_worker.py FORM FOLDER-by-request`. Requests and answers are lines of JSON:
  {"prepare": key, "folder": path} -> {"rows": of an epoch, "sums": of its columns} or {"failure": why it cannot}
  {"measure": seconds}             -> {"seconds": of one row in the fastest epoch}
  {"train": seconds}               -> {"waiting": part of a training loop's time that it waits for data}
"""

from __future__ import annotations

import json
import math
import os
import sys
import time
from pathlib import Path

import numpy

THREADS = int(os.environ["BENCH_THREADS"])


def load(form: str):
    """The pipelines of a form."""
    if form.startswith("torch"):
        from data_torch import TorchData

        return TorchData(THREADS, 2 if form == "torch-workers" else 0)
    from data_mindspore import load as load_mindspore

    return load_mindspore(form, THREADS)


class Measured:
    """A pipeline and its epochs."""

    def __init__(self, pipelines, key: str, folder: Path) -> None:
        self.pipelines = pipelines
        self.pipeline = getattr(pipelines, key)(folder)
        self.rows, self.sums = 0, []
        for batch in pipelines.epoch(self.pipeline):
            arrays = [pipelines.array(column) for column in batch]
            self.rows += len(arrays[0])
            sums = [float(array.astype(numpy.float64).sum()) for array in arrays]
            self.sums = [a + b for a, b in zip(self.sums or [0.0] * len(sums), sums, strict=True)]

    def epoch(self) -> float:
        """Seconds of one row."""
        begin = time.perf_counter()
        for _ in self.pipelines.epoch(self.pipeline):
            pass
        return (time.perf_counter() - begin) / self.rows

    def measure(self, seconds: float) -> float:
        """The fastest of several epochs, since disturbances only make a run slower."""
        fastest, end = math.inf, time.perf_counter() + seconds
        while time.perf_counter() < end:
            fastest = min(fastest, self.epoch())
        return fastest


def training_waits(pipelines, folder: Path, seconds: float) -> float:
    """Fraction of the time that a training loop (MLP 784-512-512-10) waits for the next batch of digits."""
    import dyad
    from dyad import nn

    network = nn.SequentialCell(
        nn.Flatten(), nn.Dense(784, 512), nn.ReLU(), nn.Dense(512, 512), nn.ReLU(), nn.Dense(512, 10)
    )
    optimizer = nn.SGD(network.trainable_params(), 1e-2)
    loss_function = nn.CrossEntropyLoss()
    gradients_of = dyad.value_and_grad(lambda x, y: loss_function(network(x), y), None, optimizer.parameters)

    @dyad.jit
    def step(x, y):
        loss, gradients = gradients_of(x, y)
        optimizer(gradients)
        return loss

    waited, spent = 0.0, 0.0
    batches = pipelines.epoch(pipelines.digits(folder))
    for x, y in batches:  # the first step compiles
        step(x, y).asnumpy()
        break
    begin = last = time.perf_counter()
    for x, y in batches:
        waited += time.perf_counter() - last
        step(x, y).asnumpy()
        last = time.perf_counter()
        spent = last - begin
        if spent > seconds:
            break
    return waited / spent


def answer_to(request: dict, state: dict) -> dict:
    if "prepare" in request:
        try:
            state["measured"] = Measured(state["pipelines"], request["prepare"], Path(request["folder"]))
        except Exception as error:  # a peer may fail in any way, which is a result
            return {"failure": f"{type(error).__name__}: {error}".splitlines()[0]}
        return {"rows": state["measured"].rows, "sums": state["measured"].sums}
    if "train" in request:
        return {"waiting": training_waits(state["pipelines"], Path(request["folder"]), request["train"])}
    return {"seconds": state["measured"].measure(request["measure"])}


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # output of a framework is not an answer
    state = {"pipelines": load(sys.argv[1])}
    for line in sys.stdin:
        print(json.dumps(answer_to(json.loads(line), state)), file=answers, flush=True)


if __name__ == "__main__":
    main()
