"""`ModelCheckpoint`: which files a run writes, what is in them, and which of them stay."""

import os
import time

import numpy as np
import pytest
from model_runs import Batches, context_of, make_model

import dyad
from dyad import Tensor, load_checkpoint, load_param_into_net, nn
from dyad._src.base.atomic_file import write_atomically
from dyad.train import CheckpointConfig, LambdaCallback, ModelCheckpoint
from dyad.train.callback._checkpoint import CheckpointManager, _chg_ckpt_file_name_if_same_exist


def names(folder):
    return sorted(os.listdir(folder))


@pytest.fixture
def static():
    before = dyad.get_context("mode")
    dyad.set_context(mode=dyad.GRAPH_MODE)
    yield
    dyad.set_context(mode=before)


def momentum(parameters):
    return nn.Momentum(parameters, 0.1, 0.9)


def test_a_file_for_each_step_of_which_the_newest_stay(tmp_path):
    saving = ModelCheckpoint(directory=str(tmp_path))
    make_model().train(3, Batches(), saving)
    assert names(tmp_path) == [f"CKP-{place}.ckpt" for place in ("2_2", "2_3", "3_1", "3_2", "3_3")]
    assert saving.latest_ckpt_file_name == str(tmp_path / "CKP-3_3.ckpt")


def test_the_last_state_is_written_too(tmp_path):
    config = CheckpointConfig(save_checkpoint_steps=4)
    make_model().train(2, Batches(), ModelCheckpoint("net", str(tmp_path), config))
    assert names(tmp_path) == ["net-2_1.ckpt", "net-2_3.ckpt"]


def test_a_file_has_the_state_of_the_optimizer(tmp_path):
    model, other = make_model(momentum), make_model(momentum)
    config = CheckpointConfig(save_checkpoint_steps=3)
    model.train(1, Batches(), ModelCheckpoint("net", str(tmp_path), config))
    values = load_checkpoint(str(tmp_path / "net-1_3.ckpt"))
    assert {"weight", "bias", "moments.weight", "learning_rate", "global_step"} <= values.keys()
    left, _ = load_param_into_net(other.train_network, values)
    assert not left
    for run in (model, other):
        run.train(1, Batches())
    np.testing.assert_array_equal(
        model.predict_network.weight.asnumpy(), other.predict_network.weight.asnumpy()
    )


@pytest.mark.parametrize("prefix", ["CKP", "a.b"])
def test_a_second_run_leaves_the_files_of_the_first(tmp_path, prefix):
    config = CheckpointConfig(save_checkpoint_steps=3)
    for _ in range(3):
        make_model().train(1, Batches(), ModelCheckpoint(prefix, str(tmp_path), config))
    assert names(tmp_path) == [f"{prefix}{number}-1_3.ckpt" for number in ("", "_1", "_2")]


def test_prefixes_that_look_alike_do_not_count(tmp_path):
    for name in ("CKPT-1_1.ckpt", "CKP-1_1.txt", "CKP-1_1_breakpoint.ckpt", "xCKP-1_1.ckpt"):
        (tmp_path / name).touch()
    assert _chg_ckpt_file_name_if_same_exist(str(tmp_path), "CKP") == "CKP"
    assert _chg_ckpt_file_name_if_same_exist(str(tmp_path), "CKP", exception=True) == "CKP_1"
    (tmp_path / "CKP_7-1_1.safetensors").touch()
    assert _chg_ckpt_file_name_if_same_exist(str(tmp_path), "CKP") == "CKP_8"


def test_what_else_a_file_holds(tmp_path):
    info = ["epoch_num", "step_num", {"rate": 0.5, "name": "best", "seen": Tensor([1, 2])}]
    config = CheckpointConfig(save_checkpoint_steps=3, append_info=info)
    make_model().train(2, Batches(), ModelCheckpoint("net", str(tmp_path), config))
    values = load_checkpoint(str(tmp_path / "net-2_3.ckpt"))
    assert (values["epoch_num"].asnumpy(), values["step_num"].asnumpy()) == (2, 6)
    assert values["rate"].asnumpy() == 0.5 and values["name"] == "best"
    assert values["seen"].asnumpy().tolist() == [1, 2]


def test_counting_goes_on_from_what_is_given(tmp_path):
    config = CheckpointConfig(save_checkpoint_steps=3, append_info=[{"epoch_num": 10, "step_num": 30}])
    make_model().train(1, Batches(), ModelCheckpoint("net", str(tmp_path), config))
    values = load_checkpoint(str(tmp_path / "net-1_3.ckpt"))
    assert (values["epoch_num"].asnumpy(), values["step_num"].asnumpy()) == (11, 33)


