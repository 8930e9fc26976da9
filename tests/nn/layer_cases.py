"""Layers of `dyad.nn` and `dyad.mint.nn` with arguments that they take, for tests that walk all of them."""

from layer_inputs import floats, indices, one, positive

from dyad import Tensor, mint, nn


def activations(module, names, *shape):
    return [
        one(f"{module.__name__}.{name}", lambda name=name: getattr(module, name)(), *shape) for name in names
    ]


ACTIVATIONS = [
    *activations(
        nn,
        [
            "CELU",
            "ELU",
            "FastGelu",
            "GELU",
            "GLU",
            "HShrink",
            "HSigmoid",
            "HSwish",
            "Hardtanh",
            "LeakyReLU",
            "LogSigmoid",
            "LogSoftmax",
            "Mish",
            "PReLU",
            "RReLU",
            "ReLU",
            "ReLU6",
            "SeLU",
            "SiLU",
            "Sigmoid",
            "SoftShrink",
            "Softmax",
            "Softmin",
            "Softsign",
            "Tanh",
            "Tanhshrink",
            "Identity",
        ],
        3,
        4,
    ),
    one("nn.Threshold", lambda: nn.Threshold(0.5, 2.0), 3, 4),
    one("nn.Softmax2d", lambda: nn.Softmax2d(), 2, 3, 4, 4),
    *activations(
        mint.nn,
        [
            "ELU",
            "GELU",
            "GLU",
            "SELU",
            "Hardshrink",
            "Hardsigmoid",
            "Hardswish",
            "Identity",
            "LogSigmoid",
            "Mish",
            "ReLU",
            "ReLU6",
            "SiLU",
            "Sigmoid",
            "Softshrink",
            "Tanh",
        ],
        3,
        4,
    ),
    one("mint.nn.Softmax", lambda: mint.nn.Softmax(-1), 3, 4),
    one("mint.nn.LogSoftmax", lambda: mint.nn.LogSoftmax(-1), 3, 4),
]

CONVOLUTIONS = [
    one("nn.Conv1d", lambda: nn.Conv1d(3, 4, 3, has_bias=True), 2, 3, 9),
    one("nn.Conv2d", lambda: nn.Conv2d(3, 4, 3), 2, 3, 8, 8),
    one("nn.Conv2dBnAct", lambda: nn.Conv2dBnAct(3, 4, 3, has_bn=True, activation="relu"), 2, 3, 8, 8),
    one("nn.DenseBnAct", lambda: nn.DenseBnAct(4, 5, has_bn=True, activation="relu"), 3, 4),
    one("nn.Conv2d padded", lambda: nn.Conv2d(4, 4, 3, 2, "pad", 1, group=2, has_bias=True), 2, 4, 8, 8),
    one("nn.Conv3d", lambda: nn.Conv3d(2, 3, 3), 1, 2, 5, 5, 5),
    one("nn.Conv1dTranspose", lambda: nn.Conv1dTranspose(3, 4, 3, has_bias=True), 2, 3, 9),
    one("nn.Conv2dTranspose", lambda: nn.Conv2dTranspose(3, 4, 3, 2), 2, 3, 6, 6),
    one("nn.Conv3dTranspose", lambda: nn.Conv3dTranspose(2, 3, 3), 1, 2, 4, 4, 4),
    one("mint.nn.Conv2d", lambda: mint.nn.Conv2d(3, 4, 3), 2, 3, 8, 8),
    one("nn.Dense", lambda: nn.Dense(4, 5, activation="relu"), 3, 4),
    one("nn.Dense on more dimensions", lambda: nn.Dense(4, 5), 2, 3, 4),
    one("nn.DenseThor", lambda: nn.DenseThor(4, 5), 3, 4),
    one("nn.Conv2dThor", lambda: nn.Conv2dThor(2, 3, 3), 2, 2, 5, 4),
    one("mint.nn.Linear", lambda: mint.nn.Linear(4, 5), 3, 4),
    ("nn.BiDense", lambda: nn.BiDense(3, 4, 5), lambda: (floats(2, 3), floats(2, 4))),
    ("nn.Embedding", lambda: nn.Embedding(6, 3), lambda: (indices(2, 3),)),
    ("nn.Embedding by one-hot", lambda: nn.Embedding(6, 3, True), lambda: (indices(2, 3),)),
    *(
        (
            f"nn.MultiFieldEmbeddingLookup {operator}",
            lambda operator=operator: nn.MultiFieldEmbeddingLookup(6, 3, 5, operator=operator),
            lambda: (indices(2, 3), floats(2, 3), indices(2, 3)),
        )
        for operator in ("SUM", "MEAN", "MAX")
    ),
    ("nn.EmbeddingLookup", lambda: nn.EmbeddingLookup(6, 3, max_norm=0.01), lambda: (indices(2, 3),)),
    one("nn.TimeDistributed", lambda: nn.TimeDistributed(nn.Dense(4, 5), 1, 0), 3, 2, 4),
    one("nn.Unfold", lambda: nn.Unfold([1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1]), 1, 2, 6, 6),
]

