"""Tensors as NumPy arrays, Python numbers, copies, pickles and DLPack capsules."""

import copy
import operator
import pickle
import struct

import numpy as np
import pytest

import dyad
from dyad import Tensor


@pytest.mark.cpu("arrays share the memory of the CPU alone")
def test_asnumpy_shares_memory_both_ways():
    tensor = Tensor([1.0, 2.0, 3.0])
    array = tensor.asnumpy()
    array[0] = 9
    assert tensor[0].item() == 9
    tensor[1] = 8
    assert array[1] == 8
    assert np.shares_memory(tensor.numpy(), array)


def test_the_array_outlives_the_tensor():
    array = Tensor(np.arange(1000.0)).asnumpy()
    np.testing.assert_array_equal(array, np.arange(1000.0))


@pytest.mark.cpu("arrays share the memory of the CPU alone")
@pytest.mark.parametrize("view", [lambda x: x.T, lambda x: x[::-1], lambda x: x[:, 1], lambda x: x[None, 1:]])
def test_views_give_strided_arrays(view):
    array = np.arange(12.0).reshape(3, 4)
    tensor = Tensor(array)
    np.testing.assert_array_equal(view(tensor).asnumpy(), view(array))
    assert np.shares_memory(view(tensor).asnumpy(), tensor.asnumpy())


def test_bfloat16_becomes_a_float32_copy():
    tensor = Tensor([1.5, 2.5], dyad.bfloat16)
    assert tensor.asnumpy().dtype == np.float32
    assert tensor.tolist() == [1.5, 2.5]
    assert np.asarray(tensor).dtype == np.float32
    with pytest.raises(BufferError, match="BFloat16"):
        memoryview(tensor)


@pytest.mark.cpu("arrays share the memory of the CPU alone")
def test_from_numpy_shares_memory():
    array = np.arange(6.0).reshape(2, 3).T
    tensor = Tensor.from_numpy(array)
    assert tensor.strides == array.strides
    array[0, 0] = 7
    assert tensor[0, 0].item() == 7
    tensor[1, 1] = 8
    assert array[1, 1] == 8
    assert dyad.from_numpy(array).shape == (3, 2)


