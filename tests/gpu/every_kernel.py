"""Runs samples of every operator of the table on the device, forward and backward, for tools that watch the device.

    python3 tests/gpu/every_kernel.py [--part K/N] [--once] [SECONDS]

Ends after so many seconds, and says how far it came: first one case of each operator, then further ones, which `--once`
leaves out. Part K of N has every N-th operator, so that N processes have them all.
"""

import argparse
import contextlib
import sys
import time
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "ops"))

import numpy as np
from device_samples import cases_of
from faces import canonical

import dyad
from dyad import _core, nn, ops, runtime
from dyad.mint import optim

ELEMENTWISE = ("unary", "binary", "ternary")
WIDE = (dyad.float32, dyad.float64)


def floats_of(results):
    results = results if isinstance(results, (tuple, list)) else (results,)
    return [one for one in results if isinstance(one, dyad.Tensor) and one.dtype in WIDE]


def run(op, arguments):
    """One call, and its gradient where it has one. What the samples ask for and the rules refuse is no matter here."""
    try:
        canonical(op, arguments)
    except Exception:
        return
    names = [
        name for name, value in arguments.items() if isinstance(value, dyad.Tensor) and value.dtype in WIDE
    ]

    def total(*tensors):
        floats = floats_of(canonical(op, {**arguments, **dict(zip(names, tensors, strict=True))}))
        return sum(one.sum() for one in floats)

    try:
        if names:
            dyad.grad(total, tuple(range(len(names))))(*(arguments[name] for name in names))
    except Exception:
        return  # an operator without a gradient


def normalised(x, axis):
    size = x.shape[axis]
    return ops.layer_norm(x, (size,), ops.ones((size,)), ops.zeros((size,)))


def scaled(x, axis):
    return ops.rms_norm(x, ops.ones((x.shape[axis],)))[0]


def large_ones():
    """Runs kernels for sizes above those of samples: long rows, large transposes and sorts."""
    rng = np.random.default_rng(0)
    lines = dyad.Tensor(rng.normal(size=(4, 9000)).astype(np.float32))
    for scan in (ops.cumsum, ops.cumprod, ops.logcumsumexp):
        scan(lines, 1)
    for reduce in (ops.prod, ops.amin, ops.amax, ops.argmax, ops.argmin):
        reduce(lines, 1)
    many = dyad.Tensor(rng.normal(size=(600, 300)).astype(np.float32))  # a warp has a line
    for normalise in (ops.softmax, ops.log_softmax, ops.logsumexp, normalised, scaled):
        for rows in (lines, many):
            dyad.grad(lambda x, f=normalise: (f(x, -1) ** 2).sum())(rows)
    ops.sort(lines, 1)
    ops.transpose(dyad.Tensor(rng.normal(size=(130, 97)).astype(np.float32)), (1, 0)).copy()
    for queries, keys in ((300, 300), (4, 1100)):
        query, key = (dyad.Tensor(rng.normal(size=(1, 2, n, 8)).astype(np.float32)) for n in (queries, keys))
        _core.named_op("attention")(query, key, key, None, False, 0.3)
    weight = dyad.Parameter(lines, name="weight")
    optim.AdamW([weight], lr=0.01, amsgrad=True)([lines])
    nn.FTRL([weight], learning_rate=0.01, lr_power=-0.3)([lines])


def samples_of_table():
    return [op for op in _core.op_table() if op["samples"]]


def rounds(sizes, part, parts):
    """(operator, arguments): so many cases of every sample of the operators of a part, for each of `sizes`. Elementwise
    ones, which share their code, come last."""
    table = sorted(samples_of_table(), key=lambda op: op["samples"][0].startswith(ELEMENTWISE))[
        part - 1 :: parts
    ]
    for cases in sizes:
        for op in table:
            for _, arguments in cases_of(op, cases):
                yield op, arguments


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--part", default="1/1")
    parser.add_argument("--once", action="store_true")
    parser.add_argument("seconds", nargs="?", type=float)
    options = parser.parse_args()
    part, parts = map(int, options.part.split("/"))
    if not 1 <= part <= parts:
        parser.error(f"--part is {options.part}; need K/N with K from 1 to N")
    dyad.set_device("GPU", 0)
    end = time.monotonic() + (options.seconds or (3600 if options.once else 50))
    seen, calls = set(), 0
    warnings.simplefilter("ignore")
    if part == 1:
        large_ones()
    for op, arguments in rounds((1,) if options.once else (1, 12), part, parts):
        run(op, arguments)
        seen.add(op["name"])
        calls += 1
        if time.monotonic() > end:
            break
    with contextlib.suppress(IndexError, ValueError):  # indices of a sample that are out of range
        runtime.synchronize()
    print(f"every kernel: {len(seen)} of {len(samples_of_table())} operators, {calls} cases")


if __name__ == "__main__":
    main()
