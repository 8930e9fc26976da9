"""Losses, recurrent layers, attention, schedules and layers made of layers, with arguments that they take."""

from layer_inputs import floats, indices, one, pair, positive, signs

import dyad
from dyad import Tensor, mint, nn


def logits():
    return floats(3, 4)


def labels():
    return positive(3, 4)


def classes():
    return indices(3)


LOSSES = [
    *(
        pair(f"{module.__name__}.{name}", lambda m=module, name=name: getattr(m, name)(), logits, labels)
        for module, names in (
            (
                nn,
                "BCEWithLogitsLoss HuberLoss KLDivLoss L1Loss MAELoss MSELoss MultiLabelSoftMarginLoss "
                "PoissonNLLLoss RMSELoss SmoothL1Loss SoftmaxCrossEntropyWithLogits",
            ),
            (mint.nn, "BCEWithLogitsLoss KLDivLoss L1Loss MSELoss SmoothL1Loss"),
        )
        for name in names.split()
    ),
    *(
        pair(f"{module.__name__}.{name}", lambda m=module, name=name: getattr(m, name)(), logits, classes)
        for module, names in (
            (nn, "CrossEntropyLoss NLLLoss MultiMarginLoss"),
            (mint.nn, "CrossEntropyLoss NLLLoss"),
        )
        for name in names.split()
    ),
    pair(
        "nn.AdaptiveLogSoftmaxWithLoss",
        lambda: nn.AdaptiveLogSoftmaxWithLoss(4, 6, [2, 4]),
        logits,
        classes,
    ),
    pair("nn.CrossEntropyLoss smoothed", lambda: nn.CrossEntropyLoss(label_smoothing=0.1), logits, labels),
    pair("nn.BCELoss", lambda: nn.BCELoss(), labels, lambda: positive(3, 4) * 0.5),
    pair("mint.nn.BCELoss", lambda: mint.nn.BCELoss(), labels, lambda: positive(3, 4) * 0.5),
    pair("nn.DiceLoss", lambda: nn.DiceLoss(), labels, labels),
    pair("nn.MultiClassDiceLoss", lambda: nn.MultiClassDiceLoss(), logits, labels),
    pair("nn.FocalLoss", lambda: nn.FocalLoss(), lambda: floats(3, 4), lambda: indices(3, 1)),
    pair(
        "nn.SampledSoftmaxLoss",
        lambda: nn.SampledSoftmaxLoss(4, 6),
        lambda: floats(6, 3),
        lambda: floats(6),
        lambda: indices(3, 1),
        lambda: floats(3, 3),
    ),
    pair("nn.GaussianNLLLoss", lambda: nn.GaussianNLLLoss(), logits, labels, labels),
    pair("nn.SoftMarginLoss", lambda: nn.SoftMarginLoss(), logits, lambda: signs(3, 4)),
    pair("mint.nn.SoftMarginLoss", lambda: mint.nn.SoftMarginLoss(), logits, lambda: signs(3, 4)),
    pair("nn.HingeEmbeddingLoss", lambda: nn.HingeEmbeddingLoss(), logits, lambda: signs(3, 4)),
    pair("nn.CosineEmbeddingLoss", lambda: nn.CosineEmbeddingLoss(), logits, labels, lambda: signs(3)),
    pair(
        "mint.nn.CosineEmbeddingLoss", lambda: mint.nn.CosineEmbeddingLoss(), logits, labels, lambda: signs(3)
    ),
    pair("nn.MarginRankingLoss", lambda: nn.MarginRankingLoss(), logits, labels, lambda: signs(3, 4)),
    pair("nn.MultilabelMarginLoss", lambda: nn.MultilabelMarginLoss(), logits, lambda: indices(3, 4)),
    pair("nn.TripletMarginLoss", lambda: nn.TripletMarginLoss(), logits, labels, lambda: floats(3, 4) * 2),
    pair(
        "nn.TripletMarginWithDistanceLoss",
        lambda: nn.TripletMarginWithDistanceLoss(),
        logits,
        labels,
        lambda: floats(3, 4) * 2,
    ),
    (
        "nn.CTCLoss",
        lambda: nn.CTCLoss(),
        lambda: (floats(5, 2, 4), Tensor([[1, 2], [3, 1]], dyad.int32), Tensor([5, 4]), Tensor([2, 1])),
    ),
]

