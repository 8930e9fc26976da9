"""Attributes of a tensor and the small methods around them."""

import numpy as np
import pytest

import dyad
from dyad import Tensor, _core, nn, ops


def test_sizes_and_strides():
    tensor = Tensor(np.zeros((2, 3), np.float32))
    assert (tensor.shape, tensor.ndim, tensor.size, tensor.itemsize, tensor.nbytes) == ((2, 3), 2, 6, 4, 24)
    assert tensor.strides == (12, 4)
    assert tensor.stride() == [3, 1]
    assert tensor.stride(-1) == 1
    assert tensor.stride(dim=0) == 3
    assert tensor.dim() == tensor.ndimension() == 2
    assert tensor.numel() == tensor.nelement() == 6
    assert tensor.element_size() == 4
    with pytest.raises(ValueError, match="dim 2 is out of range"):
        tensor.stride(2)


@pytest.mark.cpu("the device is what is asked for")
def test_device_of_a_tensor_is_cpu():
    assert Tensor(1.0).device == "CPU"


def test_transposed_views():
    tensor = Tensor(np.arange(24.0).reshape(2, 3, 4))
    assert tensor.T.shape == (4, 3, 2)
    assert tensor.mT.shape == (2, 4, 3)
    assert tensor.T.data_ptr() == tensor.data_ptr()
    assert not tensor.T.is_contiguous()
    assert Tensor(1.0).T.shape == ()
    np.testing.assert_array_equal(Tensor([[1 + 2j, 3]]).H.asnumpy(), [[1 - 2j], [3]])
    with pytest.raises(ValueError, match="is no matrix"):
        _ = Tensor([1.0]).mT


@pytest.mark.cpu("arrays share the memory of the CPU alone")
def test_storage_is_shared_by_views():
    tensor = Tensor(np.arange(12.0, dtype=np.float32).reshape(3, 4))
    views = [
        tensor.view(4, 3),
        tensor.reshape(12),
        tensor.T,
        tensor[0],
        tensor[1:],
        tensor.value(),
        tensor.data,
    ]
    for view in views:
        assert np.shares_memory(view.asnumpy(), tensor.asnumpy())
    assert tensor.astype(dyad.float32).data_ptr() == tensor.data_ptr()
    assert tensor[1, 2:].storage_offset() == 6


def test_types_of_python_stand_for_numpys_element_types():
    tensor = Tensor([0, 1, 2], dyad.int32)
    found = [tensor.astype(kind).dtype for kind in (bool, int, float, complex)]
    assert found == [dyad.bool_, dyad.int64, dyad.float64, dyad.complex128]


def test_running_sums_of_narrow_integers_do_not_overflow():
    for dtype in (dyad.bool_, dyad.int8, dyad.uint8, dyad.int16):
        sums = Tensor([1, 1, 1], dtype).cumsum()
        assert sums.dtype == dyad.int32 and sums.tolist() == [1, 2, 3]
    assert Tensor([100, 100], dyad.int8).cumsum().tolist() == [100, 200]
    assert Tensor([100, 27], dyad.int8).cumsum(dtype=dyad.int8).dtype == dyad.int8


def test_tensors_hash_by_identity_and_compare_with_other_types():
    tensor = Tensor([1, 2])
    assert len({tensor, tensor, Tensor([1, 2])}) == 2
    assert (tensor == None) is False  # noqa: E711 - the comparison is what is tested
    assert (tensor != None) is True  # noqa: E711
    assert (tensor == "a") is False
    assert (tensor == [1, 2]) is False
    assert (tensor != ()) is True
    assert (tensor == Tensor([1, 3])).tolist() == [True, False]


def test_augmented_assignment_rebinds():
    tensor = other = Tensor([1.0])
    tensor += 1
    assert other.tolist() == [1.0]
    assert tensor.tolist() == [2.0]


