"""`Model`: training, evaluation and use of a network, with metrics and callbacks, in both forms."""

import numpy as np
import pytest

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
    Model,
    RunContext,
    TimeMonitor,
    get_metric_fn,
)


class Batches:
    """A dataset of three batches, each row as a program would give it."""

    def __init__(self):
        rng = np.random.default_rng(3)
        self.rows = [rng.standard_normal((8, 4)).astype(np.float32) for _ in range(3)]

    def get_dataset_size(self):
        return len(self.rows)

    def create_tuple_iterator(self, num_epochs=-1):
        assert num_epochs >= 1
        return Epochs(self.rows)


class Epochs:
    """One iterator over several epochs: each `for` is one of them."""

    def __init__(self, rows):
        self.rows = rows

    def __iter__(self):
        return ((Tensor(x), x.sum(1, keepdims=True)) for x in self.rows)


@pytest.fixture(params=[dyad.PYNATIVE_MODE, dyad.GRAPH_MODE], ids=["dynamic", "static"])
def mode(request):
    before = dyad.get_context("mode")
    dyad.set_context(mode=request.param)
    yield
    dyad.set_context(mode=before)


def make_model(**settings):
    dyad.set_seed(1)
    network = nn.Dense(4, 1)
    optimizer = nn.SGD(network.trainable_params(), 0.1)
    return Model(network, nn.MSELoss(), optimizer, **settings)


def test_it_learns(mode):
    model = make_model(metrics={"loss", "mse"})
    before = model.eval(Batches())
    model.train(20, Batches())
    after = model.eval(Batches())
    assert after.keys() == {"loss", "mse"} and after["loss"] < 0.1 * before["loss"]
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


def test_later_epochs_only():
    history = History()
    make_model().train(5, Batches(), history, initial_epoch=3)
    assert history.epoch["epoch"] == [4, 5]


def test_metrics():
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
        (lambda: make_model(amp_level="O2"), ValueError, "amp_level is 'O2'; need 'O0'"),
        (lambda: make_model(eval_indexes=[0]), ValueError, r"eval_indexes is \[0\]; need 3 ints"),
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
        (lambda: make_model().predict("a"), TypeError, "Model.predict: an input is of type str"),
        (
            lambda: get_metric_fn("acurracy"),
            KeyError,
            "there is no metric 'acurracy'; nearest is metric.accuracy",
        ),
        (lambda: Accuracy("nothing"), TypeError, "need one of classification, multilabel"),
        (lambda: Accuracy().eval(), RuntimeError, "call update before eval"),
        (lambda: LambdaCallback(on_nothing=print), TypeError, "there is no 'on_nothing'"),
        (lambda: RunContext(3), TypeError, "original_args is of type int; need a dict"),
    ],
)
def test_wrong_use_is_named(wrong, kind, text):
    with pytest.raises(kind, match=text):
        wrong()


def test_a_loss_that_is_no_number_ends_training():
    model = make_model()
    model.predict_network.weight.set_data(Tensor(np.full((1, 4), np.nan, np.float32)))
    with pytest.raises(ValueError, match="epoch: 1 step: 1, the loss is nan"):
        model.train(1, Batches(), LossMonitor())
