"""jvp and linearize."""

import numpy as np
import pytest
from values import floats, ints, parameter, read

import dyad
from dyad import Tensor, custom_vjp, grad, jvp, nn, ops, vjp
from dyad.ops import functional, linearize

X, Y = floats(2.0, 3.0), floats(5.0, 7.0)
V, W = floats(1.0, 10.0), floats(100.0, 1000.0)


def outputs(x, y):
    return x * y, x + y


def random(*shape):
    return Tensor(np.random.default_rng(3).standard_normal(shape))


def block(x, w):
    """Operators of every kind: elementwise, linear, products, reductions, views, writes, several results."""
    hidden = ops.softmax(ops.matmul(x, w) * 2.0, -1)
    high, _ = ops.topk(hidden, 2)
    written = hidden.copy()
    written[0] = written[0] * 0.0 + high[0, 0]
    first, rest = ops.split(ops.layer_norm(x, [4], *map(ops.full_like, (x[0], x[0]), (1.5, 0.5))), (1, 2))
    return {"written": written * 3, "rest": [ops.concat((first, rest)).T, ops.logsumexp(hidden, 0)]}, x.max()


def test_the_output_and_its_tangent():
    assert read(jvp(outputs, (X, Y), (V, W))) == (
        ([10.0, 21.0], [7.0, 10.0]),
        ([205.0, 3070.0], [101.0, 1010.0]),
    )
    assert read(jvp(outputs, [X, Y], [V, W])) == read(jvp(outputs, (X, Y), (V, W)))
    assert read(jvp(ops.square, X, V)) == ([4.0, 9.0], [4.0, 60.0])
    assert read(jvp(ops.square, (X,), (V,))) == ([4.0, 9.0], [4.0, 60.0])


def test_the_tangent_has_the_structure_of_the_output():
    _, tangent = jvp(lambda x: {"a": [x * 2, (x * 3,)], "b": "text"}, X, V)
    assert read(tangent) == {"a": [[2.0, 20.0], ([3.0, 30.0],)], "b": "text"}


def test_aux_is_unwrapped_if_single():
    assert read(jvp(outputs, (X, Y), (V, W), has_aux=True)) == ([10.0, 21.0], [205.0, 3070.0], [7.0, 10.0])
    assert jvp(lambda x: (x, "a", "b"), X, V, has_aux=True)[2] == ("a", "b")


def test_what_does_not_vary_has_zero_tangents():
    assert read(jvp(lambda x, y: x * 2, (X, Y), (V, W))[1]) == [2.0, 20.0]
    assert read(jvp(lambda x: Y * 1, X, V)[1]) == [0.0, 0.0]
    assert read(jvp(lambda x: ops.stop_gradient(x) * x, X, V)[1]) == [2.0, 30.0]
    assert read(jvp(lambda x: (x > 2).astype(dyad.float32), X, V)[1]) == [0.0, 0.0]


def test_what_is_handed_on_does_not_share_memory_with_v():
    tangent = jvp(lambda x: x, X, V)[1]
    tangent[0] = 5.0
    assert read(V) == [1.0, 10.0]


def test_products_from_both_sides_agree():
    x, w, v, u = random(3, 4), random(4, 4), random(3, 4), random(4, 4)
    _, tangent = jvp(block, (x, w), (v, u))
    output, vjp_fn = vjp(block, x, w)
    seeds = [ops.cos(part) for part in flat(output)]
    by_x, by_w = vjp_fn(*seeds)
    from_left = (by_x * v).sum() + (by_w * u).sum()
    from_right = sum((seed * part).sum() for seed, part in zip(seeds, flat(tangent), strict=True))
    np.testing.assert_allclose(from_left.asnumpy(), from_right.asnumpy(), rtol=1e-12)


def flat(value):
    if isinstance(value, Tensor):
        return [value]
    parts = value.values() if isinstance(value, dict) else value
    return [tensor for part in parts for tensor in flat(part)]


def test_the_direction_of_a_python_loop_and_branch():
    def function(x):
        total = x
        for step in range(4):
            total = total * x if float(total.sum()) > step else total + ops.exp(x)
        return total

    x, v, step = random(3), random(3), 1e-6
    by_hand = (function(x + step * v) - function(x - step * v)) / (2 * step)
    np.testing.assert_allclose(jvp(function, x, v)[1].asnumpy(), by_hand.asnumpy(), rtol=1e-7)