RECURRENT = [
    ("nn.RNNCell", lambda: nn.RNNCell(3, 4), lambda: (floats(2, 3), floats(2, 4))),
    ("nn.GRUCell", lambda: nn.GRUCell(3, 4), lambda: (floats(2, 3), floats(2, 4))),
    ("nn.LSTMCell", lambda: nn.LSTMCell(3, 4), lambda: (floats(2, 3), (floats(2, 4), floats(2, 4)))),
    one("nn.RNN", lambda: nn.RNN(3, 4), 5, 2, 3),
    one("nn.RNN of relu", lambda: nn.RNN(3, 4, 2, nonlinearity="relu"), 5, 2, 3),
    one("nn.GRU", lambda: nn.GRU(3, 4, bidirectional=True), 5, 2, 3),
    one("nn.LSTM", lambda: nn.LSTM(3, 4, 2, batch_first=True), 2, 5, 3),
    one("nn.LSTM with dropout", lambda: nn.LSTM(3, 4, 2, dropout=0.4, bidirectional=True), 5, 2, 3),
    (
        "nn.LSTM of lengths",
        lambda: nn.LSTM(3, 4),
        lambda: (floats(5, 2, 3), (floats(1, 2, 4), floats(1, 2, 4)), Tensor([5, 3], dyad.int32)),
    ),
]

ATTENTION = [
    (
        "nn.MultiheadAttention",
        lambda: nn.MultiheadAttention(8, 2),
        lambda: (floats(3, 2, 8), floats(4, 2, 8), floats(4, 2, 8)),
    ),
    (
        "nn.MultiheadAttention dropping",
        lambda: nn.MultiheadAttention(8, 2, dropout=0.3, batch_first=True, kdim=6, vdim=5),
        lambda: (floats(2, 3, 8), floats(2, 4, 6), floats(2, 4, 5)),
    ),
    one("nn.TransformerEncoderLayer", lambda: nn.TransformerEncoderLayer(8, 2, 16), 3, 2, 8),
    (
        "nn.TransformerDecoderLayer",
        lambda: nn.TransformerDecoderLayer(8, 2, 16, norm_first=True),
        lambda: (floats(3, 2, 8), floats(4, 2, 8)),
    ),
    one(
        "nn.TransformerEncoder",
        lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16), 2),
        3,
        2,
        8,
    ),
    (
        "nn.TransformerDecoder",
        lambda: nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, 16), 2, nn.LayerNorm((8,))),
        lambda: (floats(3, 2, 8), floats(4, 2, 8)),
    ),
    (
        "nn.Transformer",
        lambda: nn.Transformer(8, 2, 1, 1, 16),
        lambda: (floats(3, 2, 8), floats(4, 2, 8)),
    ),
]

SCHEDULES = [
    (f"nn.{name}", lambda name=name, given=given: getattr(nn, name)(*given), lambda: (Tensor(3, dyad.int32),))
    for name, given in (
        ("CosineDecayLR", (0.01, 0.1, 10)),
        ("ExponentialDecayLR", (0.1, 0.9, 4)),
        ("InverseDecayLR", (0.1, 0.9, 4, True)),
        ("NaturalExpDecayLR", (0.1, 0.9, 4)),
        ("PolynomialDecayLR", (0.1, 0.01, 4, 0.5)),
        ("WarmUpLR", (0.1, 4)),
    )
]


def network():
    return nn.SequentialCell(
        nn.Dense(4, 5), nn.ReLU(), nn.SequentialCell([nn.Dense(5, 3), nn.Dropout(p=0.3)])
    )


def classifier():
    return nn.WithLossCell(nn.Dense(4, 3), nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"))


WRAPPERS = [
    one("nn.SequentialCell", network, 2, 4),
    ("nn.WithLossCell", classifier, lambda: (floats(3, 4), indices(3, high=3))),
    (
        "nn.WithEvalCell",
        lambda: nn.WithEvalCell(nn.Dense(4, 3), nn.MSELoss()),
        lambda: (floats(3, 4), floats(3, 3)),
    ),
    ("nn.ParameterUpdate", lambda: nn.ParameterUpdate(nn.Dense(3, 2).weight), lambda: (floats(2, 3),)),
    (
        "nn.DynamicLossScaleUpdateCell",
        lambda: nn.DynamicLossScaleUpdateCell(64.0, 2, 1),
        lambda: (Tensor(64.0), Tensor(True)),
    ),
    (
        "nn.FixedLossScaleUpdateCell",
        lambda: nn.FixedLossScaleUpdateCell(64.0),
        lambda: (Tensor(64.0), Tensor(True)),
    ),
]

NETWORK_CASES = [*LOSSES, *RECURRENT, *ATTENTION, *SCHEDULES, *WRAPPERS]
