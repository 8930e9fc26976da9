"""Callbacks that watch a run: what they print, keep and change, and how a run calls them."""

import json
import os
import re
import signal

import numpy as np
import pytest
from model_runs import BATCHES, Batches, context_of, make_model

from dyad import Parameter, Tensor, nn, train
from dyad.train import (
    BackupAndRestore,
    Callback,
    EarlyStopping,
    FlopsUtilizationCollector,
    History,
    LambdaCallback,
    LearningRateScheduler,
    LossMonitor,
    MindIOTTPAdapter,
    OnRequestExit,
    ReduceLROnPlateau,
    TimeMonitor,
    TrainFaultTolerance,
)
from dyad.train.callback import (
    _CallbackManager,
    _checkpoint_cb_for_save_op,
    _InternalCallbackParam,
    _set_cur_net,
)
from dyad.train.callback._callback import _handle_loss

NUMBER = r"\d+\.\d{3}"


# --- How a run calls them -------------------------------------------------------------------------------------


class Noting(Callback):
    """Notes every moment it is told of."""

    def __init__(self, seen, name=""):
        self.seen, self.name = seen, name

    def __enter__(self):
        self.seen.append(f"{self.name}enter")
        return self

    def __exit__(self, *error):
        self.seen.append(f"{self.name}exit {error[0] and error[0].__name__}")


def test_callbacks_are_entered_and_left():
    seen = []
    make_model().train(1, Batches(), [Noting(seen, "a "), Noting(seen, "b ")])
    assert seen == ["a enter", "b enter", "b exit None", "a exit None"]


def test_they_are_left_with_the_error_that_ends_a_run():
    seen = []

    def fail(context):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        make_model().train(1, Batches(), [Noting(seen), LambdaCallback(on_train_step_end=fail)])
    assert seen == ["enter", "exit ZeroDivisionError"]


def test_they_are_left_if_another_cannot_be_entered():
    seen = []

    class Failing(Callback):
        def __enter__(self):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        make_model().train(1, Batches(), [Noting(seen), Failing()])
    assert seen == ["enter", "exit ZeroDivisionError"]


def test_another_callback_may_take_its_place():
    history = History()

    class Giving(Callback):
        def __enter__(self):
            return history

    make_model().train(2, Batches(), Giving())
    assert history.epoch["epoch"] == [1, 2]


def test_the_state_of_a_run_can_be_added_to():
    def add(context):
        context.original_args().noted = 5

    seen = []
    note = LambdaCallback(on_train_end=lambda context: seen.append(context.original_args()["noted"]))
    make_model().train(1, Batches(), [LambdaCallback(on_train_begin=add), note])
    assert seen == [5]


def test_what_callbacks_are_told():
    states = []
    make_model().train(2, Batches(), LambdaCallback(on_train_end=lambda c: states.append(c.original_args())))
    run = states[0]
    assert (run.mode, run.epoch_num, run.cur_epoch_num, run.cur_step_num, run.batch_num) == (
        "train",
        2,
        2,
        6,
        3,
    )
    assert len(run.train_dataset_element) == 2 and run.dataset_sink_mode is False
    assert (run.parallel_mode, run.device_number, run.initial_step) == ("stand_alone", 1, 0)


def test_evaluation_calls_the_moments_of_both_phases():
    seen = []

    class Old(Callback):
        def step_end(self, run_context):
            run = run_context.original_args()
            seen.append((run.mode, run.cur_step_num, len(run.net_outputs)))

    make_model(metrics={"loss"}).eval(Batches(), Old())
    assert seen == [("eval", 1, 3), ("eval", 2, 3), ("eval", 3, 3)]


def test_evaluation_can_be_stopped():
    steps = []

    def stop(context):
        steps.append(1)
        context.request_stop()

    make_model(metrics={"loss"}).eval(Batches(), LambdaCallback(on_eval_step_end=stop))
    assert steps == [1]


class Subclassed(LossMonitor):
    """A callback of a user's that builds on one of the package."""


class Overriding(LossMonitor):
    def step_end(self, run_context):
        super().step_end(run_context)


def test_fit_takes_what_builds_on_the_package_and_says_its_phase(capsys):
    make_model(metrics={"mae"}).fit(1, Batches(), Batches(), callbacks=Subclassed())
    assert capsys.readouterr().out.count("loss is") == BATCHES
    with pytest.raises(ValueError, match="Overriding has step_end, which both"):
        make_model().fit(1, Batches(), callbacks=Overriding())