def test_another_network_may_be_saved(tmp_path):
    config = CheckpointConfig(save_checkpoint_steps=3, saved_network=nn.Dense(2, 2))
    make_model().train(1, Batches(), ModelCheckpoint("net", str(tmp_path), config))
    assert load_checkpoint(str(tmp_path / "net-1_3.ckpt")).keys() == {"weight", "bias"}


@pytest.mark.parametrize("settings", [{"format": "safetensors"}, {"crc_check": True}, {"async_save": True}])
def test_how_files_are_written(tmp_path, settings):
    config = CheckpointConfig(save_checkpoint_steps=1, keep_checkpoint_max=2, **settings)
    model = make_model()
    model.train(2, Batches(), ModelCheckpoint("net", str(tmp_path), config))
    suffix = settings.get("format", "ckpt")
    newest = tmp_path / f"net-2_3.{suffix}"
    values = load_checkpoint(str(newest), format=suffix)  # waits until it is written
    assert len(names(tmp_path)) == 2
    np.testing.assert_array_equal(values["weight"].asnumpy(), model.predict_network.weight.asnumpy())


@pytest.mark.parametrize("kind", [True, "process"])
def test_what_is_written_meanwhile_is_there_when_training_ends(tmp_path, monkeypatch, kind):
    def write_slowly(path, pieces, mode):
        time.sleep(0.2)
        write_atomically(path, pieces, mode)

    monkeypatch.setattr("dyad._src.checkpoint.save.write_atomically", write_slowly)
    config = CheckpointConfig(save_checkpoint_steps=3, async_save=kind)
    make_model().train(1, Batches(), ModelCheckpoint("net", str(tmp_path), config))
    assert names(tmp_path) == ["net-1_3.ckpt"]


def test_names_may_be_made_by_functions(tmp_path):
    config = CheckpointConfig(save_checkpoint_steps=3)
    saving = ModelCheckpoint(
        lambda run: f"at_{run.cur_step_num}", lambda run: str(tmp_path / f"epoch_{run.cur_epoch_num}"), config
    )
    make_model().train(2, Batches(), saving)
    assert names(tmp_path) == ["epoch_1", "epoch_2"] and names(tmp_path / "epoch_2") == ["at_6.ckpt"]
    bad = ModelCheckpoint(lambda run: "a/b", str(tmp_path), config)
    with pytest.raises(ValueError, match="prefix is 'a/b'; need a str without '/'"):
        make_model().train(1, Batches(), bad)


def fail_at(step):
    def fail(context):
        if context.original_args().cur_step_num == step:
            raise ArithmeticError

    return LambdaCallback(on_train_step_begin=fail)


def test_an_error_leaves_a_file_behind(tmp_path):
    config = CheckpointConfig(save_checkpoint_steps=100, exception_save=True)
    model = make_model()
    for _ in range(2):
        with pytest.raises(ArithmeticError):
            model.train(3, Batches(), [ModelCheckpoint("net", str(tmp_path), config), fail_at(5)])
    assert names(tmp_path) == ["net-2_2_breakpoint.ckpt", "net_1-2_2_breakpoint.ckpt"]
    values = load_checkpoint(str(tmp_path / "net_1-2_2_breakpoint.ckpt"))
    np.testing.assert_array_equal(values["weight"].asnumpy(), model.predict_network.weight.asnumpy())


def test_without_exception_save_an_error_leaves_nothing(tmp_path):
    config = CheckpointConfig(save_checkpoint_steps=100)
    with pytest.raises(ArithmeticError):
        make_model().train(3, Batches(), [ModelCheckpoint("net", str(tmp_path), config), fail_at(5)])
    assert not names(tmp_path)


