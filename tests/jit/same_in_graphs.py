"""Comparing what a program gives as a dynamic graph and as a static one."""

import numpy as np

from dyad import Tensor, jit


def same(a, b):
    """Demands that two results agree in structure, types and values."""
    if isinstance(a, Tensor):
        assert isinstance(b, Tensor)
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=1e-6)
    elif isinstance(a, (tuple, list)):
        assert type(a) is type(b)
        assert len(a) == len(b)
        for one, other in zip(a, b, strict=True):
            same(one, other)
    elif isinstance(a, dict):
        assert list(a) == list(b)
        for key in a:
            same(a[key], b[key])
    else:
        assert type(a) is type(b)
        assert a == b


def compare(program, *args, **kwargs):
    """Runs a program as dynamic and twice as static graph, which has to be one that serves both calls."""
    expected = program(*args, **kwargs)
    compiled = jit(program)
    for _ in range(2):
        same(expected, compiled(*args, **kwargs))
    assert len(compiled.entries) == 1
    return expected
