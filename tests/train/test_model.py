"""`Model`: training, evaluation and use of a network, with metrics and callbacks, in both forms."""

import numpy as np
import pytest
from model_runs import Batches, make_model

import dyad
from dyad import Tensor, amp, nn
from dyad.train import (
    MAE,
    MSE,
    Accuracy,
    Callback,
    History,
    LambdaCallback,
    Loss,
    LossMonitor,
    Metric,
    Model,
    RunContext,
    TimeMonitor,
    get_metric_fn,
)


@pytest.fixture(params=[dyad.PYNATIVE_MODE, dyad.GRAPH_MODE], ids=["dynamic", "static"])
def mode(request):
    before = dyad.get_context("mode")
    dyad.set_context(mode=request.param)
    yield
    dyad.set_context(mode=before)


def test_it_learns(mode):
    model = make_model(metrics={"loss", "mse"})
    before = model.eval(Batches())
    model.train(20, Batches())
    after = model.eval(Batches())
    assert after.keys() == {"loss", "mse"} and after["loss"] < 0.1 * before["loss"]
    assert {type(value) for value in after.values()} == {float}
    np.testing.assert_allclose(after["mse"], after["loss"], rtol=1e-4)
    assert model.predict(Tensor(np.ones((2, 4), np.float32))).shape == (2, 1)
    assert model.train_network.training and not model.predict_network.training


def test_a_step_is_that_of_the_training_cell():
    model, other = make_model(), make_model()
    model.train(1, Batches())
    step = other.train_network.set_train(True)
    for x, y in Batches().create_tuple_iterator(1):
        step(x, Tensor(y))
    np.testing.assert_array_equal(
        model.predict_network.weight.asnumpy(), other.predict_network.weight.asnumpy()
    )


@pytest.mark.parametrize(
    "manager",
    [amp.FixedLossScaleManager(8.0), amp.FixedLossScaleManager(8.0, False), amp.DynamicLossScaleManager(64)],
)
def test_scaled_losses_train_alike(manager):
    model = make_model(loss_scale_manager=manager, metrics={"mae"})
    if not isinstance(manager, amp.DynamicLossScaleManager) and not manager.get_drop_overflow_update():
        model = Model(
            model.predict_network,
            nn.MSELoss(),
            nn.SGD(model.predict_network.trainable_params(), 0.1, loss_scale=8.0),
            {"mae"},
            loss_scale_manager=manager,
        )
    model.train(20, Batches())
    assert model.eval(Batches())["mae"] < 0.5


def test_moments_come_in_order_and_a_run_can_be_stopped():
    seen = []

    class Noting(Callback):
        def begin(self, run_context):
            seen.append("begin")

        def step_end(self, run_context):
            run = run_context.original_args()
            seen.append((run.cur_epoch_num, run.cur_step_num, run.batch_num))
            if run.cur_step_num == 5:
                run_context.request_stop()

        def epoch_end(self, run_context):
            seen.append("epoch")
            with pytest.raises(KeyError, match="there is no 'nothing'"):
                _ = run_context.original_args().nothing

        def end(self, run_context):
            seen.append("end")

    make_model().train(4, Batches(), Noting())
    steps = [(1, 1, 3), (1, 2, 3), (1, 3, 3), "epoch", (2, 4, 3), (2, 5, 3), "epoch"]
    assert seen == ["begin", *steps, "end"]


def test_fit_evaluates_before_an_epoch_ends(capsys):
    history, evaluated = History(), []
    note = LambdaCallback(on_eval_end=lambda context: evaluated.append(context.original_args().metrics))
    model = make_model(metrics={"loss"})
    model.fit(
        4, Batches(), Batches(), valid_frequency=2, callbacks=[history, note, LossMonitor(3), TimeMonitor()]
    )
    text = capsys.readouterr().out
    assert len(evaluated) == 2 and history.epoch["epoch"] == [1, 2, 3, 4]
    assert history.history["loss"] == [found["loss"] for found in evaluated]
    assert len(history.history["net_output"]) == 4
    assert "epoch: 1 step: 3, loss is " in text and text.count("Eval result: epoch ") == 2
    assert text.count("Train epoch time: ") == 4 and " ms, per step time: " in text


