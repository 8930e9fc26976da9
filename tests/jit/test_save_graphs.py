"""`save_graphs`: files of the graph as it is made."""

import itertools
import os

import pytest

import dyad
from dyad import Tensor, jit
from dyad._src.interchange.graph_text.listing import read_graph


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.delenv("MS_DEV_SAVE_GRAPHS", raising=False)
    monkeypatch.delenv("MS_DEV_SAVE_GRAPHS_PATH", raising=False)
    monkeypatch.delenv("MS_DEV_DUMP_IR_PASSES", raising=False)
    before = {key: dyad.get_context(key) for key in ("save_graphs", "save_graphs_path")}
    yield tmp_path / "graphs"
    dyad.set_context(**before)


def twice(x):
    x * 3
    return x + x


def files(folder):
    return sorted(os.listdir(folder)) if folder.exists() else []


def test_nothing_is_written_unless_asked_for(folder):
    dyad.set_context(save_graphs=0, save_graphs_path=str(folder))
    jit(twice)(Tensor([1.0]))
    assert files(folder) == []


def test_level_two_writes_every_stage_in_order(folder):
    dyad.set_context(save_graphs=True, save_graphs_path=str(folder))
    jit(twice)(Tensor([1.0]))
    written = files(folder)
    assert all(name.endswith(".ir") and "_twice_" in name for name in written)
    assert written[0].endswith("_twice_00_captured.ir") and len(written) > 2
    numbers = [int(name.split("_twice_")[1][:2]) for name in written]
    assert numbers == list(range(len(written)))
    first, last = ((folder / name).read_text() for name in (written[0], written[-1]))
    assert "mul" in first and "mul" not in last and list(read_graph(last)) == ["twice"]


def test_level_one_leaves_out_what_changed_nothing(folder):
    dyad.set_context(save_graphs=1, save_graphs_path=str(folder))
    jit(twice)(Tensor([1.0]))
    texts = [(folder / name).read_text() for name in files(folder)]
    stages = texts[:-1]
    assert len(stages) >= 2 and all(one != other for one, other in itertools.pairwise(stages))


@pytest.mark.parametrize("capture_mode", ["ast", "bytecode", "trace"])
def test_the_graph_that_runs_is_the_last_file(folder, capture_mode):
    dyad.set_context(save_graphs=1, save_graphs_path=str(folder))
    jit(twice, capture_mode=capture_mode)(Tensor([1.0]))
    *stages, last = files(folder)
    assert last.endswith("_validate.ir")
    assert (folder / last).read_text() == (folder / stages[-1]).read_text()


def test_files_of_chosen_stages_only(folder, monkeypatch):
    monkeypatch.setenv("MS_DEV_DUMP_IR_PASSES", "_validate, captured")
    dyad.set_context(save_graphs=2, save_graphs_path=str(folder))
    jit(twice)(Tensor([1.0]))
    assert [name.split("_")[-1] for name in files(folder)] == ["captured.ir", "validate.ir"]


def test_level_three_adds_images(folder):
    dyad.set_context(save_graphs=3, save_graphs_path=str(folder))
    jit(twice)(Tensor([1.0]))
    written = files(folder)
    texts = {name.removesuffix(".ir") for name in written if name.endswith(".ir")}
    pictures = {name.removesuffix(".dot") for name in written if name.endswith(".dot")}
    assert texts == pictures
    assert (folder / f"{min(pictures)}.dot").read_text().startswith('digraph "twice" {')


def test_graphs_sort_in_the_order_of_their_compilation(folder):
    dyad.set_context(save_graphs=1, save_graphs_path=str(folder))
    function = jit(twice)
    function(Tensor([1.0]))
    function(Tensor([1.0, 2.0]))
    captured = [name for name in files(folder) if name.endswith("_00_captured.ir")]
    assert ["[1]" in (folder / name).read_text() for name in captured] == [True, False]


def test_the_environment_wins(folder, tmp_path, monkeypatch):
    dyad.set_context(save_graphs=0, save_graphs_path=str(folder))
    monkeypatch.setenv("MS_DEV_SAVE_GRAPHS", "2")
    monkeypatch.setenv("MS_DEV_SAVE_GRAPHS_PATH", str(tmp_path / "elsewhere"))
    jit(twice)(Tensor([1.0]))
    assert files(folder) == [] and len(files(tmp_path / "elsewhere")) > 2


def test_a_failed_capture_leaves_what_there_was(folder):
    dyad.set_context(save_graphs=1, save_graphs_path=str(folder))

    @jit(fullgraph=True)
    def reads(x):
        total = x + 1
        return total.asnumpy()

    with pytest.raises(AttributeError):
        reads(Tensor([1.0]))
    written = (folder / "rank_0" / "om" / "analyze_fail.ir").read_text()
    assert written.startswith("# AttributeError: asnumpy: ") and "# " in written
    assert "func @reads" in written and "add(%x" in written


def test_a_failed_capture_leaves_nothing_unless_asked_for(folder):
    dyad.set_context(save_graphs=0, save_graphs_path=str(folder))
    with pytest.raises(AttributeError):
        jit(lambda x: x.asnumpy(), fullgraph=True)(Tensor([1.0]))
    assert files(folder) == []


def test_the_folder_stays_where_it_was_named(folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    dyad.set_context(save_graphs=1, save_graphs_path="graphs")
    assert dyad.get_context("save_graphs_path") == str(folder.resolve()) and folder.is_dir()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    jit(twice)(Tensor([1.0]))
    assert files(folder) and not files(tmp_path / "elsewhere" / "graphs")
