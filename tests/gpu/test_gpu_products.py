"""Matrix products on the device, against NumPy."""

import numpy as np
import pytest
from device_samples import faults_of, table_entries

import dyad
from dyad import Tensor, grad, ops

DTYPES = [
    "float32",
    "float64",
    "float16",
    "complex64",
    "complex128",
    "int8",
    "uint8",
    "int32",
    "int64",
    "bool",
]
TOLERANCE = {"float16": 2e-2, "float32": 1e-5, "complex64": 1e-5, "float64": 1e-12, "complex128": 1e-12}


def numbers(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    if dtype.startswith("complex"):
        return (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(dtype)
    if dtype.startswith("float"):
        return rng.normal(size=shape).astype(dtype)
    return rng.integers(0, 2 if dtype == "bool" else 7, size=shape).astype(dtype)


def wide(values):
    return values.astype(np.float32) if values.dtype == np.float16 else values


def assert_close(result, wanted, dtype):
    assert result.shape == wanted.shape
    if dtype not in TOLERANCE:
        assert np.array_equal(result, wanted)
        return
    scale = max(1.0, float(np.abs(wanted).max(initial=0)))
    assert np.abs(wide(result) - wanted).max(initial=0) <= TOLERANCE[dtype] * scale


@pytest.mark.parametrize(
    "op",
    table_entries("matmul", "dense", "product", "panel_product", "pack_panels"),
    ids=lambda op: op["name"],
)
def test_product_samples_of_the_table_agree_with_numpy(op):
    faults = faults_of(op)
    assert not faults, "\n" + "\n".join(faults[:4])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((33, 70), (70, 45)),
        ((1, 300), (300, 40)),
        ((300, 1), (1, 40)),
        ((17,), (17,)),
        ((5, 9), (9,)),
        ((9,), (3, 9, 4)),
        ((2, 3, 5, 9), (9, 4)),
        ((6, 5, 9), (6, 9, 4)),
        ((7, 1, 5, 9), (6, 9, 4)),
        ((3, 0), (0, 2)),
        ((0, 3), (3, 2)),
    ],
)
def test_matmul_of_any_shapes_agrees_with_numpy(left, right, dtype):
    a, b = numbers(left, dtype, 1), numbers(right, dtype, 2)
    assert_close(ops.matmul(Tensor(a), Tensor(b)).asnumpy(), np.matmul(wide(a), wide(b)), dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "complex64", "int32"])
def test_views_of_any_strides(dtype):
    a, b = numbers((40, 66), dtype, 1), numbers((66, 48), dtype, 2)
    for of_a in (np.s_[:, :], np.s_[::2, :], np.s_[:, ::2], np.s_[1:, 1:-1], np.s_[::3, 5:40:5]):
        left = a[of_a]
        right = np.ascontiguousarray(b[: left.shape[1]])
        assert_close(
            ops.matmul(Tensor(a)[of_a], Tensor(right)).asnumpy(), np.matmul(wide(left), wide(right)), dtype
        )
        turned = Tensor(np.ascontiguousarray(right.T)).T
        assert_close(ops.matmul(Tensor(a)[of_a], turned).asnumpy(), np.matmul(wide(left), wide(right)), dtype)


@pytest.mark.parametrize("dtype", ["float32", "float16", "float64"])
def test_heads_of_attention(dtype):
    q, k = numbers((6, 10, 7, 8), dtype, 1), numbers((6, 10, 7, 8), dtype, 2)
    scores = ops.matmul(Tensor(q).swapaxes(1, 2), Tensor(k).transpose(0, 2, 3, 1))
    wanted = np.matmul(wide(q).swapaxes(1, 2), wide(k).transpose(0, 2, 3, 1))
    assert_close(scores.asnumpy(), wanted, dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "complex64"])
@pytest.mark.parametrize("offset", [0, 1])
def test_dense_adds_a_bias_at_any_offset(dtype, offset):
    x, weight, bias = numbers((5, 3, 70), dtype, 1), numbers((33, 70), dtype, 2), numbers((40,), dtype, 3)
    result = ops.dense(Tensor(x), Tensor(weight), Tensor(bias)[offset : offset + 33]).asnumpy()
    assert_close(result, wide(x) @ wide(weight).T + wide(bias[offset : offset + 33]), dtype)


def test_bfloat16_sums_in_float32():
    a = Tensor(np.full((4, 4096), 1.0, np.float32)).astype(dyad.bfloat16)
    b = Tensor(np.full((4096, 4), 1.0, np.float32)).astype(dyad.bfloat16)
    assert np.array_equal(ops.matmul(a, b).astype(dyad.float32).asnumpy(), np.full((4, 4), 4096, np.float32))


def test_float32_keeps_its_digits():
    # 1 + 2^-12 has no place in TF32.
    a = np.full((64, 64), 1 + 2.0**-12, np.float32)
    assert np.array_equal(ops.matmul(Tensor(a), Tensor(np.eye(64, dtype=np.float32))).asnumpy(), a)


def test_the_same_problem_with_other_operands():
    for seed in range(3):
        a, b = numbers((20, 30), "float32", seed), numbers((30, 10), "float32", seed + 10)
        bias = numbers((10,), "float32", seed + 20)
        result = ops.dense(Tensor(a), Tensor(np.ascontiguousarray(b.T)), Tensor(bias)).asnumpy()
        assert_close(result, a @ b + bias, "float32")


def test_dense_gradients_agree_with_numpy():
    x, weight = numbers((5, 7, 6), "float64", 1), numbers((4, 6), "float64", 2)
    weights = numbers((5, 7, 4), "float64", 3)

    def loss(x, weight):
        return (ops.dense(x, weight) * Tensor(weights)).sum()

    by_x, by_weight = grad(loss, (0, 1))(Tensor(x), Tensor(weight))
    assert_close(by_x.asnumpy(), weights @ weight, "float64")
    assert_close(by_weight.asnumpy(), np.einsum("abo,abi->oi", weights, x), "float64")