@pytest.mark.cpu("a copy on a device may be written")
def test_read_only_arrays_stay_read_only():
    array = np.arange(3.0)
    array.flags.writeable = False
    tensor = Tensor.from_numpy(array)
    with pytest.raises(ValueError, match="read-only"):
        tensor[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        tensor.add_(1)
    assert not tensor.asnumpy().flags.writeable
    assert (tensor + 1).tolist() == [1, 2, 3]


@pytest.mark.parametrize("given", [[1], 1.0, Tensor(1)])
def test_from_numpy_takes_arrays_only(given):
    with pytest.raises(TypeError, match=r"from_numpy: .* must be a NumPy array"):
        Tensor.from_numpy(given)


def test_from_numpy_refuses_what_cannot_be_shared():
    with pytest.raises(ValueError, match="bytes are swapped; use Tensor"):
        Tensor.from_numpy(np.arange(3, dtype=">f4"))


@pytest.mark.cpu("arrays share the memory of the CPU alone")
def test_array_protocol():
    tensor = Tensor([1.0, 2.0])
    assert np.shares_memory(np.asarray(tensor), tensor.asnumpy())
    assert not np.shares_memory(np.array(tensor), tensor.asnumpy())
    assert np.asarray(tensor, np.float64).dtype == np.float64
    assert tensor.__array__(copy=True).base is not tensor
    with pytest.raises(ValueError, match="needs a copy; copy=False"):
        tensor.__array__(np.int32, copy=False)


def test_numpy_functions_take_tensors_as_arrays():
    tensor = Tensor([1.0, 2.0])
    for result, expected in [
        (np.exp(tensor), np.exp(tensor.asnumpy())),
        (np.ones(2, np.float32) + tensor, [2.0, 3.0]),
        (np.array([3.0, 1.0]) > tensor, [True, False]),
        (tensor == np.array([3.0, 2.0]), [False, True]),
        (np.maximum(tensor, 1.5), [1.5, 2.0]),
        (np.add.reduce(tensor), 3.0),
    ]:
        assert not isinstance(result, Tensor)
        np.testing.assert_array_equal(result, expected)
    sums = np.ones(2)
    sums += tensor
    assert sums.tolist() == [2.0, 3.0]
    np.negative(tensor, out=tensor)
    assert tensor.tolist() == [-1.0, -2.0]


def test_an_array_is_not_an_operand_of_a_tensor():
    for operation in (operator.add, operator.matmul, operator.pow, divmod):
        with pytest.raises(TypeError, match="other is a NumPy array"):
            operation(Tensor([1.0, 2.0]), np.ones(2))


def test_numpy_numbers_are_numbers():
    tensor = Tensor([1.0, 2.0])
    for result, expected in [
        (np.float32(2) * tensor, [2.0, 4.0]),
        (np.float64(1) - tensor, [0.0, -1.0]),
        (np.int64(2) ** tensor, [2.0, 4.0]),
        (np.float32(1.5) < tensor, [False, True]),
        (tensor / np.float64(2), [0.5, 1.0]),
    ]:
        assert isinstance(result, Tensor)
        assert result.dtype in (dyad.float32, dyad.bool_)
        assert result.tolist() == expected


def test_round_rounds_elements():
    assert round(Tensor([1.26, -2.5])).tolist() == [1.0, -2.0]
    assert round(Tensor(1.25), 1).item() == pytest.approx(1.2)


def test_buffer_protocol():
    view = memoryview(Tensor([[1, 2], [3, 4]], dyad.int16))
    assert (view.format, view.shape, view.strides) == ("h", (2, 2), (4, 2))
    assert bytes(Tensor([1, 2], dyad.uint8)) == b"\x01\x02"
    with pytest.raises(BufferError, match="not contiguous"):
        struct.unpack_from("B", Tensor([1, 2, 3, 4], dyad.uint8)[::2])


def test_python_numbers():
    assert int(Tensor(2.7)) == 2
    assert float(Tensor([3])) == 3.0
    assert complex(Tensor(2j)) == 2j
    assert bool(Tensor([0.0])) is False
    assert [10, 20, 30][Tensor(1)] == 20
    assert Tensor(5, dyad.uint8).item() == 5
    assert Tensor(2**64 - 1, dyad.uint64).item() == 2**64 - 1
    assert isinstance(Tensor(True).item(), bool)


@pytest.mark.parametrize("convert", [int, float, bool, Tensor.item])
def test_several_elements_are_not_a_number(convert):
    with pytest.raises(ValueError, match=r"shape \(2,\)"):
        convert(Tensor([1, 2]))


def test_only_integer_tensors_are_indices():
    """Python tries other ways on a TypeError; MindSpore raises a ValueError."""
    for error in (TypeError, ValueError):
        with pytest.raises(
            error, match=r"Only integer tensors of a single element .* this is a Float32 tensor"
        ):
            [1, 2][Tensor(1.0)]


def test_tolist_returns_nested_lists_or_a_number():
    assert Tensor([[1, 2], [3, 4]]).tolist() == [[1, 2], [3, 4]]
    assert Tensor(1.5).tolist() == 1.5
    assert Tensor([[1, 2], [3, 4]]).T.tolist() == [[1, 3], [2, 4]]


@pytest.mark.parametrize(
    "duplicate", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x)), Tensor.copy]
)
@pytest.mark.parametrize("view", [lambda x: x, lambda x: x.T, lambda x: x[::2]])
def test_copies_are_equal_and_apart(duplicate, view):
    source = view(Tensor(np.arange(12.0).reshape(4, 3)))
    copied = duplicate(source)
    np.testing.assert_array_equal(copied.asnumpy(), source.asnumpy())
    assert copied.dtype == source.dtype
    assert not np.shares_memory(copied.asnumpy(), source.asnumpy())


@pytest.mark.parametrize("dtype", [dyad.bfloat16, dyad.bool_, dyad.complex64, dyad.float16])
def test_every_dtype_is_pickled(dtype):
    tensor = Tensor([1, 0, 1], dtype)
    tensor.note = "kept"
    loaded = pickle.loads(pickle.dumps(tensor))
    assert loaded.dtype == dtype
    assert loaded.tolist() == tensor.tolist()
    assert loaded.note == "kept"


