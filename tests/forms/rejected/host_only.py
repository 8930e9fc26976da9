"""Functions that belong to the program around a graph, not into it."""

from rejection import rejected

import dyad
from dyad import Parameter, Tensor, nn

X = Tensor([1.0, 2.0])
ROW = Tensor([[1.0, 2.0]])
LAYER = nn.Dense(2, 2, weight_init=1.0)


def another_layer():
    global LAYER
    LAYER = nn.Dense(2, 2, weight_init=1.0)


def layer():
    return LAYER.training, LAYER(ROW)


@rejected(X, words="set_context")
def context_set(x):
    dyad.set_context(mode=dyad.PYNATIVE_MODE)  # here
    return x


@rejected(X, words="get_context")
def context_read(x):
    return x if dyad.get_context("max_call_depth") > 10 else -x  # here


@rejected(X, words="set_seed")
def seed_set(x):
    dyad.set_seed(3)  # here
    return x


@rejected(ROW, words="register_forward_hook", before=another_layer, watch=layer)
def hook_registered(x):
    LAYER.register_forward_hook(lambda cell, inputs, output: output * 2)  # here
    return LAYER(x)


@rejected(ROW, words="set_train", before=another_layer, watch=layer)
def training_switched(x):
    LAYER.set_train(False)  # here
    return LAYER(x)


@rejected(ROW, words="to_float", before=another_layer, watch=layer)
def precision_switched(x):
    LAYER.to_float(dyad.float32)  # here
    return LAYER(x)


@rejected(X, words="Parameter")
def parameter_made_inside(x):
    p = Parameter(Tensor([1.0, 2.0]), name="p")  # here
    return x * p
