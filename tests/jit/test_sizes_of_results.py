"""Operators whose results have a size that is known when the graph runs: one graph serves all sizes."""

import numpy as np
import pytest

from dyad import Tensor, grad, int32, jit, mint, ops, vmap
from dyad.ops.operations._inner_ops import ConcatOffset

X = Tensor(np.arange(12, dtype=np.float32).reshape(3, 4))

SIZED = {
    "arange": lambda x, n: ops.arange(n),
    "arange down": lambda x, n: ops.arange(9, n, -2),
    "arange between": lambda x, n: mint.arange(n, n + 3),
    "dyn_shape": lambda x, n: ops.dyn_shape(ops.zeros((n, 2))),
    "ConcatOffset": lambda x, n: ConcatOffset(2, 0)((ops.zeros((n, 2)), x)),
    "eye": lambda x, n: ops.eye(n),
    "eye of a number": lambda x, n: ops.eye(int(n), 2),
    "linspace": lambda x, n: ops.linspace(0, 1, n),
    "linspace between tensors": lambda x, n: ops.linspace(x[0, 0], x[0, 3], n),
    "logspace": lambda x, n: ops.logspace(0, 1, n),
    "one_hot": lambda x, n: ops.one_hot(x[0].astype(int32), n),
    "randperm": lambda x, n: ops.randperm(n).sum(),
    "repeat_elements": lambda x, n: ops.repeat_elements(x, n, 1),
    "topk": lambda x, n: ops.topk(x, n),
    "gradient of topk": lambda x, n: grad(lambda t: (ops.topk(t, n)[0] * 3).sum())(x),
    "slices of topk": lambda x, n: vmap(lambda row: mint.topk(row, n)[0])(x),
}


def arrays(value):
    return [each.asnumpy().tolist() for each in (value if isinstance(value, tuple) else (value,))]


@pytest.mark.parametrize("mode", ["ast", "bytecode"])
@pytest.mark.parametrize("name", SIZED)
def test_the_size_is_read_when_the_graph_runs(name, mode):
    function = SIZED[name]
    compiled = jit(function, capture_mode=mode, fullgraph=True)
    for size in (3, 2, 0):
        assert arrays(compiled(X, Tensor(size))) == arrays(function(X, Tensor(size)))


@pytest.mark.parametrize("name", ["arange", "eye", "one_hot", "topk"])
def test_a_tensor_of_one_element_is_a_size(name):
    function = SIZED[name]
    assert arrays(jit(function, fullgraph=True)(X, Tensor([2]))) == arrays(function(X, Tensor([2])))


@pytest.mark.parametrize(
    ("name", "size", "message"),
    [
        ("eye", -1, "eye: the sizes are -1 and -1"),
        ("linspace", -1, "linspace: steps is -1"),
        ("one_hot", -2, "one_hot: depth is -2"),
        ("topk", 5, "k is 5; a line has 4 elements"),
        ("randperm", -1, "randperm: n is -1"),
    ],
)
def test_a_size_that_cannot_be_is_refused_when_the_graph_runs(name, size, message):
    compiled = jit(SIZED[name], fullgraph=True)
    compiled(X, Tensor(2))
    for function in (SIZED[name], compiled):
        with pytest.raises(ValueError, match=message):
            function(X, Tensor(size))


def test_real_steps_up_to_a_bound_of_the_run_are_left_to_python():
    def halves(n):
        return ops.arange(0, n, 0.5)

    assert arrays(jit(halves)(Tensor(2))) == arrays(halves(Tensor(2)))
    with pytest.raises(ValueError, match="start, end and step must be ints"):
        jit(halves, fullgraph=True)(Tensor(2))


MADE = {
    "a number": lambda x, n: Tensor(int(n)),
    "numbers beside others": lambda x, n: Tensor([[int(n), 1], [2, 3]]),
    "a dtype": lambda x, n: Tensor([float(x.sum()), 2], int32),
    "a shape": lambda x, n: Tensor(ops.zeros((n, 2)).shape),
    "integers of the graph": lambda x, n: Tensor([n, n + 1]),
    "no gradient": lambda x, n: grad(lambda t: (Tensor([float(t.sum()), 1.0]) * t[0, :2]).sum())(x),
}


@pytest.mark.parametrize("mode", ["ast", "bytecode"])
@pytest.mark.parametrize("name", MADE)
def test_a_tensor_is_made_of_numbers_of_the_run(name, mode):
    compiled = jit(MADE[name], capture_mode=mode, fullgraph=True)
    for size in (3, 2):
        ours, theirs = (function(X, Tensor(size)) for function in (compiled, MADE[name]))
        assert arrays(ours) == arrays(theirs)
        assert ours.dtype == theirs.dtype
