"""Transforms of arrays against NumPy."""

import itertools
import warnings

import numpy
import pytest

import dyad
from dyad.dataset import transforms

DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
DTYPES += ["float16", "float32", "float64", "complex64", "complex128"]


@pytest.mark.parametrize(("source", "target"), list(itertools.product(DTYPES, DTYPES)))
def test_type_cast_is_numpys(source, target):
    values = numpy.arange(0, 101).astype(source)  # three blocks of the vectorized loop and a rest
    made = transforms.TypeCast(numpy.dtype(target))(values)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", numpy.exceptions.ComplexWarning)
        expected = values.astype(target)
    assert made.dtype == target
    numpy.testing.assert_array_equal(made, expected)


def test_type_cast_wraps_and_truncates():
    values = numpy.array([-1.5, 300.0, 255.9, numpy.nan, 1e20], numpy.float32)
    assert transforms.TypeCast(dyad.uint8)(values).tolist() == [255, 44, 255, 0, 0]
    assert transforms.TypeCast(dyad.int32)(values).tolist() == [-1, 300, 255, -(2**31), -(2**31)]
    assert transforms.TypeCast(dyad.uint64)(numpy.array([-1.0, 2.0**63, 2.0**64])).tolist() == [
        2**64 - 1,
        2**63,
        0,
    ]
    assert transforms.TypeCast(dyad.bool_)(numpy.array([0.5, 0, numpy.nan])).tolist() == [True, False, True]


@pytest.mark.parametrize("shape", [(1,), (0,), (1, 7), (7, 1), (3, 5, 2), ()])
def test_type_cast_keeps_shapes_of_strided_arrays(shape):
    base = numpy.arange(numpy.prod(shape, dtype=int), dtype=numpy.int16).reshape(shape)
    numpy.testing.assert_array_equal(transforms.TypeCast("float32")(base.T), base.T.astype(numpy.float32))


@pytest.mark.parametrize("given", [None, 3, "no dtype", numpy.str_, object()])
def test_type_cast_refuses_what_is_not_a_dtype(given):
    with pytest.raises(TypeError, match="TypeCast: data_type is"):
        transforms.TypeCast(given)


def test_type_cast_refuses_texts_and_more_columns():
    with pytest.raises(TypeError, match=r"TypeCast: got texts with shape \(1,\)"):
        transforms.TypeCast(dyad.int32)(numpy.array(["1"]))
    with pytest.raises(RuntimeError, match="TypeCast: 2 columns were given"):
        transforms.TypeCast(dyad.int32)(numpy.zeros(1), numpy.zeros(1))


def test_one_hot():
    assert transforms.OneHot(3)(1).tolist() == [0, 1, 0]
    assert transforms.OneHot(3)(numpy.array([2, 0], numpy.uint8)).tolist() == [[0, 0, 1], [1, 0, 0]]
    assert transforms.OneHot(3)(numpy.array([2], numpy.int32)).shape == (3,)
    assert transforms.OneHot(3)(numpy.array([[2], [0]])).tolist() == [[0, 0, 1], [1, 0, 0]]
    smooth = transforms.OneHot(4, 0.2)(numpy.array([1, 3]))
    numpy.testing.assert_allclose(smooth, [[0.05, 0.85, 0.05, 0.05], [0.05, 0.05, 0.05, 0.85]])
    assert smooth.dtype == numpy.float64


@pytest.mark.parametrize(
    ("label", "text"), [(3, "a label is 3"), (-1, "a label is -1"), (1.0, "are float64")]
)
def test_one_hot_refuses_labels(label, text):
    with pytest.raises(RuntimeError, match=f"OneHot: .*{text}"):
        transforms.OneHot(3)(label)


@pytest.mark.parametrize("sizes", [(5,), (2,), (4, 4), (1, 7), (7, 1), (2, 3, 4)])
def test_pad_end(sizes):
    source = numpy.arange(1, 1 + 3 ** len(sizes), dtype=numpy.float32).reshape([3] * len(sizes))
    expected = numpy.full(sizes, -1.0, numpy.float32)
    common = tuple(slice(min(size, 3)) for size in sizes)
    expected[common] = source[common]
    numpy.testing.assert_array_equal(transforms.PadEnd(list(sizes), -1)(source), expected)


def test_pad_end_of_texts_and_open_dimensions():
    assert transforms.PadEnd([3], "-")(numpy.array(["a"])).tolist() == ["a", "-", "-"]
    assert transforms.PadEnd([2])(numpy.array([b"a"])).tolist() == [b"a", b""]
    assert transforms.PadEnd([None, 3])(numpy.ones((2, 2))).tolist() == [[1, 1, 0]] * 2
    assert transforms.PadEnd([3])(numpy.zeros(0, numpy.int8)).tolist() == [0, 0, 0]
    with pytest.raises(RuntimeError, match="PadEnd: the value is a text"):
        transforms.PadEnd([3], "a")(numpy.zeros(2))
    with pytest.raises(RuntimeError, match="need at most 2147483648 texts"):
        transforms.PadEnd([1 << 40])(numpy.array(["a"]))
    with pytest.raises(RuntimeError, match="pad_shape 2 sizes"):
        transforms.PadEnd([3, 3])(numpy.zeros(2))


def test_fill_keeps_shape_and_dtype():
    assert transforms.Fill(5.0)(numpy.zeros((1, 3), numpy.int32)).tolist() == [[5, 5, 5]]
    assert transforms.Fill(255)(numpy.zeros(2, numpy.uint8)).tolist() == [255, 255]
    assert transforms.Fill(-3)(numpy.zeros(2, numpy.bool_)).tolist() == [True, True]
    assert transforms.Fill("a")(numpy.array(["x", "yy"])).tolist() == ["a", "a"]
    assert transforms.Fill(2)(numpy.zeros(3, numpy.complex128)).tolist() == [2, 2, 2]
    with pytest.raises(TypeError, match=r"Fill: fill_value is \[1\]"):
        transforms.Fill([1])
    with pytest.raises(ValueError, match="at most 64 bits"):
        transforms.Fill(1 << 70)


