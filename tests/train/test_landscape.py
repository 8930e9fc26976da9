"""Loss landscapes: what is saved while a network trains, the planes, and what is recorded."""

import json

import event_reader
import numpy as np
import pytest

import dyad
from dyad import dataset, nn
from dyad.train import Loss, Model, SummaryCollector, SummaryLandscape
from dyad.train.summary.landscape_image import picture
from dyad.train.summary.landscape_plane import path_plane, random_plane


def line_dataset():
    """x and 3x - 1, in batches of four."""
    x = np.linspace(-1, 1, 16, dtype=np.float32)[:, None]
    rows = dataset.NumpySlicesDataset((x, 3 * x - 1), ["x", "y"], shuffle=False)
    return rows.batch(4)


def network():
    dyad.set_seed(2)
    return nn.Dense(1, 1)


def evaluated():
    net = network()
    metrics = {"Loss": Loss()}
    return Model(net, nn.MSELoss(), metrics=metrics), net, line_dataset(), metrics


SETTINGS = {"landscape_size": 5, "unit": "step", "num_samples": 16, "intervals": [[1, 3, 6, 8]]}


@pytest.fixture(params=[dyad.PYNATIVE_MODE, dyad.GRAPH_MODE], ids=["dynamic", "static"])
def run(request, tmp_path):
    """The directory of a run that was watched, and the Parameters at its end."""
    before = dyad.get_context("mode")
    dyad.set_context(mode=request.param)
    net = network()
    model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.3))
    collector = SummaryCollector(
        str(tmp_path / "run"), collect_specified_data={"collect_landscape": SETTINGS}
    )
    model.train(2, line_dataset(), callbacks=collector)
    yield tmp_path / "run", [net.weight.asnumpy().item(), net.bias.asnumpy().item()]
    dyad.set_context(mode=before)


def tensors(folder):
    """{tag: array} of the tensors in an event file, and the tags of its images and texts."""
    [path] = folder.glob("*.tfevents.*")
    arrays, texts, pictures = {}, {}, set()
    for _, tag, parts in event_reader.values(path):
        if 4 in parts:
            pictures.add(tag)
        elif 8 in parts:
            tensor = event_reader.message(parts[8][0])
            if 8 in tensor:
                texts[tag] = json.loads(tensor[8][0].decode().strip("`").removeprefix("json"))
            else:
                arrays[tag] = np.frombuffer(tensor[4][0], "<f4")
    return arrays, texts, pictures


def mean_squares(weight, bias):
    x = np.linspace(-1, 1, 16)
    return float((((weight - 3) * x + bias + 1) ** 2).mean())


def test_a_landscape_of_training_and_one_of_the_result(run, tmp_path):
    folder, (weight, bias) = run
    metadata = json.loads((folder / "ckpt_dir" / "train_metadata.json").read_text())
    assert metadata["epoch_group"] == {"0": [1, 3, 6, 8]} and metadata["step_per_epoch"] == 4
    landscape = SummaryLandscape(str(folder))
    landscape.gen_landscapes_with_multi_process(evaluated, device_ids=[0], output=str(tmp_path / "drawn"))
    arrays, texts, pictures = tensors(tmp_path / "drawn")
    assert pictures == {"landscape_[1, 8]", "landscape_[8]"}
    told = texts["landscape_[1, 8]/metadata"]
    assert told["decomposition"] == "PCA" and told["unit"] == "step" and told["intervals"] == [1, 3, 6, 8]
    assert told["variance_held"] == pytest.approx(1)  # two Parameters: the plane is all there is
    path = arrays["landscape_[1, 8]/path"].reshape(4, 3)
    assert path[-1, :2] == pytest.approx([0, 0], abs=1e-6)
    assert path[-1, 2] == pytest.approx(mean_squares(weight, bias), rel=1e-3, abs=1e-6)
    assert (np.diff(path[:, 2]) < 0).all()
    assert arrays["landscape_[1, 8]/loss"].size == 25
    assert texts["landscape_[8]/metadata"]["decomposition"] == "Random"
    middle = arrays["landscape_[8]/loss"].reshape(5, 5)[2, 2]
    assert middle == pytest.approx(mean_squares(weight, bias), rel=1e-3, abs=1e-6)
    landscape.clean_ckpt()
    assert not (folder / "ckpt_dir").exists()


