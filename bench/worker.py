"""One framework in one process: prepares a row, times it, and returns its result.

Started by eager.py as `worker.py dyad|torch`. Requests and answers are lines of JSON:
  {"prepare": row index}  -> {}
  {"measure": seconds}    -> {"seconds": fastest time of one call}
  {"save": path}          -> {} and the row's result as a NumPy file
"""

from __future__ import annotations

import json
import math
import sys
import time
import timeit
from typing import Any

import numpy

from process import on_gpu
from rows import ROWS, Row


class Dyad:
    def __init__(self) -> None:
        import dyad
        import models_dyad
        from dyad import nn, ops

        if on_gpu():
            dyad.set_device("GPU")
        self.synchronize = dyad.runtime.synchronize
        self.tensor = dyad.Tensor
        self.models = models_dyad
        self.names = {"ops": ops, "nn": nn}

    def expression(self, row: Row) -> str:
        return row.dyad

    def model(self, make) -> Any:
        net = make()
        for parameter in net.trainable_params():
            parameter.set_data(self.tensor(weights(tuple(parameter.shape))))
        return net.set_train(False)

    def array(self, result) -> numpy.ndarray:
        return result.asnumpy()


class Torch:
    def __init__(self) -> None:
        import torch

        import models_torch

        torch.set_grad_enabled(False)
        self.tensor, self.synchronize = torch.from_numpy, lambda: None
        if on_gpu():
            torch.set_default_device("cuda")
            self.tensor, self.synchronize = (
                lambda array: torch.from_numpy(array).cuda(),
                torch.cuda.synchronize,
            )
        self.models = models_torch
        self.names = {"torch": torch, "F": torch.nn.functional}

    def expression(self, row: Row) -> str:
        return row.torch

    def model(self, make) -> Any:
        net = make()
        for parameter in net.parameters():
            parameter.copy_(self.tensor(weights(tuple(parameter.shape))))
        return net.eval()

    def array(self, result) -> numpy.ndarray:
        return result.cpu().numpy()


def weights(shape: tuple[int, ...]) -> numpy.ndarray:
    """Weights that depend on the shape alone, so that both frameworks get the same, and keep activations moderate."""
    random = numpy.random.default_rng(shape)
    if len(shape) == 1:
        return random.uniform(0.5, 1.0, shape).astype(numpy.float32)
    return random.standard_normal(shape, numpy.float32) / numpy.float32(math.sqrt(math.prod(shape[1:])))


def make_inputs(row: Row) -> dict[str, numpy.ndarray]:
    random = numpy.random.default_rng(7)
    return {
        name: random.integers(0, row.indices[name], shape).astype(numpy.int32)
        if name in row.indices
        else random.uniform(-1, 1, shape).astype(numpy.float32)
        for name, shape in row.inputs.items()
    }


class Bench:
    """The row being measured."""

    def __init__(self, framework: Dyad | Torch, row: Row) -> None:
        self.framework = framework
        self.names = dict(framework.names)
        self.names.update({name: framework.tensor(array) for name, array in make_inputs(row).items()})
        if row.model:
            self.names["net"] = framework.model(getattr(framework.models, row.model))
        self.code = framework.expression(row)
        self.timer = timeit.Timer(self.code, globals=self.names)
        self.time_of(3)
        self.calls = max(1, int(0.02 / max(self.time_of(1), 1e-7)))

    def time_of(self, calls: int) -> float:
        """Seconds that `calls` calls take, including work on a device."""
        start = time.perf_counter()
        self.timer.timeit(calls)
        self.framework.synchronize()
        return time.perf_counter() - start

    def measure(self, seconds: float) -> float:
        """The fastest of several batches, since disturbances only make a run slower."""
        fastest, spent = math.inf, 0.0
        while spent < seconds:
            batch = self.time_of(self.calls)
            spent += batch
            fastest = min(fastest, batch / self.calls)
        return fastest

    def result(self) -> numpy.ndarray:
        return self.framework.array(eval(self.code, self.names))


def main() -> None:
    framework = {"dyad": Dyad, "torch": Torch}[sys.argv[1]]()
    bench = None
    for line in sys.stdin:
        request = json.loads(line)
        answer = {}
        if "prepare" in request:
            bench = None  # frees the previous row's memory first
            bench = Bench(framework, ROWS[request["prepare"]])
        elif "measure" in request:
            answer["seconds"] = bench.measure(request["measure"])
        else:
            numpy.save(request["save"], bench.result())
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