def test_later_epochs_only_count_their_own_steps():
    history, steps = History(), []
    note = LambdaCallback(
        on_train_step_end=lambda context: steps.append(context.original_args().cur_step_num)
    )
    make_model().train(5, Batches(), [history, note], initial_epoch=3)
    assert history.epoch["epoch"] == [4, 5] and steps == [1, 2, 3, 4, 5, 6]


class Outputs(nn.Cell):
    """An evaluation network whose outputs are in an order of its own."""

    def __init__(self, network):
        super().__init__(auto_prefix=False)
        self.network, self.loss = network, nn.MSELoss()

    def construct(self, x, y):
        output = self.network(x)
        return y, output, self.loss(output, y)


def test_an_evaluation_network_says_where_its_outputs_are(mode):
    plain = make_model(metrics={"loss", "mae"})
    own = Model(
        plain.predict_network,
        metrics={"loss": Loss(), "mae": MAE()},
        eval_network=Outputs(plain.predict_network),
        eval_indexes=[2, 1, 0],
    )
    assert own.eval(Batches()) == pytest.approx(plain.eval(Batches()))


class Seen(Metric):
    """Counts what it is given."""

    def clear(self):
        self.counts = []

    def update(self, *inputs):
        self.counts.append(len(inputs))

    def eval(self):
        return self.counts


def test_without_indexes_a_metric_is_given_all_outputs():
    network = make_model().predict_network
    model = Model(network, metrics={"seen": Seen()}, eval_network=Outputs(network))
    assert model.eval(Batches()) == {"seen": [3, 3, 3]}


def test_a_network_with_an_optimizer_of_its_own_trains():
    inner = make_model(metrics={"loss"})
    step = nn.TrainOneStepCell(nn.WithLossCell(inner.predict_network, nn.MSELoss()), inner._optimizer)
    before = inner.eval(Batches())["loss"]
    Model(step).train(5, Batches())
    assert inner.eval(Batches())["loss"] < 0.5 * before


def test_a_callback_may_evaluate_in_the_middle_of_training():
    model, flags = make_model(metrics={"loss"}), []

    def look(context):
        flags.append(model.predict_network.training)
        model.eval(Batches())

    model.train(1, Batches(), LambdaCallback(on_train_step_end=look))
    assert flags == [True] * 3


def test_the_state_of_a_run_survives_its_evaluation():
    seen, model = [], make_model(metrics={"mae"})

    def note(context):
        run = context.original_args()
        seen.append((run.mode, run.cur_epoch_num, run.cur_step_num, run.batch_num, "metrics" in run))

    model.fit(
        2,
        Batches(),
        [(np.ones((2, 4), np.float32), np.ones((2, 1), np.float32))],
        [2],
        LambdaCallback(on_train_epoch_end=note, on_eval_end=note),
    )
    assert seen == [
        ("train", 1, 3, 3, False),
        ("eval", 2, 1, 1, True),
        ("train", 2, 6, 3, True),
    ]


def test_the_mean_loss_of_an_evaluation_is_a_result():
    found, model = [], make_model(metrics={"loss"})
    note = LambdaCallback(
        on_train_epoch_end=lambda context: found.append(context.original_args().eval_results)
    )
    model.fit(1, Batches(), Batches(), callbacks=note)
    assert found[0].keys() == {"loss", "eval_loss"} and found[0]["loss"] == pytest.approx(
        found[0]["eval_loss"]
    )


def test_a_step_is_one_graph(mode):
    model = make_model(metrics={"loss"})
    model.fit(2, Batches(), Batches())
    static = dyad.get_context("mode") == dyad.GRAPH_MODE
    assert len(model.train_network.compile_cache) == len(model.eval_network.compile_cache) == int(static)
    assert not model.predict_network.compile_cache


@pytest.mark.parametrize("mode", [dyad.GRAPH_MODE], indirect=True, ids=["static"])
def test_build_compiles_and_trains_nothing(mode):
    model = make_model(metrics={"loss"})
    before = model.predict_network.weight.asnumpy().copy()
    model.build(Batches(), Batches())
    np.testing.assert_array_equal(model.predict_network.weight.asnumpy(), before)
    entries = len(model.train_network.compile_cache), len(model.eval_network.compile_cache)
    model.fit(1, Batches(), Batches())
    assert entries == (1, 1)
    assert (len(model.train_network.compile_cache), len(model.eval_network.compile_cache)) == entries