def test_a_network_is_filled_while_it_is_saved():
    network = nn.Dense(2, 1)
    values = [{"name": "weight", "data": Tensor([[1.0, 2.0]])}]
    assert _checkpoint_cb_for_save_op(values) is False
    _set_cur_net(network)
    assert _checkpoint_cb_for_save_op(values) is True
    assert network.weight.asnumpy().tolist() == [[1.0, 2.0]]


# --- LossMonitor, TimeMonitor, History ------------------------------------------------------------------------


def test_losses_are_printed_when_they_are_due(capsys):
    make_model().train(2, Batches(), LossMonitor(2))
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(", loss is ")[0] for line in lines] == [
        "epoch: 1 step: 2",
        "epoch: 2 step: 1",
        "epoch: 2 step: 3",
    ]
    assert all(float(line.split("loss is ")[1]) > 0 for line in lines)


def test_a_second_run_prints_as_the_first(capsys):
    monitor, model = LossMonitor(3), make_model()
    for _ in range(2):
        model.train(1, Batches(), monitor)
        assert capsys.readouterr().out.startswith("epoch: 1 step: 3, loss is ")


@pytest.mark.parametrize(
    "outputs, shown",
    [
        (Tensor(2.5), "2.5"),
        (Tensor([1.0, 2.0]), "1.5"),
        ((Tensor(0.5), Tensor(9.0)), "0.5"),
        ([Tensor([0.5]), Tensor(9.0)], "0.5"),
    ],
)
def test_the_loss_is_the_mean_of_the_first_output(capsys, outputs, shown):
    LossMonitor().step_end(context_of(net_outputs=outputs, cur_epoch_num=4, cur_step_num=7, batch_num=3))
    assert capsys.readouterr().out == f"epoch: 4 step: 1, loss is {shown}\n"