def test_integers_and_mixed_dtypes():
    assert read(jvp(lambda x: x * x, ints(2, 3), ints(1, 2))[1]) == [4, 12]
    assert jvp(lambda x: x * x, ints(2, 3), ints(1, 2))[1].dtype == dyad.int32
    assert read(jvp(lambda x: x / 2, ints(2, 3), ints(1, 3))[1]) == [0.5, 1.5]
    half, whole = floats(1.0, 2.0, dtype=np.float16), floats(1e-3, 3.0)
    tangent = jvp(lambda x: x * whole, half, ops.ones_like(half))[1]
    assert tangent.dtype == dyad.float32
    np.testing.assert_array_equal(tangent.asnumpy(), whole.asnumpy())


def test_complex_functions():
    z = Tensor(np.array([1 + 2j, 3 - 1j]))
    v = Tensor(np.array([1j, 2 + 1j]))
    at, along = z.asnumpy(), v.asnumpy()
    np.testing.assert_allclose(jvp(lambda a: a * a * 1j, z, v)[1].asnumpy(), 2j * at * along)
    np.testing.assert_allclose(jvp(ops.conj, z, v)[1].asnumpy(), along.conj())
    rate = (at.conj() * along).real / np.abs(at)
    np.testing.assert_allclose(jvp(ops.abs, z, v)[1].asnumpy(), rate)


def test_views_and_writes():
    def function(x):
        y = x * 1
        y[0] = x[1] * x[1]
        y[1:].mul_(x[:1])
        return y

    assert read(jvp(function, X, V)) == ([9.0, 6.0], [60.0, 23.0])


def test_a_step_with_its_own_backward_is_transposed():
    @custom_vjp
    def doubled(x):
        return x * 2

    doubled.defbwd(lambda x, out, dout: (dout * 3 * x,))
    assert read(jvp(doubled, X, V)) == ([4.0, 6.0], [6.0, 90.0])

    class Swap(nn.Cell):
        def construct(self, a, b):
            return a, b

        def bprop(self, a, b, out, dout):
            return dout[1], dout[0]

    assert read(jvp(Swap(), (X, Y), (V, W))[1]) == ([100.0, 1000.0], [1.0, 10.0])


def test_parameters_as_inputs_and_around():
    w = parameter(5.0, 7.0)
    assert read(jvp(lambda x: x * w, X, V)[1]) == [5.0, 70.0]
    assert read(jvp(lambda x: x * w * w, w, V)[1]) == [75.0, 1470.0]


def test_nesting_with_itself_and_with_grad():
    cubic = lambda x: x * x * x  # noqa: E731
    assert read(jvp(lambda x: jvp(cubic, x, V)[1], X, V)[1]) == [12.0, 1800.0]
    assert read(grad(lambda x: jvp(cubic, x, V)[1])(X)) == [12.0, 180.0]
    assert read(grad(lambda v: jvp(cubic, X, v)[1])(V)) == [12.0, 27.0]
    assert read(jvp(grad(cubic), X, V)[1]) == [12.0, 180.0]
    assert read(jvp(lambda x: vjp(cubic, x)[1](x)[0], X, V)[1]) == [36.0, 810.0]


def test_directions_of_nested_calls_are_not_mixed_up():
    def outer(x):
        return x * jvp(lambda y: x * y, Y, floats(1.0, 1.0))[1]

    assert read(jvp(outer, X, floats(1.0, 1.0))[1]) == [4.0, 6.0]


def test_hessian_vector_products_agree():
    w = random(3, 3)
    loss = lambda x: (ops.softmax(ops.tanh(x @ w) @ x.T, -1) ** 2).sum()  # noqa: E731
    x, v = random(2, 3), random(2, 3)
    forward_over_reverse = jvp(grad(loss), x, v)[1]
    reverse_over_forward = grad(lambda x: jvp(loss, x, v)[1])(x)
    np.testing.assert_allclose(
        forward_over_reverse.asnumpy(), reverse_over_forward.asnumpy(), rtol=1e-10, atol=1e-12
    )


def test_linearize_runs_the_function_once():
    calls = []

    def counted(x, y):
        calls.append(1)
        return x * y

    output, jvp_fn = linearize(counted, (X, Y))
    assert read(output) == [10.0, 21.0]
    for _ in range(2):
        assert read(jvp_fn(V, W)) == [205.0, 3070.0]
        assert read(jvp_fn((V, W))) == [205.0, 3070.0]
        assert read(jvp_fn([V, V])) == [7.0, 100.0]
    assert len(calls) == 1
    assert read(linearize(ops.square, X)[1](V)) == [4.0, 60.0]


