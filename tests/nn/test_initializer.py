import re

import numpy as np
import pytest

import dyad
from dyad import Parameter, Tensor, set_seed
from dyad.common.initializer import (
    Constant,
    Dirac,
    HeNormal,
    HeUniform,
    Identity,
    Initializer,
    Normal,
    One,
    Orthogonal,
    Sparse,
    TruncatedNormal,
    Uniform,
    VarianceScaling,
    XavierNormal,
    XavierUniform,
    Zero,
    initializer,
)


def values(init, shape, dtype=dyad.float32):
    return initializer(init, shape, dtype).asnumpy()


@pytest.mark.parametrize(
    ("name", "value"), [("zeros", 0), ("zero", 0), ("ones", 1), ("ONES", 1), (0.5, 0.5), (3, 3)]
)
def test_constants_by_name_and_number(name, value):
    array = values(name, [2, 3])
    assert array.dtype == np.float32 and (array == value).all()


def test_classes_and_names_agree():
    assert (values(Zero(), (2,)) == 0).all() and (values(One(), (2,)) == 1).all()
    assert (values(Constant(2.5), 4) == 2.5).all()
    assert (values(Constant(np.array([1, 2])), (3, 2)) == [[1, 2]] * 3).all()


@pytest.mark.parametrize("dtype", [dyad.float16, dyad.bfloat16, dyad.float64, dyad.int32])
def test_dtype_is_kept(dtype):
    tensor = initializer("ones", [2], dtype)
    assert tensor.dtype == dtype
    assert tensor.astype(dyad.float32).asnumpy().tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    ("init", "deviation", "bound"),
    [
        (Normal(), 0.01, None),
        (Normal(0.5), 0.5, None),
        ("normal", 0.01, None),
        (Uniform(), 0.07 / 3**0.5, 0.07),
        (Uniform(0.5), 0.5 / 3**0.5, 0.5),
        (XavierUniform(), (2 / 900) ** 0.5, (6 / 900) ** 0.5),
        ("xavier_uniform", (2 / 900) ** 0.5, (6 / 900) ** 0.5),
        (XavierNormal(2), 2 * (2 / 900) ** 0.5, None),
        (HeUniform(), (2 / 600) ** 0.5, (6 / 600) ** 0.5),
        (HeUniform(5**0.5), (1 / 1800) ** 0.5, (1 / 600) ** 0.5),
        (HeNormal(mode="fan_out"), (2 / 300) ** 0.5, None),
        (HeNormal(nonlinearity="tanh"), 5 / 3 / 600**0.5, None),
        (VarianceScaling(2.0, "fan_avg", "uniform"), (2 / 450) ** 0.5, (6 / 450) ** 0.5),
        (VarianceScaling(2.0, "fan_in", "untruncated_normal"), (2 / 600) ** 0.5, None),
        (VarianceScaling(), (1 / 600) ** 0.5, 2 * (1 / 600) ** 0.5 / 0.8796),
        (TruncatedNormal(), 0.01 * 0.8796, 0.02),
    ],
)
def test_spread_of_random_weights(init, deviation, bound):
    array = values(init, (300, 600))
    assert abs(array.mean()) < 5 * deviation / array.size**0.5
    assert abs(array.std() / deviation - 1) < 0.01
    if bound is not None:
        assert np.abs(array).max() <= bound * (1 + 1e-6)
        assert np.abs(array).max() > 0.99 * bound


def test_fan_counts_the_kernel():
    assert abs(values(HeUniform(), (64, 32, 3, 3)).std() / (2 / (32 * 9)) ** 0.5 - 1) < 0.02


@pytest.mark.parametrize(("low", "high"), [(-0.1, 0.1), (2.0, 3.0), (-5.0, -4.0), (4.0, 100.0), (-1.0, 50.0)])
def test_truncation_to_narrow_and_far_windows(low, high):
    from scipy.stats import truncnorm

    array = values(TruncatedNormal(2.0, 1.0, low, high), (20000,))
    expected = truncnorm(low, high, loc=1.0, scale=2.0)
    assert array.min() >= 1 + 2 * low - 1e-6 and array.max() <= 1 + 2 * high + 1e-6
    assert abs(array.mean() - expected.mean()) < 6 * expected.std() / array.size**0.5


def test_structured_matrices():
    assert values("identity", [3, 2]).tolist() == [[1, 0], [0, 1], [0, 0]]
    assert values(Identity(), [2, 2]).tolist() == [[1, 0], [0, 1]]
    dirac = values(Dirac(2), (4, 2, 3))
    assert dirac.sum() == 4
    assert [dirac[i, i % 2, 1] for i in range(4)] == [1, 1, 1, 1]


