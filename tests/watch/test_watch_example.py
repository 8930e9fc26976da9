"""The example that trains two runs to look at, at a reduced size, in both forms."""

import importlib.util
from pathlib import Path

import pytest

import dyad
from dyad._src.observe.watch.runs import Runs

PATH = Path(__file__).parents[2] / "examples/watch_training.py"


@pytest.mark.parametrize("form", [[], ["--pynative"]], ids=["static", "dynamic"])
def test_both_runs_are_recorded(tmp_path, capsys, form):
    spec = importlib.util.spec_from_file_location("watch_training", PATH)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    before = dyad.get_context("mode")
    try:
        found = example.main(["--folder", str(tmp_path), "--epochs", "2", "--pictures", "640", *form])
    finally:
        dyad.set_context(mode=before)
    assert found.keys() == {"momentum", "adam"}
    assert f"dyad watch {tmp_path}" in capsys.readouterr().out
    runs = Runs(str(tmp_path))
    assert not runs.poll(60) and sorted(runs.names) == ["adam", "momentum"]
    for tag in (
        "loss/auto",
        "eval/accuracy",
        "gradient_norm/first.weight",
        "active features",
        "input_data/auto",
    ):
        assert any(f'"{tag}"' in entry for entry in runs.entries), tag
