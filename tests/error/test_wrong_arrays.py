"""Wrong calls of `dyad.numpy`: the function is named, the argument, what it is and what would be accepted."""

from wrong_program import check, programs


def mnp(expression):
    return f"import dyad.numpy as mnp\n{expression}"


@programs(
    # arrays
    (
        mnp("mnp.linspace(None, 2)"),
        TypeError,
        "array: the value is None; need a Tensor, a number or a sequence",
    ),
    (mnp("mnp.full_like(ones(2), None)"), TypeError, "array: the value is None"),
    (mnp("mnp.concatenate(2)"), TypeError, "concatenate: arrays is 2; need a sequence of arrays"),
    (mnp("mnp.stack('abc')"), TypeError, "stack: arrays is 'abc'; need a sequence of arrays"),
    (mnp("mnp.column_stack(None)"), TypeError, "column_stack: tup is None; need a sequence of arrays"),
    (mnp("mnp.multi_dot(2)"), TypeError, "multi_dot: arrays is 2; need a sequence of arrays"),
    (mnp("mnp.select(2, [ones(2)])"), TypeError, "select: condlist is 2; need a sequence of arrays"),
    (mnp("mnp.broadcast_arrays()"), ValueError, "broadcast_arrays: no array is given"),
    (mnp("mnp.result_type()"), TypeError, "result_type: the arguments are (); need arrays or dtypes"),
    (
        mnp("mnp.promote_types(None, dyad.float32)"),
        TypeError,
        "promote_types: the types are None and dyad.float32",
    ),
    (
        mnp("mnp.searchsorted(2, ones(2))"),
        ValueError,
        "searchsorted: the array has shape (); need at least 1 dimension",
    ),
    (
        mnp("mnp.trapz(ones(3), x=2)"),
        ValueError,
        "trapz: x is a single number; need the position of each point",
    ),
    # ints
    (mnp("mnp.arange(None)"), TypeError, "arange: start is None; need a number"),
    (mnp("mnp.array([1], ndmin='a')"), TypeError, "array: ndmin is 'a' of type str; need an int"),
    (mnp("mnp.eye(1.5)"), TypeError, "eye: N is 1.5 of type float; need an int"),
    (mnp("mnp.eye(-2)"), ValueError, "eye: N is -2; need an int of at least 0"),
    (mnp("mnp.eye(2, k=[1])"), TypeError, "eye: k is [1] of type list; need an int"),
    (mnp("mnp.linspace(0, 1, num=2.5)"), TypeError, "linspace: num is 2.5 of type float; need an int"),
    (mnp("mnp.geomspace(1, 2, num=-1)"), ValueError, "geomspace: num is -1; need an int of at least 0"),
    (
        mnp("mnp.diag_indices(2, ndim=None)"),
        TypeError,
        "diag_indices: ndim is None of type NoneType; need an int",
    ),
    (mnp("mnp.bincount(ints(2), length='a')"), TypeError, "bincount: length is 'a' of type str; need an int"),
    (mnp("mnp.polyder(ones(3), m=1.5)"), TypeError, "polyder: m is 1.5 of type float; need an int"),
    (mnp("mnp.polyint(ones(3), m=-1)"), ValueError, "polyint: m is -1; need an int of at least 0"),
    (
        mnp("mnp.rollaxis(ones(2, 3), 1, start='a')"),
        TypeError,
        "rollaxis: start is 'a' of type str; need an int",
    ),
    (
        mnp("mnp.around(ones(2), decimals=None)"),
        TypeError,
        "around: decimals is None of type NoneType; need an int",
    ),
    (
        mnp("mnp.cross(ones(3), ones(3), axisa=[0])"),
        TypeError,
        "cross: axisa is [0] of type list; need an int",
    ),
    (mnp("mnp.size(ones(2, 3), axis=-9)"), ValueError, "size: axis is -9; need -2 to 1"),
    (mnp("mnp.take(ones(2, 3), ints(1), axis='a')"), TypeError, "take: axis is 'a'; need an int"),
    (mnp("mnp.randint(3, dtype=None)"), ValueError, "randint: dtype is None; need an integer dtype"),
    # sequences of ints
    (mnp("mnp.full(None, 1)"), TypeError, "full: shape is None; need an int or a sequence of ints"),
    (
        mnp("mnp.broadcast_to(ones(3), 1.5)"),
        TypeError,
        "broadcast_to: shape is 1.5; need an int or a sequence of",
    ),
    (
        mnp("mnp.expand_dims(ones(3), None)"),
        TypeError,
        "expand_dims: axis is None; need an int or a sequence of",
    ),
    (
        mnp("mnp.rot90(ones(2, 2), axes=1.5)"),
        TypeError,
        "rot90: axes is 1.5; need an int or a sequence of ints",
    ),
    (mnp("mnp.tile(ones(2), None)"), TypeError, "tile: reps is None; need an int or a sequence of ints"),
    (
        mnp("mnp.transpose(ones(2, 3), 'ab')"),
        TypeError,
        "transpose: axes is 'ab'; need an int or a sequence of ints",
    ),
    (
        mnp("mnp.unravel_index(ints(2), 1.5)"),
        TypeError,
        "unravel_index: shape is 1.5; need an int or a sequence",
    ),
    # an int among tensordot's axes is a count; a negative one summed over nothing
    (
        mnp("mnp.tensordot(ones(2, 3), ones(2, 3), -1)"),
        ValueError,
        "tensordot: axes is -1 for arrays of shapes",
    ),
    (
        mnp("mnp.tensordot(ones(2, 3), ones(2, 3), 3)"),
        ValueError,
        "tensordot: axes is 3 for arrays of shapes",
    ),
    (
        mnp("mnp.tensordot(ones(2, 3), ones(2, 3), [1])"),
        ValueError,
        "tensordot: axes is [1]; need an int or a pair",
    ),
    (
        mnp("mnp.tensordot(ones(2, 3), ones(2, 3), None)"),
        TypeError,
        "tensordot: axes is None; need an int or a pair",
    ),
    # switches and choices
    (mnp("mnp.linspace(0, 1, endpoint='a')"), TypeError, "linspace: endpoint is 'a'; need a bool"),
    (mnp("mnp.cov(ones(2, 3), rowvar=None)"), TypeError, "cov: rowvar is None; need a bool"),
    (
        mnp("mnp.array_equal(ones(2), ones(2), equal_nan='a')"),
        TypeError,
        "array_equal: equal_nan is 'a'; need a bool",
    ),
    (mnp("mnp.meshgrid(ones(2), sparse='a')"), TypeError, "meshgrid: sparse is 'a'; need a bool"),
    (mnp("mnp.meshgrid(ones(2), indexing='yx')"), TypeError, "meshgrid: indexing is 'yx'; need 'xy' or 'ij'"),
    (
        mnp("mnp.meshgrid(ones(2), indexing='yx')"),
        ValueError,
        "meshgrid: indexing is 'yx'; need 'xy' or 'ij'",
    ),
    (
        mnp("mnp.take(ones(2), ints(1), mode=1)"),
        TypeError,
        "take: mode is 1 of type int; need a str, one of clip",
    ),
    (
        mnp("mnp.correlate(ones(2), ones(2), mode=1)"),
        TypeError,
        "correlate: mode is 1 of type int; need a str",
    ),
    (mnp("mnp.pad(ones(2), 1, mode=['a'])"), ValueError, "pad: mode is ['a'] of type list; need a str"),
    (
        mnp("mnp.searchsorted(ones(2), ones(2), side=None)"),
        ValueError,
        "searchsorted: side is None of type NoneType",
    ),
    (mnp("mnp.interp(ones(2), ones(2), ones(2), left={})"), TypeError, "interp: left is {} of type dict"),
    (mnp("mnp.unwrap(ones(2), discont='a')"), TypeError, "unwrap: discont is 'a' of type str; need a number"),
    # histograms
    (mnp("mnp.histogram(ones(3), range='abc')"), ValueError, "range is 'abc'; need a pair (low, high)"),
    (mnp("mnp.histogram(ones(3), bins=0)"), ValueError, "bins is 0; need an int of at least 1"),
    (
        mnp("mnp.histogram(ones(3), weights=2)"),
        ValueError,
        "histogram: weights have shape (); need one for each of 3",
    ),
    (
        mnp("mnp.histogram_bin_edges(ones(3), bins=1.5)"),
        TypeError,
        "bins is 1.5; need an int or a sequence of edges",
    ),
    (mnp("mnp.histogramdd(2)"), TypeError, "histogramdd: sample has shape (); need 2 dimensions"),
    (mnp("mnp.histogramdd(ones(4, 2), bins=[1])"), ValueError, "bins is [1]; need one for each of 2 columns"),
)
def test_program_fails_with_its_message(program, error, text):
    check(program, error, text)
