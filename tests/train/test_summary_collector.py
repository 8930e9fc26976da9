"""`SummaryCollector`: what it records of a run, in both forms, and what it refuses."""

import json

import event_reader
import numpy as np
import pytest

import dyad
from dyad import Tensor, nn, ops
from dyad.train import Callback, Model, SummaryCollector, SummaryRecord
from dyad.train.callback import _InternalCallbackParam


class Pictures:
    """A dataset of five batches of four images."""

    def __init__(self):
        rng = np.random.default_rng(3)
        self.rows = [(rng.standard_normal((4, 1, 2, 2)).astype(np.float32), [0, 1, 0, 1]) for _ in range(5)]

    def get_dataset_size(self):
        return len(self.rows)

    def create_tuple_iterator(self, num_epochs=-1):
        return [(Tensor(x), Tensor(y, dyad.int32)) for x, y in self.rows]


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.flatten, self.hidden, self.out = nn.Flatten(), nn.Dense(4, 3), nn.Dense(3, 2)
        self.scalar, self.tensor = ops.ScalarSummary(), ops.TensorSummary()

    def construct(self, x):
        hidden = self.hidden(self.flatten(x))
        self.scalar("hidden", hidden.mean())
        self.tensor("all", hidden)
        return self.out(hidden)


class Seen(Callback):
    """The losses and rates of all steps, as the program sees them."""

    def __init__(self):
        self.losses = {}

    def on_train_step_end(self, run_context):
        run = run_context.original_args()
        self.losses[run.cur_step_num] = float(run.net_outputs.asnumpy())


@pytest.fixture(params=[dyad.PYNATIVE_MODE, dyad.GRAPH_MODE], ids=["dynamic", "static"])
def mode(request):
    before = dyad.get_context("mode")
    dyad.set_context(mode=request.param)
    yield
    dyad.set_context(mode=before)


def make_model(rate=0.1):
    dyad.set_seed(1)
    network = Net()
    optimizer = nn.SGD(network.trainable_params(), rate)
    return network, Model(network, nn.CrossEntropyLoss(), optimizer, metrics={"accuracy"})


def the_file(folder):
    [path] = folder.glob("*.tfevents.*")
    return path


def texts(path):
    """{tag: what its text holds}."""
    found = {}
    for _, tag, parts in event_reader.values(path):
        if 8 in parts and 8 in (tensor := event_reader.message(parts[8][0])):
            found[tag] = json.loads(tensor[8][0].decode().strip("`").removeprefix("json"))
    return found


def test_a_run(mode, tmp_path):
    _, model = make_model(nn.ExponentialDecayLR(0.1, 0.5, 1))
    seen = Seen()
    collector = SummaryCollector(str(tmp_path), collect_freq=3, custom_lineage_data={"note": "first"})
    model.fit(2, Pictures(), Pictures(), callbacks=[seen, collector])
    scalars = event_reader.scalars(the_file(tmp_path))
    steps = [1, 3, 6, 9]
    assert [step for step, _ in scalars["loss/auto"]] == steps
    assert scalars["loss/auto"] == [(step, pytest.approx(seen.losses[step])) for step in steps]
    rates = [pytest.approx(0.1 * 0.5 ** (step - 1), rel=1e-5) for step in steps]
    assert [rate for _, rate in scalars["learning_rate/auto"]] == rates
    assert [step for step, _ in scalars["eval/accuracy"]] == [5, 10]
    for tag in ("hidden", "time/step_ms", "time/wait_ms", "memory/tensors_mb", "gradient_norm/auto"):
        assert [step for step, _ in scalars[tag]] == steps, tag
        assert all(np.isfinite(number) for _, number in scalars[tag])
    kinds = {
        (tag, min({4, 5} & set(parts), default=0))
        for _, tag, parts in event_reader.values(the_file(tmp_path))
    }
    assert ("input_data/auto", 4) in kinds and ("hidden.weight/auto", 5) in kinds
    found = texts(the_file(tmp_path))
    assert found["custom_lineage_data"] == {"note": "first"}
    assert found["train_lineage"]["optimizer"] == "SGD" and found["train_lineage"]["steps"] == 10
    assert found["eval_lineage"]["metrics"].keys() == {"accuracy"}
    SummaryRecord(str(tmp_path)).close()  # the collector has closed its own


