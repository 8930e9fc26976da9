"""Gradients through host statements: they flow as in the dynamic graph, and stop where a value leaves the Tensors."""

import contextlib
import functools

import numpy as np
from gradient import gradient, gradient_scene
from hosting import passed, total
from program import Scene

from dyad import Parameter, Tensor, grad, jit, nn, ops, value_and_grad

X = Tensor([0.5, 1.5])
Y = Tensor([2.0, -1.0])
hosted = functools.partial(gradient, strict=False)
hosted_scene = functools.partial(gradient_scene, strict=False)


@hosted(X, smooth=False)
def number_of_numpy_is_a_constant(x):
    return x * total(x) + x * x


@hosted(X, smooth=False)
def array_is_a_constant(x):
    s = np.sin(x.asnumpy())
    return x * Tensor(s)


@hosted(X)
def tensor_passes_through_host_code(x):
    y = passed(x * x, "host")
    return y * x


@hosted(X)
def tensors_in_containers_pass_through(x):
    held = {"a": [x * 2, x], "k": None}
    held = passed(held, "host")
    held["a"].append(held["a"][0] * x)
    return sum(passed(held["a"], "again"))


@hosted(X, Y)
def two_inputs_and_a_cut_between(x, y):
    z = x * y
    passed(z, "host")
    return z * x, z + y


@hosted(X)
def host_chooses_the_path(x):
    y = x * x
    if float(y.asnumpy()[0]) > 0.2:
        y = y * x
    else:
        y = y + x
    return y * 3


@hosted(X)
def host_statement_in_an_arm(x):
    if x.sum() > 0:
        y = x * x
        passed(None, "host")
        y = y * x
    else:
        y = x * 3
    return y + x


@hosted(X)
def host_statement_in_a_loop(x):
    y = x
    for i in range(int(np.ceil(3.0))):
        y = y * x + i
        passed(y, i)
    return y


@hosted(X)
def tensor_loop_with_a_host_statement(x):
    y, n = x, 0
    while y.sum() < 10 and n < 4:
        y = y * y + x
        n += len(y.asnumpy().tolist()) - 1
    return y


@hosted(X)
def objects_hold_the_tensors(x):
    class Box:
        __slots__ = ("value",)

    box = Box()
    box.value = x * x
    box.value = box.value * passed(x, "host")
    return box.value + x


@hosted(X)
def generator_gives_the_tensors(x):
    def powers():
        y = x
        while True:
            y = y * x
            yield y

    made = powers()
    first = next(made)
    k = len(first.asnumpy())
    return first + next(made) * k


@hosted(X)
def exception_between(x):
    y = x * x
    try:
        y = y * x
        y = y / passed([], "none")[0]
    except IndexError:
        y = y + x
    finally:
        y = y * 2
    return y


@hosted(X)
def manager_around(x):
    @contextlib.contextmanager
    def doubled(v):
        yield passed(v * 2, "host")

    with doubled(x) as y:
        z = y * x
        passed(z, "host")
    return z * z


@hosted(X)
def write_in_place_across_a_cut(x):
    y = x * 1
    passed(None, "host")
    y[0] = x[1] * x[1]
    part = y[:1]
    passed(None, "host")
    part.mul_(x[0])
    return y * y


@hosted(X)
def closure_holds_the_tensor(x):
    y = x * x

    def scaled(v):
        nonlocal y
        y = y * v
        return y

    passed(scaled(x), "host")
    return scaled(x) + y


@hosted(X)
def jit_inside_with_a_cut(x):
    @jit
    def inner(v):
        y = v * v
        passed(None, "host")
        return y * v

    return inner(x) + inner(x * 2)


@hosted(X, smooth=False)
def stopped_and_detached(x):
    y = ops.stop_gradient(x * x)
    passed(None, "host")
    return y * x + Tensor((x * 2).asnumpy()) * x


@hosted(X)
def comprehension_of_tensors(x):
    rows = [x * k for k in np.arange(1, 4).tolist()]
    return sum(passed(row, "host") * x for row in rows)


@hosted(X)
def result_holds_other_things(x):
    y = x * x
    return y, y.shape, passed("text", "host"), [len(y.asnumpy())], None


@hosted(X, smooth=False)
def the_same_tensor_is_given_back(x):
    return passed(x, "host")


@hosted_scene(X, smooth=False)
def weights_around_a_cut():
    weight = Parameter(Tensor([2.0, 3.0]), name="weight")

    def f(x):
        y = x * weight
        k = len(y.asnumpy())
        return y * weight * k

    return Scene(f, transform=lambda g: value_and_grad(g, 0, [weight]), watch=lambda: weight)


@hosted_scene(X, smooth=False)
def weight_written_between():
    weight = Parameter(Tensor([2.0, 3.0]), name="weight")

    def f(x):
        y = x * weight
        passed(None, "host")
        ops.assign(weight, weight * 2)
        return y + x * weight

    return Scene(f, watch=lambda: weight)


@hosted_scene(X, smooth=False)
def attribute_of_a_cell_keeps_the_tensor():
    class Net(nn.Cell):
        def construct(self, x):
            self.h = x * x
            passed(None, "host")
            return self.h * x

    return Net()


@hosted_scene(X, smooth=False)
def own_backward_with_host_code():
    seen = []

    class Scale(nn.Cell):
        def construct(self, x):
            return x * 2

        def bprop(self, x, out, dout):
            seen.append(float(dout.asnumpy().sum()))
            return (dout * 10,)

    cell = Scale()
    return Scene(lambda x: cell(x * x) + x, watch=lambda: seen)


@hosted_scene(X, smooth=False)
def hook_with_host_code():
    seen = []

    def f(x):
        y = x * x
        y.register_hook(lambda slope: seen.append(slope.asnumpy().tolist()))
        passed(None, "host")
        return y * x

    return Scene(f, watch=lambda: seen)


@hosted(X, transform=lambda f: grad(lambda v: grad(f)(v).sum()), smooth=False)
def second_derivative_through_a_cut(x):
    y = x * x
    passed(None, "host")
    return (y * x).sum()


@hosted(X, transform=lambda f: grad(f, has_aux=True), smooth=False)
def aux_results_of_host_code(x):
    y = (x * x).sum()
    return y, {"numpy": x.asnumpy().tolist(), "sum": total(x)}


@hosted(X, smooth=False)
def gradient_inside_of_a_function_with_a_cut(x):
    def f(v):
        y = v * v
        passed(None, "host")
        return (y * v).sum()

    slope = grad(f)(x)
    return slope * total(slope)
