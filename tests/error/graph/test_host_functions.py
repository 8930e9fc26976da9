"""Functions that belong to the program around a graph, and writes that need the Python object: LAX runs them there."""

import functools
import os

from wrong_graph import Refused

import dyad
from dyad import Parameter, Tensor, nn

X = Tensor([1.0, 2.0])
ROW = Tensor([[1.0, 2.0]])
LAYER = nn.Dense(2, 2, weight_init=1.0)


def another_layer():
    global LAYER
    LAYER = nn.Dense(2, 2, weight_init=1.0)
    dyad.set_context(max_call_depth=1000, deterministic="OFF")


def state():
    settings = [dyad.get_context(key) for key in ("max_call_depth", "deterministic")]
    names = [LAYER.weight.name, *(name for name, _ in LAYER.cells_and_names())]
    return settings, names, LAYER.training, LAYER(ROW), os.listdir()


programs = Refused()
refused = functools.partial(programs, before=another_layer, watch=state)


@refused(X, says="set_context: it cannot be called inside a static graph")
def context_set(x):
    dyad.set_context(mode=dyad.PYNATIVE_MODE)  # here
    return x


@refused(X, says="get_context: it cannot be called inside a static graph")
def context_read(x):
    return x if dyad.get_context("max_call_depth") > 10 else -x  # here


@refused(X, says="set_seed: it cannot be called inside a static graph")
def seed_set(x):
    dyad.set_seed(3)  # here
    return x


@refused(X, says="set_recursion_limit: it cannot be called inside a static graph")
def recursion_limit_set(x):
    dyad.set_recursion_limit(10)  # here
    return x


@refused(X, says="set_deterministic: it cannot be called inside a static graph")
def determinism_set(x):
    dyad.set_deterministic(True)  # here
    return x


@refused(ROW, says="register_forward_hook: it cannot be called inside a static graph")
def hook_registered(x):
    LAYER.register_forward_hook(lambda cell, inputs, output: output * 2)  # here
    return LAYER(x)


@refused(ROW, says="set_train: it cannot be called inside a static graph")
def training_switched(x):
    LAYER.set_train(False)  # here
    return LAYER(x)


@refused(ROW, says="set_grad: it cannot be called inside a static graph")
def gradient_switched(x):
    LAYER.set_grad()  # here
    return LAYER(x)


@refused(ROW, says="to_float: it cannot be called inside a static graph")
def precision_switched(x):
    LAYER.to_float(dyad.float32)  # here
    return LAYER(x)


@refused(ROW, says="set_inputs: it cannot be called inside a static graph")
def templates_set(x):
    LAYER.set_inputs(x)  # here
    return LAYER(x)


@refused(ROW, says="insert_child_to_cell: it cannot be called inside a static graph")
def child_inserted(x):
    LAYER.insert_child_to_cell("more", nn.ReLU())  # here
    return LAYER(x)


@refused(ROW, says="load_param_into_net: it cannot be called inside a static graph")
def weights_loaded(x):
    dyad.load_param_into_net(LAYER, {})  # here
    return LAYER(x)


@refused(ROW, says="save_checkpoint: it cannot be called inside a static graph")
def weights_saved(x):
    dyad.save_checkpoint(LAYER, "somewhere.ckpt")  # here
    return LAYER(x)


MARKED = Tensor([1.0, 2.0])


@refused(
    MARKED,
    says="set_const_arg: it cannot be called inside a static graph",
    before=lambda: MARKED.set_const_arg(False),
    watch=lambda: MARKED.const_arg,
)
def argument_made_a_constant(x):
    y = x * 2
    x.set_const_arg(True)  # here
    return y


@refused(X, says="Parameter: a Parameter cannot be made inside a static graph", error=ValueError)
def parameter_made_inside(x):
    p = Parameter(Tensor([1.0, 2.0]), name="p")  # here
    return x * p


@refused(X, says="attribute 'requires_grad' of a Tensor is written inside a static graph", error=ValueError)
def flag_of_a_tensor_written(x):
    x.requires_grad = True  # here
    return x


@refused(X, says="attribute 'name' of a Parameter is written inside a static graph", error=ValueError)
def name_of_a_parameter_written(x):
    LAYER.weight.name = "other"  # here
    return x


@refused(X, says="manual_seed: it cannot be called inside a static graph")
def generator_seeded(x):
    dyad.manual_seed(3)  # here
    return x


@refused(X, says="initializer: it cannot be called inside a static graph")
def initializer_made(x):
    return x + dyad.common.initializer.initializer("normal", (2,)).init_data()  # here


@programs.at_strict
def test_refused_by_strict(program, form):
    program.check(form)


@programs.at_lax
def test_runs_at_lax(program, form):
    program.check_runs(form)
