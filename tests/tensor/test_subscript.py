"""Subscripts follow NumPy, for reading and for writing."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hypothesis_numpy

import dyad
from dyad import Tensor

SHAPES = hypothesis_numpy.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)


def numbered(shape):
    return np.arange(int(np.prod(shape)), dtype=np.float32).reshape(shape)


@st.composite
def keys(draw, shape):
    """A subscript for an array of that shape, now and then one that does not fit."""
    if draw(st.integers(0, 3)) == 0 and shape:
        return draw(hypothesis_numpy.arrays(bool, shape[: draw(st.integers(1, len(shape)))]))
    parts = []
    left = list(shape)
    ellipsis = False
    for _ in range(draw(st.integers(0, len(shape) + 1))):
        kind = draw(st.sampled_from(["int", "slice", "new", "ellipsis", "indices", "list", "mask", "truth"]))
        size = left[0] if left else 1
        if kind == "ellipsis" and not ellipsis:
            parts.append(Ellipsis)
            ellipsis = True
            left = []
        elif kind == "new":
            parts.append(None)
        elif kind == "truth":
            parts.append(draw(st.booleans()))
        elif kind == "slice":
            parts.append(draw(st.slices(max(size, 1))))
            left = left[1:]
        elif kind == "mask" and left:
            parts.append(draw(hypothesis_numpy.arrays(bool, left[:1])))
            left = left[1:]
        elif kind == "indices":
            side = draw(st.sampled_from([(), (2,), (1,), (3, 1), (2, 2)]))
            values = st.integers(-size, max(size - 1, 0))
            parts.append(draw(hypothesis_numpy.arrays(np.int64, side, elements=values)))
            left = left[1:]
        elif kind == "list":
            parts.append(draw(st.lists(st.integers(-size, max(size - 1, 0)), max_size=2)))
            left = left[1:]
        else:
            parts.append(draw(st.integers(-size - 1, size)))
            left = left[1:]
    return tuple(parts) if len(parts) != 1 or draw(st.booleans()) else parts[0]


def as_tensor_key(key):
    """The same subscript with tensors in the place of arrays."""
    if isinstance(key, tuple):
        return tuple(as_tensor_key(part) for part in key)
    return Tensor(key) if isinstance(key, np.ndarray) else key


@settings(max_examples=600, deadline=None)
@given(st.data())
def test_reading_a_subscript_agrees_with_numpy(data):
    array = numbered(data.draw(SHAPES))
    key = data.draw(keys(array.shape))
    tensor = Tensor(array)
    key_given = as_tensor_key(key) if data.draw(st.booleans()) else key
    try:
        expected = array[key]
    except IndexError:
        with pytest.raises(IndexError):
            tensor[key_given]
        return
    result = tensor[key_given]
    assert result.shape == np.shape(expected)
    np.testing.assert_array_equal(result.asnumpy(), expected)
    parts = key if isinstance(key, tuple) else (key,)
    if all(
        part is None or part is Ellipsis or isinstance(part, slice) or type(part) is int for part in parts
    ):
        start = tensor.data_ptr()
        assert result.size == 0 or start <= result.data_ptr() < start + tensor.nbytes, (
            "a basic subscript is a view"
        )


@settings(max_examples=600, deadline=None)
@given(st.data())
def test_writing_a_subscript_agrees_with_numpy(data):
    array = numbered(data.draw(SHAPES))
    key = data.draw(keys(array.shape))
    try:
        place = array[key]
    except IndexError:
        with pytest.raises(IndexError):
            Tensor(array)[key] = 1
        return
    shape = np.shape(place)
    kept = shape[data.draw(st.integers(0, len(shape))) :]
    value = -1 - numbered(tuple(size if data.draw(st.booleans()) else 1 for size in kept))
    tensor = Tensor(array)
    # Where one place is written twice NumPy does not say which value stays; one value is the same everywhere.
    value = value if np.unique(place).size == np.size(place) else np.float32(-7)
    array[key] = value
    tensor[key] = Tensor(value) if data.draw(st.booleans()) else value
    np.testing.assert_array_equal(tensor.asnumpy(), array)


@pytest.mark.parametrize(
    "key",
    [
        np.int64(1),
        np.array([0, 1]),
        np.array([True, False, True]),
        range(2),
        [0, -1],
        (slice(None), [0, 1]),
        (slice(None), 0, [0, 1]),
        ([0, 1], slice(None), [1, 0]),
        ([0, 1], Ellipsis, [1, 0], slice(None)),
        (slice(None), [0, 1], Ellipsis, [1, 0]),
        (True, slice(None), [1, 0]),
        (0, True),
        False,
        [],
        ([[0], [1]], [0, 1]),
        ((0, 1), (1, 1)),
        np.array([0, 2], np.uint8),
    ],
    ids=str,
)
def test_numpy_rules(key):
    array = numbered((3, 3, 4))
    np.testing.assert_array_equal(Tensor(array)[key].asnumpy(), array[key])
    tensor = Tensor(array)
    array[key] = 5
    tensor[key] = 5
    np.testing.assert_array_equal(tensor.asnumpy(), array)


def test_tensor_bounds():
    tensor = Tensor(numbered((5,)))
    assert tensor[Tensor(1) : Tensor(3)].tolist() == [1.0, 2.0]
    assert tensor[Tensor(2)].item() == 2.0
    assert tensor[Tensor([0, 2], dyad.uint16)].tolist() == [0.0, 2.0]


@pytest.mark.parametrize(
    ("key", "error", "message"),
    [
        (5, IndexError, "5 is out of range for dimension 0 of size 2"),
        (-3, IndexError, "-3 is out of range"),
        ((0, 0, 0), IndexError, "3 subscripts are too many for a tensor of 2 dimensions"),
        ((..., ...), IndexError, "more than one"),
        ("a", IndexError, "a subscript is 'a'"),
        (1.0, IndexError, "a subscript is 1.0"),
        ([1.0], IndexError, r"a subscript is \[1.0\]"),
        (Tensor(1.0), IndexError, "a subscript is a Float32 Tensor"),
        (slice(None, None, 0), ValueError, "step cannot be zero"),
        (
            np.array([True, False, True]),
            IndexError,
            r"a mask of shape \(3,\) does not fit dimension 0 of size 2",
        ),
        (np.array([True, False, True]), ValueError, "a mask of shape"),
        ([7], IndexError, "7"),
        (10**30, IndexError, "cannot fit"),
        (([0, 1], [0, 1, 2]), IndexError, "broadcast"),
    ],
)
def test_a_wrong_subscript_is_rejected(key, error, message):
    with pytest.raises(error, match=message):
        Tensor(numbered((2, 3)))[key]


def test_assignment_casts_and_broadcasts_in_place():
    tensor = Tensor([[1, 2, 3], [4, 5, 6]])
    view = tensor[1]
    tensor[:, 1] = 7.9
    assert tensor.tolist() == [[1, 7, 3], [4, 7, 6]]
    assert view.tolist() == [4, 7, 6]
    tensor[0] = Tensor([1.5, 2.5, 3.5])
    assert tensor[0].tolist() == [1, 2, 3]
    tensor[0][1:] = [8, 9]
    assert tensor[0].tolist() == [1, 8, 9]
    tensor[::-1] = tensor
    assert tensor.tolist() == [[4, 7, 6], [1, 8, 9]]
    with pytest.raises(ValueError, match="does not broadcast"):
        tensor[0] = Tensor([1, 2])
    with pytest.raises(TypeError, match="cannot be deleted"):
        del tensor[0]


@pytest.mark.parametrize("form", [lambda f: f, dyad.jit])
def test_a_complex_number_does_not_lose_half_of_itself(form):
    def write(tensor, key):
        tensor[key] = 1 + 2j
        return tensor

    for key in (0, slice(1), Tensor([True, False])):
        with pytest.raises(TypeError, match="but the tensor is Float32; need a real number"):
            form(write)(Tensor([3.0, 4.0]), key)
    assert form(write)(Tensor([3j, 4j]), 0).tolist() == [1 + 2j, 4j]


def test_overlapping_assignment():
    tensor = Tensor(np.arange(6))
    tensor[1:] = tensor[:-1]
    assert tensor.tolist() == [0, 0, 1, 2, 3, 4]


def test_iteration_length_and_membership():
    tensor = Tensor([[1, 2], [3, 4]])
    assert [row.tolist() for row in tensor] == [[1, 2], [3, 4]]
    first, second = tensor
    assert (first.tolist(), second.tolist()) == ([1, 2], [3, 4])
    assert len(tensor) == 2
    assert 3 in tensor
    assert 5 not in tensor
    assert "a" not in tensor
    assert [3] not in tensor
    with pytest.raises(TypeError, match="has no length"):
        len(Tensor(1))
    with pytest.raises(TypeError, match="Cannot iterate over a scalar tensor"):
        list(Tensor(1))


@pytest.mark.parametrize("shape", [(1, 1), (1, 2), (1, 1, 1, 2)])
@pytest.mark.parametrize(
    "key", [np.s_[2, [2, -3], [3, 0]], np.s_[2, [2, -3], ..., [3, 0]], np.s_[[True, False, True], 1, 2]]
)
def test_a_value_of_too_many_dimensions_fits_where_the_first_are_ones(key, shape):
    expected, tensor = numbered((3, 4, 5)), Tensor(numbered((3, 4, 5)))
    value = numbered(shape) + 100
    expected[key] = value
    tensor[key] = Tensor(value)
    np.testing.assert_array_equal(tensor, expected)
