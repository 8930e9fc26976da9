"""`SummaryRecord`: what it writes, read back by a reader of its own and by TensorBoard where that is installed."""

import gc
import logging
import os
import struct
from pathlib import Path

import event_reader
import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

import dyad
from dyad import Tensor, nn, ops
from dyad._src.observe.events.histogram import histogram_of
from dyad.train.summary import SummaryRecord
from dyad.train.summary.enums import PluginEnum


def recorded(folder, plugin, name, value, **settings):
    """The message of the only value of a file."""
    with SummaryRecord(str(folder), **settings) as record:
        record.add_value(plugin, name, value)
        assert record.record(7) is True
    [(step, tag, parts)] = event_reader.values(Path(record.log_dir))
    assert (step, tag) == (7, name)
    return parts


def test_a_scalar(tmp_path):
    assert recorded(tmp_path, "scalar", "loss", Tensor(0.25))[2] == [0.25]
    assert recorded(tmp_path, "scalar", "loss", Tensor([3]))[2] == [3.0]
    assert recorded(tmp_path, "scalar", "loss", Tensor(1e300, dyad.float64))[2] == [float("inf")]
    assert np.isnan(recorded(tmp_path, "scalar", "loss", Tensor(float("nan")))[2][0])


def test_programs_read_events_with_the_messages_of_the_package(tmp_path):
    from dyad.train import summary_pb2

    with SummaryRecord(str(tmp_path)) as record:
        record.add_value("scalar", "loss", Tensor(0.25))
        record.add_value("tensor", "weight", Tensor(np.ones((2, 3), np.float32)))
        record.add_value("histogram", "spread", Tensor(np.arange(4.0)))
        record.record(7)
    first, event = map(summary_pb2.Event.FromString, event_reader.records(Path(record.log_dir)))
    assert first.version and first.step is None and not first.HasField("summary")
    assert list(first.summary.value) == []
    values = {value.tag: value for value in event.summary.value}
    assert event.step == 7 and event.HasField("summary") and values.keys() == {"loss", "weight", "spread"}
    assert values["loss"].scalar_value == 0.25 and not values["loss"].HasField("tensor")
    assert [dim.size for dim in values["weight"].tensor.tensor_shape.dim] == [2, 3]
    assert sum(values["spread"].histogram.bucket) == 4
    with pytest.raises(ValueError, match="HasField"):
        event.summary.HasField("value")
    with pytest.raises(AttributeError, match="stepp"):
        event.stepp  # noqa: B018


def test_a_tensor_keeps_its_type_and_shape(tmp_path):
    for dtype, number in (("float32", 1), ("int64", 9), ("bool", 10), ("float16", 19), ("uint8", 4)):
        array = np.arange(6).reshape(2, 3).astype(dtype)
        tensor = event_reader.message(recorded(tmp_path, "tensor", "t", Tensor(array))[8][0])
        dims = [event_reader.message(dim)[1][0] for dim in event_reader.message(tensor[2][0])[2]]
        assert tensor[1] == [number] and dims == [2, 3] and tensor[4] == [array.tobytes()]


def test_images_stand_side_by_side(tmp_path):
    batch = np.zeros((9, 1, 2, 3), np.uint8)
    batch[8] = 200
    image = event_reader.message(recorded(tmp_path, "image", "x", Tensor(batch))[4][0])
    height, width, channels, rows = event_reader.picture(image[4][0])
    assert (image[1][0], image[2][0], image[3][0]) == (height, width, channels) == (4, 24, 1)
    assert rows[3][:3] == bytes([200] * 3) and rows[0] == bytes(24)


def test_images_of_floats_are_scaled(tmp_path):
    def shown(values):
        batch = np.array(values, np.float32).reshape(1, 1, 1, -1)
        image = event_reader.message(recorded(tmp_path, "image", "x", Tensor(batch))[4][0])
        return list(event_reader.picture(image[4][0])[3][0])

    assert shown([0.0, 0.5, 1.0]) == [0, 128, 255]
    assert shown([-1.0, 0.0, 3.0]) == [0, 64, 255]
    assert shown([float("nan"), 1.0]) == [0, 255]


