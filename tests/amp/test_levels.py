"""Levels of mixed precision: dtypes that each one lowers, and those it keeps."""

import copy
import pickle

import numpy as np
import pytest
from precision_forms import FORMS, fine, is_lowered, numbers

import dyad
from dyad import Parameter, Tensor, amp, nn, ops

LOWER = [dyad.float16, dyad.bfloat16]


class Parts(nn.Cell):
    """Each result shows what a Cell or an operator was computed in."""

    def __init__(self):
        super().__init__()
        self.weight = Parameter(Tensor(np.ones((1, 1), np.float32)), name="weight")
        self.dense = nn.Dense(1, 1, weight_init="ones", has_bias=False)
        self.kept = nn.Dense(1, 1, weight_init="ones", has_bias=False).to_float(dyad.float32)
        self.lowered = nn.Dense(1, 1, weight_init="ones", has_bias=False).to_float(dyad.float16)
        self.product, self.relu, self.times = ops.MatMul(), nn.ReLU(), ops.Mul()

    def construct(self, x):
        return {
            "Dense": self.dense(x),
            "MatMul": self.product(x, self.weight),
            "ReLU": self.relu(x),
            "Mul": self.times(x, self.weight),
            "to_float(float32)": self.kept(x),
            "to_float(float16)": self.lowered(x),
        }


LOWERED_AT = {
    "O0": {"to_float(float16)"},
    "O1": {"Dense", "MatMul", "ReLU", "to_float(float16)"},
    "O2": {"Dense", "MatMul", "ReLU", "Mul", "to_float(float32)", "to_float(float16)"},
    "O3": {"Dense", "MatMul", "ReLU", "Mul", "to_float(float32)", "to_float(float16)"},
    "auto": {"Dense", "MatMul", "to_float(float16)"},
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("level", LOWERED_AT)
def test_what_a_level_lowers(level, form):
    net = amp.auto_mixed_precision(Parts(), level)
    results = form(net)(fine(1, 1))
    assert {name for name, result in results.items() if is_lowered(result)} == LOWERED_AT[level]
    in_half = {name for name, result in results.items() if result.dtype != dyad.float32}
    set_by_user = set() if level in ("O2", "O3") else {"to_float(float16)"}
    assert in_half == (LOWERED_AT[level] if level == "auto" else set_by_user)


@pytest.mark.parametrize("level", ["O1", "O2", "O3", "auto"])
@pytest.mark.parametrize("dtype", LOWER)
def test_parameters_stay_as_they_are(level, dtype):
    plain, net = Parts(), amp.auto_mixed_precision(Parts(), level, dtype)
    assert [p.name for p in net.get_parameters()] == [p.name for p in plain.get_parameters()]
    gradients = dyad.grad(
        lambda x: sum(part.sum() for part in net(x).values()), None, net.trainable_params()
    )(fine(1, 1))
    assert {p.dtype for p in net.get_parameters()} == {g.dtype for g in gradients} == {dyad.float32}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", LOWER)
def test_norms_compute_in_float32_between_cells_in_half_precision(dtype, form):
    large = Tensor(np.array([[60000.0] * 4, [1.0] * 4], np.float32))
    net = amp.auto_mixed_precision(nn.SequentialCell(nn.BatchNorm1d(4), nn.ReLU()), "O2", dtype).set_train()
    assert np.isfinite(form(net)(large).asnumpy()).all()  # the variance overflows in float16
    assert net[0].moving_variance.dtype == dyad.float32
    assert net[0](large).dtype == dtype and net[1](large).dtype == dtype
    assert net(large).dtype == dyad.float32


def test_a_network_that_is_a_norm_stays_in_float32_at_o2_only():
    assert not is_lowered(amp.auto_mixed_precision(_identity_norm(), "O2")(fine(2, 1)))
    assert is_lowered(amp.auto_mixed_precision(_identity_norm(), "O3")(fine(2, 1)))


def _identity_norm():
    return nn.BatchNorm1d(1, eps=1e-30)


@pytest.mark.parametrize("form", FORMS)
def test_results_in_containers_are_cast(form):
    class Several(nn.Cell):
        def construct(self, x, count):
            return (x * 2, [x + 1, count + 1], {"x": x}), 3

    net = amp.auto_mixed_precision(Several(), "O3")
    (first, (second, count), named), number = form(net)(fine(2), Tensor([1, 2]))
    assert first.dtype == second.dtype == named["x"].dtype == dyad.float32
    assert count.dtype == dyad.int64 and number == 3


def test_a_cell_shared_by_two_places_is_lowered_once():
    shared = nn.Dense(1, 1, weight_init="ones", has_bias=False)
    net = amp.auto_mixed_precision(nn.SequentialCell(shared, nn.SequentialCell(shared)), "O2")
    assert is_lowered(net(fine(1, 1))) and len(net.trainable_params()) == 1
    assert shared(fine(1, 1)).dtype == dyad.float16


def test_the_last_to_float_wins_after_a_conversion():
    net = amp.auto_mixed_precision(nn.SequentialCell(nn.Dense(4, 4), nn.BatchNorm1d(4)), "O2")
    assert net.to_float(dyad.float32)(numbers(0, 2, 4)).dtype == dyad.float32
    assert not is_lowered(net.to_float(dyad.float32)[1](fine(2, 4)) * 0 + fine(2, 4))


@pytest.mark.parametrize("level", ["O1", "O2", "O3", "auto"])
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda net: pickle.loads(pickle.dumps(net))])
def test_copies_compute_alike(level, copied):
    net = amp.auto_mixed_precision(nn.SequentialCell(nn.Dense(3, 3), nn.ReLU(), nn.LayerNorm((3,))), level)
    x = numbers(1, 2, 3)
    expected, found = net(x), copied(net)(x)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found.asnumpy(), expected.asnumpy())