def test_itemset_gives_a_new_tensor():
    tensor = Tensor([[1, 2], [3, 4]])
    assert tensor.itemset(2, 9).tolist() == [[1, 2], [9, 4]]
    assert tensor.itemset((0, 1), 9).tolist() == [[1, 9], [3, 4]]
    assert tensor.tolist() == [[1, 2], [3, 4]]
    assert Tensor(1).itemset(5).item() == 5
    with pytest.raises(IndexError, match="position 4 is out of range"):
        tensor.itemset(4, 1)
    with pytest.raises(TypeError, match=r"the position is 1\.0"):
        tensor.itemset(1.0, 1)


def test_assign_value_writes_into_the_memory():
    tensor = Tensor([1.0, 2.0])
    view = tensor[1:]
    assert tensor.assign_value(Tensor([3, 4])) is tensor
    assert (tensor.tolist(), tensor.dtype) == ([3.0, 4.0], dyad.float32)
    assert view.item() == 4.0


def test_const_arg():
    tensor = Tensor(1)
    assert tensor.const_arg is False
    assert tensor.set_const_arg() is tensor
    assert tensor.const_arg is True
    assert Tensor(1, const_arg=True).const_arg is True
    with pytest.raises(TypeError, match="const_arg is 3"):
        tensor.set_const_arg(3)


def test_hooks_are_registered_and_removed():
    tensor = Tensor([1.0])
    handle = tensor.register_hook(print)
    assert tensor.hooks() == [print]
    handle.remove()
    assert tensor.hooks() == []
    with pytest.raises(TypeError, match="hook is of type int"):
        tensor.register_hook(3)


def test_questions_of_ops():
    tensor = Tensor([[1.0, 2.0]])
    assert (ops.shape(tensor), ops.rank(tensor), ops.size(tensor), ops.numel(tensor)) == ((1, 2), 2, 2, 2)
    assert ops.dtype(tensor) == dyad.float32
    assert ops.is_tensor(tensor)
    assert not ops.is_tensor([1])
    assert ops.is_floating_point(tensor)
    assert not ops.is_complex(tensor)
    with pytest.raises(TypeError, match="numel: input is of type list; need a Tensor"):
        ops.numel([1])


def test_computing_in_another_precision():
    tensor = Tensor([1.0, 2.0])
    before = _core.set_compute_dtype(dyad.float16)
    try:
        assert (tensor + tensor).dtype == dyad.float16
        assert ops.add(tensor, 1).dtype == dyad.float16
        assert (Tensor([1]) + 1).dtype == dyad.int64
        tensor.add_(1)
    finally:
        assert _core.set_compute_dtype(before) == dyad.float16
    assert (tensor + tensor).dtype == dyad.float32
    assert tensor.tolist() == [2.0, 3.0]
    with pytest.raises(TypeError, match="dtype is 3; it must be a float dtype or None"):
        _core.set_compute_dtype(3)


def test_running_statistics_are_updated_in_another_precision():
    layer = nn.BatchNorm1d(2).to_float(dyad.float16).set_train()
    before = layer.moving_mean.asnumpy().copy()
    result = layer(Tensor([[1.0, 2.0], [3.0, 4.0]]))
    assert result.dtype == dyad.float16
    assert layer.moving_mean.dtype == dyad.float32
    assert not np.array_equal(layer.moving_mean.asnumpy(), before)
    assert layer.set_train(False)(Tensor([[1.0, 2.0], [3.0, 4.0]])).dtype == dyad.float16


def test_fill_makes_a_new_tensor():
    tensor = Tensor(np.zeros((2, 3), np.int32))
    filled = tensor.fill(7)
    assert filled.tolist() == [[7] * 3] * 2 and filled.dtype == dyad.int32
    assert tensor.tolist() == [[0] * 3] * 2


def test_widths_of_quantised_integers():
    assert [str(dyad.QuantDtype.INT8), dyad.QuantDtype.INT8.value(), dyad.QuantDtype.UINT4.value()] == [
        "INT8",
        7,
        103,
    ]
    assert isinstance(dyad.QuantDtype["INT2"], dyad.QuantDtype)
