"""Graphs with symbolic dimensions give what the dynamic graph gives, whatever sizes and strides turn out to be."""

import numpy as np
import pytest

import dyad
from dyad import Tensor, jit


def counted(*shape):
    return Tensor(np.arange(np.prod(shape), dtype=np.float32).reshape(shape))


def with_open_size(function, *shape):
    return jit(function, input_signature=Tensor(shape=shape, dtype=dyad.float32))


def shorter_first(x):
    rest = x[1:]
    return (rest * x + rest + 1) * (x - 1)


def shorter_last(x):
    rest = x[1:]
    return (x * rest + rest + 1) * (x - 1)


def shorter_is_summed(x):
    rest = x[1:] * 2
    return rest.sum(0) + (rest + x + 1).sum(0)


def two_shorter_ones(x):
    rest, half = x[1:], x[: x.shape[0] // 2]
    return (half * rest + half + 1) * (rest - 1)


@pytest.mark.parametrize("rows", [2, 3])
@pytest.mark.parametrize("function", [shorter_first, shorter_last, shorter_is_summed, two_shorter_ones])
def test_a_computed_size_that_turns_out_to_be_one_is_broadcast(function, rows):
    if rows == 3 and function is not two_shorter_ones:
        with pytest.raises(ValueError, match="do not broadcast"):
            with_open_size(function, None, 3200)(counted(rows, 3200))
        return
    x = counted(rows, 3200)
    found = with_open_size(function, None, 3200)(x)
    np.testing.assert_array_equal(found.asnumpy(), function(x).asnumpy())


def rows_of(*, contiguous):
    return counted(4, 6) if contiguous else counted(6, 4).T


def writes_reshaped(x):
    flat = x.reshape((24,))
    flat[:1] = flat[-1:] * 2
    return flat


def writes_base(x):
    flat = x.reshape((24,))
    x[0] = 7
    return flat * 1


@pytest.mark.parametrize("function", [writes_reshaped, writes_base])
@pytest.mark.parametrize("contiguous", [True, False])
def test_a_write_to_what_may_be_a_copy(function, contiguous, caplog):
    ours, wanted = rows_of(contiguous=contiguous), rows_of(contiguous=contiguous)
    np.testing.assert_array_equal(
        with_open_size(function, None, 6)(ours).asnumpy(), function(wanted).asnumpy()
    )
    np.testing.assert_array_equal(ours.asnumpy(), wanted.asnumpy())
    needs_known_sizes = "depends on the strides of the argument" in caplog.text
    assert needs_known_sizes == (not contiguous)


def reads_reshaped(x):
    return x.reshape((24,)) * 2 + 1


def writes_part(x):
    part = x[1:]
    part[0] = 7
    return part * 2


def writes_with_a_new_axis(x):
    x.expand_dims(0)[0, 1] = 7
    return x * 2


@pytest.mark.parametrize("contiguous", [True, False])
@pytest.mark.parametrize("function", [reads_reshaped, writes_part, writes_with_a_new_axis])
def test_what_no_layout_decides_has_symbolic_dims(function, contiguous, caplog):
    ours, wanted = rows_of(contiguous=contiguous), rows_of(contiguous=contiguous)
    np.testing.assert_array_equal(
        with_open_size(function, None, 6)(ours).asnumpy(), function(wanted).asnumpy()
    )
    np.testing.assert_array_equal(ours.asnumpy(), wanted.asnumpy())
    assert "strides" not in caplog.text