NORMALIZATIONS = [
    one("nn.BatchNorm1d", lambda: nn.BatchNorm1d(3), 4, 3),
    one("nn.BatchNorm2d", lambda: nn.BatchNorm2d(3), 2, 3, 4, 4),
    one("nn.BatchNorm2d of the batch", lambda: nn.BatchNorm2d(3, use_batch_statistics=True), 2, 3, 4, 4),
    one("nn.BatchNorm3d", lambda: nn.BatchNorm3d(3), 2, 3, 2, 3, 4),
    one("nn.GroupNorm", lambda: nn.GroupNorm(2, 4), 2, 4, 3, 3),
    one("mint.nn.GroupNorm", lambda: mint.nn.GroupNorm(2, 4), 2, 4, 3, 3),
    one("nn.InstanceNorm1d", lambda: nn.InstanceNorm1d(3), 2, 3, 5),
    one("nn.InstanceNorm2d", lambda: nn.InstanceNorm2d(3), 2, 3, 4, 4),
    one("nn.InstanceNorm3d", lambda: nn.InstanceNorm3d(3), 2, 3, 2, 3, 4),
    one("nn.LayerNorm", lambda: nn.LayerNorm((4,)), 2, 3, 4),
    one("nn.LRN", lambda: nn.LRN(), 2, 6, 3, 3),
]