@pytest.mark.parametrize("loss", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("outputs", [lambda loss: loss, lambda loss: (loss, Tensor(1.0))])
def test_a_loss_that_is_not_a_number_ends_the_run(loss, outputs):
    context = context_of(net_outputs=outputs(Tensor(loss)), cur_epoch_num=1, cur_step_num=2, batch_num=3)
    with pytest.raises(ValueError, match=f"epoch: 1 step: 2, the loss is {loss}"):
        LossMonitor(0).step_end(context)


def test_times_of_training_and_evaluation(capsys):
    make_model(metrics={"loss"}).fit(1, Batches(), Batches(), callbacks=TimeMonitor())
    evaluated, trained = capsys.readouterr().out.splitlines()
    assert re.fullmatch(f"Eval epoch time: +{NUMBER} ms, per step time: +{NUMBER} ms", evaluated)
    assert re.fullmatch(f"Train epoch time: +{NUMBER} ms, per step time: +{NUMBER} ms", trained)


def test_time_spent_on_data(capsys):
    make_model().train(1, Batches(), TimeMonitor(data_time=True))
    text = capsys.readouterr().out
    assert re.fullmatch(
        rf"Train epoch time: +{NUMBER} ms, per step time: +{NUMBER} ms \(data time: +{NUMBER} ms\)\n", text
    )


def test_history_grows_over_runs():
    history, model = History(), make_model(metrics={"mae"})
    model.train(2, Batches(), history)
    model.fit(1, Batches(), Batches(), callbacks=history)
    assert history.epoch == {"epoch": [1]}
    assert {name: len(values) for name, values in history.history.items()} == {"net_output": 3, "mae": 1}


# --- EarlyStopping, ReduceLROnPlateau, LearningRateScheduler --------------------------------------------------


def tell_epochs(callback, results, **fields):
    """The context after epochs with these results, or after the one in which the callback asks to stop."""
    context = context_of(**fields)
    callback.on_train_begin(context)
    for epoch, found in enumerate(results, 1):
        context.original_args().update(cur_epoch_num=epoch, eval_results=found)
        callback.on_train_epoch_end(context)
        if context.get_stop_requested():
            break
    callback.on_train_end(context)
    return context


@pytest.mark.parametrize(
    "settings, values, last",
    [
        ({"monitor": "eval_loss"}, [3.0, 2.0, 2.0, 1.0], 3),
        ({"monitor": "eval_loss", "patience": 2}, [3.0, 2.0, 2.0, 1.0, 1.0, 1.0, 1.0], 6),
        ({"monitor": "accuracy", "patience": 1}, [0.1, 0.2, 0.2], 3),
        ({"monitor": "accuracy", "patience": 1, "mode": "min"}, [0.1, 0.2], 2),
        ({"monitor": "accuracy", "patience": 1, "min_delta": 0.5}, [1.0, 2.0, 2.4], 3),
        ({"monitor": "accuracy", "patience": 2, "baseline": 0.5}, [0.1, 0.2, 0.9], 2),
        ({"monitor": "accuracy", "patience": 2, "baseline": 0.5}, [0.6, 0.7, 0.6, 0.6], 4),
        ({"monitor": "accuracy", "patience": 1, "mode": "max"}, [0.0, 0.0], 2),
    ],
)
def test_training_stops_early(settings, values, last):
    context = tell_epochs(EarlyStopping(**settings), [{settings["monitor"]: value} for value in values])
    assert context.get_stop_requested() and context.original_args().cur_epoch_num == last


def test_the_best_weights_come_back(capsys):
    stopping = EarlyStopping(patience=2, verbose=True, restore_best_weights=True)
    network = nn.Dense(2, 1)
    context, seen = context_of(train_network=network), []
    stopping.on_train_begin(context)
    for epoch, loss in enumerate([3.0, 1.0, 2.0, 2.0], 1):
        network.weight.set_data(Tensor(np.full((1, 2), epoch, np.float32)))
        context.original_args().update(cur_epoch_num=epoch, eval_results={"eval_loss": loss})
        stopping.on_train_epoch_end(context)
        seen.append(network.weight.asnumpy()[0, 0])
    stopping.on_train_end(context)
    assert seen == [1.0, 2.0, 3.0, 2.0]
    assert capsys.readouterr().out.splitlines() == [
        "Restoring model weights from the end of the best epoch.",
        "Epoch 00004: early stopping",
    ]


def test_a_run_of_fit_stops_early():
    model, history = make_model(lambda parameters: nn.SGD(parameters, 0.0), metrics={"loss"}), History()
    model.fit(9, Batches(), Batches(), callbacks=[EarlyStopping(patience=2), history])
    assert history.epoch["epoch"] == [1, 2, 3]


def test_what_is_watched_may_be_missing_in_an_epoch(caplog):
    context = tell_epochs(EarlyStopping(monitor="acc", patience=1), [{}, {"acc": 0.5}])
    assert not context.get_stop_requested()


@pytest.mark.parametrize(
    "cooldown, rates",
    [(0, [1.0, 1.0, 0.1, 0.1, 0.01, 0.01]), (2, [1.0, 1.0, 0.1, 0.1, 0.1, 0.01])],
)
def test_the_learning_rate_falls_on_a_plateau(cooldown, rates):
    optimizer = nn.SGD([Parameter(Tensor([1.0]), "w")], 1.0)
    reducing = ReduceLROnPlateau(patience=2, cooldown=cooldown)
    context, seen = context_of(optimizer=optimizer), []
    for epoch, loss in enumerate([1.0, 1.1, 1.0, 1.0, 1.1, 1.2], 1):
        context.original_args().update(cur_epoch_num=epoch, eval_results={"eval_loss": loss})
        reducing.on_train_epoch_end(context)
        seen.append(float(optimizer.learning_rate.asnumpy()))
    assert seen == pytest.approx(rates)


def test_the_learning_rate_has_a_least_value(capsys):
    optimizer = nn.SGD([Parameter(Tensor([1.0]), "w")], 1.0)
    reducing = ReduceLROnPlateau(patience=1, min_lr=0.25, verbose=True)
    tell_epochs(reducing, [{"eval_loss": 1.0}] * 4, optimizer=optimizer)
    assert optimizer.learning_rate.asnumpy() == 0.25
    assert capsys.readouterr().out == "Epoch 00002: ReduceLROnPlateau reducing learning rate to 0.25.\n"


def test_a_rate_that_changes_by_itself_is_left_alone():
    optimizer = nn.SGD([Parameter(Tensor([1.0]), "w")], [0.1, 0.01])
    for callback in (ReduceLROnPlateau(), LearningRateScheduler(lambda rate, step: rate)):
        moment = (
            getattr(callback, "on_train_epoch_end", None)
            if "LR" in type(callback).__name__
            else callback.step_end
        )
        with pytest.raises(ValueError, match="need one fixed rate, no schedule"):
            moment(context_of(optimizer=optimizer, cur_step_num=1, eval_results={"eval_loss": 1.0}))


def test_a_function_chooses_the_learning_rate():
    asked = []

    def halved(rate, step):
        asked.append((rate, step))
        return rate / 2

    model = make_model()
    model.train(1, Batches(), LearningRateScheduler(halved))
    assert asked == [(0.1, 1), (0.05, 2), (0.025, 3)]
    assert float(model._optimizer.learning_rate.asnumpy()) == pytest.approx(0.0125)


# --- Backup, exit on request, counts --------------------------------------------------------------------------


def test_a_run_goes_on_where_another_was_cut_off(tmp_path):
    model = make_model()

    def cut(context):
        if context.original_args().cur_epoch_num == 2:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        model.train(3, Batches(), [BackupAndRestore(str(tmp_path)), LambdaCallback(on_train_epoch_end=cut)])
    file = tmp_path / "backup.ckpt"
    reached, again, found = model.predict_network.weight.asnumpy(), make_model(), []

    def look(context):
        found.append(again.predict_network.weight.asnumpy().copy())

    assert file.exists()
    again.train(1, Batches(), [BackupAndRestore(str(tmp_path)), LambdaCallback(on_train_epoch_begin=look)])
    np.testing.assert_array_equal(found[0], reached)
    assert not file.exists()


def test_a_backup_may_stay_and_be_rare(tmp_path):
    make_model().train(3, Batches(), BackupAndRestore(str(tmp_path), save_freq=4))
    assert not list(tmp_path.iterdir())
    make_model().train(4, Batches(), BackupAndRestore(str(tmp_path), 4, delete_checkpoint=False))
    assert [file.name for file in tmp_path.iterdir()] == ["backup.ckpt"]


def test_a_signal_ends_training_in_order(tmp_path):
    model, steps = make_model(), []

    def ask(context):
        steps.append(context.original_args().cur_step_num)
        if len(steps) == 2:
            os.kill(os.getpid(), signal.SIGUSR1)

    before = signal.getsignal(signal.SIGUSR1)
    leaving = OnRequestExit(save_mindir=False, directory=str(tmp_path), sig=signal.SIGUSR1)
    model.train(5, Batches(), [LambdaCallback(on_train_step_begin=ask), leaving])
    assert steps == [1, 2] and signal.getsignal(signal.SIGUSR1) is before
    assert (tmp_path / "rank_0/Net_train.ckpt").exists()
    again, found = make_model(metrics={"loss"}), []

    def look(context):
        found.append(again.predict_network.weight.asnumpy().copy())

    again.fit(1, Batches(), Batches(), callbacks=[leaving, LambdaCallback(on_train_step_begin=look)])
    np.testing.assert_array_equal(found[0], model.predict_network.weight.asnumpy())


def test_evaluation_in_the_middle_of_training_loads_nothing(tmp_path):
    leaving = OnRequestExit(save_mindir=False, directory=str(tmp_path))
    model = make_model(metrics={"loss"})
    train.save_checkpoint(model.train_network, leaving.train_name)
    before = model.predict_network.weight.asnumpy().copy()
    model.fit(1, Batches(), Batches(), callbacks=leaving)
    assert not np.array_equal(model.predict_network.weight.asnumpy(), before)


def test_a_file_ends_training_too(tmp_path):
    file = tmp_path / "exit.json"
    leaving = OnRequestExit(False, False, config_file=str(file))
    history = History()
    make_model().train(2, Batches(), [leaving, history])
    file.write_text(json.dumps({"GracefulExit": 1}))
    states = []
    note = LambdaCallback(on_train_end=lambda context: states.append(context.original_args().cur_step_num))
    make_model().train(2, Batches(), [leaving, note])
    assert history.epoch["epoch"] == [1, 2] and states == [1]


def test_a_signal_leaves_the_graph(tmp_path):
    leaving = OnRequestExit(directory=str(tmp_path), sig=signal.SIGUSR1)
    ask = LambdaCallback(on_train_step_begin=lambda context: os.kill(os.getpid(), signal.SIGUSR1))
    make_model().train(2, Batches(), [ask, leaving])
    assert (tmp_path / "rank_0/Net_train.mindir").exists()


def test_operations_are_counted(capsys):
    counting = FlopsUtilizationCollector(BATCHES, computility=1e9)
    make_model().train(1, Batches(), counting)
    first, *steps = capsys.readouterr().out.splitlines()
    products = 2 * 2 * 8 * 4  # forward, and the gradient of the weight
    assert products <= counting.full_model_flops <= 4 * products
    assert first.startswith(f"Full model flops is {counting.full_model_flops}, Full hardware flops is ")
    assert len(steps) == BATCHES
    for step in steps:
        assert re.fullmatch(rf"Train per step time: +{NUMBER} ms mfu:\d+\.\d\d% hfu:\d+\.\d\d%", step)


def test_an_error_ends_the_count():
    def fail(context):
        raise ArithmeticError

    with pytest.raises(ArithmeticError):
        make_model().train(
            1,
            Batches(),
            [FlopsUtilizationCollector(1, full_flops=False), LambdaCallback(on_train_step_begin=fail)],
        )
    counting = FlopsUtilizationCollector(1, full_flops=False)
    make_model().train(1, Batches(), counting)
    assert counting.full_model_flops > 0


# --- Errors ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wrong, kind, text",
    [
        (lambda: LossMonitor(-1), ValueError, "per_print_times is -1; need an int of at least 0"),
        (lambda: LossMonitor("1"), TypeError, "per_print_times is '1' of type str"),
        (lambda: TimeMonitor(0), ValueError, "data_size is 0; need an int of at least 1"),
        (lambda: TimeMonitor(data_time=1), TypeError, "data_time is 1 of type int; need a bool"),
        (lambda: TimeMonitor().epoch_end(context_of()), ValueError, "does not tell its batch_num"),
        (lambda: EarlyStopping(monitor=3), TypeError, "EarlyStopping: monitor is 3 of type int; need a str"),
        (lambda: EarlyStopping(mode="up"), ValueError, "mode is 'up'; need one of auto, min, max"),
        (lambda: EarlyStopping(patience=-1), ValueError, "patience is -1"),
        (
            lambda: tell_epochs(EarlyStopping("f1"), [{"f1": np.ones(3)}]),
            ValueError,
            r"monitor is 'f1', which has shape \(3,\); need one number",
        ),
        (lambda: ReduceLROnPlateau(factor=1.0), ValueError, r"factor is 1.0; need a number in \(0, 1\)"),
        (lambda: ReduceLROnPlateau(cooldown=-1), ValueError, "cooldown is -1"),
        (lambda: LearningRateScheduler(0.1), TypeError, "learning_rate_function is 0.1; need a function"),
        (lambda: BackupAndRestore(3), TypeError, "backup_dir is 3 of type int; need the path of a folder"),
        (lambda: BackupAndRestore("", 1), TypeError, "backup_dir is ''"),
        (lambda: OnRequestExit(save_ckpt=1), ValueError, "save_ckpt is 1 of type int; need a bool"),
        (lambda: OnRequestExit(sig=signal.SIGKILL), ValueError, "which no program can catch"),
        (lambda: FlopsUtilizationCollector(0), ValueError, "data_size is 0"),
        (lambda: FlopsUtilizationCollector(1, enable_ma_collector=True), ValueError, "need False"),
        (lambda: TrainFaultTolerance(), ValueError, "this is one process; need BackupAndRestore"),
        (lambda: MindIOTTPAdapter("1.1.1.1", 1, "."), ValueError, "MindIOTTPAdapter: it recovers a cluster"),
        (lambda: _CallbackManager([None]), TypeError, "callbacks has None of type NoneType; need a Callback"),
        (lambda: _InternalCallbackParam().nothing, KeyError, "there is no 'nothing'"),
    ],
)
def test_wrong_use_is_named(wrong, kind, text):
    with pytest.raises(kind, match=text):
        wrong()


def test_the_loss_of_a_tuple_is_its_first_tensor():
    loss, other = Tensor([1.0, 3.0]), Tensor(5.0)
    assert _handle_loss((loss, other)) is loss and _handle_loss([loss]) is loss
    assert _handle_loss(loss) == 2.0 and type(_handle_loss(loss)) is float
    assert _handle_loss((1.5, other)) == (1.5, other)
    assert _handle_loss(0.5) == 0.5