class Middle(nn.Cell):
    """Inside of a Cell that is listed."""

    def construct(self, x):
        return ops.mul(x, 1.0)


def test_a_white_list_of_ones_own():
    net = nn.SequentialCell(Middle(), nn.Dense(1, 1, weight_init="ones", has_bias=False))
    converted = amp.custom_mixed_precision(net, white_list=[Middle])
    assert is_lowered(converted(fine(1, 1))) and converted(fine(1, 1)).dtype == dyad.float32
    assert not is_lowered(converted[1](fine(1, 1)))
    assert not is_lowered(amp.custom_mixed_precision(_times(), white_list=[ops.Add])(fine(1, 1)))
    assert is_lowered(amp.custom_mixed_precision(_times(), white_list=[ops.Mul])(fine(1, 1)))


def _times():
    class Times(nn.Cell):
        def construct(self, x):
            return x * 1.0

    return Times()


@pytest.mark.parametrize("dtype", LOWER)
def test_a_black_list_of_ones_own(dtype):
    net = amp.custom_mixed_precision(nn.SequentialCell(Middle(), nn.ReLU()), black_list=[Middle], dtype=dtype)
    assert net[0](fine(1)).dtype == dtype and net(fine(1)).dtype == dyad.float32
    net[0]._set_precision(_output_dtype=None)
    assert not is_lowered(net[0](fine(1)))


def test_the_lists_are_copies():
    assert nn.Dense in amp.get_white_list() and ops.MatMul in amp.get_white_list()
    assert set(amp.get_black_list()) == {nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d, nn.LayerNorm}
    amp.get_white_list().clear()
    amp.get_black_list().clear()
    assert amp.get_white_list() == amp.AMP_WHITE_LIST and amp.get_black_list() == amp.AMP_BLACK_LIST


def test_the_names_are_found_under_the_paths_of_the_reference():
    from dyad.train.amp import AMP_BLACK_LIST, auto_mixed_precision
    from dyad.train.loss_scale_manager import DynamicLossScaleManager, FixedLossScaleManager

    assert auto_mixed_precision is amp.auto_mixed_precision and AMP_BLACK_LIST is amp.AMP_BLACK_LIST
    assert DynamicLossScaleManager is amp.DynamicLossScaleManager and FixedLossScaleManager


