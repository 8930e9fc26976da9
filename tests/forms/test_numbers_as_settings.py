"""NumPy scalars, arrays of shape () and Tensors of one element are accepted as settings."""

import numpy as np
import pytest

import dyad
import dyad.numpy as mnp
from dyad import Parameter, Tensor, jit, mint, mutable, nn, ops
from dyad.common.initializer import initializer

X = Tensor(np.arange(12, dtype=np.float32).reshape(3, 4) / 7)
V = Tensor(np.array([1.0, 2.0, 4.0], np.float32))
I = Tensor(np.array([0, 2, 1], np.int32))  # noqa: E741
SIGNAL = Tensor(np.arange(32, dtype=np.float32))
SQUARE = Tensor(np.tril(np.ones((3, 3), np.float32)) + np.eye(3, dtype=np.float32))

FORMS = [pytest.param(lambda f: f(), id="dynamic"), pytest.param(lambda f: jit(f)(), id="static")]
OF_NUMPY = [np.int64, np.array]
OF_ANY = [*OF_NUMPY, Tensor]


def arrays(result):
    if isinstance(result, (tuple, list)):
        return [array for part in result for array in arrays(part)]
    return [result.asnumpy() if isinstance(result, Tensor) else np.asarray(result)]


def assert_same(result, expected):
    result, expected = arrays(result), arrays(expected)
    assert len(result) == len(expected)
    for one, other in zip(result, expected, strict=True):
        assert one.shape == other.shape
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