def weights_trained_in(form):
    before = dyad.get_context("mode")
    dyad.set_context(mode=form)
    try:
        model = make_model(lambda parameters: nn.Momentum(parameters, 0.05, 0.9))
        model.train(4, Batches())
    finally:
        dyad.set_context(mode=before)
    return model.predict_network.weight.asnumpy()


def test_both_forms_train_alike():
    dynamic, static = map(weights_trained_in, (dyad.PYNATIVE_MODE, dyad.GRAPH_MODE))
    np.testing.assert_allclose(static, dynamic, rtol=1e-5)


def test_a_manager_is_told_of_overflows():
    class Noting(amp.DynamicLossScaleManager):
        told = ()

        def update_loss_scale(self, overflow):
            self.told += (overflow,)
            super().update_loss_scale(overflow)

    manager = Noting(init_loss_scale=2.0**127, scale_factor=2)
    make_model(loss_scale_manager=manager).train(1, Batches())
    assert len(manager.told) == 3 and manager.told[0] is True


@pytest.mark.parametrize(
    "settings",
    [
        {"amp_level": "O2"},
        {"amp_level": "O2", "loss_scale_manager": amp.FixedLossScaleManager(64.0)},
        {"amp_level": "O2", "loss_scale_manager": None, "keep_batchnorm_fp32": False},
        {"amp_level": "O3"},
        {"amp_level": "auto"},
    ],
)
def test_mixed_precision_learns(mode, settings):
    model = make_model(metrics={"loss"}, **settings)
    before = model.eval(Batches())["loss"]
    model.train(20, Batches(), LossMonitor(0))
    assert model.eval(Batches())["loss"] < 0.2 * before
    assert model.predict_network.weight.dtype == dyad.float32


def test_sinking_changes_nothing():
    plain, sunk = make_model(), make_model()
    plain.train(2, Batches())
    sunk.train(2, Batches(), dataset_sink_mode=True, sink_size=2)
    np.testing.assert_array_equal(
        plain.predict_network.weight.asnumpy(), sunk.predict_network.weight.asnumpy()
    )


def test_a_dataset_that_can_be_read_once_is_named():
    rows = [(np.ones((2, 4), np.float32), np.ones((2, 1), np.float32))]

    class Once:
        def __init__(self):
            self.iterator = iter(rows)

        def __len__(self):
            return 1

        def __iter__(self):
            return self.iterator

    with pytest.raises(ValueError, match="no batch in this epoch; need one that can be read again"):
        make_model().train(2, Once())


def test_the_names_of_the_package_are_those_of_train():
    assert dyad.Model is Model and dyad.LossMonitor is LossMonitor


def test_metrics_are_updated_and_cleared_by_batches():
    x, y = Tensor([[0.1, 0.9], [0.8, 0.2], [0.3, 0.7]]), Tensor([1, 0, 0])
    accuracy = get_metric_fn("accuracy")
    accuracy.update(x, y)
    assert accuracy.eval() == 2 / 3
    accuracy.clear()
    accuracy.update(x, Tensor([[0.0, 1.0], [0.0, 1.0], [0.0, 1.0]]))
    assert accuracy.eval() == 2 / 3
    labels = Accuracy("multilabel")
    labels.update(np.array([[0, 1], [1, 1]]), np.array([[0, 1], [0, 1]]))
    assert labels.eval() == 0.5
    for metric, expected in ((MAE(), 1.5), (MSE(), 2.5)):
        metric.update(np.array([1.0, 4.0]), np.array([2.0, 2.0]))
        assert metric.eval() == expected
    loss = Loss()
    loss.update(Tensor(1.0))
    loss.update(Tensor(3.0))
    assert loss.eval() == 2


class Old(Callback):
    def step_end(self, run_context):
        pass