POOLS = [
    one("nn.AvgPool1d", lambda: nn.AvgPool1d(2, 2), 2, 3, 8),
    one("nn.AvgPool2d", lambda: nn.AvgPool2d(2, 2), 2, 3, 8, 8),
    one("nn.AvgPool2d same", lambda: nn.AvgPool2d(3, 2, "same"), 2, 3, 7, 7),
    one("nn.AvgPool3d", lambda: nn.AvgPool3d(2, 2), 1, 2, 4, 4, 4),
    one("nn.MaxPool1d", lambda: nn.MaxPool1d(2, 2), 2, 3, 8),
    one("nn.MaxPool2d", lambda: nn.MaxPool2d(2, 2), 2, 3, 8, 8),
    one("nn.MaxPool2d same", lambda: nn.MaxPool2d(3, 2, "same"), 2, 3, 7, 7),
    one(
        "nn.MaxPool2d with indices",
        lambda: nn.MaxPool2d(2, 2, pad_mode="pad", return_indices=True),
        2,
        3,
        8,
        8,
    ),
    one("nn.MaxPool3d", lambda: nn.MaxPool3d(2, 2), 1, 2, 4, 4, 4),
    one("nn.LPPool1d", lambda: nn.LPPool1d(2, 2), 2, 3, 8),
    one("nn.LPPool2d", lambda: nn.LPPool2d(2, 2), 2, 3, 8, 8),
    one("nn.AdaptiveAvgPool1d", lambda: nn.AdaptiveAvgPool1d(2), 2, 3, 8),
    one("nn.AdaptiveAvgPool2d", lambda: nn.AdaptiveAvgPool2d((2, None)), 2, 3, 8, 8),
    one("nn.AdaptiveAvgPool3d", lambda: nn.AdaptiveAvgPool3d(2), 1, 2, 4, 4, 4),
    one("nn.AdaptiveMaxPool1d", lambda: nn.AdaptiveMaxPool1d(2), 2, 3, 8),
    one("nn.AdaptiveMaxPool2d", lambda: nn.AdaptiveMaxPool2d(2, True), 2, 3, 8, 8),
    one("nn.AdaptiveMaxPool3d", lambda: nn.AdaptiveMaxPool3d(2), 1, 2, 4, 4, 4),
    one("mint.nn.AdaptiveAvgPool1d", lambda: mint.nn.AdaptiveAvgPool1d(2), 2, 3, 8),
    one("mint.nn.AdaptiveAvgPool2d", lambda: mint.nn.AdaptiveAvgPool2d(2), 2, 3, 8, 8),
    one("mint.nn.AdaptiveAvgPool3d", lambda: mint.nn.AdaptiveAvgPool3d(2), 1, 2, 4, 4, 4),
    one("nn.FractionalMaxPool2d", lambda: nn.FractionalMaxPool2d(2, (3, 2)), 2, 3, 8, 8),
    one("nn.FractionalMaxPool3d", lambda: nn.FractionalMaxPool3d(2, None, (0.5, 0.5, 0.5)), 1, 2, 4, 5, 6),
    ("nn.MaxUnpool1d", lambda: nn.MaxUnpool1d(2), lambda: (floats(1, 1, 2), Tensor([[[1, 3]]]))),
    ("nn.MaxUnpool2d", lambda: nn.MaxUnpool2d(2), lambda: (floats(1, 1, 1, 2), Tensor([[[[1, 3]]]]))),
    (
        "nn.MaxUnpool3d",
        lambda: nn.MaxUnpool3d(2),
        lambda: (floats(1, 1, 1, 1, 2), Tensor([[[[[1, 3]]]]])),
    ),
]

PADS = [
    *(
        one(
            f"{module.__name__}.{name}{n}d",
            lambda m=module, name=name, n=n, v=value: getattr(m, f"{name}{n}d")(1, *v),
            1,
            2,
            *[4] * n,
        )
        for module in (nn, mint.nn)
        for name, value in (("ConstantPad", (0.5,)), ("ReflectionPad", ()), ("ReplicationPad", ()))
        for n in (1, 2, 3)
    ),
    one("nn.ZeroPad2d", lambda: nn.ZeroPad2d(1), 1, 2, 4, 4),
    one("nn.Pad", lambda: nn.Pad(((1, 1), (2, 0)), "CONSTANT"), 2, 3),
    one("nn.Pad reflected", lambda: nn.Pad(((1, 1), (2, 0)), "REFLECT"), 2, 3),
]