RELATIONS = [numpy.equal, numpy.not_equal, numpy.greater, numpy.greater_equal, numpy.less, numpy.less_equal]


@pytest.mark.parametrize(("relation", "function"), list(zip(transforms.Relational, RELATIONS, strict=True)))
@pytest.mark.parametrize("dtype", ["uint8", "int64", "float16", "float32", "bool"])
def test_mask_compares_elements_with_the_constant(relation, function, dtype):
    values = numpy.arange(-3, 4).astype(dtype)
    numpy.testing.assert_array_equal(
        transforms.Mask(relation, 1)(values), function(values, numpy.array(1).astype(dtype))
    )
    assert transforms.Mask(relation, 1, dyad.float32)(values).dtype == numpy.float32


def test_mask_of_texts():
    assert transforms.Mask(transforms.Relational.LT, "b")(numpy.array(["a", "b"])).tolist() == [True, False]
    with pytest.raises(TypeError, match="Mask: operator is 1"):
        transforms.Mask(1, 1)
    with pytest.raises(RuntimeError, match="Mask: the column is complex64"):
        transforms.Mask(transforms.Relational.EQ, 1)(numpy.ones(1, numpy.complex64))


@pytest.mark.parametrize(
    "bounds",
    [
        (None, None, None),
        (1, None, None),
        (None, -1, 2),
        (5, 0, -2),
        (None, None, -1),
        (3, 1, 1),
        (-9, 99, 3),
    ],
)
def test_slice_is_pythons(bounds):
    values = numpy.arange(21).reshape(7, 3)
    numpy.testing.assert_array_equal(transforms.Slice(slice(*bounds))(values), values[slice(*bounds)])
    numpy.testing.assert_array_equal(transforms.Slice(..., slice(*bounds))(values), values[:, slice(*bounds)])


def test_slice_by_index():
    values = numpy.arange(6).reshape(2, 3)
    assert transforms.Slice(1)(values).tolist() == [[3, 4, 5]]
    assert transforms.Slice(None, [2, -3])(values).tolist() == [[2, 0], [5, 3]]
    assert transforms.Slice([1, 0, 1])(numpy.array(["a", "b"])).tolist() == ["b", "a", "b"]
    assert transforms.Slice(slice(0, 2**70))(values).tolist() == values.tolist()


@pytest.mark.parametrize(
    ("slices", "error", "text"),
    [
        ((7,), RuntimeError, "index 7 is out of range for a dimension of size 4"),
        (([0, -5],), RuntimeError, "index -5"),
        ((0, 0), RuntimeError, "2 slices were given"),
        (([],), ValueError, "at least one index"),
        ((1.5,), TypeError, "a slice is 1.5"),
        ((slice(0, 4, 0),), ValueError, "a step other than 0"),
        ((slice("a"),), TypeError, "stop of a slice is 'a'"),
    ],
)
def test_slice_refuses(slices, error, text):
    with pytest.raises(error, match=text):
        transforms.Slice(*slices)(numpy.arange(4))


def test_concatenate_adds_both_ends():
    ends = numpy.array([9], numpy.int32), numpy.array([8], numpy.int32)
    columns = numpy.array([1, 2], numpy.int32), numpy.zeros(0, numpy.int32), numpy.array([3], numpy.int32)
    assert transforms.Concatenate(0, *ends)(*columns).tolist() == [9, 1, 2, 3, 8]
    assert transforms.Concatenate(-1, append=numpy.array(["é"]))(numpy.array(["b"])).tolist() == ["b", "é"]
    assert transforms.Concatenate(0, numpy.array([b"a"]))(numpy.array([b"b"])).tolist() == [b"a", b"b"]
    with pytest.raises(RuntimeError, match="need one dtype"):
        transforms.Concatenate(0, *ends)(numpy.zeros(2))
    with pytest.raises(RuntimeError, match="arrays with one dimension"):
        transforms.Concatenate()(numpy.zeros((2, 2)))
    with pytest.raises(ValueError, match="axis is 1"):
        transforms.Concatenate(1)


@pytest.mark.parametrize("dtype", ["int8", "uint64", "float16", "float64", "bool"])
def test_unique_agrees_with_numpy(dtype):
    values = numpy.array([[3, 1, 3], [0, 1, 3]]).astype(dtype)
    distinct, which, counts = transforms.Unique()(values)
    numpy.testing.assert_array_equal(distinct[which], values.ravel())
    expected, first, sizes = numpy.unique(values, return_index=True, return_counts=True)
    order = numpy.argsort(first)
    numpy.testing.assert_array_equal(distinct, expected[order])
    numpy.testing.assert_array_equal(counts, sizes[order])


def test_plugin_says_why_not():
    with pytest.raises(
        RuntimeError, match=r"Plugin: x.so is a library for the binary interface of another framework"
    ):
        transforms.Plugin("x.so", "f")


@pytest.mark.parametrize(("value", "dtype"), [(300, numpy.uint8), (-1, numpy.uint8), (1.5, numpy.int64)])
def test_a_constant_must_fit_into_the_column(value, dtype):
    column = numpy.zeros(2, dtype)
    transforms_of_it = [
        transforms.Fill(value),
        transforms.PadEnd([3], value),
        transforms.Mask(transforms.Relational.LT, value),
    ]
    for transform in transforms_of_it:
        with pytest.raises(RuntimeError, match="need a number that it can hold"):
            transform(column)