@pytest.mark.parametrize(
    "wrong, kind, text",
    [
        (lambda: Model(lambda x: x), TypeError, "Model: network is of type function; need a Cell"),
        (lambda: Model(nn.ReLU(), metrics=["acc"]), TypeError, "need a set of names or a dict of Metrics"),
        (lambda: Model(nn.ReLU(), metrics={"acc"}), ValueError, "without loss_fn and eval_network"),
        (
            lambda: make_model(amp_level="O9"),
            ValueError,
            "amp_level is 'O9'; need one of O0, O1, O2, O3, auto",
        ),
        (lambda: Model(nn.ReLU(), amp_level="O2"), ValueError, "optimizer None; need an optimizer, or 'O0'"),
        (lambda: make_model(boost_level="O9"), ValueError, "boost_level is 'O9'; need one of O0, O1, O2"),
        (lambda: make_model(loss_scale=2), ValueError, "there is no argument 'loss_scale'"),
        (
            lambda: make_model(keep_batchnorm_fp32=1),
            TypeError,
            "keep_batchnorm_fp32 is 1 of type int; need a bool",
        ),
        (lambda: Model(nn.ReLU(), optimizer=3), TypeError, "optimizer is of type int; need a Cell"),
        (
            lambda: Model(nn.ReLU(), loss_scale_manager=amp.FixedLossScaleManager()),
            ValueError,
            "loss_scale_manager is given and optimizer None",
        ),
        (
            lambda: make_model(metrics={"mae"}, eval_indexes=[0]),
            ValueError,
            r"eval_indexes is \[0\]; need a list of 3 ints",
        ),
        (lambda: make_model(loss_scale_manager=3), TypeError, "loss_scale_manager is of type int"),
        (lambda: Model(nn.ReLU()).train(1, Batches()), ValueError, "has no optimizer; need one to train"),
        (lambda: make_model().eval(Batches()), ValueError, "has no metrics; need some to evaluate"),
        (lambda: make_model().train(0, Batches()), ValueError, "epoch is 0; need an int of at least 1"),
        (lambda: make_model().train(2, Batches(), initial_epoch=2), ValueError, "need less than epoch"),
        (lambda: make_model().train(2, Batches(), dataset_sink_mode=1), TypeError, "need a bool"),
        (lambda: make_model().train(2, Batches(), [print]), TypeError, "need a Callback"),
        (lambda: make_model().train(2, []), ValueError, "the dataset has no batches"),
        (lambda: make_model().train(2, 3), TypeError, "the dataset is of type int"),
        (
            lambda: make_model().fit(2, Batches(), callbacks=Old()),
            ValueError,
            "need on_train_step_end or on_eval",
        ),
        (lambda: make_model().predict(np.ones(4)), TypeError, "Model.predict: an input is of type ndarray"),
        (lambda: make_model().predict(backend="heavy"), ValueError, "backend is 'heavy'; need one of lite"),
        (lambda: make_model().train(2, Batches(), sink_size=0), ValueError, "sink_size is 0; need -1"),
        (lambda: make_model().train(2, Batches(), sink_size=2.0), TypeError, "need an int"),
        (
            lambda: make_model().fit(2, Batches(), Batches()),
            ValueError,
            "has no metrics; need some to evaluate",
        ),
        (
            lambda: make_model(metrics={"mae"}).fit(2, Batches(), Batches(), valid_frequency="2"),
            TypeError,
            "valid_frequency is of type str; need an int or a list of ints",
        ),
        (lambda: make_model().train(1, [(1.0,)]), ValueError, "a batch has 1 columns; need data and label"),
        (lambda: make_model().build(Batches()), RuntimeError, "need GRAPH_MODE"),
        (lambda: make_model().infer_train_layout(Batches()), RuntimeError, "need a parallel mode"),
        (lambda: make_model().infer_predict_layout(Tensor(1.0)), RuntimeError, "need a parallel mode"),
        (
            lambda: get_metric_fn("acurracy"),
            KeyError,
            "there is no metric 'acurracy'; nearest is metric.accuracy",
        ),
        (lambda: Accuracy("nothing"), TypeError, "need one of classification, multilabel"),
        (lambda: Accuracy().eval(), RuntimeError, "call update before eval"),
        (lambda: LambdaCallback(on_nothing=print), TypeError, "'on_nothing'"),
        (lambda: LambdaCallback(on_train_end=3), TypeError, "on_train_end is 3; need a function"),
        (lambda: RunContext(3), TypeError, "original_args is of type int; need a dict"),
    ],
)
def test_wrong_use_is_named(wrong, kind, text):
    with pytest.raises(kind, match=text):
        wrong()


def test_a_loss_that_is_not_a_number_ends_training():
    model = make_model()
    model.predict_network.weight.set_data(Tensor(np.full((1, 4), np.nan, np.float32)))
    with pytest.raises(ValueError, match="epoch: 1 step: 1, the loss is nan"):
        model.train(1, Batches(), LossMonitor())