SHAPES = [
    one("nn.Flatten", lambda: nn.Flatten(), 2, 3, 4),
    one("mint.nn.Flatten", lambda: mint.nn.Flatten(), 2, 3, 4),
    one("nn.Unflatten", lambda: nn.Unflatten(1, (2, 3)), 2, 6),
    one("nn.Roll", lambda: nn.Roll(1, 0), 3, 2),
    one("nn.Tril", lambda: nn.Tril(), 3, 3),
    one("nn.Triu", lambda: nn.Triu(), 3, 3),
    one("nn.ChannelShuffle", lambda: nn.ChannelShuffle(2), 1, 4, 2, 2),
    one("nn.PixelShuffle", lambda: nn.PixelShuffle(2), 1, 4, 2, 2),
    one("mint.nn.PixelShuffle", lambda: mint.nn.PixelShuffle(2), 1, 4, 2, 2),
    one("nn.PixelUnshuffle", lambda: nn.PixelUnshuffle(2), 1, 1, 4, 4),
    one("nn.Upsample", lambda: nn.Upsample(size=(6, 6)), 1, 2, 3, 3),
    one(
        "nn.Upsample by a factor",
        lambda: nn.Upsample(scale_factor=(2.0, 2.0), mode="bilinear", recompute_scale_factor=True),
        1,
        2,
        3,
        3,
    ),
    one("mint.nn.Upsample", lambda: mint.nn.Upsample(scale_factor=2.0), 1, 2, 3, 3),
    ("nn.ResizeBilinear", lambda: nn.ResizeBilinear(), lambda: (floats(1, 2, 3, 3), (6, 5))),
    one("nn.CentralCrop", lambda: nn.CentralCrop(0.5), 2, 8, 8),
    one("nn.ImageGradients", lambda: nn.ImageGradients(), 1, 1, 4, 4),
    ("nn.OneHot", lambda: nn.OneHot(depth=4), lambda: (indices(2, 3),)),
    ("nn.Range", lambda: nn.Range(1, 8, 2), lambda: ()),
    (
        "nn.SSIM",
        lambda: nn.SSIM(filter_size=5),
        lambda: (positive(1, 2, 12, 12), positive(1, 2, 12, 12) * 0.9),
    ),
    (
        "nn.MSSSIM",
        lambda: nn.MSSSIM(power_factors=(0.5, 0.5), filter_size=5),
        lambda: (positive(1, 2, 16, 16), positive(1, 2, 16, 16) * 0.9),
    ),
    ("nn.PSNR", lambda: nn.PSNR(), lambda: (positive(1, 2, 4, 4), positive(1, 2, 4, 4) * 0.9)),
]

MATHEMATICS = [
    ("nn.ClipByNorm", lambda: nn.ClipByNorm(), lambda: (floats(2, 3), Tensor(1.0))),
    ("nn.DiGamma", lambda: nn.DiGamma(), lambda: (positive(2, 3),)),
    ("nn.LGamma", lambda: nn.LGamma(), lambda: (positive(2, 3),)),
    ("nn.LBeta", lambda: nn.LBeta(), lambda: (positive(2, 3), positive(2, 3))),
    ("nn.IGamma", lambda: nn.IGamma(), lambda: (positive(2, 3), positive(2, 3))),
    one("nn.L1Regularizer", lambda: nn.L1Regularizer(0.1), 2, 3),
    one("nn.MatDet", lambda: nn.MatDet(), 2, 3, 3),
    one("nn.MatInverse", lambda: nn.MatInverse(), 3, 3),
    ("nn.MatMul", lambda: nn.MatMul(transpose_x2=True), lambda: (floats(2, 3), floats(4, 3))),
    one("nn.MatrixDiag", lambda: nn.MatrixDiag(), 2, 3),
    one("nn.MatrixDiagPart", lambda: nn.MatrixDiagPart(), 2, 3, 3),
    ("nn.MatrixSetDiag", lambda: nn.MatrixSetDiag(), lambda: (floats(2, 3, 3), floats(2, 3))),
    one("nn.Moments", lambda: nn.Moments(axis=0), 3, 4),
    one("nn.Norm", lambda: nn.Norm(axis=1), 3, 4),
    one("nn.ReduceLogSumExp", lambda: nn.ReduceLogSumExp(1), 3, 4),
]

DROPOUTS = [
    one("nn.Dropout", lambda: nn.Dropout(p=0.4), 20, 10),
    one("nn.Dropout1d", lambda: nn.Dropout1d(0.4), 4, 8, 5),
    one("nn.Dropout2d", lambda: nn.Dropout2d(0.4), 4, 8, 5, 3),
    one("nn.Dropout3d", lambda: nn.Dropout3d(0.4), 4, 8, 2, 3, 2),
    one("mint.nn.Dropout", lambda: mint.nn.Dropout(0.4), 20, 10),
]

SPARSE = [
    (
        "nn.SparseTensorDenseMatmul",
        nn.SparseTensorDenseMatmul,
        lambda: (Tensor([[0, 1], [1, 2]]), floats(2), (3, 4), floats(4, 2)),
    ),
]

LAYER_CASES = [
    *ACTIVATIONS,
    *CONVOLUTIONS,
    *NORMALIZATIONS,
    *POOLS,
    *PADS,
    *SHAPES,
    *MATHEMATICS,
    *DROPOUTS,
    *SPARSE,
]
