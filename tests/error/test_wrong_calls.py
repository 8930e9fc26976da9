"""Wrong calls of functions and Primitives that are written in Python, over operators."""

from wrong_program import check, programs

from dyad import _core, ops


@programs(
    # no Tensor
    ("dyad.mint.mean('abc')", TypeError, "mean: input is of type str; need a Tensor"),
    ("dyad.mint.max(2)", TypeError, "max: input is of type int; need a Tensor"),
    ("dyad.mint.min(None)", TypeError, "min: input is of type NoneType; need a Tensor"),
    ("dyad.mint.median([1])", TypeError, "median: input is of type list; need a Tensor"),
    ("dyad.mint.equal(ones(2), 'abc')", TypeError, "equal: other is of type str; need a Tensor"),
    (
        "ops.conv3d_transpose(ones(1, 2, 2, 2, 2), None)",
        TypeError,
        "conv3d_transpose: weight is of type NoneType",
    ),
    ("ops.Einsum('i,i->')(1.5)", TypeError, "Einsum: x is of type float; need a tuple of Tensors"),
    (
        "ops.ParallelConcat()(None)",
        TypeError,
        "ParallelConcat: values is of type NoneType; need a tuple of Tensors",
    ),
    ("ops.stft(ones(8), 4, window='abc')", TypeError, "stft: window is of type str; need a Tensor or None"),
    # switches
    ("dyad.mint.max(ones(2), keepdim='abc')", TypeError, "max: keepdim is 'abc' of type str; need a bool"),
    ("dyad.mint.sort(ones(2), stable='abc')", TypeError, "sort: stable is 'abc' of type str; need a bool"),
    (
        "dyad.mint.argsort(ones(2), stable=None)",
        TypeError,
        "argsort: stable is None of type NoneType; need a bool",
    ),
    (
        "ops.nonzero(ones(2), as_tuple='abc')",
        TypeError,
        "nonzero: as_tuple is 'abc' of type str; need a bool",
    ),
    ("ones(2).nonzero(as_tuple=2)", TypeError, "nonzero: as_tuple is 2 of type int; need a bool"),
    ("ops.svd(ones(2, 2), compute_uv='abc')", TypeError, "svd: compute_uv is 'abc' of type str; need a bool"),
    ("ops.stft(ones(8), 4, center='abc')", TypeError, "stft: center is 'abc' of type str; need a bool"),
    (
        "dyad.mint.triangular_solve(ones(2, 2), ones(2, 2), upper='abc')",
        TypeError,
        "triangular_solve: upper is 'abc' of type str; need a bool",
    ),
    (
        "dyad.mint.nn.functional.silu(ones(2), inplace='abc')",
        TypeError,
        "silu: inplace is 'abc' of type str; need a bool",
    ),
    (
        "ops.embedding(ints(2), ones(3, 2), scale_grad_by_freq='abc')",
        TypeError,
        "embedding: scale_grad_by_freq is 'abc' of type str; need a bool",
    ),
    # numbers
    ("ops.embedding(ints(2), ones(3, 2), max_norm='a')", TypeError, "embedding: max_norm is 'a' of type str"),
    (
        "ops.embedding(ints(2), ones(3, 2), max_norm=-1)",
        ValueError,
        "embedding: max_norm is -1; need a number above 0",
    ),
    ("ops.stft(ones(8), 4, hop_length='a')", TypeError, "stft: hop_length is 'a' of type str; need an int"),
    ("ops.Bernoulli(seed=None)", TypeError, "Bernoulli: seed is None of type NoneType; need an int"),
    ("ops.Bernoulli(seed=-2)", ValueError, "Bernoulli: seed is -2; need an int of at least -1"),
    (
        "ops.ForiLoop()('a', 3, lambda i, x: x, ones(2))",
        TypeError,
        "ForiLoop: lower is 'a' of type str; need an int",
    ),
    (
        "ops.InvertPermutation()(('a', 0))",
        TypeError,
        "InvertPermutation: a member of input_x is 'a' of type str",
    ),
    ("ops.make_range('a')", TypeError, "make_range: a bound is 'a' of type str; need an int"),
    ("ops.tuple_len(1.5)", TypeError, "tuple_len: values is of type float; need a tuple or list"),
    ("ops.tuple_getitem('abc', 1)", TypeError, "tuple_getitem: values is of type str; need a tuple or list"),
    ("ops.add_flags('abc', a=True)", TypeError, "add_flags: fn is of type str; need a function"),
    ("ops.FFTWithSize(1, False, False, signal_sizes=None)", TypeError, "FFTWithSize: signal_sizes is None"),
    ("ops.NuclearNorm(dim=-1)(ones(2, 2))", ValueError, "NuclearNorm: dim is -1; need two dimensions"),
    (
        "ops.DepthwiseConv2dNative(1, 3, pad_mode='strange')",
        ValueError,
        "DepthwiseConv2dNative: pad_mode is 'strange'; need one of valid, same, pad",
    ),
    # shapes and dtypes
    (
        "ops.ctc_greedy_decoder(ones(3, 1, 2), ones(1))",
        TypeError,
        "ctc_greedy_decoder: sequence_length is of Float32; need int32 or int64",
    ),
    (
        "ops.ctc_greedy_decoder(ones(3, 1, 2), ints(4))",
        ValueError,
        "ctc_greedy_decoder: sequence_length has shape (4,); need (1,)",
    ),
    ("ops.lu_unpack(ones(2, 2), ints(7))", ValueError, "LU_pivots has shape (7,); need at most 2 pivots"),
    (
        "ops.UnravelIndex()(ints(2), ints())",
        ValueError,
        "UnravelIndex: dims is of Int64 and shape (); need a",
    ),
)
def test_program_fails_with_its_message(program, error, text):
    check(program, error, text)


