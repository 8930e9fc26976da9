"""Wrong Cells and Parameters."""

import pytest
from wrong_program import check, programs

import dyad
from dyad import Tensor, nn


@programs(
    ("Parameter('text')", TypeError, "Parameter: default_input is of type str"),
    ("Parameter(True)", ValueError, "Parameter: default_input is the bool True"),
    ("Parameter(ones(2), name=3)", ValueError, "Parameter: name is 3 of type int; need a str or None"),
    ("Parameter(ones(2), requires_grad=1)", TypeError, "Parameter: requires_grad is 1; need a bool"),
    ("Parameter(ones(2)).set_data('a')", TypeError, "cannot take a value of type str"),
    ("dyad.ParameterTuple([1])", TypeError, "ParameterTuple: an element is of type int"),
    (
        "dyad.ParameterTuple([Parameter(ones(1), 'a'), Parameter(ones(1), 'a')])",
        ValueError,
        "ParameterTuple: a Parameter is refused because its name 'a' already exists",
    ),
    ("nn.Cell()(1)", AttributeError, "Cell: construct is not defined; define it to make the Cell callable"),
    (
        "nn.Dense(3, 2)(ones(2, 4))",
        ValueError,
        "Dense: input has shape (2, 4) and weight (2, 3); their last sizes must agree",
    ),
    ("nn.Dense(0, 2)", ValueError, "Dense: in_channels is 0; need an int of at least 1"),
    ("nn.Dense(3, 'a')", TypeError, "Dense: out_channels is 'a' of type str; need an int"),
    (
        "nn.Dense(3, 2, weight_init='strange')",
        ValueError,
        "initializer: there is no initializer called 'strange'",
    ),
    ("nn.Conv2d(3, 4, 0)", ValueError, "Conv2d: kernel_size is 0; need an int of at least 1"),
    (
        "nn.Conv2d(3, 4, 3, pad_mode='strange')",
        ValueError,
        "Conv2d: pad_mode is 'strange'; need one of same, valid, pad",
    ),
    ("nn.Dropout(p=1.5)", ValueError, "Dropout: p is 1.5; need a number in [0, 1)"),
    ("nn.SequentialCell(1)", TypeError, "SequentialCell: a member is of type int; need a Cell"),
    ("nn.CellList([1])", TypeError, "CellList: a member is of type int; need a Cell"),
    ("nn.CellList([nn.ReLU()])[3]", IndexError, "CellList: index 3 is out of range for 1 Cells"),
    ("net = nn.ReLU()\nnet.strange", AttributeError, "'ReLU' object has no attribute 'strange'"),
    ("nn.Strange", AttributeError, "dyad.nn has no 'Strange'"),
    (
        "nn.Dense(3, 2).to_float(dyad.int32)",
        ValueError,
        "to_float: dst_type is dyad.int32; need float16, float32 or bfloat16",
    ),
    (
        "nn.Embedding(3, 2)(ones(2))",
        TypeError,
        "Embedding: ids have dtype Float32; need integers",
    ),
    (
        "nn.Embedding(3, 2)(Tensor([3]))",
        IndexError,
        "Embedding: index 3 is out of range for dimension 0 of size 3",
    ),
    ("nn.LayerNorm((3,))(ones(2, 4))", ValueError, "LayerNorm: "),
    (
        "nn.LSTM(3, 4)(ones(2, 5))",
        ValueError,
        "LSTM: x has shape (2, 5); need 3 dimensions, the last of size 3",
    ),
    # arguments that are no Tensor: the layer and the argument are named, whatever the layer reads of it first
    ("nn.BatchNorm2d(3)('abc')", TypeError, "BatchNorm2d: x is 'abc'; need a Tensor"),
    ("nn.BatchNorm2d(3)(None)", TypeError, "BatchNorm2d: x is None; need a Tensor"),
    ("nn.Flatten()([1, 2])", TypeError, "Flatten: x is a list; need a Tensor"),
    ("nn.BiDense(3, 4, 5)(ones(2, 3), input2=2)", TypeError, "BiDense: input2 is 2; need a Tensor"),
    ("nn.Embedding(3, 2)({})", TypeError, "Embedding: ids is a dict; need a Tensor"),
    ("dyad.mint.nn.ReflectionPad1d(1)(3.5)", TypeError, "ReflectionPad1d: x is 3.5; need a Tensor"),
    (
        "class Net(nn.Cell):\n    def construct(self, x):\n        return x.ndim\nNet()('abc')",
        AttributeError,
        "'str' object has no attribute 'ndim'",
    ),
    # a construct without self
    (
        "class Net(nn.Cell):\n    def construct(x):\n        return x\nNet()(ones(2))",
        TypeError,
        "Net: too many positional arguments; construct takes () after x, which is the Cell; is self missing?",
    ),
    (
        "class Net(nn.Cell):\n    def construct():\n        return 1\nNet()()",
        TypeError,
        "Net: construct takes no parameter; the first is the Cell, self",
    ),
    # settings
    (
        "nn.Conv2d(3, 4, 3, pad_mode=1)",
        ValueError,
        "Conv2d: pad_mode is 1 of type int; need a str, one of same",
    ),
    (
        "nn.Conv2d(3, 4, 3, pad_mode=1)",
        TypeError,
        "Conv2d: pad_mode is 1 of type int; need a str, one of same",
    ),
    ("nn.Conv3d(3, 4, [1])", TypeError, "Conv3d: kernel_size is (1,); need an int or 3 ints"),
    ("nn.Conv3d(3, 4, [1])", ValueError, "Conv3d: kernel_size is (1,); need an int or 3 ints"),
    ("nn.ReflectionPad1d([1])", TypeError, "ReflectionPad1d: padding is (1,); need an int or 2 ints"),
    ("nn.L1Loss(1)", TypeError, "L1Loss: reduction is 1 of type int; need a str, one of none, mean, sum"),
    ("nn.BatchNorm2d(3, eps=-1.5)", ValueError, "BatchNorm2d: eps is -1.5; need a number above 0"),
    ("nn.Moments(0, 'abc')", TypeError, "Moments: keep_dims is 'abc' of type str; need a bool"),
    ("nn.EmbeddingLookup(3, 2, sparse='abc')", TypeError, "EmbeddingLookup: sparse is 'abc' of type str"),
    ("nn.EmbeddingLookup(3, 2, max_norm='abc')", TypeError, "EmbeddingLookup: max_norm is 'abc' of type str"),
    (
        "nn.OneHot(depth=3, on_value=None)",
        TypeError,
        "OneHot: on_value is None of type NoneType; need a number",
    ),
    ("nn.WarmUpLR(0.1, 4)(None)", TypeError, "global_step is None of type NoneType; need a number"),
    (
        "dyad.mint.nn.ZeroPad1d(1.5)",
        TypeError,
        "ZeroPad1d: padding is 1.5 of type float; need an int or 2 ints",
    ),
    ("dyad.mint.nn.LayerNorm(None)", TypeError, "LayerNorm: normalized_shape is None of type NoneType"),
    (
        "dyad.mint.nn.Embedding(3, 2, max_norm=-1)",
        ValueError,
        "Embedding: max_norm is -1; need a number above 0",
    ),
    ("nn.TransformerEncoder(nn.ReLU(), 'a')", TypeError, "TransformerEncoder: num_layers is 'a' of type str"),
    (
        "dyad.common.initializer.initializer('ones', 1.5)",
        ValueError,
        "initializer: shape is 1.5; need positive ints",
    ),
    (
        "dyad.common.initializer.TruncatedNormal(a='a')",
        TypeError,
        "TruncatedNormal: a is 'a' of type str; need a number",
    ),
    ("dyad.common.initializer.XavierNormal(-1)", ValueError, "XavierNormal: gain is -1; need at least 0"),
    ("dyad.train.ConfusionMatrix(2, ['a'])", ValueError, "ConfusionMatrix: normalize is ['a'] of type list"),
    (
        "dyad.train.F1().update(ones(3), ints(3))",
        ValueError,
        "F1.update: the prediction has shape (3,); need (samples, classes)",
    ),
    ("dyad.train.BleuScore().update(1, 2)", TypeError, "BleuScore.update: candidates is 1; need a list"),
)
def test_program_fails_with_its_message(program, error, text):
    check(program, error, text)


@pytest.mark.parametrize("wrong", ["abc", None, 2, [1, 2]], ids=repr)
@pytest.mark.parametrize("mode", [dyad.GRAPH_MODE, dyad.PYNATIVE_MODE])
def test_a_layer_inside_a_network_names_its_argument_in_both_forms(mode, wrong):
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.norm = nn.BatchNorm2d(3)

        def construct(self, x):
            return self.norm(wrong) + x

    before = dyad.get_context("mode")
    dyad.set_context(mode=mode)
    try:
        with pytest.raises(TypeError, match=r"BatchNorm2d: x is .*; need a Tensor"):
            Net()(Tensor([1.0]))
    finally:
        dyad.set_context(mode=before)
