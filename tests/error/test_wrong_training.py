"""Wrong training Cells, loss scales, rates without bounds and clipping."""

from wrong_program import NAMES, check, programs

from dyad import amp
from dyad.experimental import optim

NAMES.update(amp=amp, optim=optim, inf=float("inf"), nan=float("nan"))


@programs(
    ("nn.SGD([p()], inf)", ValueError, "SGD: learning_rate is inf; need a finite number"),
    (
        "nn.SGD([p()], [0.1, inf])",
        ValueError,
        "SGD: learning_rate has the entry inf; need finite rates of at least 0",
    ),
    ("nn.SGD([p()], np.array([0.1, -1]))", ValueError, "SGD: learning_rate has the entry -1.0; need finite"),
    ("nn.SGD([p()], Tensor([0.1, nan]))", ValueError, "SGD: learning_rate has the entry nan; need finite"),
    ("nn.SGD([p()], 0.1, weight_decay=inf)", ValueError, "SGD: weight_decay is inf; need a finite number"),
    ("nn.SGD([p()], 0.1, loss_scale=inf)", ValueError, "SGD: loss_scale is inf; need a finite number"),
    ("optim.SGD([p()], inf)", ValueError, "SGD: lr is inf; need a finite number"),
    ("optim.SGD([p()], Tensor(nan))", ValueError, "SGD: lr is nan; need a number of at least 0"),
    ("optim.SGD([p()], 0.1, weight_decay=inf)", ValueError, "SGD: weight_decay is inf; need a finite number"),
)
def test_numbers_without_bounds(program, error, text):
    check(program, error, text)


@programs(
    (
        "nn.TrainOneStepCell(nn.Dense(2, 2), nn.Dense(2, 2))",
        TypeError,
        "TrainOneStepCell: optimizer is a Dense and has no parameters; need an Optimizer",
    ),
    (
        "nn.TrainOneStepCell(nn.Dense(2, 2), nn.SGD([p()]), sens=nan)",
        ValueError,
        "TrainOneStepCell: sens is nan; need a finite number other than 0, or None",
    ),
    ("amp.StaticLossScaler(inf)", ValueError, "StaticLossScaler: scale_value is inf; need a finite number"),
    ("amp.StaticLossScaler(nan)", ValueError, "StaticLossScaler: scale_value is nan; need a finite number"),
    (
        "amp.DynamicLossScaler(8, nan, 2)",
        ValueError,
        "DynamicLossScaler: scale_factor is nan; need a finite number above 0",
    ),
    (
        "amp.DynamicLossScaler(8, 2, 2).adjust('yes')",
        TypeError,
        "DynamicLossScaler: grads_finite is of type str; need a bool or a bool Tensor",
    ),
    ("amp.FixedLossScaleManager(nan)", ValueError, "FixedLossScaleManager: loss_scale is nan; need a finite"),
    (
        "amp.DynamicLossScaleManager(inf)",
        ValueError,
        "DynamicLossScaleManager: init_loss_scale is inf; need a finite number of 1 or more",
    ),
    (
        "nn.DynamicLossScaleUpdateCell(inf, 2, 3)",
        ValueError,
        "DynamicLossScaleUpdateCell: loss_scale_value is inf; need a finite number above 0",
    ),
    (
        "nn.FixedLossScaleUpdateCell(0)",
        ValueError,
        "FixedLossScaleUpdateCell: loss_scale_value is 0; need a finite number above 0",
    ),
)
def test_wrong_training_cells_and_scales(program, error, text):
    check(program, error, text)


@programs(
    ("ops.clip_by_global_norm((ones(2), 3))", TypeError, "clip_by_global_norm: x[1] is 3; it must be a Tens"),
    ("ops.clip_by_global_norm(3)", TypeError, "clip_by_global_norm: x is 3; it must be a tuple or list of"),
    ("ops.clip_by_norm(ones(2), -1.0)", ValueError, "clip_by_norm: max_norm is -1.0; need a number of at"),
    (
        "ops.clip_by_norm(ones(2), nan)",
        ValueError,
        "clip_by_norm: max_norm is nan; need a number of at least",
    ),
)
def test_wrong_clipping(program, error, text):
    check(program, error, text)