def test_a_kept_linear_function_inside_another_transform():
    _, jvp_fn = linearize(lambda t: t * t * t, X)
    assert read(grad(lambda v: jvp_fn(v) * v)(V)) == [24.0, 540.0]
    assert read(jvp(jvp_fn, V, V)[1]) == [12.0, 270.0]

    def inner(x):
        return linearize(lambda t: t * t * t, x)[1](V)

    assert read(grad(inner)(X)) == [12.0, 180.0]


@pytest.mark.parametrize("name", ["jvp", "jacfwd", "jacrev"])
def test_both_places_have_the_same_function(name):
    assert getattr(dyad, name) is getattr(ops, name) is getattr(functional, name)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: jvp(outputs, (X, Y), (V,)),
            ValueError,
            "jvp: v holds 1 tangents for 2 inputs; need one for each",
        ),
        (lambda: jvp(ops.square, X, (V, V)), ValueError, "jvp: v holds 2 tangents for 1 inputs"),
        (
            lambda: jvp(ops.square, 2.0, V),
            TypeError,
            "jvp: inputs is of type float; need a Tensor, or a tuple or list",
        ),
        (lambda: jvp(ops.square, X, 1.0), TypeError, "jvp: v is of type float"),
        (lambda: jvp(outputs, (X, 2.0), (V, V)), TypeError, "jvp: input 1 is of type float; need a Tensor"),
        (lambda: jvp(outputs, (X, Y), (V, 2.0)), TypeError, "jvp: tangent 1 is of type float; need a Tensor"),
        (
            lambda: jvp(ops.square, X, floats(1.0)),
            ValueError,
            r"jvp: tangent 0 has shape \(1,\); need that of its input, \(2,\)",
        ),
        (
            lambda: jvp(ops.square, X, ints(1, 2)),
            TypeError,
            "jvp: tangent 0 has dtype Int32; need that of its input",
        ),
        (lambda: jvp(ops.square, X, V, has_aux=1), TypeError, "jvp: has_aux"),
        (
            lambda: jvp(ops.square, X, V, has_aux=True),
            ValueError,
            "jvp: with has_aux the function returned Tensor",
        ),
        (lambda: jvp(3, X, V), TypeError, "jvp: fn is 3 of type int"),
        (lambda: linearize(ops.square, 3), TypeError, "linearize: inputs is of type int"),
        (lambda: linearize(ops.square, X)[1](V, V), ValueError, "linearize: v holds 2 tangents for 1 inputs"),
    ],
)
def test_wrong_arguments(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_inside_no_grad_there_is_no_derivative():
    with (
        dyad.no_grad(),
        pytest.raises(RuntimeError, match="jvp: In no_grad context, you can not calculate gradient"),
    ):
        jvp(ops.square, X, V)


def test_products_as_cells():
    assert read(nn.Jvp(ops.square)(X, V)) == ([4.0, 9.0], [4.0, 60.0])
    assert read(nn.Jvp(outputs)(X, Y, (V, W))) == read(jvp(outputs, (X, Y), (V, W)))
    assert read(nn.Vjp(ops.square)(X, V)) == ([4.0, 9.0], [4.0, 60.0])
    assert read(nn.Vjp(ops.mul)(X, Y, V)) == ([10.0, 21.0], ([5.0, 70.0], [2.0, 30.0]))
    assert read(nn.Vjp(outputs)(X, Y, (V, V))[1]) == ([6.0, 80.0], [3.0, 40.0])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: nn.Jvp(ops.square)(X, (V, V)), "Jvp: the last argument is a tuple of 2 tangents"),
        (lambda: nn.Jvp(ops.mul)(X, Y, V), "Jvp: the last argument holds 1 tangents for 2 inputs"),
        (lambda: nn.Vjp(ops.square)(X, (V, V)), "Vjp: the last argument is a tuple of 2 gradients"),
        (lambda: nn.Jvp(ops.square)(X, (V,)), "Jvp: the last argument is a tuple of 1 tangents"),
        (lambda: nn.Vjp(ops.square)(X, (V,)), "Vjp: the last argument is a tuple of 1 gradients"),
        (lambda: nn.Vjp(outputs)(X, Y, V), "Vjp: the last argument holds 1 gradients of 2 outputs"),
    ],
)
def test_products_as_cells_take_one_for_each(call, message):
    with pytest.raises(TypeError, match=message):
        call()