def test_settings_can_be_changed(run, tmp_path):
    folder, _ = run
    wanted = {
        "create_landscape": {"train": True, "result": False},
        "intervals": [[3, 6, 8]],
        "landscape_size": 3,
    }
    SummaryLandscape(str(folder)).gen_landscapes_with_multi_process(
        evaluated, wanted, output=str(tmp_path / "drawn")
    )
    arrays, _, pictures = tensors(tmp_path / "drawn")
    assert pictures == {"landscape_[3, 8]"} and arrays["landscape_[3, 8]/loss"].size == 9


def test_a_path_is_drawn_where_it_runs():
    rng = np.random.default_rng(0)
    basis, _ = np.linalg.qr(rng.standard_normal((30, 2)))
    end = rng.standard_normal(30)
    steps = np.array([[3.0, 1.0], [2.0, -1.0], [1.0, 0.5], [0.0, 0.0]])
    snapshots = [
        {
            "w": (end + basis @ step)[:20].reshape(4, 5),
            "b": (end + basis @ step)[20:],
            "moving": np.float32(7),
        }
        for step in steps
    ]
    plane = path_plane(snapshots, ["w", "b"], 7)
    assert plane.held == pytest.approx(1)
    distances = np.linalg.norm(plane.path[:, None] - plane.path[None], axis=-1)
    assert distances == pytest.approx(np.linalg.norm(steps[:, None] - steps[None], axis=-1))
    found = plane.parameters(*plane.path[1])
    assert found["w"].asnumpy() == pytest.approx(snapshots[1]["w"])
    assert found["moving"].asnumpy() == 7
    drawn = picture(plane, rng.standard_normal((7, 7)) + 5)
    assert drawn.shape == (1, 3, 322, 322) and drawn.dtype == np.uint8


def test_random_directions_are_as_long_as_the_parameters():
    content = {"w": np.full((3, 3), 2.0), "b": np.zeros(2)}
    plane = random_plane(content, ["w", "b"], 5, np.random.default_rng(1))
    for direction in plane.directions:
        assert np.linalg.norm(direction["w"]) == pytest.approx(6) and not direction["b"].any()
    assert picture(plane, np.full((5, 5), np.inf)).shape == (1, 3, 320, 320)


@pytest.mark.parametrize(
    ("settings", "error", "text"),
    [
        (
            {"landscape_size": None},
            TypeError,
            r"`landscape_size` the type should be .* \['int'\], but got NoneType",
        ),
        ({"landscape_size": 2}, ValueError, "landscape_size is 2; need an int from 3 to 256"),
        (
            {"create_landscape": None},
            TypeError,
            r"`create_landscape` the type should be .* \['dict'\], but got NoneType",
        ),
        ({"intervals": None}, TypeError, r"`intervals` the type should be .* \['list'\], but got NoneType"),
        ({"intervals": [3]}, TypeError, r"`intervals` the type should be .* \['list'\], but got int"),
        (
            {"create_landscape": {"train": 1}},
            TypeError,
            r"`train` the type should be .* \['bool'\], but got int",
        ),
        ({"intervals": [[1, 2]]}, ValueError, "need 3 numbers or more in each"),
        ({"depth": 1}, ValueError, "the keys {'depth'} of `collect_landscape` are unsupported"),
        ({"intervals": [[1, 3, 5]]}, ValueError, "nothing was saved at 5; need one of 1, 3, 6, 8"),
    ],
)
def test_settings_that_make_no_sense(run, settings, error, text):
    with pytest.raises(error, match=text):
        SummaryLandscape(str(run[0])).gen_landscapes_with_multi_process(evaluated, settings, [0])


def test_what_a_landscape_needs(run, tmp_path):
    with pytest.raises(FileNotFoundError, match="need a SummaryCollector with collect_landscape"):
        SummaryLandscape(str(tmp_path / "none")).gen_landscapes_with_multi_process(evaluated)
    landscape = SummaryLandscape(str(run[0]))
    with pytest.raises(ValueError, match="device_ids has 9; need ints from 0 to 7"):
        landscape.gen_landscapes_with_multi_process(evaluated, device_ids=[9])
    with pytest.raises(ValueError, match="the metrics are accuracy; need a Loss among them"):
        landscape.gen_landscapes_with_multi_process(lambda: (*evaluated()[:3], {"accuracy"}))
    with pytest.raises(ValueError, match="the network has none of the Parameters that were saved"):
        landscape.gen_landscapes_with_multi_process(
            lambda: (evaluated()[0], nn.PReLU(), line_dataset(), {"loss"})
        )
    with pytest.raises(TypeError, match="callback_fn is an int; need a function"):
        landscape.gen_landscapes_with_multi_process(5)
