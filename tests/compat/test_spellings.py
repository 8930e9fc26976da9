"""MindSpore's spellings of operators against NumPy; `tests/forms/programs/spellings.py` has them in every form."""

import numpy as np
import pytest

import dyad
from dyad import Parameter, Tensor, jit, mutable, nn, ops
from dyad.common.initializer import One, initializer

X = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
C = np.array([[1 + 2j, 3 - 1j], [0.5j, 2]], np.complex64)


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        ("float32", dyad.float32),
        ("Int8", dyad.int8),
        ("bool", dyad.bool_),
        ("int", dyad.int64),
        ("float", dyad.float64),
    ],
)
def test_dtypes_by_name(name, dtype):
    assert X.astype(name).dtype is X.type(name).dtype is X.to(name).dtype is dtype
    assert ops.cast(X, name).dtype is dtype and ops.zeros((2,), name).dtype is dtype


def test_sizes_that_stay():
    image = Tensor(np.arange(32, dtype=np.float32).reshape(1, 2, 4, 4))
    assert ops.adaptive_avg_pool2d(image, (None, 2)).shape == (1, 2, 4, 2)
    assert ops.adaptive_max_pool2d(image, None).shape == (1, 2, 4, 4)
    assert ops.AdaptiveAvgPool2D((None, 1))(image).shape == (1, 2, 4, 1)
    with pytest.raises(
        TypeError, match="adaptive_avg_pool2d: output_size is \\('a', 2\\); it must be an int, None or a"
    ):
        ops.adaptive_avg_pool2d(image, ("a", 2))


def test_scatter_add_at_coordinates():
    found = ops.zeros((3, 3)).scatter_add(Tensor([[0, 0], [1, 1], [0, 0]]), Tensor([1.0, 2.0, 3.0]))
    np.testing.assert_array_equal(found.asnumpy(), [[4, 0, 0], [0, 2, 0], [0, 0, 0]])


def test_at_least_of_lists():
    found = ops.atleast_2d([X, Tensor(1.0)])
    assert isinstance(found, tuple) and [tensor.shape for tensor in found] == [(2, 3), (1, 1)]
    assert [tensor.shape for tensor in ops.atleast_3d((X, Tensor([1.0])))] == [(2, 3, 1), (1, 1, 1)]


def test_triangles_of_a_vector():
    vector = np.array([1.0, 2.0, 3.0], np.float32)
    np.testing.assert_array_equal(ops.tril(Tensor(vector)).asnumpy(), np.tril(vector))
    np.testing.assert_array_equal(Tensor(vector).triu(1).asnumpy(), np.triu(vector, 1))
    gradient = dyad.grad(lambda v: (ops.tril(v) * ops.ones((3, 3))).sum())(Tensor(vector))
    np.testing.assert_array_equal(gradient.asnumpy(), [3, 2, 1])


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 4), (2, 3, 2), (1, 3), (3, 1)])
@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_factors_of_complex_matrices(shape, dtype, full):
    random = np.random.default_rng(sum(shape))
    a = (random.normal(size=shape) + 1j * random.normal(size=shape)).astype(dtype)
    near = {"rtol": 1e-4, "atol": 1e-5} if dtype == np.complex64 else {"rtol": 1e-10, "atol": 1e-11}
    q, r = (part.asnumpy() for part in ops.qr(Tensor(a), "complete" if full else "reduced"))
    expected_q, expected_r = np.linalg.qr(a, "complete" if full else "reduced")
    np.testing.assert_allclose(q @ r, a, **near)
    np.testing.assert_allclose(r, expected_r, **near)
    if not full:
        np.testing.assert_allclose(q, expected_q, **near)
    np.testing.assert_allclose(
        np.swapaxes(q.conj(), -2, -1) @ q,
        np.broadcast_to(np.eye(q.shape[-1]), (*shape[:-2], q.shape[-1], q.shape[-1])),
        **near,
    )
    s, u, v = (part.asnumpy() for part in ops.svd(Tensor(a), full_matrices=full))
    np.testing.assert_allclose(s, np.linalg.svd(a, compute_uv=False), **near)
    least = min(shape[-2:])
    rebuilt = (u[..., :least] * s[..., None, :]) @ np.swapaxes(v[..., :least].conj(), -2, -1)
    np.testing.assert_allclose(rebuilt, a, **near)
    for vectors in (u, v):
        unit = np.swapaxes(vectors.conj(), -2, -1) @ vectors
        np.testing.assert_allclose(unit, np.broadcast_to(np.eye(unit.shape[-1]), unit.shape), **near)


