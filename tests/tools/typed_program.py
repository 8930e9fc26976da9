"""A program whose types are stated. `./dev check` lets mypy prove them from the stubs; test_stubs.py runs it and looks
at the values, so that a stub which says something false is found as well.
"""

from __future__ import annotations

from typing import assert_type

import numpy as np

import dyad
from dyad import Parameter, Tensor, ops

x = Tensor([[1.0, -2.0, 3.0], [4.0, 5.0, 6.0]])
counts = Tensor([[1, 2], [3, 4]])

# Arithmetic with tensors, numbers and lists, from both sides.
assert_type(x + 1, Tensor)
assert_type(1 - x, Tensor)
assert_type(x * 2.5 / x, Tensor)
assert_type(x**2 // 3 % 2, Tensor)
assert_type(x @ x.T, Tensor)
assert_type(-x, Tensor)
assert_type(abs(x), Tensor)
assert_type(counts & 1 | counts ^ counts, Tensor)
assert_type(~counts << 1, Tensor)
assert_type(divmod(x, 2), tuple[Tensor, Tensor])
assert_type(x + [1.0, 2.0, 3.0], Tensor)

# Comparisons are made element by element.
assert_type(x == x, Tensor)
assert_type(x != 1, Tensor)
assert_type(x < 2, Tensor)
assert_type(x >= x, Tensor)
assert_type(bool((x == x).all()), bool)
assert_type(2.0 in x, bool)

# Parts of a tensor.
assert_type(x[0], Tensor)
assert_type(x[:, 1], Tensor)
assert_type(x[..., None], Tensor)
assert_type(x[counts[0] - 1], Tensor)
assert_type(x[np.array([0, 1])], Tensor)
assert_type([row for row in x], list[Tensor])
x[0, 0] = 1.0
assert_type(len(x), int)

# What a tensor is.
assert_type(x.shape, tuple[int, ...])
assert_type(x.ndim + x.size + x.nbytes, int)
assert_type(x.T, Tensor)
assert_type(x.device, str)
assert_type(x.is_contiguous(), bool)
assert_type(x.stride(), list[int])
assert_type(x.stride(0), int)
assert_type(x.type(), str)
assert_type(x.type(dyad.float16), Tensor)
assert_type(float(x.sum()), float)

# Methods: each face is an overload.
assert_type(x.sum(axis=0), Tensor)
assert_type(x.sum(dim=0, keepdim=True), Tensor)
assert_type(x.reshape(3, 2), Tensor)
assert_type(x.reshape((3, 2)), Tensor)
assert_type(x.transpose(0, 1), Tensor)
assert_type(x.max(), Tensor)
assert_type(x.max(axis=0), Tensor)
assert_type(x.max(axis=0, return_indices=True), tuple[Tensor, ...])
assert_type(x.max(dim=0), tuple[Tensor, Tensor])
assert_type(x.sort(), tuple[Tensor, Tensor])
assert_type(x.split(1), tuple[Tensor, ...])
assert_type(x.nonzero(), Tensor)
assert_type(x.nonzero(as_tuple=True), tuple[Tensor, ...])
assert_type(x.copy().add_(1).mul_(x), Tensor)
assert_type(Parameter(x, name="x").add_(1), Parameter)
assert_type(x.detach(), Tensor)

# Functions and Primitives.
assert_type(ops.relu(x), Tensor)
assert_type(ops.max(x, 0), tuple[Tensor, Tensor])
assert_type(ops.gather(x, counts[0] - 1, 1), Tensor)
assert_type(ops.ReduceSum(keep_dims=True)(x, 1), Tensor)
assert_type(ops.max_pool1d(x.unsqueeze(0), 2), Tensor)
assert_type(ops.max_pool1d(x.unsqueeze(0), 2, return_indices=True), tuple[Tensor, ...])


def wrong() -> None:
    """Nothing of this is allowed, and a checker that let it pass would call the comment unused."""
    x + "one"  # type: ignore[operator]
    x["first"]  # type: ignore[index]
    x.sum(axis="rows")  # type: ignore[arg-type]
    x.reshape("3")  # type: ignore[arg-type]
    x.ndim = 3  # type: ignore[misc]
    ops.relu(1, 2, 3)  # type: ignore[call-overload]
    x.absent()  # type: ignore[attr-defined]
