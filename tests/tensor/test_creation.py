"""`Tensor(...)` of numbers, lists, arrays, tensors and initializers (the creation table)."""

import numpy as np
import pytest

import dyad
from dyad import Tensor
from dyad.common.initializer import Constant, Normal, One, initializer

NUMPY_TYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
NUMPY_TYPES += ["float16", "float32", "float64", "complex64", "complex128"]


@pytest.mark.parametrize(
    ("data", "dtype", "shape"),
    [
        (1.5, dyad.float32, ()),
        (2, dyad.int64, ()),
        (True, dyad.bool_, ()),
        (1 + 2j, dyad.complex128, ()),
        ([1.0, 2], dyad.float32, (2,)),
        ((1, 2, 3), dyad.int64, (3,)),
        ([[True], [False]], dyad.bool_, (2, 1)),
        ([True, 2], dyad.int64, (2,)),
        ([1, 2j], dyad.complex128, (2,)),
        ([], dyad.float32, (0,)),
        ([[], []], dyad.float32, (2, 0)),
        ([np.float64(1), np.float16(2)], dyad.float32, (2,)),
        ([np.int32(1)], dyad.int64, (1,)),
        ([np.zeros(2), np.ones(2)], dyad.float32, (2, 2)),
        ([np.zeros(2, np.uint8)], dyad.uint8, (1, 2)),
        (2**63, dyad.uint64, ()),
        ([[[1]]], dyad.int64, (1, 1, 1)),
    ],
)
def test_python_data(data, dtype, shape):
    made = Tensor(data)
    assert made.dtype == dtype
    assert made.shape == shape
    expected = np.array(data).astype(dyad.dtype_to_nptype(dtype))
    np.testing.assert_array_equal(made.asnumpy(), expected)


def test_tensors_in_a_list_are_stacked():
    rows = [Tensor([1.0, 2.0]), Tensor([3.0, 4.0])]
    np.testing.assert_array_equal(Tensor(rows).asnumpy(), [[1, 2], [3, 4]])
    assert Tensor([Tensor(1), 2]).tolist() == [1, 2]


@pytest.mark.parametrize("name", NUMPY_TYPES)
def test_numpy_arrays_and_scalars_keep_their_dtype(name):
    array = np.array([[0, 1], [1, 0]], name)
    made = Tensor(array)
    assert made.asnumpy().dtype == array.dtype
    np.testing.assert_array_equal(made.asnumpy(), array)
    scalar = Tensor(array[0, 1])
    assert scalar.shape == ()
    assert scalar.asnumpy().dtype == array.dtype


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6.0).reshape(2, 3).T,
        np.arange(10)[::-2],
        np.arange(6, dtype=">f4").reshape(2, 3),
        np.arange(4, dtype=">c16"),
        np.array(3.0),
        np.zeros((0, 3)),
        np.broadcast_to(np.float32(2), (2, 2)),
        np.zeros(3, dtype=[("a", "i1"), ("b", "f4")])["b"],
    ],
    ids=[
        "transposed",
        "backwards",
        "swapped bytes",
        "swapped complex",
        "0-d",
        "empty",
        "read-only",
        "unaligned",
    ],
)
def test_any_layout_is_copied(array):
    made = Tensor(array)
    np.testing.assert_array_equal(made.asnumpy(), array)
    assert not np.shares_memory(made.asnumpy(), array)
    assert made.is_contiguous()


def test_a_tensor_of_a_tensor_shares_its_memory_and_a_copy_does_not():
    source = Tensor([1.0, 2.0])
    Tensor(source)[0] = 9
    assert source.tolist() == [9.0, 2.0]
    source.copy()[1] = 7
    Tensor(source, dyad.float64)[1] = 7
    assert source.tolist() == [9.0, 2.0]


