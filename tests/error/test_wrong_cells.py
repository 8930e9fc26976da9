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
        "ParameterTuple: two different Parameters are called 'a'",
    ),
    ("nn.Cell()(1)", (AttributeError), "construct"),
    ("nn.Dense(3, 2)(ones(2, 4))", ValueError, "dense: "),
    ("nn.Dense(0, 2)", ValueError, "Dense: "),
    ("nn.Dense(3, 'a')", TypeError, "Dense: "),
    ("nn.Dense(3, 2, weight_init='strange')", ValueError, "strange"),
    ("nn.Conv2d(3, 4, 0)", ValueError, "Conv2d: "),
    ("nn.Conv2d(3, 4, 3, pad_mode='strange')", ValueError, "strange"),
    ("nn.Dropout(p=1.5)", ValueError, "Dropout: "),
    ("nn.SequentialCell(1)", TypeError, "SequentialCell: "),
    ("nn.CellList([1])", TypeError, "CellList: "),
    ("nn.CellList([nn.ReLU()])[3]", IndexError, ""),
    ("net = nn.ReLU()\nnet.strange", AttributeError, "strange"),
    ("nn.Strange", AttributeError, "dyad.nn has no 'Strange'"),
    ("nn.Dense(3, 2).set_train('yes')", TypeError, "set_train"),
    ("nn.Dense(3, 2).to_float(dyad.int32)", ValueError, "to_float"),
    ("nn.Embedding(3, 2)(ones(2))", TypeError, ""),
    ("nn.Embedding(3, 2)(Tensor([3]))", IndexError, ""),
    ("nn.LayerNorm((3,))(ones(2, 4))", ValueError, "layer_norm: "),
    ("nn.LSTM(3, 4)(ones(2, 5))", ValueError, ""),
)
def test_program_fails_with_its_message(program, error, text):
    check(program, error, text)
