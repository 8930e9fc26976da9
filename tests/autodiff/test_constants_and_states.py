"""Constants for differentiation, and written Parameters: statistics of a norm, results of Assign."""

import numpy as np
import pytest
from values import floats, parameter, read

import dyad
from dyad import Parameter, Tensor, jit, mint, nn, ops, value_and_grad

FORMS = pytest.mark.parametrize("form", [lambda f: f, dyad.jit], ids=["dynamic", "static"])
X = Tensor(np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 9.0]], np.float32))
GAMMA, BETA = floats(1.0, 2.0, 3.0), floats(0.0, 1.0, 0.0)


@FORMS
def test_layer_norm_gives_mean_and_variance(form):
    out, mean, variance = form(lambda x: ops.LayerNorm(1, 1, 1e-5)(x, GAMMA, BETA))(X)
    rows = X.asnumpy()
    np.testing.assert_allclose(mean.asnumpy(), rows.mean(1, keepdims=True), rtol=1e-6)
    np.testing.assert_allclose(variance.asnumpy(), rows.var(1, keepdims=True), rtol=1e-5)
    unit = (rows - rows.mean(1, keepdims=True)) / np.sqrt(rows.var(1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(out.asnumpy(), unit * GAMMA.asnumpy() + BETA.asnumpy(), rtol=1e-5)


@FORMS
def test_mean_and_variance_of_layer_norm_are_constants(form):
    def all_results(x, gamma, beta):
        out, mean, variance = ops.LayerNorm(1, 1, 1e-5)(x, gamma, beta)
        return out * out, mean * 7, variance * 9

    def first_result(x, gamma, beta):
        return ops.square(ops.LayerNorm(1, 1, 1e-5)(x, gamma, beta)[0])

    found = form(dyad.grad(all_results, (0, 1, 2)))(X, GAMMA, BETA)
    for ours, theirs in zip(found, dyad.grad(first_result, (0, 1, 2))(X, GAMMA, BETA), strict=True):
        np.testing.assert_allclose(ours.asnumpy(), theirs.asnumpy(), rtol=1e-5, atol=1e-6)


@FORMS
@pytest.mark.parametrize("write", [ops.assign, ops.Assign()])
def test_what_assign_gives_is_the_parameter(form, write):
    weight = parameter(1.0, 2.0)

    def function(x):
        return write(weight, x * 2) * x

    by_x, by_weight = form(dyad.grad(function, 0, [weight]))(floats(3.0, 4.0))
    # The write itself is not differentiated: 2x is a constant in the product.
    assert (read(by_x), read(by_weight)) == ([6.0, 8.0], ([3.0, 4.0],))
    assert read(weight) == [6.0, 8.0]


@FORMS
def test_what_assign_add_gives_is_the_parameter(form):
    weight = parameter(1.0, 2.0)
    by_weight = form(dyad.grad(lambda x: ops.assign_add(weight, x) * x, None, [weight]))(floats(3.0, 4.0))
    assert read(by_weight) == ([3.0, 4.0],)


@FORMS
def test_gradients_of_diag_by_vector_and_matrix(form):
    matrix = Tensor(np.arange(9.0, dtype=np.float32).reshape(3, 3))
    assert read(form(dyad.grad(lambda x: ops.diag(x) * matrix))(floats(1.0, 2.0, 3.0))) == [0.0, 4.0, 8.0]
    by_matrix = form(dyad.grad(lambda x: mint.diag(x) * floats(1.0, 2.0, 3.0)))(matrix)
    assert read(by_matrix) == np.diag([1.0, 2.0, 3.0]).tolist()


class Both(nn.Cell):
    def construct(self, x, y):
        return x * y, x + y


def test_hooks_of_a_cell_with_several_inputs():
    net = Both()
    net.register_forward_pre_hook(lambda cell, inputs: (inputs[0] * 2, inputs[1]))
    net.register_forward_hook(lambda cell, inputs, outputs: (outputs[0] + inputs[0], outputs[1]))
    assert read(net(floats(3.0), floats(4.0))) == ([30.0], [10.0])
    assert read(dyad.grad(net, (0, 1))(floats(3.0), floats(4.0))) == ([12.0], [7.0])


def test_a_parameter_without_gradient_takes_no_hook():
    weight = parameter(1.0, requires_grad=False)
    with pytest.raises(
        RuntimeError,
        match=r"register_hook: w is a Parameter .* requires grad is false, which can not register tensor hook",
    ):
        weight.register_hook(lambda gradient: gradient)


@FORMS
def test_an_argument_without_requires_grad_has_gradient_zero(form):
    weight = parameter(2.0, requires_grad=False)
    assert read(form(dyad.grad(lambda x, w: x * w, (0, 1)))(floats(3.0), weight)) == ([2.0], [0.0])


@pytest.mark.parametrize("shape", [(), (0,), (2, 3)])
def test_a_tensor_of_any_shape_can_be_asked_for_its_gradient(shape):
    x = Tensor(np.ones(shape, np.float32))
    x.requires_grad = True
    assert x.requires_grad
    (x * 3).sum().backward()
    np.testing.assert_array_equal(x.grad.asnumpy(), np.full(shape, 3, np.float32))
    x.requires_grad = False
    assert not x.requires_grad


def _one_element(w):
    w[0] = 5.0


def _in_a_loop(w):
    turns = ops.zeros(())
    while turns < 2:
        w.mul_(2.0)
        turns = turns + 1


def _without_recording(w):
    with dyad.no_grad():
        w.add_(1.0)


LEAF_WRITES = {
    "add_": lambda w: w.add_(1.0),
    "one element": _one_element,
    "a view": lambda w: w[1:].add_(1.0),
    "copy_": lambda w: w.copy_(Tensor([4.0, 4.0, 4.0])),
    "in a loop": _in_a_loop,
    "assign": lambda w: ops.assign(w, w + 1),
    "assign_add": lambda w: ops.assign_add(w, Tensor([1.0, 1.0, 1.0])),
    "no_grad": _without_recording,
}


@pytest.mark.parametrize("write", LEAF_WRITES.values(), ids=LEAF_WRITES)
@pytest.mark.parametrize("form", ["ast", "bytecode"])
def test_a_parameter_that_is_differentiated_is_written_in_an_arm_as_in_the_dynamic_graph(write, form):
    def run(compiled, sign):
        w = Parameter(Tensor([1.0, 2.0, 3.0]), name="w")

        def program(x):
            if x.sum() > 0:
                write(w)
            return (w * x).sum()

        gradient = value_and_grad(program, 0, [w])
        called = jit(gradient, capture_mode=form) if compiled else gradient
        try:
            value, (by_x, by_w) = called(Tensor([1.0, 2.0, 3.0]) * sign)
        except RuntimeError as error:
            return str(error).partition("\n")[0], w.tolist()
        return value.tolist(), by_x.tolist(), [each.tolist() for each in by_w], w.tolist()

    for sign in (1.0, -1.0):  # the arm is taken, and it is not
        assert run(True, sign) == run(False, sign)
