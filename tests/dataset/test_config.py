"""Settings of the pipeline, callbacks of `map`, and debug mode."""

import inspect
import json
import random

import numpy as np
import pytest
from pipeline_rows import firsts, pairs, rows

import dyad
from dyad import dataset as ds
from dyad import nn
from dyad._src.base import no_effect
from dyad.dataset import config, vision

# What each setting can be set to, and what it refuses.
SETTINGS = {
    "seed": (7, -1, "x"),
    "num_parallel_workers": (3, 0, "x"),
    "prefetch_size": (3, 0, "x"),
    "numa_enable": (True, None, "x"),
    "monitor_sampling_interval": (10, 0, "x"),
    "callback_timeout": (10, 0, "x"),
    "auto_num_workers": (True, None, "x"),
    "enable_shared_mem": (False, None, "x"),
    "enable_autotune": (True, None, "x"),
    "autotune_interval": (10, -1, "x"),
    "auto_offload": (True, None, "x"),
    "enable_watchdog": (False, None, "x"),
    "fast_recovery": (False, None, "x"),
    "debug_mode": (True, None, "x"),
    "error_samples_mode": (ds.ErrorSamplesMode.SKIP, None, "x"),
    "multiprocessing_timeout_interval": (10, 0, "x"),
    "multiprocessing_start_method": ("spawn", "thread", 3),
    "dynamic_shape": (True, None, "x"),
    "video_backend": ("CPU", "Ascend", None),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_settings_are_read_back_and_checked(name):
    value, wrong_value, wrong_type = SETTINGS[name]
    change, read = getattr(config, f"set_{name}"), getattr(config, f"get_{name}")
    change(value)
    assert read() == value
    if wrong_value is not None:
        with pytest.raises(ValueError, match=str(wrong_value)):
            change(wrong_value)
    if wrong_type is not None:
        with pytest.raises(TypeError, match=repr(wrong_type)):
            change(wrong_type)


def test_every_setting_has_both_functions():
    setters = {name[4:] for name in vars(config) if name.startswith("set_")} - {"sending_batches"}
    assert all(hasattr(config, f"get_{name}") for name in setters)
    assert setters == set(SETTINGS) | {"iterator_mode"}


def test_settings_without_effect_are_said_so():
    unread = [name for name in no_effect.NO_EFFECT if name.startswith("mindspore.dataset.config.")]
    for name in unread:
        assert name.rpartition(".")[2] in inspect.getsource(config)
    config.set_sending_batches(3)
    assert "mindspore.dataset.config.set_sending_batches" in no_effect._said


def test_seed_starts_python_and_numpy_too():
    config.set_seed(5)
    first = random.random(), np.random.rand()
    config.set_seed(5)
    assert first == (random.random(), np.random.rand())


def test_iterator_mode():
    config.set_iterator_mode(do_copy=True)
    assert config.get_iterator_mode() == {"do_copy": True, "parallel_convert": False}
    assert pairs().create_tuple_iterator()._do_copy
    with pytest.raises(TypeError, match="do_copy is 3"):
        config.set_iterator_mode(3)


def test_load_reads_settings_from_json(tmp_path):
    path = tmp_path / "settings.json"
    path.write_text(json.dumps({"seed": 9, "numParallelWorkers": 3, "opConnectorSize": 5, "other": 1}))
    config.load(str(path))
    assert (config.get_seed(), config.get_num_parallel_workers(), config.get_prefetch_size()) == (9, 3, 5)
    with pytest.raises(RuntimeError, match="cannot be read"):
        config.load(str(tmp_path / "none.json"))
    with pytest.raises(TypeError, match="file is 3"):
        config.load(3)


class Log(ds.DSCallback):
    def __init__(self, step_size=1):
        super().__init__(step_size)
        self.calls = []

    def note(self, what, place):
        self.calls.append((what, place.cur_epoch_num, place.cur_step_num_in_epoch, place.cur_step_num))

    def ds_begin(self, ds_run_context):
        self.note("begin", ds_run_context)

    def ds_epoch_begin(self, ds_run_context):
        self.note("epoch begin", ds_run_context)

    def ds_epoch_end(self, ds_run_context):
        self.note("epoch end", ds_run_context)

    def ds_step_begin(self, ds_run_context):
        self.note("step begin", ds_run_context)

    def ds_step_end(self, ds_run_context):
        self.note("step end", ds_run_context)


def test_callbacks_of_map_are_called_in_order():
    log = Log(2)
    iterator = (
        pairs(3)
        .map(lambda a: a + 1, "a", callbacks=log)
        .create_tuple_iterator(num_epochs=2, output_numpy=True)
    )
    assert [[int(row[0]) for row in iterator] for _ in range(2)] == [[1, 2, 3]] * 2
    assert log.calls[:4] == [
        ("begin", 0, 0, 0),
        ("epoch begin", 1, 0, 0),
        ("step begin", 1, 1, 1),
        ("step end", 1, 1, 1),
    ]
    assert log.calls[4:8] == [
        ("step begin", 1, 3, 3), ("step end", 1, 3, 3), ("epoch end", 1, 3, 3), ("epoch begin", 2, 0, 3),
    ]  # fmt: skip
    assert log.calls[-1] == ("epoch end", 2, 3, 6)


def test_errors_in_callbacks():
    class Wrong(ds.DSCallback):
        def ds_step_begin(self, ds_run_context):
            raise KeyError("wrong")

    with pytest.raises(RuntimeError, match="KeyError: 'wrong'"):
        rows(pairs().map(lambda a: a, "a", callbacks=[Wrong()]))
    with pytest.raises(ValueError, match="step_size is 0"):
        ds.DSCallback(0)


def test_waited_callback_follows_training():
    class Follow(ds.WaitedDSCallback):
        def __init__(self):
            super().__init__(2)
            self.order = []

        def sync_step_begin(self, train_run_context, ds_run_context):
            self.order.append(
                ("data", ds_run_context.cur_step_num, train_run_context.original_args().cur_step_num)
            )

    follow = Follow()
    data = (
        pairs(6)
        .map(lambda b: b, "b", callbacks=follow)
        .project("b")
        .map(lambda b: (b, b), "b", ["b", "c"])
        .batch(2)
    )
    network = nn.Dense(2, 2)
    model = dyad.train.Model(network, nn.MSELoss(), nn.SGD(network.trainable_params(), 0.1))
    model.train(1, data, callbacks=follow)
    assert [place for _, place, _ in follow.order] == [3, 5]
    assert all(step >= (place - 1) // 2 for _, place, step in follow.order)


def test_waited_callback_without_training_is_an_error():
    class Follow(ds.WaitedDSCallback):
        def sync_step_begin(self, train_run_context, ds_run_context):
            raise AssertionError("training never ended a step")

    config.set_callback_timeout(1)
    with pytest.raises(RuntimeError, match=r"given to Model\.train"):
        rows(pairs(3).map(lambda a: a, "a", callbacks=Follow()))


class Seen(ds.DebugHook):
    def __init__(self):
        super().__init__()
        self.seen = []

    def compute(self, *args):
        self.seen.append((self.prev_op_name, self.is_first_op, int(args[0][0])))
        return args


def plus_one(a):
    return a + 1


def double(a):
    return a * 2


def test_debug_hooks():
    hook = Seen()
    config.set_debug_mode(True, [hook])
    assert firsts(pairs(2).map([plus_one, double], "a")) == [2, 4]
    assert hook.seen[:3] == [("plus_one", True, 0), ("plus_one", False, 1), ("double", False, 2)]
    with pytest.raises(TypeError, match="need a DebugHook"):
        config.set_debug_mode(True, [3])


@pytest.mark.parametrize("debug_mode", [False, True])
def test_a_hook_may_be_an_operation(debug_mode):
    config.set_debug_mode(debug_mode)
    hook = Seen()
    assert firsts(pairs(2).map([plus_one, hook, double], "a")) == [2, 4]
    assert [value for _, _, value in hook.seen] == [1, 2]


def test_debug_mode_without_hooks_prints_what_each_operation_gets_and_makes(capsys):
    config.set_debug_mode(True)
    assert rows(pairs(1).map([plus_one, double], "b")) == [[0, [2.0, 2.0]]]
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines] == [
        "input of plus_one",
        "output of plus_one",
        "output of double",
    ]
    assert all("shape (2,), float32" in line for line in lines)


def test_printing_hooks(capsys):
    config.set_debug_mode(True, [ds.debug.PrintMetaDataHook(), ds.debug.PrintDataHook()])
    assert firsts(pairs(1).map(plus_one, "a")) == [1]
    assert "int64" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("mode", "made"), [(ds.ErrorSamplesMode.SKIP, [0, 2, 4]), (ds.ErrorSamplesMode.REPLACE, [0, 0, 2, 2, 4])]
)
def test_rows_that_fail(mode, made):
    def even(a):
        if a % 2:
            raise ValueError("odd")
        return a

    config.set_error_samples_mode(mode)
    assert firsts(pairs(5).map(even, "a")) == made
    config.set_error_samples_mode(ds.ErrorSamplesMode.RETURN)
    with pytest.raises(RuntimeError, match="ValueError: odd"):
        firsts(pairs(5).map(even, "a"))


def test_a_seed_that_is_set_again_starts_transforms_again():
    flip = vision.RandomHorizontalFlip(0.5)
    image = np.arange(6, dtype=np.uint8).reshape(1, 2, 3)

    def flips():
        return [bool((flip(image) == image).all()) for _ in range(40)]

    config.set_seed(3)
    first = flips()
    assert flips() != first
    config.set_seed(3)
    assert flips() == first