INTS = [
    (lambda n: mnp.bincount(I, length=n), 3),
    (lambda n: mnp.histogram_bin_edges(V, bins=n), 4),
    (lambda n: mnp.polyder(V, m=n), 1),
    (lambda n: mnp.polyint(V, m=n), 2),
    (lambda n: mnp.array([1, 2], ndmin=n), 2),
    (lambda n: mnp.eye(3, 4, k=n), 1),
    (lambda n: mnp.linspace(0, 1, num=n), 5),
    (lambda n: mnp.geomspace(1, 8, n), 4),
    (lambda n: mnp.diag_indices(3, n), 2),
    (lambda n: mnp.around(X, decimals=n), 1),
    (lambda n: mnp.rollaxis(X, 1, n), 0),
    (lambda n: mnp.cross(SQUARE, SQUARE + 1, n), -1),
    (lambda n: mnp.take(X, I, n), 1),
    (lambda n: mnp.split(X, n, 1), 2),
    (lambda n: mnp.array_split(X, n, 1), 3),
    (lambda n: ops.stft(SIGNAL, n, 4, 8), 8),
    (lambda n: ops.stft(SIGNAL, 8, 4, n), 6),
]
INTS_OF_NUMPY = [
    (lambda n: mnp.pad(X, n), 1),
    (lambda n: mnp.tensordot(X, X, n), 2),
    (lambda n: mint.add(X, X, alpha=n), 2),
    (lambda n: ops.tensor_dot(X, X, n), 2),
    (lambda n: ops.batch_dot(X.reshape(1, 3, 4), X.reshape(1, 3, 4), n), 2),
    (lambda n: ops.Softmax(n)(X), 0),
    (lambda n: ops.Softmax((n,))(X), 0),
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("call, number", INTS)
@pytest.mark.parametrize("kind", OF_ANY)
def test_an_int_setting_accepts_numpy_and_tensor_scalars(form, call, number, kind):
    assert_same(form(lambda: call(kind(number))), call(number))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("call, number", INTS_OF_NUMPY)
def test_ints_of_numpy(form, call, number):
    assert_same(form(lambda: call(np.int64(number))), call(number))


@pytest.mark.parametrize("sections", [2, 3])
def test_parts_are_counted_by_a_number_that_a_graph_gets(sections):
    program = jit(lambda x, n: mnp.array_split(x, n, 1))
    result = program(X, mutable(sections))
    assert_same(result, np.array_split(X.asnumpy(), sections, axis=1))


FLAGS = [
    lambda flag: mnp.array_equal(V, V, equal_nan=flag),
    lambda flag: mnp.cov(X, rowvar=flag),
    lambda flag: mnp.cov(X, bias=flag),
    lambda flag: mnp.corrcoef(X, rowvar=flag),
    lambda flag: mnp.linspace(0, 1, 5, endpoint=flag),
    lambda flag: mnp.linspace(0, 1, 5, retstep=flag),
    lambda flag: mnp.geomspace(1, 8, 4, endpoint=flag),
    lambda flag: mnp.meshgrid(V, V, sparse=flag),
    lambda flag: mnp.mean(X, 1, keepdims=flag),
    lambda flag: mint.max(X, 1, flag),
    lambda flag: mint.min(X, 1, flag),
    lambda flag: mint.sort(X, stable=flag)[0],
    lambda flag: mint.nn.functional.elu(X + 0, 1.0, flag),
    lambda flag: ops.svd(X, compute_uv=flag)[0].shape,
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("call", FLAGS)
@pytest.mark.parametrize("flag", [True, False])
@pytest.mark.parametrize("kind", [np.bool_, np.array, Tensor])
def test_a_bool_setting_accepts_numpy_and_tensor_scalars(form, call, flag, kind):
    assert_same(form(lambda: call(kind(flag))), call(flag))


def test_numpy_functions_accept_numpy_scalars_as_settings():
    assert_same(mnp.interp(V, V, V, left=np.array(1), right=np.float32(2)), mnp.interp(V, V, V, 1, 2))
    assert_same(mnp.unwrap(V, np.array(3.0)), mnp.unwrap(V, 3.0))
    assert_same(mnp.amax(X, 1, initial=np.float32(1)), mnp.amax(X, 1, initial=1.0))
    assert_same(mnp.amin(X, 1, initial=np.float32(0.5)), mnp.amin(X, 1, initial=0.5))
    assert_same(initializer(np.float32(0.25), [2]), initializer(0.25, [2]))
    assert mnp.randint(np.int64(3), np.int64(4), 2).asnumpy().tolist() == [3, 3]


def test_layers_accept_numpy_scalars_as_settings():
    expected = nn.OneHot(-1, 3, 1, 0)(I)
    assert_same(nn.OneHot(-1, 3, np.array(1.0), np.array(0.0))(I), expected)
    flags = nn.OneHot(-1, 3, True, False, dyad.bool_)(I)
    assert flags.dtype == dyad.bool_
    assert_same(flags, expected.asnumpy().astype(bool))
    assert nn.EmbeddingLookup(5, 3, max_norm=np.array(1.0)).max_norm == 1.0
    assert_same(nn.Moments(0, np.True_)(X), nn.Moments(0, True)(X))
    assert_same(nn.Softmax((-1,))(X), nn.Softmax(-1)(X))
    assert mint.nn.LayerNorm(np.array([4]))(X).shape == (3, 4)
    assert nn.BatchNorm2d(2, affine=np.bool_(False)).gamma.requires_grad is False
    assert Parameter(V, requires_grad=np.True_).requires_grad is True


@pytest.mark.parametrize(
    "call",
    [
        lambda: mnp.eye(2.0),
        lambda: mnp.eye(np.float32(2)),
        lambda: mnp.linspace(0, 1, Tensor(5.0)),
        lambda: mnp.cov(X, rowvar="yes"),
        lambda: mnp.cov(X, rowvar=np.array([True])),
        lambda: mint.max(X, 1, np.float32(1)),
        lambda: mint.max(X, 1, 2),
        lambda: nn.Dense(np.float32(4), 3),
        lambda: nn.Dense(4, 3, has_bias=np.int64(1)),
    ],
)
def test_other_kinds_are_refused(call):
    with pytest.raises(TypeError, match=r"^\w+: \w+ is .*need (an int|a bool)"):
        call()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("size", [(3,), [3], 3, (np.int64(3),), np.array([3])], ids=repr)
def test_draws_from_a_seed(form, size):
    from dyad.ops.auto_generate import normal_float_float

    expected = normal_float_float(1.0, 2.0, (3,), Tensor(5), Tensor(0))
    assert_same(form(lambda: normal_float_float(1.0, 2.0, size, np.int64(5), np.array(0))), expected)
    assert_same(form(lambda: normal_float_float(1.0, 2.0, size, 5, 0)), expected)
