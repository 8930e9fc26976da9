"""Gradients beside copies: a copy is a new Tensor, through which no gradient flows."""

import copy

from gradient import gradient

from dyad import Tensor

X = Tensor([0.5, 1.5, 2.5, 3.5])


@gradient(X, smooth=False)
def shallow_copy(x):
    return copy.copy(x) * x


@gradient(X, smooth=False)
def deep_copy_of_what_was_computed(x):
    return copy.deepcopy(x * 3) * x


@gradient(X, smooth=False)
def deep_copy_in_a_list(x):
    held = copy.deepcopy([x, {"a": x * 2}])
    held[0][1] = 9.0
    return held[0] * x + held[1]["a"], x * x


@gradient(X, smooth=False)
def copy_on_one_path(x):
    y = copy.copy(x) if x.sum() > 3 else x * 2
    return y * x


@gradient(X)
def method_named_copy_is_an_operation(x):
    return x.copy() * x