def test_names_that_packages_import_without_being_documented():
    from dyad.train.amp import (
        AMP_BLACK_LIST,
        _add_loss_network,
        _auto_black_list,
        _auto_mixed_precision_rewrite,
        _config_level,
        _do_keep_batchnorm_fp32,
        _OutputTo16,
        _OutputTo32,
    )

    low = _OutputTo16(nn.ReLU(), dyad.bfloat16)
    assert low(fine(1)).dtype == dyad.bfloat16 and _OutputTo32(low)(fine(1)).dtype == dyad.float32
    net = _auto_black_list(nn.SequentialCell(nn.BatchNorm1d(2), nn.ReLU()), AMP_BLACK_LIST, dyad.bfloat16)
    assert net(fine(1, 2)).dtype == dyad.bfloat16 and net[0]._compute_dtype == dyad.float32
    for lists in ({"white_list": [nn.ReLU]}, {"black_list": []}):
        net = _auto_mixed_precision_rewrite(nn.SequentialCell(nn.ReLU()), dyad.float16, **lists)
        assert is_lowered(net(fine(1))) and net(fine(1)).dtype == dyad.float32
    with pytest.raises(ValueError, match="need either white_list or black_list"):
        _auto_mixed_precision_rewrite(nn.ReLU(), dyad.float16)
    net = nn.SequentialCell(nn.ReLU(), nn.BatchNorm1d(2)).to_float(_config_level["O2"]["cast_model_type"])
    _do_keep_batchnorm_fp32(net)
    assert net[:1](fine(1, 2)).dtype == dyad.float16 and net(fine(1, 2)).dtype == dyad.float32
    halves = nn.ReLU().to_float(dyad.float16)
    loss = _add_loss_network(halves, nn.L1Loss(), dyad.float16)
    assert halves(fine(1)).dtype == dyad.float16 and loss(fine(1), fine(1)).dtype == dyad.float32


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: amp.auto_mixed_precision(abs, "O2"),
            TypeError,
            "network is of type builtin_function_or_method; need a Cell",
        ),
        (
            lambda: amp.auto_mixed_precision(3, "auto"),
            TypeError,
            "network is of type int; need a Cell or, with",
        ),
        (
            lambda: amp.auto_mixed_precision(nn.ReLU(), "O4"),
            ValueError,
            "amp_level is 'O4'; need one of O0, O1",
        ),
        (lambda: amp.auto_mixed_precision(nn.ReLU(), None), ValueError, "amp_level is None"),
        (
            lambda: amp.auto_mixed_precision(nn.ReLU(), "O0", dyad.float32),
            ValueError,
            "dtype is dyad.float32; need float16 or bfloat16",
        ),
        (lambda: amp.auto_mixed_precision(nn.ReLU(), "O2", "float16"), ValueError, "dtype is 'float16'"),
        (
            lambda: amp.custom_mixed_precision(3, white_list=[]),
            TypeError,
            "network is of type int; need a Cell",
        ),
        (
            lambda: amp.custom_mixed_precision(nn.ReLU()),
            ValueError,
            "either white_list or black_list; neither is",
        ),
        (
            lambda: amp.custom_mixed_precision(nn.ReLU(), white_list=[], black_list=[]),
            ValueError,
            "both are given",
        ),
        (
            lambda: amp.custom_mixed_precision(nn.ReLU(), white_list=(nn.Dense,)),
            TypeError,
            "is of type tuple",
        ),
        (
            lambda: amp.custom_mixed_precision(nn.ReLU(), white_list=[int]),
            TypeError,
            "need subclasses of Cell or Pri",
        ),
        (
            lambda: amp.custom_mixed_precision(nn.ReLU(), black_list=[ops.ReLU]),
            TypeError,
            "need subclasses of Cell",
        ),
        (
            lambda: amp.custom_mixed_precision(nn.ReLU(), black_list=["Dense"]),
            TypeError,
            "black_list holds 'Dense'",
        ),
        (
            lambda: amp.custom_mixed_precision(nn.ReLU(), white_list=[ops.SegmentSum]),
            TypeError,
            "white_list holds SegmentSum, which is no operator of its own here",
        ),
        (
            lambda: amp.custom_mixed_precision(nn.ReLU(), black_list=[], dtype=dyad.float64),
            ValueError,
            "custom_mixed_precision: dtype is dyad.float64",
        ),
    ],
)
def test_what_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
