"""Costs of Dyad's graphs besides time: guards checked at every call, and planned memory."""

from __future__ import annotations

import timeit

import dyad
from graph_dyad import Dyad
from graph_inputs import inputs_of
from graph_rows import GUARDED_CELLS

PLANNED = {"resnet50": "resnet", "bert_base": "bert"}  # models and whose inputs they get


def figures() -> dict:
    framework = Dyad("dyad-dynamic")
    return {
        "guards": guards(),
        "memory": {program: memory(framework, model, program) for model, program in PLANNED.items()},
    }


def guards() -> dict:
    """Seconds for checking the guards of a Cell with many Cells, and the number of guards."""
    nn = dyad.nn
    net = nn.SequentialCell(*[nn.Dense(16, 16) for _ in range(GUARDED_CELLS)])
    x = dyad.ops.ones((1, 16))
    net.compile(x)
    (entry,) = net.compile_cache
    names = {"failure": entry.tree.failure, "arguments": (net, x)}
    if entry.tree.failure((net, x)) is not None:
        raise RuntimeError("the guards of an unchanged Cell do not hold")
    check = timeit.Timer("failure(arguments)", globals=names)
    return {"seconds": min(check.repeat(repeat=20, number=100)) / 100, "count": entry.tree.size}


def memory(framework: Dyad, model: str, program: str) -> dict:
    """Bytes of the values between input and result: as planned, without reuse, and the peaks of both forms."""
    runtime = dyad.runtime
    net = framework.network(model).set_train(False)
    (x,) = framework.tensors(inputs_of(program))

    def peak(call) -> int:
        call(x)
        runtime.reset_peak_memory_stats()
        before = runtime.memory_allocated()
        call(x)
        return runtime.max_memory_allocated() - before

    dynamic = peak(net)
    static = peak(net.compile_and_run)
    (entry,) = net.compile_cache
    report = entry.program.report
    return {
        "planned": report["planned_bytes"],
        "unplanned": report["unplanned_bytes"],
        "static": static,
        "dynamic": dynamic,
    }