@pytest.mark.parametrize("shape", [(4, 6), (6, 4), (4, 3, 2)])
def test_orthogonal_rows_or_columns(shape):
    matrix = values(Orthogonal(2.0), shape).reshape(shape[0], -1)
    product = matrix @ matrix.T if matrix.shape[0] <= matrix.shape[1] else matrix.T @ matrix
    assert np.allclose(product, 4 * np.eye(len(product)), atol=1e-5)


def test_sparse_columns():
    matrix = values(Sparse(0.25, 0.5), (40, 30))
    assert ((matrix == 0).sum(axis=0) == 10).all()


def test_seed_repeats_and_continues_the_stream():
    set_seed(3)
    first, second = values("normal", (4,)), values("normal", (4,))
    set_seed(3)
    assert (values("normal", (4,)) == first).all()
    assert (first != second).any()


def test_values_are_drawn_at_the_first_use():
    tensor = initializer("normal", [2, 2])
    assert tensor.has_init and tensor.shape == (2, 2) and tensor.dtype == dyad.float32
    assert tensor.init_data() is tensor and not tensor.has_init
    assert ((initializer("ones", [2]) + 1).asnumpy() == 2).all()


def test_a_parameter_has_its_values_at_once():
    assert not Parameter(initializer("normal", [2])).has_init


def test_a_tensor_is_taken_as_it_is():
    tensor = Tensor([1.0, 2.0])
    assert initializer(tensor, [2]) is tensor


def test_a_user_defined_initializer_fills_a_tensor():
    class Ramp(Initializer):
        def _initialize(self, arr):
            arr[...] = np.arange(arr.size).reshape(arr.shape)

    assert values(Ramp(), (2, 2)).tolist() == [[0, 1], [2, 3]]


def test_printed_form_shows_the_settings():
    assert repr(Normal(0.5)) == "Normal(sigma=0.5, mean=0.0)"


@pytest.mark.parametrize(
    ("action", "error", "text"),
    [
        (
            lambda: initializer("normal", [2, 0]),
            ValueError,
            "initializer: shape is (2, 0); need positive ints",
        ),
        (lambda: initializer("zeros", [2.5]), ValueError, "initializer: shape is (2.5,); need positive ints"),
        (
            lambda: initializer("normel", [2]),
            ValueError,
            "no initializer called 'normel'; nearest is 'normal'",
        ),
        (lambda: initializer(None, [3]), TypeError, "initializer: init is of type NoneType"),
        (lambda: initializer("zeros"), TypeError, "initializer: shape is None"),
        (lambda: initializer("ones", [2], "float"), TypeError, "initializer: dtype is 'float'"),
        (
            lambda: initializer(Tensor([1.0, 2.0]), [3]),
            ValueError,
            "init has the shape (2,) but shape is (3,)",
        ),
        (lambda: values("he_uniform", [3]), ValueError, "fan is undefined for the shape (3,)"),
        (lambda: values("xavier_uniform", [3]), ValueError, "fan is undefined for the shape (3,)"),
        (lambda: values("identity", [2]), ValueError, "Identity: the shape is (2,); need 2 dimensions"),
        (
            lambda: values("dirac", [2, 2]),
            ValueError,
            "Dirac: the shape is (2, 2); need 3, 4 or 5 dimensions",
        ),
        (lambda: values("orthogonal", [3]), ValueError, "Orthogonal: the shape is (3,)"),
        (lambda: Normal(-1.0), ValueError, "Normal: sigma is -1.0; need at least 0"),
        (lambda: Uniform("a"), TypeError, "Uniform: scale is 'a' of type str; need a number"),
        (lambda: Constant("a"), TypeError, "Constant: value is 'a' of type str"),
        (
            lambda: TruncatedNormal(a=3.0, b=-3.0),
            ValueError,
            "TruncatedNormal: a is 3.0 and b is -3.0; need a < b",
        ),
        (lambda: VarianceScaling(-1.0), ValueError, "VarianceScaling: scale is -1.0; need a positive number"),
        (lambda: VarianceScaling(1.0, "x"), ValueError, "VarianceScaling: mode is 'x'"),
        (lambda: VarianceScaling(1.0, "fan_in", "x"), ValueError, "VarianceScaling: distribution is 'x'"),
        (lambda: HeNormal(0, "x"), ValueError, "HeNormal: mode is 'x'; need one of fan_in, fan_out"),
        (lambda: HeNormal(0, "fan_in", "x"), ValueError, "HeNormal: nonlinearity is 'x'"),
        (lambda: Sparse(2.0), ValueError, "Sparse: sparsity is 2.0; need a number from 0 to 1"),
        (lambda: Dirac(0), ValueError, "Dirac: groups is 0; need a positive int"),
    ],
)
def test_misuse_is_named(action, error, text):
    with pytest.raises(error, match=re.escape(text)):
        action()
