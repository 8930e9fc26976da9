"""Every scalar type of NumPy beside a Tensor: as data, operand, subscript, value and argument.

Numbers are taken, everything else is refused with an error that names it; nothing crashes.
"""

import numpy as np
import pytest

import dyad
from dyad import Tensor, ops

# Other packages may add types of their own.
TYPES = sorted(
    {kind for kind in np.sctypeDict.values() if kind.__module__ == "numpy"}, key=lambda kind: kind.__name__
)
WIDE = (np.longdouble, np.clongdouble)
NAMES = [kind.__name__ for kind in TYPES]


def is_number(kind):
    return issubclass(kind, (np.number, np.bool_)) and kind is not np.timedelta64


def scalar(kind):
    if kind is np.void:
        return np.void(b"abcd")
    if kind is np.object_:
        return np.array(1, object)
    if kind is np.datetime64:
        return np.datetime64("2020")
    if kind is np.timedelta64:
        return np.timedelta64(1, "s")
    return kind(b"1") if kind is np.bytes_ else kind("1") if kind is np.str_ else kind(1)


NUMBERS = [kind for kind in TYPES if is_number(kind)]
REALS = [kind for kind in NUMBERS if not issubclass(kind, np.complexfloating)]
INTEGERS = [kind for kind in NUMBERS if issubclass(kind, np.integer)]
OTHERS = [kind for kind in TYPES if not is_number(kind)]


def test_all_kinds_are_walked():
    assert {np.longdouble, np.clongdouble, np.datetime64, np.timedelta64, np.str_, np.bytes_, np.void} <= set(
        TYPES
    )
    assert len(NUMBERS) >= 17 and len(OTHERS) == 6


@pytest.mark.parametrize("kind", NUMBERS)
def test_numbers_are_operands(kind):
    one = scalar(kind)
    x = Tensor(np.array([1.0, 2.0], np.float32))
    for found in (
        x + one,
        one + x,
        ops.add(x, one),
        dyad.jit(lambda t: t + one)(x),
        dyad.jit(lambda t, u: t + u)(x, one),
    ):
        assert isinstance(found, Tensor)
        np.testing.assert_array_equal(found.asnumpy(), [2.0, 3.0])
    np.testing.assert_array_equal((x == one).asnumpy(), [True, False])
    np.testing.assert_array_equal((x * one).asnumpy(), [1.0, 2.0])


@pytest.mark.parametrize("kind", [kind for kind in REALS if kind not in WIDE])
def test_numbers_are_data(kind):
    assert Tensor(scalar(kind)).asnumpy().dtype == np.dtype(kind)
    assert Tensor([scalar(kind), scalar(kind)]).asnumpy().tolist() == [1, 1]
    assert Tensor(np.array([1], kind)).asnumpy().dtype == np.dtype(kind)
    x = Tensor([0.0, 0.0])
    x[0] = scalar(kind)
    assert x.asnumpy().tolist() == [1.0, 0.0]


@pytest.mark.parametrize("kind", REALS)
def test_numbers_are_arguments(kind):
    one = scalar(kind)
    assert ops.full((2,), one).asnumpy().tolist() == [1, 1]
    assert ops.clamp(Tensor([3.0]), one, one).asnumpy().tolist() == [1.0]
    assert ops.leaky_relu(Tensor([-1.0]), one).asnumpy().tolist() == [-1.0]
    assert Tensor([one]).asnumpy().tolist() == [1]


@pytest.mark.parametrize("kind", INTEGERS)
def test_integers_are_subscripts_and_sizes(kind):
    one = scalar(kind)
    x = Tensor([[1.0, 2.0], [3.0, 4.0]])
    assert x[one].asnumpy().tolist() == [3.0, 4.0]
    assert x[0, one].asnumpy() == 2.0
    assert x[one:].shape == (1, 2)
    assert ops.sum(x, one).asnumpy().tolist() == [3.0, 7.0]
    assert ops.zeros((one, 2)).shape == (1, 2)


@pytest.mark.parametrize("kind", [kind for kind in NUMBERS if kind not in INTEGERS and kind is not np.bool_])
def test_floats_are_not_subscripts(kind):
    with pytest.raises((IndexError, TypeError), match="index"):
        Tensor([1.0, 2.0])[scalar(kind)]
    with pytest.raises(TypeError, match="axis"):
        ops.sum(Tensor([[1.0]]), scalar(kind))


@pytest.mark.parametrize("kind", WIDE)
def test_wide_floats_have_no_dtype(kind):
    for make in (lambda: Tensor(scalar(kind)), lambda: Tensor(np.array([1], kind))):
        with pytest.raises(TypeError, match="cannot become a tensor"):
            make()
    with pytest.raises(TypeError):
        Tensor([1.0]).astype(kind)


def test_values_of_wide_floats():
    x = Tensor([1.0, 2.0], dyad.float64)
    assert (x + np.longdouble("0.1")).asnumpy().tolist() == [1.1, 2.1]
    assert (x * np.clongdouble(2 - 1j)).asnumpy().tolist() == [2 - 1j, 4 - 2j]
    assert np.isinf((x + np.longdouble("1e4000")).asnumpy()).all()


def refusals(one):
    x = Tensor([1.0, 2.0])
    yield lambda: x + one
    yield lambda: one + x
    yield lambda: one * x
    yield lambda: ops.add(x, one)
    yield lambda: x.add_(one)
    yield lambda: Tensor(one)
    yield lambda: Tensor([one, one])
    yield lambda: Tensor(np.array([one]))
    yield lambda: dyad.from_numpy(np.array([one]))
    yield lambda: dyad.Parameter(one)
    yield lambda: x[one]
    yield lambda: x[[one]]
    yield lambda: x[one:]
    yield lambda: x[np.array([one])]
    yield lambda: x.__setitem__(0, one)
    yield lambda: x.__setitem__(one, 1.0)
    yield lambda: ops.sum(x, one)
    yield lambda: ops.zeros((one,))
    yield lambda: ops.full((2,), one)
    yield lambda: ops.clamp(x, one, one)
    yield lambda: ops.leaky_relu(x, one)
    yield lambda: ops.sum(x, 0, one)
    yield lambda: x.astype(type(one))


@pytest.mark.parametrize("kind", [kind for kind in OTHERS if kind is not np.object_])
def test_what_is_not_a_number_is_refused(kind):
    for number, call in enumerate(refusals(scalar(kind))):
        try:
            found = call()
        except (TypeError, IndexError):
            continue
        pytest.fail(f"call {number} with {scalar(kind)!r} gives {found!r}")


@pytest.mark.parametrize("kind", [np.datetime64, np.timedelta64, np.str_, np.bytes_])
def test_what_is_not_a_number_is_refused_in_a_graph(kind):
    one = scalar(kind)
    with pytest.raises((TypeError, RuntimeError)):
        dyad.jit(lambda t: t + one)(Tensor([1.0]))
    with pytest.raises((TypeError, RuntimeError, IndexError)):
        dyad.jit(lambda t: t[one])(Tensor([1.0]))


def test_records_and_objects_are_refused():
    record = np.array([(1, 2.0)], dtype=[("a", np.int32), ("b", np.float32)])
    for data in (record, record[0], np.array([1, None], object), np.array(["a"]), np.array([b"a"])):
        with pytest.raises(TypeError, match="cannot become a tensor"):
            Tensor(data)


@pytest.mark.parametrize("left", [b"abcd", bytearray(b"abcd"), np.bytes_(b"abcd"), np.void(b"abcd")])
def test_bytes_are_not_joined_with_a_tensor(left):
    with pytest.raises(TypeError):
        left + Tensor([1.0])