@pytest.mark.parametrize("dtype", [dyad.float16, dyad.bfloat16, dyad.int8, dyad.bool_, dyad.complex64])
@pytest.mark.parametrize("data", [1.5, [0, 1, 2], np.arange(3.0), Tensor([1.0, 0.0])])
def test_dtype_converts(data, dtype):
    made = Tensor(data, dtype)
    assert made.dtype == dtype
    expected = np.asarray(data if not isinstance(data, Tensor) else data.asnumpy())
    as_numpy = np.float32 if dtype == dyad.bfloat16 else dyad.dtype_to_nptype(dtype)
    np.testing.assert_array_equal(made.asnumpy(), expected.astype(as_numpy))


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: Tensor("a"), TypeError, "input_data is 'a'; it must be a number"),
        (lambda: Tensor(None), TypeError, "input_data is None"),
        (lambda: Tensor(), TypeError, "input_data is missing"),
        (lambda: Tensor({1}), TypeError, "input_data is of type set"),
        (lambda: Tensor(range(3)), TypeError, "input_data is of type range"),
        (lambda: Tensor([[1], [2, 3]]), TypeError, "lists are of unequal length"),
        (lambda: Tensor([1, [2]]), TypeError, "lists are of unequal length"),
        (lambda: Tensor([[1], 2]), TypeError, "lists are of unequal length"),
        (lambda: Tensor([Tensor([1]), 2]), TypeError, "lists are of unequal length"),
        (lambda: Tensor(["a"]), TypeError, "contain unsupported element. 'a' is one"),
        (lambda: Tensor([None]), TypeError, "contain unsupported element. None is one"),
        (lambda: Tensor(np.array([object()])), TypeError, "dtype object cannot become a tensor"),
        (lambda: Tensor(np.zeros(2, [("a", "i4")])), TypeError, "cannot become a tensor"),
        (lambda: Tensor(np.array(["a"])), TypeError, "cannot become a tensor"),
        (lambda: Tensor(np.array(["2020-01-01"], "M8[D]")), TypeError, "cannot become a tensor"),
        (lambda: Tensor(1, "float32"), TypeError, "dtype is 'float32'; it must be a framework dtype"),
        (lambda: Tensor(1, np.float32), TypeError, "it must be a framework dtype"),
        (lambda: Tensor(2**64), OverflowError, "does not fit in 64 bits"),
        (lambda: Tensor(2**64, dyad.int64), RuntimeError, "does not fit in 64 bits"),
        (lambda: Tensor(1.0, shape=(2,)), ValueError, "although input_data is given"),
        (lambda: Tensor(1.0, init=One()), ValueError, "together with input_data"),
        (lambda: Tensor(shape=(2,)), TypeError, "shape and dtype must be given"),
        (lambda: Tensor(shape=(-3,), dtype=dyad.float32), ValueError, "negative size"),
        (lambda: Tensor(shape="a", dtype=dyad.float32), TypeError, "shape is 'a'"),
        (
            lambda: Tensor(shape=(None,), dtype=dyad.float32, init=One()),
            ValueError,
            "every size must be known",
        ),
        (lambda: Tensor(shape=(2,), dtype=dyad.float32, init=3), TypeError, "it must be an Initializer"),
        (lambda: Tensor(1, device="Ascend"), ValueError, "the devices here are 'CPU'"),
        (lambda: Tensor(1, colour=2), TypeError, "colour"),
    ],
)
def test_the_constructor_rejects_wrong_arguments(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_a_list_that_contains_itself_is_refused():
    loop = []
    loop.append(loop)
    with pytest.raises(ValueError, match="nested deeper than"):
        Tensor(loop)


def test_tensor_function_is_the_class_with_the_same_arguments():
    made = dyad.tensor([1, 2], dyad.float32)
    assert made.dtype == dyad.float32
    assert isinstance(made, Tensor)


def test_lazy_tensor_is_filled_by_its_first_use():
    lazy = Tensor(shape=(2, 3), dtype=dyad.float16, init=Constant(2))
    assert lazy.has_init
    assert (lazy.shape, lazy.dtype, lazy.size, lazy.nbytes) == ((2, 3), dyad.float16, 6, 12)
    assert lazy.has_init, "asking for its shape does not fill it"
    assert (lazy + 1).tolist() == [[3.0] * 3] * 2
    assert not lazy.has_init


def test_init_data_fills_and_returns_the_tensor():
    lazy = initializer("ones", (2,), dyad.float32)
    assert lazy.init_data() is lazy
    assert not lazy.has_init
    assert lazy.tolist() == [1.0, 1.0]


def test_template_reads_minus_one_and_has_no_data():
    template = Tensor(shape=(2, None), dtype=dyad.float32)
    assert template.shape == (2, -1)
    with pytest.raises(RuntimeError, match="has no data; it only describes an input"):
        template.asnumpy()


def test_shape_and_dtype_alone_give_zeros():
    assert Tensor(shape=(2,), dtype=dyad.int32).tolist() == [0, 0]


def test_a_subclass_that_forgets_its_init_is_told():
    class Broken(Tensor):
        def __init__(self):
            pass

    with pytest.raises(RuntimeError, match="__init__ has not been called"):
        Broken() + 1


def test_none_with_a_dtype_is_a_template_of_any_rank_by_none():
    template = Tensor(None, dyad.float32)
    assert template.dtype == dyad.float32
    assert template.shape == Tensor(shape=None, dtype=dyad.float32).shape


@pytest.mark.parametrize("mode", ["ast", "bytecode", "trace"])
def test_a_graph_draws_a_tensor_from_outside_once(mode):
    given = Tensor(shape=(2, 2), dtype=dyad.float32, init=Normal(1.0))
    held = Tensor(shape=(2, 2), dtype=dyad.float32, init=Normal(1.0))
    compiled = dyad.jit(lambda x: x * held, capture_mode=mode)
    found = [compiled(given).tolist() for _ in range(2)]
    assert found == [(given * held).tolist()] * 2
    assert given.tolist() != held.tolist()
