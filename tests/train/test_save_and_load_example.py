"""The example of saving and loading, at reduced size, in both modes."""

import runpy
from pathlib import Path

import pytest

import dyad

PATH = Path(__file__).parents[2] / "examples/save_and_load.py"


@pytest.fixture
def mode_is_restored():
    mode = dyad.get_context("mode")
    yield
    dyad.set_context(mode=mode)


@pytest.mark.parametrize("mode", [[], ["--static"]])
def test_a_resumed_training_ends_as_one_that_was_not_stopped(tmp_path, capsys, mode_is_restored, mode):
    example = runpy.run_path(str(PATH))
    example["main"](["--steps", "10", "--folder", str(tmp_path), *mode])
    lines = capsys.readouterr().out.splitlines()
    first, second = (word.split()[0] for word in lines[0].split(": ")[1].split(", "))
    assert first == second
    files = {"half_way.ckpt", "trained.ckpt", "trained.safetensors", "converted", "inside_another.ckpt"}
    assert {path.name for path in tmp_path.iterdir()} == files
    assert lines[-2].endswith("missing []")
    assert lines[-1].endswith("missing ['head.weight', 'head.bias']")


def test_other_state_is_noticed(tmp_path):
    example = runpy.run_path(str(PATH))
    training = example["Training"]()
    training.take_steps(2)
    training.save(str(tmp_path / "x.ckpt"))
    contents = dyad.load_checkpoint(str(tmp_path / "x.ckpt"))
    assert int(contents["steps"]) == 2 and int(contents["global_step"]) == 2
    assert any(name.startswith("moment1.") for name in contents)
    without_moments = {name: value for name, value in contents.items() if not name.startswith("moment")}
    missing, _ = dyad.load_param_into_net(example["Training"]().step, without_moments)
    assert all(name.startswith("moment") for name in missing) and len(missing) == 12