def test_gradient_norms_are_those_of_the_gradients(mode, tmp_path):
    network, model = make_model()
    x, y = Pictures().create_tuple_iterator()[0]

    def loss(x, y):
        return nn.CrossEntropyLoss()(network(x), y)

    gradients = dyad.grad(loss, None, network.trainable_params())(x, y)
    norms = [float(np.linalg.norm(gradient.asnumpy())) for gradient in gradients]
    model.train(1, Pictures(), callbacks=SummaryCollector(str(tmp_path)))
    scalars = event_reader.scalars(the_file(tmp_path))
    for parameter, norm in zip(network.trainable_params(), norms, strict=True):
        assert scalars[f"gradient_norm/{parameter.name}"][0] == (1, pytest.approx(norm, rel=1e-4))
    assert scalars["gradient_norm/auto"][0] == (1, pytest.approx(np.linalg.norm(norms), rel=1e-4))


def test_collecting_changes_nothing(mode, tmp_path):
    found = []
    for callbacks in ([], [SummaryCollector(str(tmp_path), collect_freq=2)]):
        network, model = make_model()
        seen = Seen()
        model.train(2, Pictures(), callbacks=[seen, *callbacks])
        found.append((seen.losses, network.hidden.weight.asnumpy().tolist()))
        assert not model._optimizer._forward_pre_hooks
    assert found[0] == found[1]


def test_a_step_stays_one_graph(tmp_path):
    dyad.set_context(mode=dyad.GRAPH_MODE)
    try:
        _, model = make_model()
        model.train(2, Pictures(), callbacks=SummaryCollector(str(tmp_path), collect_freq=2))
        assert len(model.train_network.compile_cache) == 1
    finally:
        dyad.set_context(mode=dyad.PYNATIVE_MODE)


def test_only_what_is_asked_for(tmp_path):
    _, model = make_model()
    wanted = {"collect_metric": True, "histogram_regular": "^out"}
    collector = SummaryCollector(str(tmp_path), 1, collect_specified_data=wanted, keep_default_action=False)
    model.train(1, Pictures(), callbacks=collector)
    tags = {tag for _, tag, _ in event_reader.values(the_file(tmp_path))}
    assert tags == {"loss/auto", "out.weight/auto", "out.bias/auto", "hidden", "all"}


def test_tensors_have_a_frequency_of_their_own(tmp_path):
    def steps_of_tensors(folder, **settings):
        _, model = make_model()
        folder.mkdir()
        model.train(30, Pictures(), callbacks=SummaryCollector(str(folder), collect_freq=1, **settings))
        return [step for step, tag, _ in event_reader.values(the_file(folder)) if tag == "all"]

    assert steps_of_tensors(tmp_path / "a", collect_tensor_freq=50) == [1, 50, 100, 150]
    assert 15 <= len(steps_of_tensors(tmp_path / "b")) <= 21


def test_groups_have_rates_of_their_own(tmp_path):
    dyad.set_seed(1)
    network = Net()
    groups = [
        {"params": network.hidden.trainable_params(), "lr": 0.5},
        {"params": network.out.trainable_params()},
    ]
    model = Model(network, nn.CrossEntropyLoss(), nn.SGD(groups, 0.25))
    model.train(1, Pictures(), callbacks=SummaryCollector(str(tmp_path)))
    scalars = event_reader.scalars(the_file(tmp_path))
    assert scalars["learning_rate/group_0"][0] == (1, 0.5) and scalars["learning_rate/group_1"][0] == (
        1,
        0.25,
    )


def test_evaluation_alone(tmp_path):
    _, model = make_model()
    model.eval(Pictures(), callbacks=SummaryCollector(str(tmp_path)))
    scalars = event_reader.scalars(the_file(tmp_path))
    assert scalars.keys() == {"eval/accuracy"} and scalars["eval/accuracy"][0][0] == 0