def saved_at(monkeypatch, config, folder, times):
    """The names of the files after steps at these times."""
    from dyad.train.callback import _checkpoint

    clock = [0.0]
    monkeypatch.setattr(_checkpoint.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(_checkpoint.time, "time", lambda: clock[0])
    saving = ModelCheckpoint("net", str(folder), config)
    context = context_of(train_network=nn.Dense(1, 1), cur_step_num=0, batch_num=100, cur_epoch_num=1)
    saving.begin(context)
    for step, now in enumerate(times, 1):
        clock[0] = now
        context.original_args().cur_step_num = step
        saving.step_end(context)
        for name in names(folder):
            if f"net-1_{step}." in name:
                os.utime(folder / name, (now, now))
    return names(folder)


def test_files_by_the_clock(monkeypatch, tmp_path):
    config = CheckpointConfig(save_checkpoint_steps=0, save_checkpoint_seconds=10)
    assert saved_at(monkeypatch, config, tmp_path, [4, 8, 12, 16, 20, 23]) == ["net-1_3.ckpt", "net-1_6.ckpt"]


def test_one_file_is_kept_for_some_minutes(monkeypatch, tmp_path):
    config = CheckpointConfig(keep_checkpoint_max=0, keep_checkpoint_per_n_minutes=1)
    times = [1000, 1010, 1020, 1070, 1080, 1090]
    kept = saved_at(monkeypatch, config, tmp_path, times)
    assert "net-1_1.ckpt" in kept and "net-1_6.ckpt" in kept and len(kept) < len(times)


def test_evaluation_writes_nothing(tmp_path):
    make_model(metrics={"loss"}).eval(Batches(), ModelCheckpoint("net", str(tmp_path)))
    assert not names(tmp_path)


def test_fit_writes_after_steps_of_training_only(tmp_path):
    config = CheckpointConfig(keep_checkpoint_max=20)
    model = make_model(metrics={"loss"})
    model.fit(2, Batches(), Batches(), callbacks=ModelCheckpoint("net", str(tmp_path), config))
    assert len(names(tmp_path)) == 6


def test_files_are_listed_from_old_to_new(tmp_path):
    files = CheckpointManager()
    for name in ("net-1_10.ckpt", "net-1_9.ckpt", "net-1_2.txt", "net-x_1.ckpt", "other-1_1.ckpt"):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (5, 5))
    files.update_ckpoint_filelist(str(tmp_path), "net")
    assert [os.path.basename(path) for path in files.ckpoint_filelist] == ["net-1_9.ckpt", "net-1_10.ckpt"]
    files.remove_oldest_ckpoint_file()
    assert files.ckpoint_num == 1 and not (tmp_path / "net-1_9.ckpt").exists()


def test_what_a_config_says():
    config = CheckpointConfig(save_checkpoint_seconds=100, keep_checkpoint_per_n_minutes=5)
    assert config.get_checkpoint_policy() == {
        "save_checkpoint_steps": 1,
        "save_checkpoint_seconds": None,
        "keep_checkpoint_max": 5,
        "keep_checkpoint_per_n_minutes": None,
        "saved_network": None,
    }
    config = CheckpointConfig(0, 7, 0, 3, append_info=[], enc_key=b"0" * 16)
    assert (config.save_checkpoint_seconds, config.keep_checkpoint_per_n_minutes) == (7, 3)
    assert (config.append_dict, config.enc_key, config.enc_mode, config.format) == (
        None,
        b"0" * 16,
        "AES-GCM",
        "ckpt",
    )


@pytest.mark.parametrize(
    "wrong, kind, text",
    [
        (lambda: CheckpointConfig(0, 0, 0, 0), ValueError, "are all 0 or None; need one of them"),
        (lambda: CheckpointConfig(0, None, 0, 0), ValueError, "are all 0 or None"),
        (lambda: CheckpointConfig(-1), ValueError, "save_checkpoint_steps is -1"),
        (lambda: CheckpointConfig(1.5), TypeError, "save_checkpoint_steps is 1.5 of type float"),
        (lambda: CheckpointConfig(saved_network=3), TypeError, "saved_network is of type int; need a Cell"),
        (lambda: CheckpointConfig(async_save="later"), ValueError, "need a bool, 'thread' or 'process'"),
        (lambda: CheckpointConfig(enc_key="key"), ValueError, "enc_key is of type str; need bytes"),
        (lambda: CheckpointConfig(format="onnx"), ValueError, "format is 'onnx'; need one of ckpt, safe"),
        (lambda: CheckpointConfig(remove_redundancy=True), ValueError, "this is one process, need False"),
        (lambda: CheckpointConfig(exception_save=1), TypeError, "exception_save is 1 of type int"),
        (lambda: CheckpointConfig(append_info="epoch_num"), TypeError, "append_info is of type str"),
        (lambda: CheckpointConfig(append_info=["loss"]), ValueError, "need one of epoch_num, step_num"),
        (lambda: CheckpointConfig(append_info=[3]), TypeError, "append_info has 3; need str and one dict"),
        (lambda: CheckpointConfig(append_info=[{}, {}]), TypeError, "has 2 dicts; need one at most"),
        (lambda: CheckpointConfig(append_info=[{"a": []}]), TypeError, r"'a': \[\]; need names with numbers"),
        (lambda: ModelCheckpoint(3), ValueError, "prefix is 3; need a str without '/'"),
        (lambda: ModelCheckpoint("a/b"), ValueError, "prefix is 'a/b'"),
        (lambda: ModelCheckpoint(directory=3), TypeError, "directory is 3 of type int"),
        (lambda: ModelCheckpoint(config=3), TypeError, "config is of type int; need a CheckpointConfig"),
    ],
)
def test_wrong_use_is_named(wrong, kind, text):
    with pytest.raises(kind, match=text):
        wrong()


def test_the_graph_of_a_step_is_written_once(tmp_path, static):
    make_model().train(2, Batches(), ModelCheckpoint("net", str(tmp_path)))
    text = (tmp_path / "net-graph.meta").read_text()
    assert "matmul" in text.lower() or "dense" in text.lower()
    assert "net-2_3.ckpt" in names(tmp_path)