@programs(
    ("ops.ReverseV2(0.1)", TypeError, "ReverseV2: axis is 0.1; need an int or a tuple of ints"),
    (
        "ops.ReverseV2((0, 'a'))",
        TypeError,
        "ReverseV2: axis is (0, 'a'); need an int or a tuple of ints",
    ),
    ("ops.Concat(axis='a')", TypeError, "Concat: axis is 'a'; need an int"),
    ("ops.ReduceSum(keep_dims='a')", TypeError, "ReduceSum: keep_dims is 'a'; need a bool"),
    ("ops.BCEWithLogitsLoss(1)", TypeError, "BCEWithLogitsLoss: reduction is 1; need a str"),
    ("ops.IsClose({})", TypeError, "IsClose: rtol is of type dict; need a float"),
    ("ops.Conv2D(1, 1, data_format=1)", ValueError, "Conv2D: data_format is 1"),
    ("ops.FFTWithSize(1, False, False, norm=1)", TypeError, "FFTWithSize: norm is 1; need one of"),
    (
        "ops.tensor_dot(ones(2, 2), ones(2, 2), [1])",
        ValueError,
        "tensor_dot: axes is [1]; need an int, or the axes",
    ),
    (
        "ops.batch_dot(ones(2, 2), ones(2, 2), 'abc')",
        ValueError,
        "batch_dot: axes is 'abc'; need an int or an axis",
    ),
    ("ops.Coalesce()(ints(2, 2), ones(2), ints())", ValueError, "the shape is a Tensor of shape ()"),
    ("ops.Concat(object())", TypeError, "Concat: axis is of type object; need an int"),
    ("ops.Argmax(output_type=3)", TypeError, "Argmax: output_type is 3; need a dtype"),
    (
        "ops.AdaptiveAvgPool2D('abc')",
        TypeError,
        "AdaptiveAvgPool2D: output_size is 'abc'; need an int, None or",
    ),
    ("ops.BroadcastTo(None)", TypeError, "BroadcastTo: shape is None; need an int or a tuple of ints"),
)
def test_a_primitive_refuses_settings_of_a_wrong_kind_when_it_is_made(program, error, text):
    check(program, error, text)


def test_every_default_of_a_primitive_is_of_its_kind():
    for name, parameters, _ in _core.op_primitives():
        settings = {parameter: default for parameter, has_default, default in parameters if has_default}
        if len(settings) == len(parameters):
            getattr(ops, name, dict)(**settings)