def test_a_histogram_counts_every_number(tmp_path):
    array = np.random.default_rng(0).standard_normal(5000).astype(np.float32)
    histogram = event_reader.message(recorded(tmp_path, "histogram", "w", Tensor(array))[5][0])
    limits = np.frombuffer(histogram[6][0], "<f8")
    counts = np.frombuffer(histogram[7][0], "<f8")
    assert histogram[1][0] == array.min() and histogram[2][0] == array.max() and histogram[3][0] == 5000
    assert np.isclose(histogram[4][0], array.sum(dtype=np.float64)) and counts.sum() == 5000
    low = np.concatenate(([-np.inf], limits[:-1]))
    expected = [np.count_nonzero((array > a) & (array <= b)) for a, b in zip(low, limits, strict=True)]
    assert np.abs(counts - expected).max() <= 1  # a number on a limit may go either way


@hypothesis.settings(deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
@hypothesis.given(st.lists(st.floats(), max_size=60))
@hypothesis.example([1.7958972376246913e308])
@hypothesis.example([-1.7e308, 1.7e308])
def test_a_histogram_of_anything_holds_its_finite_numbers(numbers):
    array = np.array(numbers)
    found = histogram_of(array)
    assert sum(found.counts) == found.number == np.count_nonzero(np.isfinite(array))
    assert len(found.limits) == len(found.counts) and np.all(np.diff(found.limits) >= 0)
    assert found.nans == np.count_nonzero(np.isnan(array))
    assert (found.positive_infinities, found.negative_infinities) == (
        numbers.count(np.inf),
        numbers.count(-np.inf),
    )


def test_programs_read_buckets_and_what_is_in_none(tmp_path):
    from dyad.train import summary_pb2
    from dyad.train.summary._summary_adapter import _calc_histogram_bins
    from dyad.train.summary.summary_record import _cache_summary_tensor_data

    array = np.concatenate([np.arange(100.0), [np.nan, np.nan, np.inf, -np.inf]])
    with SummaryRecord(str(tmp_path)) as record:
        assert _cache_summary_tensor_data([{"name": "w[:Histogram]", "data": Tensor(array)}])
        record.record(1)
    _, event = map(summary_pb2.Event.FromString, event_reader.records(Path(record.log_dir)))
    found = event.summary.value[0].histogram
    assert (found.count, found.nan_count, found.pos_inf_count, found.neg_inf_count) == (100, 2, 1, 1)
    assert (
        len(found.buckets) == _calc_histogram_bins(100) and sum(each.count for each in found.buckets) == 100
    )
    assert found.buckets[0].left == pytest.approx(0) and found.buckets[0].width == pytest.approx(9)


def test_dicts_become_texts(tmp_path):
    tensor = event_reader.message(recorded(tmp_path, "custom_lineage_data", "c", {"lr": 0.1})[8][0])
    assert tensor[1] == [7] and b'"lr": 0.1' in tensor[8][0]


def test_the_graph_of_a_network(tmp_path):
    network = nn.Dense(3, 2)
    with SummaryRecord(str(tmp_path), network=network) as record:
        record.record(1)  # not compiled yet
        network.compile_and_run(Tensor(np.ones((1, 3), np.float32)))
        record.record(2)
        record.record(3)
    _, *events = map(event_reader.message, event_reader.records(Path(record.log_dir)))
    [graph] = [event[4][0] for event in events if 4 in event]
    nodes = [event_reader.message(node) for node in event_reader.message(graph)[1]]
    names = {node[1][0] for node in nodes}
    assert {name for node in nodes for name in node.get(3, ())} <= names
    assert any(name.endswith(b"weight") for name in names)


def test_the_newest_value_of_a_name_is_recorded(tmp_path):
    with SummaryRecord(str(tmp_path)) as record:
        for number in (1.0, 2.0):
            record.add_value("scalar", "x", Tensor(number))
        record.add_value("scalar", "y", Tensor(3.0))
        record.record(1, plugin_filter=lambda plugin: plugin == "scalar")
        record.add_value("tensor", "t", Tensor([1.0]))
        record.record(2, plugin_filter=lambda plugin: plugin == "scalar")
        record.record(3)
    assert event_reader.scalars(Path(record.log_dir)) == {"x": [(1, 2.0)], "y": [(1, 3.0)]}


def test_what_is_recorded_is_what_the_tensor_held_then(tmp_path):
    x = Tensor([1.0])
    with SummaryRecord(str(tmp_path)) as record:
        record.add_value("scalar", "x", x)
        x.add_(1.0)
        record.record(1)
    assert event_reader.scalars(Path(record.log_dir)) == {"x": [(1, 1.0)]}


def test_every_record_is_in_the_file_when_it_returns(tmp_path):
    with SummaryRecord(str(tmp_path)) as record:
        assert not os.path.exists(record.log_dir)
        record.add_value("scalar", "x", Tensor(1.0))
        record.record(1)
        assert event_reader.scalars(Path(record.log_dir)) == {"x": [(1, 1.0)]}


def test_files_have_names_of_their_own_that_tensorboard_knows(tmp_path):
    names = set()
    for _ in range(3):
        with SummaryRecord(str(tmp_path), file_prefix="run", file_suffix="_end") as record:
            names.add(os.path.basename(record.log_dir))
    assert len(names) == 3
    assert all(name.startswith("run.out.tfevents.") and name.endswith("_end") for name in names)


def test_a_full_file_takes_no_more(tmp_path, caplog):
    logging.getLogger("dyad").addHandler(caplog.handler)
    try:
        with SummaryRecord(str(tmp_path), max_file_size=200) as record:
            done = []
            for step in range(10):
                record.add_value("scalar", "x", Tensor(1.0))
                done.append(record.record(step))
    finally:
        logging.getLogger("dyad").removeHandler(caplog.handler)
    assert done[0] and not done[-1] and done == sorted(done, reverse=True)
    assert os.path.getsize(record.log_dir) <= 200
    assert len(event_reader.scalars(Path(record.log_dir))["x"]) == sum(done)
    assert len([text for text in caplog.messages if "max_file_size" in text]) == 1


def test_tensors_are_exported_as_files_of_numpy(tmp_path):
    with SummaryRecord(str(tmp_path), export_options={"tensor_format": "npy"}) as record:
        record.add_value("tensor", "a/b", Tensor([[1, 2]]))
        record.record(4)
    [path] = tmp_path.glob("export_*/tensor/*.npy")
    assert path.name == "a%2Fb_4.npy" and np.load(path).tolist() == [[1, 2]]


def test_failures_are_raised_where_asked(tmp_path):
    for raises in (False, True):
        folder = tmp_path / str(raises)
        with SummaryRecord(str(folder), raise_exception=raises) as record:
            record.add_value("scalar", "x", Tensor(1.0))
            folder.rmdir()
            if raises:
                with pytest.raises(OSError):
                    record.record(1)
            else:
                assert record.record(1) is False


def test_one_at_a_time(tmp_path):
    with SummaryRecord(str(tmp_path)), pytest.raises(RuntimeError, match="one is open already"):
        SummaryRecord(str(tmp_path))
    forgotten = SummaryRecord(str(tmp_path))
    del forgotten
    gc.collect()
    record = SummaryRecord(str(tmp_path))
    record.close()
    record.close()
    assert record.record(1) is False
    with pytest.raises(ValueError, match="closed"), record:
        pass


@pytest.mark.parametrize(
    ("settings", "kind", "text"),
    [
        ({"log_dir": ""}, ValueError, "log_dir"),
        ({"log_dir": None}, TypeError, "log_dir"),
        ({"log_dir": 32}, TypeError, "log_dir"),
        ({"raise_exception": 32}, TypeError, "raise_exception is 32"),
        ({"file_prefix": 1}, TypeError, "file_prefix"),
        ({"file_suffix": "../x"}, ValueError, "file_suffix"),
        ({"max_file_size": "1"}, TypeError, "max_file_size"),
        ({"network": 1}, TypeError, "network"),
        ({"export_options": {"else": "npy"}}, ValueError, "else"),
        ({"export_options": {"tensor_format": "txt"}}, ValueError, "txt"),
        ({"export_options": 3}, TypeError, "export_options"),
    ],
)
def test_bad_settings(tmp_path, settings, kind, text):
    with pytest.raises(kind, match=text):
        SummaryRecord(**{"log_dir": str(tmp_path), **settings})
    SummaryRecord(str(tmp_path)).close()  # nothing was left open


@pytest.mark.parametrize(
    ("plugin", "name", "value", "kind"),
    [
        ("scalars", "x", Tensor(1.0), ValueError),
        ("scalar", "", Tensor(1.0), ValueError),
        ("scalar", 3, Tensor(1.0), TypeError),
        ("scalar", "x", 1.0, TypeError),
        ("scalar", "x", Tensor([1.0, 2.0]), ValueError),
        ("image", "x", Tensor([1.0]), ValueError),
        ("image", "x", Tensor(np.zeros((1, 2, 3, 3))), ValueError),
        ("tensor", "x", Tensor(1.0), ValueError),
        ("histogram", "x", Tensor(1.0), ValueError),
        ("train_lineage", "x", [1], TypeError),
        ("graph", "x", 3, TypeError),
        ("landscape", "x", Tensor(1.0), ValueError),
    ],
)
def test_bad_values(tmp_path, plugin, name, value, kind):
    with SummaryRecord(str(tmp_path)) as record, pytest.raises(kind, match=r"SummaryRecord\.add_value"):
        record.add_value(plugin, name, value)


def test_bad_calls(tmp_path):
    with SummaryRecord(str(tmp_path)) as record:
        with pytest.raises(ValueError, match="'test'"):
            record.set_mode("test")
        for step in ("1", 1.0, True):
            with pytest.raises(TypeError, match="step"):
                record.record(step)
        with pytest.raises(TypeError, match="train_network"):
            record.record(1, train_network=3)
        record.flush()
    with pytest.raises(NotADirectoryError):
        (tmp_path / "file").write_text("")
        SummaryRecord(str(tmp_path / "file"))
    assert "histogram" in PluginEnum.to_list()


def test_tensorboard_reads_it(tmp_path):
    accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    with SummaryRecord(str(tmp_path)) as record:
        for step in range(3):
            record.add_value("scalar", "loss", Tensor(float(step)))
            record.add_value("histogram", "w", Tensor(np.arange(100.0)))
            record.add_value("image", "x", Tensor(np.zeros((1, 3, 4, 5), np.uint8)))
            record.add_value("tensor", "t", Tensor([[1, 2]]))
            record.record(step)
    found = accumulator.EventAccumulator(str(tmp_path))
    found.Reload()
    assert [(event.step, event.value) for event in found.Scalars("loss")] == [(0, 0.0), (1, 1.0), (2, 2.0)]
    assert sum(found.Histograms("w")[0].histogram_value.bucket) == 100
    assert (found.Images("x")[0].height, found.Images("x")[0].width) == (4, 5)
    content = found.Tensors("t")[0].tensor_proto.tensor_content
    assert struct.unpack("<2q", content) == (1, 2)


@pytest.mark.parametrize("mode", [dyad.PYNATIVE_MODE, dyad.GRAPH_MODE])
def test_a_program_may_read_what_summary_operators_give(mode, monkeypatch):
    from dyad._src.tensor import summary_values

    monkeypatch.setattr(summary_values, "_inbox", summary_values._Inbox())
    from dyad.train.summary.summary_record import _get_summary_tensor_data

    class Watched(nn.Cell):
        def construct(self, x):
            ops.TensorSummary()("twice", x * 2)
            ops.ScalarSummary()("sum", x.sum())
            return x

    before = dyad.get_context("mode")
    dyad.set_context(mode=mode)
    try:
        Watched()(Tensor([1.0, 2.0]))
    finally:
        dyad.set_context(mode=before)
    given = _get_summary_tensor_data()
    assert {name: value.asnumpy().tolist() for name, value in given.items()} == {
        "twice[:Tensor]": [2.0, 4.0],
        "sum[:Scalar]": 3.0,
    }
    assert _get_summary_tensor_data() == {}