def test_deepcopy_keeps_sharing():
    tensor = Tensor([1.0])
    first, second = copy.deepcopy([tensor, tensor])
    assert first is second


@pytest.mark.parametrize("shape", [None, [None, 3]])
@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy])
def test_copies_of_templates_describe_the_same(duplicate, shape):
    template = Tensor(shape=shape, dtype=dyad.float32)
    copied = duplicate([template])[0]
    assert (copied.shape, copied.dtype) == (template.shape, dyad.float32)


class OlderProducer:
    """Knows nothing of versions, as producers before DLPack 1.0."""

    def __init__(self, tensor):
        self.tensor = tensor

    def __dlpack__(self, stream=None):
        return self.tensor.__dlpack__(stream=stream)

    def __dlpack_device__(self):
        return self.tensor.__dlpack_device__()


@pytest.mark.parametrize("wrap", [lambda x: x, OlderProducer, Tensor.to_dlpack])
def test_dlpack_shares_memory(wrap):
    tensor = Tensor(np.arange(6.0).reshape(2, 3)).T
    shared = Tensor.from_dlpack(wrap(tensor))
    np.testing.assert_array_equal(shared.asnumpy(), tensor.asnumpy())
    shared[0, 0] = 9
    assert tensor[0, 0].item() == 9


@pytest.mark.parametrize(
    "dtype", [dyad.bool_, dyad.int8, dyad.uint16, dyad.float16, dyad.bfloat16, dyad.complex128]
)
def test_dlpack_keeps_dtypes(dtype):
    assert Tensor.from_dlpack(Tensor([1, 0], dtype)).dtype == dtype


@pytest.mark.cpu("NumPy reads the memory of the CPU alone")
def test_dlpack_with_numpy():
    array = np.arange(4, dtype=np.float32)
    assert np.shares_memory(Tensor.from_dlpack(array).asnumpy(), array)
    tensor = Tensor([1.0, 2.0])
    assert np.shares_memory(np.from_dlpack(tensor), tensor.asnumpy())


@pytest.mark.cpu("the device is what is asked for")
def test_dlpack_requests():
    tensor = Tensor([1.0])
    assert tensor.__dlpack_device__() == (1, 0)
    copied = Tensor.from_dlpack(tensor.__dlpack__(max_version=(1, 0), copy=True))
    assert not np.shares_memory(copied.asnumpy(), tensor.asnumpy())
    with pytest.raises(BufferError, match="the data lies on the CPU"):
        tensor.__dlpack__(dl_device=(2, 0))
    with pytest.raises(ValueError, match="stream"):
        tensor.__dlpack__(stream=1)
    capsule = tensor.__dlpack__()
    Tensor.from_dlpack(capsule)
    with pytest.raises(ValueError, match="was consumed already"):
        Tensor.from_dlpack(capsule)
    with pytest.raises(TypeError, match="need an object with __dlpack__"):
        Tensor.from_dlpack(3)


@pytest.mark.cpu("a copy on a device may be written")
def test_dlpack_of_read_only_memory():
    array = np.arange(3.0)
    array.flags.writeable = False
    tensor = Tensor.from_numpy(array)
    with pytest.raises(BufferError, match="read-only"):
        tensor.__dlpack__()
    shared = Tensor.from_dlpack(tensor)
    with pytest.raises(ValueError, match="read-only"):
        shared[0] = 1


def test_dlpack_module():
    from dyad.utils import dlpack

    assert dlpack.from_dlpack(dlpack.to_dlpack(Tensor([1.0]))).tolist() == [1.0]
    with pytest.raises(TypeError, match="tensor is of type int; need a Tensor"):
        dlpack.to_dlpack(1)


def test_type_names_the_dtype_or_converts():
    tensor = Tensor([1.5, 2.5], dyad.float32)
    assert tensor.type() == "Float32"
    assert tensor.type(dyad.int32).dtype == dyad.int32
