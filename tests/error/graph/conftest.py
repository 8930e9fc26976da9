import sys
from pathlib import Path

import pytest

import dyad

sys.path.append(str(Path(__file__).resolve().parents[2] / "forms"))  # how two runs of a program are compared


@pytest.fixture(autouse=True)
def restore_context(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # programs may write files
    keys = ("mode", "max_call_depth", "jit_syntax_level", "deterministic")
    before = {key: dyad.get_context(key) for key in keys}
    yield
    dyad.set_context(**before)
