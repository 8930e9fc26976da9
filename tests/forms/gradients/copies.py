"""Gradients flow through `Tensor(x)` and deep copies, not through shallow copies, whatever the layout."""

import copy

from gradient import gradient, gradient_scene
from program import Scene

import dyad
from dyad import Parameter, Tensor, value_and_grad

X = Tensor([0.5, 1.5, 2.5, 3.5])
M = Tensor([[0.5, 1.5, 2.5], [3.5, -1.0, 2.0]])


@gradient(X, smooth=False, trace=True)
def shallow_copy(x):
    return copy.copy(x) * x


@gradient(X, trace=True)
def deep_copy_of_what_was_computed(x):
    return copy.deepcopy(x * 3) * x


@gradient(X, smooth=False, trace=True)
def deep_copy_in_a_list(x):
    held = copy.deepcopy([x, {"a": x * 2}])
    held[0][1] = 9.0
    return held[0] * x + held[1]["a"], x * x


@gradient(X, smooth=False)
def copy_on_one_path(x):
    y = copy.copy(x) if x.sum() > 3 else x * 2
    return y * x


@gradient(X, trace=True)
def method_named_copy_is_an_operation(x):
    return x.copy() * x


@gradient(M, smooth=False, trace=True)
def shallow_copies_of_other_layouts(x):
    return copy.copy(x.T) * x.T, copy.copy(x[:, 1:]) * x[:, :2], copy.copy(x * 2) * x


@gradient(M, trace=True)
def deep_copies_of_other_layouts(x):
    return copy.deepcopy(x.T) * x.T, copy.deepcopy(x[:, 1:]) * x[:, :2], copy.deepcopy(x) * x


@gradient(M, trace=True)
def tensors_of_tensors(x):
    return Tensor(x) * x, Tensor(x * 2) * x, Tensor(x.T) * x.T, Tensor(x[:, 1:]) * x[:, :2]


@gradient(M, smooth=False, trace=True)
def tensor_of_a_tensor_in_another_dtype(x):
    return Tensor(x, dyad.float64) * x, Tensor(x, dyad.float32) * x, dyad.tensor(x) * x


@gradient(M)
def tensor_of_a_tensor_on_one_path(x):
    y = Tensor(x) if x.sum() > 3 else x * 2
    return y * x


@gradient_scene(M, smooth=False)
def copies_of_a_parameter_are_other_parameters():
    p = Parameter(Tensor([1.0, 2.0, 3.0]), name="p")

    def f(x):
        held = (p.copy(), p.clone(), copy.deepcopy(p), copy.copy(p))
        return sum((x * each).sum() for each in held) + (x * p).sum() + p.copy()[0] * x.sum()

    return Scene(f, transform=lambda chosen: value_and_grad(chosen, 0, p))