def test_factors_of_singular_complex_matrices():
    a = np.outer([1, 1j, 2], [1 - 1j, 2]).astype(np.complex64)
    s, u, v = (part.asnumpy() for part in ops.svd(Tensor(a)))
    np.testing.assert_allclose((u * s) @ v.conj().T, a, atol=1e-5)
    np.testing.assert_allclose(u.conj().T @ u, np.eye(2), atol=1e-5)
    zero = np.zeros((2, 2), np.complex64)
    np.testing.assert_array_equal(ops.svd(Tensor(zero), compute_uv=False).asnumpy(), [0, 0])
    q, r = ops.qr(Tensor(zero))
    np.testing.assert_array_equal((q @ r).asnumpy(), zero)


@pytest.mark.parametrize("factor", [lambda x: ops.qr(x)[1], lambda x: ops.svd(x)[1]])
def test_factors_of_complex_matrices_are_not_differentiated(factor):
    with pytest.raises(RuntimeError, match="the factors of a complex matrix have no derivative here"):
        dyad.grad(lambda x: ops.real(factor(x)).sum())(Tensor(C))


def test_complex_numbers_near_zero_keep_their_digits():
    tiny = np.array([1e-6 + 1e-6j, -1e-7j], np.complex64)
    exact = tiny.astype(np.complex128)
    np.testing.assert_allclose(ops.expm1(Tensor(tiny)).asnumpy(), exact + exact**2 / 2, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(ops.log1p(Tensor(tiny)).asnumpy(), exact - exact**2 / 2, rtol=1e-5, atol=1e-5)


def test_the_sign_of_complex_numbers_has_a_gradient():
    gradient = dyad.grad(lambda z: ops.imag(ops.sign(z)).sum())(Tensor(np.array([2 + 0j], np.complex64)))
    np.testing.assert_allclose(gradient.asnumpy(), [0.5j], atol=1e-6)


def test_means_of_integers_stay_integers():
    small = Tensor(np.array([200, 250, 255], np.uint8))
    assert ops.mean(small).item() == 235 and ops.mean(small).dtype is dyad.uint8
    assert ops.mean(Tensor([-3, 0], dyad.int32)).item() == -1
    large = Tensor(np.array([2**53 + 1, 2**53 + 3]))
    assert large.mean().item() == 2**53 + 2 and large.mean().dtype is dyad.int64
    assert ops.mean(Tensor([1, 2]), 0).item() == 1 and Tensor([1, 2]).mean(dtype=dyad.float32).item() == 1.5
    assert ops.mean(Tensor([True, False])).item() == 0.5
    with pytest.raises(ValueError, match=r"mean: there are no elements in a tensor of shape \(0,\)"):
        ops.mean(Tensor(np.zeros(0, np.int32)))


def test_other_methods():
    assert X.allclose(X) is True and X.allclose(X + 1) is False
    values, places = X.argmax_with_value(1)
    assert values.asnumpy().tolist() == [2, 5] and places.asnumpy().tolist() == [2, 2]
    square = ops.zeros((3, 3))
    assert square.fill_diagonal_(2.0) is square and square.asnumpy().trace() == 6
    assert ops.top_k(X, 1)[0].asnumpy().tolist() == [[2], [5]]
    counted = ops.tuple_to_array(range(3))
    assert counted.dtype is dyad.int32 and counted.asnumpy().tolist() == [0, 1, 2]
    converted = Parameter(X, name="w")
    assert converted.set_dtype(dyad.int32) is dyad.int32 and converted.dtype is dyad.int32
    assert converted.asnumpy().tolist() == X.asnumpy().astype(int).tolist() and converted.name == "w"


def test_parameters_and_tensors_that_wait_for_their_values():
    parameter = Parameter(Tensor([1.0]), name="w")
    assert parameter.inited_param is None and parameter.init_flag is False
    waiting = initializer("ones", [2, 2], dyad.float32)
    assert str(waiting) == repr(waiting) == "Tensor(shape=[2, 2], dtype=Float32, value=\n<uninitialized>)"
    made = Tensor(shape=(2, 2), dtype=dyad.float32, init=One())
    assert made.init_flag and "<uninitialized>" in f"{made}"
    made.init_data()
    assert not made.init_flag and "1." in str(made)


@pytest.mark.parametrize(
    ("layer", "attribute", "operator"),
    [
        (nn.Conv1d(2, 3, 3), "conv2d", ops.Conv2D),
        (nn.Conv2d(2, 3, 3, data_format="NHWC"), "bias_add", ops.BiasAdd),
        (nn.Conv3d(2, 3, 3), "conv3d", ops.Conv3D),
        (nn.Dense(2, 3), "matmul", ops.MatMul),
        (nn.BatchNorm2d(3), "bn_infer", ops.BatchNorm),
        (nn.Dropout(p=0.5), "dropout", ops.Dropout),
        (nn.Embedding(4, 3), "gather", ops.Gather),
        (nn.AvgPool2d(2), "avg_pool", ops.AvgPool),
        (nn.LogSoftmax(), "log_softmax", ops.LogSoftmax),
        (nn.LRN(), "lrn_op", ops.LRN),
    ],
)
def test_layers_keep_their_operator(layer, attribute, operator):
    assert isinstance(getattr(layer, attribute), operator)


def test_kept_operators_compute_what_the_layer_does():
    image = Tensor(np.arange(32, dtype=np.float32).reshape(1, 2, 4, 4))
    conv = nn.Conv2d(2, 3, 3, stride=2, pad_mode="pad", padding=1, has_bias=True, bias_init="ones")
    np.testing.assert_allclose(
        conv.bias_add(conv.conv2d(image, conv.weight), conv.bias).asnumpy(),
        conv(image).asnumpy(),
        rtol=1e-5,
        atol=1e-5,
    )
    dense = nn.Dense(3, 2, bias_init="ones")
    np.testing.assert_allclose(
        dense.bias_add(dense.matmul(X, dense.weight), dense.bias).asnumpy(),
        dense(X).asnumpy(),
        rtol=1e-5,
        atol=1e-5,
    )
    norm = nn.LayerNorm((3,))
    np.testing.assert_allclose(
        norm.layer_norm(X, norm.gamma, norm.beta)[0].asnumpy(), norm(X).asnumpy(), rtol=1e-5, atol=1e-5
    )


def test_what_a_graph_knows_while_it_is_compiled():
    @jit
    def known(x, number, pair, fixed):
        values = (x, number, number + 1, pair, fixed, x.shape, {"a": number}, {"a": fixed})
        return [ops.isconstant(value) for value in values]

    found = known(Tensor([1.0]), mutable(3), mutable((1, 2)), (1, "a"))
    assert found == [False, False, False, False, True, True, False, True]
    assert ops.isconstant(Tensor([1.0])) and ops.isconstant(mutable(3))


@pytest.mark.parametrize("form", [lambda f: f, jit], ids=["dynamic", "static"])
def test_one_of_two_and_one_of_a_tuple(form):
    @form
    def chosen(cond, x, y):
        return ops.tuple_getitem((ops.switch(cond, x, y), ops.switch(cond, x * 10, y * 10)), 1)

    for cond, expected in ((True, [10, 20]), (False, [30, 40])):
        assert chosen(Tensor(cond), Tensor([1, 2]), Tensor([3, 4])).asnumpy().tolist() == expected
    with pytest.raises(IndexError):
        ops.tuple_getitem((1, 2), 2)
    with pytest.raises(ValueError, match="truth value of an array with more than one element is ambiguous"):
        form(lambda x, y: ops.switch(x > y, x, y))(Tensor([1, 2]), Tensor([3, 4]))


@pytest.mark.parametrize("form", [lambda f: f, jit], ids=["dynamic", "static"])
def test_operators_on_numbers_as_functions(form):
    functional = ops.functional

    @form
    def computed(a, b):
        sums = functional.scalar_add(a, b), functional.scalar_sub(a, b), functional.scalar_usub(a)
        rest = functional.scalar_div(a, b), functional.scalar_floordiv(a, b), functional.scalar_mod(a, b)
        return sums, rest, functional.scalar_gt(a, b), functional.scalar_bool(b)

    expected = ((9, 5, -7), (3.5, 3, 1), True, True)
    assert computed(7, 2) == expected
    assert computed(mutable(7), mutable(2)) == expected


@pytest.mark.parametrize("form", [lambda f: f, jit], ids=["dynamic", "static"])
def test_operators_spelled_as_functions(form):
    functional = ops.functional

    @form
    def computed():
        same = functional.tuple_equal((1, 2), (1, 2)), functional.list_equal([1], [2])
        return functional.bool_not(True), functional.shape_mul((2, 3)), same

    assert computed() == (False, 6, (True, False))
    assert functional.tuple_equal is functional.tuple_equal


@pytest.mark.parametrize(
    "name", ["DivMod", "DivMods", "Divs", "LerpScalar", "SplitWithSizeView", "InplaceMuls", "Lu"]
)
def test_a_class_is_one_whichever_module_finds_it(name):
    from dyad import ops
    from dyad.ops import auto_generate

    assert getattr(auto_generate, name) is getattr(ops, name)