def test_an_error_in_a_run_closes_the_file(tmp_path):
    collector = SummaryCollector(str(tmp_path))
    _, model = make_model()
    with pytest.raises(ZeroDivisionError), collector:
        model.train(1, Pictures(), callbacks=[collector, _Failing()])
    assert not model._optimizer._forward_pre_hooks
    SummaryRecord(str(tmp_path)).close()


class _Failing(Callback):
    def on_train_step_end(self, run_context):
        raise ZeroDivisionError


def test_one_collector_for_a_run(tmp_path):
    _, model = make_model()
    with pytest.raises(ValueError, match="more than one"):
        model.train(
            1, Pictures(), callbacks=[SummaryCollector(str(tmp_path)), SummaryCollector(str(tmp_path))]
        )


@pytest.mark.parametrize(
    ("settings", "kind", "text"),
    [
        ({"summary_dir": ""}, ValueError, "summary_dir"),
        ({"summary_dir": 1234}, TypeError, "summary_dir"),
        ({"collect_freq": 0}, ValueError, "`collect_freq` should be greater than 0, but got `0`"),
        ({"collect_freq": 0.5}, TypeError, "collect_freq"),
        ({"collect_freq": None}, TypeError, "collect_freq"),
        ({"collect_tensor_freq": 0}, ValueError, "collect_tensor_freq"),
        ({"max_file_size": -1}, ValueError, "max_file_size"),
        ({"keep_default_action": 1}, TypeError, "keep_default_action"),
        ({"collect_specified_data": 1}, TypeError, "collect_specified_data"),
        ({"collect_specified_data": {1: True}}, TypeError, "1"),
        ({"collect_specified_data": {"all": True}}, ValueError, "'all'"),
        ({"collect_specified_data": {"collect_metric": 1}}, TypeError, "collect_metric"),
        ({"collect_specified_data": {"histogram_regular": "["}}, ValueError, "histogram_regular"),
        ({"collect_specified_data": {"histogram_regular": 1}}, TypeError, "histogram_regular"),
        ({"collect_specified_data": {"collect_landscape": 1}}, TypeError, "collect_landscape"),
        ({"collect_specified_data": {"collect_landscape": {"a": 1}}}, ValueError, "'a'"),
        ({"collect_specified_data": {"collect_landscape": {"landscape_size": 2}}}, ValueError, "is 2"),
        ({"collect_specified_data": {"collect_landscape": {"unit": "day"}}}, ValueError, "'day'"),
        ({"collect_specified_data": {"collect_landscape": {"intervals": None}}}, TypeError, "intervals"),
        ({"collect_specified_data": {"collect_landscape": {"intervals": [[1]]}}}, ValueError, "intervals"),
        (
            {"collect_specified_data": {"collect_landscape": {"create_landscape": {"a": True}}}},
            ValueError,
            "'a'",
        ),
        (
            {"custom_lineage_data": {3: "a"}},
            TypeError,
            r"`custom_lineage_data -> 3` .* \['str'\], but got int",
        ),
        ({"custom_lineage_data": 3}, TypeError, "custom_lineage_data"),
        ({"custom_lineage_data": {"a": None}}, TypeError, r"\['int', 'str', 'float'\], but got NoneType"),
        ({"export_options": {"a": "npy"}}, ValueError, "'a'"),
    ],
)
def test_bad_settings(tmp_path, settings, kind, text):
    """Each kind of fault has one form of message; a note says whose setting it is and what was given."""
    with pytest.raises(kind, match=text):
        SummaryCollector(**{"summary_dir": str(tmp_path), **settings})


def test_a_wrong_setting_is_told_with_its_value(tmp_path):
    with pytest.raises(TypeError) as caught:
        SummaryCollector(str(tmp_path), collect_freq=0.5)
    assert caught.value.__notes__ == ["SummaryCollector: collect_freq is 0.5 of type float"]


def test_a_network_is_searched_once_for_its_optimizer(tmp_path):
    run = _InternalCallbackParam()
    run.update(optimizer=None, mode="train", train_network=nn.Dense(2, 2))
    collector = SummaryCollector(str(tmp_path))
    for _ in range(2):
        assert collector._get_optimizer(run) is None
        assert collector._temp_optimizer == "Failed"
