"""One form of one framework in one process: prepares a row of graph_rows and times it.

Started by graph.py as `graph_worker.py FORM`. Requests and answers are lines of JSON:
  {"prepare": program}   -> {"first": seconds of the first call beyond a later one}
  {"measure": seconds}   -> {"seconds": fastest time of one call}
  {"times": seconds}     -> {"times": of every single call}
  {"save": path}         -> {} and the result of the first calls as a NumPy file
  {"memory": true}       -> {"bytes": peak of resident memory}
  {"limits": true}       -> {"flop": per second in a large product, "bytes": per second in a large copy}
  {"layers": count}      -> {"first": of a network of `count` layers}
  {"figures": true}      -> what graphs of Dyad cost besides time
  {"profile": true}      -> {"text": where the time of a call goes}
"""

from __future__ import annotations

import importlib
import json
import math
import os
import re
import sys
import timeit
from pathlib import Path
from typing import TextIO

import numpy

FRAMEWORKS = {
    "dyad": ("graph_dyad", "Dyad"),
    "torch": ("graph_torch", "Torch"),
    "jax": ("graph_jax", "Jax"),
    "mindspore": ("graph_mindspore", "MindSpore"),
    "onnx": ("graph_onnx", "Onnx"),
}
STEPS = 3  # whose results are compared
SECONDS_PER_BATCH = 0.02


class Bench:
    """The program being measured. No part of it has run before its first call.

    `keeps_all`: the results of all first calls are compared, also where they are arrays.
    """

    def __init__(self, framework, program, keeps_all: bool = False) -> None:
        self.framework = framework
        self.call, self.inputs = call, inputs = program
        self.names = {"call": call, **{f"input_{place}": value for place, value in enumerate(inputs)}}
        # No call of the benchmark's own between the timer and the framework.
        self.code = f"call({', '.join(list(self.names)[1:])}){getattr(framework, 'wait', '')}"
        self.timer = timeit.Timer(self.code, globals=self.names)
        spent, results = [], []
        for _ in range(STEPS):
            start = timeit.default_timer()
            result = eval(self.code, self.names)
            spent.append(timeit.default_timer() - start)
            results.append(numpy.array(framework.array(result)))
            del result  # which would keep its memory from being used again
        self.results = results if keeps_all or results[0].size == 1 else results[:1]
        self.first = spent[0] - min(spent[1:])
        self.calls = max(1, int(SECONDS_PER_BATCH / max(min(spent[1:]), 1e-7)))

    def measure(self, seconds: float) -> float:
        """The fastest of several batches, since disturbances only make a run slower."""
        fastest, spent = math.inf, 0.0
        while spent < seconds:
            batch = self.timer.timeit(self.calls)
            spent += batch
            fastest = min(fastest, batch / self.calls)
        return fastest

    def times(self, seconds: float) -> list[float]:
        """Time of each call, for at least ten calls."""
        code, end, times = compile(self.code, "<bench>", "eval"), timeit.default_timer() + seconds, []
        while timeit.default_timer() < end or len(times) < 10:
            start = timeit.default_timer()
            eval(code, self.names)
            times.append(timeit.default_timer() - start)
        return times

    def profile(self) -> str:
        import dyad

        return str(dyad.profile(self.call, show=False)(*self.inputs))


def limits(framework) -> dict:
    """Rates that large operators of the framework reach: a product and a copy."""
    size, elements = 2048, 1 << 26
    product = framework.product(size)
    copy = framework.copy(elements)
    fastest = [min(timeit.repeat(work, number=1, repeat=7)) for work in (product, copy)]
    return {"flop": 2 * size**3 / fastest[0], "bytes": 2 * elements * 4 / fastest[1]}


def peak_memory() -> int:
    return int(re.search(r"VmHWM:\s*(\d+)", Path("/proc/self/status").read_text())[1]) * 1024


def stream_of_answers() -> TextIO:
    """Reserves the standard output for answers; prints of a framework go to standard error."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    return answers


def load_framework(frameworks: dict[str, tuple[str, str]], form: str):
    module, name = frameworks[form.partition("-")[0]]
    return getattr(importlib.import_module(module), name)(form)


def main() -> None:
    answers = stream_of_answers()
    framework = load_framework(FRAMEWORKS, sys.argv[1])
    bench = None
    for line in sys.stdin:
        request = json.loads(line)
        answer: dict = {}
        if "prepare" in request:
            bench = None  # frees the previous row's memory first
            bench = Bench(framework, getattr(framework, request["prepare"])())
            answer["first"] = bench.first
        elif "layers" in request:
            answer["first"] = Bench(framework, framework.layers(request["layers"])).first
        elif "measure" in request:
            answer["seconds"] = bench.measure(request["measure"])
        elif "times" in request:
            answer["times"] = bench.times(request["times"])
        elif "save" in request:
            numpy.save(request["save"], numpy.stack(bench.results))
        elif "limits" in request:
            answer = limits(framework)
        elif "figures" in request:
            answer = importlib.import_module("graph_figures").figures()
        elif "profile" in request:
            answer["text"] = bench.profile()
        else:
            answer["bytes"] = peak_memory()
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
