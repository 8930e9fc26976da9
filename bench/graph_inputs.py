"""Inputs and weights of the rows of `./dev bench graph`, the same for every framework."""

from __future__ import annotations

import numpy

from worker import weights

__all__ = ["GATHERED", "LEARNING_RATE", "LSTM_STEPS", "SIZES", "TURNS", "batch_of", "inputs_of", "weights"]

TURNS = 100  # of the loop
LSTM_STEPS, LSTM_WIDTH = 16, 256
GATHERED = (10007, 129)  # rows and columns of the table that is gathered from
SIZES = (17, 33, 50)
LEARNING_RATE = {"momentum": 0.01, "adam": 1e-3}
SHAPES = {
    "add": ((16,), (16,)),
    "chain": ((4 << 20,),),
    "softmax": ((4096, 1024),),
    "layer_norm": ((4096, 1024), (1024,), (1024,)),
    "mlp": ((64, 784),),
    "loop": ((64, 64),),
    "resnet": ((1, 3, 224, 224),),
    "lstm": ((16, LSTM_STEPS, LSTM_WIDTH),),
    "depthwise": ((1, 64, 56, 56),),
    "symbolic_dims": tuple((size, 784) for size in SIZES),
}
TRAINED = {"mlp": (64, 784), "resnet": (8, 3, 224, 224), "gpt": (8, 128)}


def inputs_of(program: str) -> list[numpy.ndarray]:
    random = numpy.random.default_rng(7)
    if program == "bert":
        return [random.integers(0, 30522, (1, 128)).astype(numpy.int32)]
    if program == "gather":
        return [random.integers(0, GATHERED[0], (997, 7)).astype(numpy.int32)]
    return [random.uniform(-1, 1, shape).astype(numpy.float32) for shape in SHAPES[program]]


def batch_of(model: str) -> list[numpy.ndarray]:
    """Inputs and labels of a step of training."""
    random = numpy.random.default_rng(7)
    shape = TRAINED[model]
    if model == "gpt":
        return [random.integers(0, 1000, size).astype(numpy.int64) for size in (shape, (8 * 128,))]
    x = random.uniform(-1, 1, shape).astype(numpy.float32)
    labels = random.integers(0, 10 if model == "mlp" else 1000, shape[:1])
    return [x, labels.astype(numpy.int64)]
