"""examples/export_and_load.py at reduced size."""

import importlib.util
import pathlib

import pytest

import dyad

PATH = pathlib.Path(__file__).parents[2] / "examples/export_and_load.py"


@pytest.fixture
def example():
    before = dyad.get_context("mode")
    spec = importlib.util.spec_from_file_location("export_and_load", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    dyad.set_context(mode=before)


@pytest.mark.parametrize("mode", ["pynative", "graph"])
@pytest.mark.parametrize("file_format", ["MINDIR", "DYAD"])
def test_the_loaded_network_is_the_trained_one(example, tmp_path, mode, file_format):
    before, after = example.main(mode, file_format, steps=40, folder=str(tmp_path))
    assert before > 0.8
    assert after >= before - 0.05
