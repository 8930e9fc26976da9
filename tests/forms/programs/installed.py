"""Code of an installed package is captured like the user's own, and what is read of it is guarded."""

import pathlib
import sys

import numpy as np
from program import Scene, program, scene

from dyad import Parameter, Tensor, grad, ops

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "site-packages"))

import small_zoo  # noqa: E402
from small_zoo import blocks  # noqa: E402

X = Tensor([[0.5, -1.0, 2.0], [1.0, 0.25, -0.5]])


@program(X)
def function_of_a_package(x):
    return small_zoo.clipped(x) + small_zoo.SCALE


@scene(X)
def cell_of_a_package():
    block = small_zoo.Block()
    return Scene(lambda x: block(x), watch=lambda: block.count.asnumpy())


@scene(X)
def cell_of_a_package_itself():
    return small_zoo.Head()


@scene(X)
def gradient_of_a_cell_of_a_package():
    head = small_zoo.Head()
    weights = head.trainable_params()
    return Scene(lambda x: grad(lambda v: (head(v) * X).sum(), 0, weights)(x))


@scene(X, strict=False)
def plain_object_of_a_package():
    gate = small_zoo.Gate(0.25)
    return Scene(gate.__call__, watch=lambda: list(gate.seen))


@scene(X)
def decorator_of_a_package_on_a_function():
    @small_zoo.scaled_by(3.0)
    def own(x):
        return x.sum(axis=0)

    return own


@scene(X, changed=[[1.5, -3.0, 6.0], [3.0, 0.75, -1.5]])
def global_of_a_package_changes():
    small_zoo.SCALE = 2.0

    def change():
        small_zoo.SCALE = 3.0

    return Scene(lambda x: x * small_zoo.SCALE, change=change)


@scene(X)
def limit_of_a_package_changes():
    blocks.LIMIT = 1.5

    def change():
        blocks.LIMIT = 0.75

    return Scene(lambda x: small_zoo.clipped(x), change=change)


@scene(X)
def class_attribute_of_a_package_changes():
    small_zoo.Gate.threshold = 0.5
    bias = small_zoo.Gate(1.0)

    def change():
        small_zoo.Gate.threshold = -2.0

    return Scene(lambda x: ops.relu(x - bias.threshold), change=change)


@scene(X)
def entry_of_a_dict_of_a_package_changes():
    small_zoo.ACTIVATIONS["relu"] = ops.relu
    block = small_zoo.Block()

    def change():
        small_zoo.ACTIVATIONS["relu"] = ops.sigmoid

    return Scene(lambda x: block(x), change=change)


@scene(X)
def method_of_a_package_is_replaced():
    class Own(small_zoo.Block):
        pass

    block = Own()

    def change():
        Own.construct = lambda self, x: small_zoo.Block.construct(self, x) * 2.0

    return Scene(lambda x: block(x), change=change)


@scene(X)
def setting_of_a_package_changes():
    block = small_zoo.Block()

    def change():
        block.settings.repeats = 3

    return Scene(lambda x: block(x), change=change)


@scene(X, strict=False)
def parameter_of_a_package_is_replaced():
    block = small_zoo.Block()

    def change():
        block.weight = Parameter(Tensor(np.eye(3, dtype=np.float32)), name="w")

    return Scene(lambda x: block(x), change=change)
