"""Settings of the static graph outside of `jit`: context keys, environment, mutable values."""

import re

import numpy as np
import pytest

import dyad
from dyad import Tensor, get_context, jit, mutable, set_context, set_recursion_limit
from dyad._src.context import environment


def test_the_depth_of_calls():
    set_recursion_limit(50)
    assert get_context("max_call_depth") == 50
    with pytest.raises(
        ValueError, match="set_recursion_limit: recursion_limit is 0; need an int of at least 1"
    ):
        set_recursion_limit(0)
    with pytest.raises(
        TypeError, match="set_recursion_limit: recursion_limit is 'a' of type str; need an int"
    ):
        set_recursion_limit("a")
    assert get_context("max_call_depth") == 50
    set_recursion_limit()
    assert get_context("max_call_depth") == 1000


def test_the_folder_of_dumps_is_made(tmp_path, monkeypatch):
    before = get_context("save_graphs_path")
    folder = tmp_path / "a" / "b"
    set_context(save_graphs_path=str(folder), save_graphs=True)
    assert folder.is_dir() and environment.dump_folder() == str(folder) and environment.dump_level() == 2
    monkeypatch.setenv("MS_DEV_SAVE_GRAPHS_PATH", str(tmp_path / "c"))
    monkeypatch.setenv("MS_DEV_SAVE_GRAPHS", "3")
    assert environment.dump_folder() == str(tmp_path / "c") and (tmp_path / "c").is_dir()
    assert environment.dump_level() == 3
    monkeypatch.setenv("MS_DEV_SAVE_GRAPHS", "9")
    with pytest.raises(RuntimeError, match="MS_DEV_SAVE_GRAPHS is '9'; need a number from 0 to 3"):
        environment.dump_level()
    set_context(save_graphs_path=before)


@pytest.mark.parametrize(
    ("variable", "value"), [("MS_JIT_DISPLAY_PROGRESS", "1"), ("VLOG_v", "1"), ("VLOG_v", "(1,9)")]
)
def test_progress_is_shown_on_demand(compilations, monkeypatch, capsys, variable, value):
    monkeypatch.setenv(variable, value)

    @jit
    def shown(x):
        return x

    shown(1), shown(1)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2 and lines[0].startswith(
        "Start compiling test_progress_is_shown_on_demand.<locals>.shown ("
    )
    assert re.search(r"^End compiling .*shown .*: \d+\.\d+ s$", lines[1])


@pytest.mark.parametrize("value", ["", "2", "(5,9)", "no"])
def test_progress_is_not_shown_for_other_levels(monkeypatch, value):
    monkeypatch.setenv("VLOG_v", value)
    assert not environment.shows_progress()


def test_a_varying_length_needs_elements_of_one_type(compilations):
    first = jit(lambda xs: xs[0])
    assert first(mutable((1, 2), dynamic_len=True)) == 1
    x = Tensor(np.ones(1, np.float32))
    assert first(mutable([x, x], dynamic_len=True)) is x
    for values in ((1, 2.0), [x, 1], ((1,), (1, 2))):
        with pytest.raises(ValueError, match=r"has elements of the types .*; need elements of one type"):
            first(mutable(values, dynamic_len=True))
    assert first(mutable((1, 2.0))) == 1


@pytest.mark.parametrize("mode", ["ast", "bytecode"])
def test_a_varying_length_needs_elements_of_one_type_where_it_is_made_too(mode):
    @jit(capture_mode=mode)
    def made(x, second):
        return mutable((x, second), dynamic_len=True)[0]

    x = Tensor(np.ones(1, np.float32))
    assert made(x, x).tolist() == [1]
    with pytest.raises(
        ValueError, match=r"mutable: .* has elements of the types .*; need elements of one type"
    ):
        made(x, 1)


def test_precompiling_is_a_key():
    assert get_context("precompile_only") is False
    with pytest.raises(TypeError, match="set_context: precompile_only is 1 of type int; need bool"):
        dyad.set_context(precompile_only=1)
