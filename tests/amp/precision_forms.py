"""The forms of one program, for tests of mixed precision, and numbers that show what they were computed in."""

import numpy as np

import dyad
from dyad import Tensor, jit

FINE = np.float32(1 + 2**-12)  # float16 and bfloat16 round it to 1


def dynamic(function):
    return function


def whole(function):
    return jit(function, fullgraph=True)


def bytecode(function):
    return jit(function, capture_mode="bytecode")


def trace(function):
    return jit(function, capture_mode="trace")


def graph_mode(function):
    """Calls in Graph mode; a plain function stays dynamic there, but not the Cells it calls."""

    def call(*inputs):
        dyad.set_context(mode=dyad.GRAPH_MODE)
        try:
            return function(*inputs)
        finally:
            dyad.set_context(mode=dyad.PYNATIVE_MODE)

    return call


FORMS = [dynamic, whole, bytecode, trace, graph_mode]
STATIC_FORMS = FORMS[1:]


def fine(*shape):
    return Tensor(np.full(shape, FINE, np.float32))


def is_lowered(result):
    """True if a result that should be FINE went through half precision."""
    return bool((result.astype(dyad.float32).asnumpy() == 1).all())


def numbers(seed, *shape):
    return Tensor(np.random.default_rng(seed).standard_normal(shape).astype(np.float32))
