"""Steps of optimisers on the device, against those on the CPU."""

import warnings

import numpy as np
import pytest

import dyad
from dyad import Tensor, _core

SIZES = [(3, 5), (1,), (), (0, 4), (4097,), (70, 130)]
RATE, DECAY = [0.05], [0.01]

# What follows parameters and gradients, in the order of the arguments: a list of states for every letter (z: zeros,
# o: positive numbers), numbers that the step changes, one for each parameter (c) or for all, or the argument itself.
# STEP is how many steps were taken before.
STEP = "step"
CASES = {
    "momentum_step": ("z", RATE, DECAY, Tensor(0.9, dyad.float32), 0.5, True),
    "adagrad_step": ("o", RATE, DECAY, 1e-6, 0.5, True, STEP, 0.1),
    "rmsprop_step": ("oz", [], RATE, DECAY, 0.9, 0.5, 1e-6, 0.5, False),
    "rmsprop_step rooted": ("oz", [], RATE, [], 0.9, 0.5, 1e-6, 1.0, True),
    "rmsprop_step centred": ("ozz", RATE, DECAY, 0.9, 0.5, 1e-3),
    "adadelta_step": ("oo", RATE, DECAY, 0.9, 1e-6, 0.5),
    "ftrl_step": ("oz", RATE, DECAY, 0.01, 0.02, -0.5, 0.5),
    "ftrl_step power": ("oz", RATE, [], 0.01, 0.02, -0.7),
    "proximal_adagrad_step": ("o", RATE, DECAY, 0.01, 0.02, 0.5),
    "rprop_step": ("zo", STEP, RATE, [], [0.5, 1.2], [1e-6, 50.0]),
    "asgd_step": ("z", ("c", 0.05), ("c", 1.0), STEP, RATE, DECAY, 0.01, 0.75, 1.0),
    "nadam_step": ("zz", ("c", 1.0), STEP, RATE, DECAY, [0.9, 0.99], 1e-6, 0.01),
    "radam_step": ("zz", STEP, RATE, DECAY, [0.9, 0.9], 1e-6),
    "adamax_step": ("zz", ("one", 1.0), RATE, DECAY, [0.9, 0.99], 1e-6, 0.5),
    "adamax_counted_step": ("zz", STEP, RATE, DECAY, [0.9, 0.99], 1e-6),
    "lamb_step": ("zz", STEP, RATE, DECAY, [0.9, 0.99], 1e-6),
}
TOLERANCE = {"float32": 2e-5, "float64": 1e-11, "float16": 1e-2, "bfloat16": 8e-2}


def tensors(arrays, dtype):
    return [Tensor(array).astype(getattr(dyad, dtype)) for array in arrays]


def trained(name, device, dtype, sizes, steps=8):
    """The parameters and the states behind some steps."""
    dyad.set_context(device_target=device)
    try:
        rng = np.random.default_rng(5)
        params = tensors((rng.normal(size=size) for size in sizes), dtype)
        states, rest, step = [], [], Tensor(0, dyad.int32)
        kinds, *others = CASES[name]
        for kind in kinds:
            made = (np.zeros(size) if kind == "z" else rng.uniform(0.5, 1, size=size) for size in sizes)
            states.append(tensors(made, dtype))
        for other in others:
            if isinstance(other, tuple):
                kind, start = other
                count = len(sizes) if kind == "c" else 1
                other = [Tensor(start, dyad.float32) for _ in range(count)]
                states.append(other)
            elif other is STEP:
                other = step
            elif other is RATE or other is DECAY:
                other = [Tensor(number, dyad.float32) for number in other]
            elif isinstance(other, Tensor):
                other = other.to("GPU:0") if device == "GPU" else other.to("CPU")
            rest.append(other)
        per_parameter = states[: len(kinds)]
        for _ in range(steps):
            gradients = tensors((rng.normal(size=size) for size in sizes), dtype)
            _core.named_op(name.split()[0])(params, gradients, *per_parameter, *rest)
            step += 1
        return [one.astype(dyad.float64).asnumpy() for one in (*params, *(one for s in states for one in s))]
    finally:
        dyad.set_context(device_target="GPU")


@pytest.mark.parametrize("dtype", list(TOLERANCE))
@pytest.mark.parametrize("name", list(CASES))
def test_steps_as_on_the_cpu(name, dtype):
    sizes = SIZES if dtype != "float32" else SIZES * 12  # more parameters than one launch takes
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # that it is computed on the CPU
        ours = trained(name, "GPU", dtype, sizes)
    theirs = trained(name, "CPU", dtype, sizes)
    for one, other in zip(ours, theirs, strict=True):
        scale = max(1.0, np.abs(other).max(initial=0))
        assert np.abs(one - other).max(initial=0) <= TOLERANCE[dtype] * scale


def test_every_step_is_tried():
    """Those whose settings come from the host alone or that other tests train with are left out."""
    steps = {op["name"] for op in _core.op_table() if op["name"].endswith("_step") and op["updates"]}
    tried = {name.split()[0] for name in CASES}
    assert steps - tried == {
        "sgd_step",
        "adam_step",
        "adam_weight_decay_step",
        "adamw_step",
        "adafactor_step",
    }


@pytest.mark.parametrize("dtype", list(TOLERANCE))
@pytest.mark.parametrize("rates", [[], [0.1]])
def test_layer_rates(rates, dtype):
    rng = np.random.default_rng(6)
    sizes = SIZES * 7
    arrays = [[rng.normal(size=size) for size in sizes] for _ in range(2)]
    layers = [i for i in range(len(sizes)) if i % 3 != 1]
    found = {}
    for device in ("GPU", "CPU"):
        dyad.set_context(device_target=device)
        try:
            lists = [tensors(list_, dtype) for list_ in arrays]
            numbers = [[Tensor(n, dyad.float32) for n in list_] for list_ in (DECAY, rates)]
            results = _core.named_op("lars_gradients")(*lists, *numbers, layers, 1e-5, 0.01, 0.5)
            found[device] = [one.astype(dyad.float64).asnumpy() for one in results]
        finally:
            dyad.set_context(device_target="GPU")
    for one, other in zip(found["GPU"], found["CPU"], strict=True):
        assert one.shape == other.shape
        assert np.abs(one - other).max(initial=0) <= TOLERANCE[dtype]
