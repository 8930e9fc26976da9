"""Wrong Cells and Parameters."""

from wrong_program import check, programs


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
        "initializer: there is no initialiser called 'strange'",
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
)
def test_program_fails_with_its_message(program, error, text):
    check(program, error, text)
