"""`async_save`: the values of the moment, one save at a time, and errors that are not lost."""

import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import dyad
from dyad import Parameter, Tensor, load_checkpoint, save_checkpoint
from dyad._src.checkpoint import ckpt_file

WAYS = [True, "thread", "process"]


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def gate(monkeypatch):
    """Saves wait until the gate is opened."""
    opened, encode = threading.Event(), ckpt_file.encode

    def waiting(*args):
        opened.wait(10)
        yield from encode(*args)

    monkeypatch.setattr(ckpt_file, "encode", waiting)
    yield opened
    opened.set()


@pytest.mark.parametrize("format", ["ckpt", "safetensors"])
@pytest.mark.parametrize("way", WAYS)
def test_the_values_are_those_of_the_moment(way, format):
    parameter = Parameter(Tensor(np.arange(6, dtype=np.float32).reshape(2, 3)), name="p")
    save_checkpoint([parameter, Parameter(parameter.T, name="t")], "late", async_save=way, format=format)
    parameter.set_data(Tensor(np.zeros((2, 3), np.float32)))
    loaded = load_checkpoint(f"late.{format}", format=format)
    assert loaded["p"].asnumpy().tolist() == [[0, 1, 2], [3, 4, 5]]
    assert loaded["t"].asnumpy().tolist() == [[0, 3], [1, 4], [2, 5]]


def test_a_view_is_saved_by_a_child_process():
    x = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    save_checkpoint({"t": x.T}, "view", async_save="process")
    assert load_checkpoint("view.ckpt")["t"].asnumpy().tolist() == [[0, 3], [1, 4], [2, 5]]


def test_a_second_save_and_a_load_wait_for_the_first(gate):
    save_checkpoint({"x": Tensor([1.0])}, "first", async_save=True)
    assert dyad.async_ckpt_thread_status() is True
    assert not os.path.exists("first.ckpt")
    threading.Timer(0.05, gate.set).start()
    save_checkpoint({"x": Tensor([2.0])}, "second", async_save=True)
    assert os.path.exists("first.ckpt")
    assert float(load_checkpoint("second.ckpt")["x"]) == 2.0
    assert dyad.async_ckpt_thread_status() is False


@pytest.mark.parametrize("way", ["thread", "process"])
def test_what_went_wrong_is_raised_by_the_next_save_or_load(way, monkeypatch):
    save_checkpoint({"x": Tensor([1.0])}, "net")
    encode = ckpt_file.encode

    def failing(*args):
        raise OSError(28, "No space left on device")

    for act in (
        lambda: save_checkpoint({"x": Tensor([3.0])}, "net"),
        lambda: save_checkpoint({"x": Tensor([3.0])}, "net", async_save=way),
        lambda: load_checkpoint("net.ckpt"),
    ):
        monkeypatch.setattr(ckpt_file, "encode", failing)
        save_checkpoint({"x": Tensor([2.0])}, "net", async_save=way)
        monkeypatch.setattr(ckpt_file, "encode", encode)
        with pytest.raises(
            RuntimeError, match=r"net\.ckpt could not be saved in the background: .*No space left"
        ):
            act()
        assert float(load_checkpoint("net.ckpt")["x"]) == 1.0
    assert os.listdir() == ["net.ckpt"]


def test_a_child_process_that_is_killed_is_noticed(monkeypatch):
    monkeypatch.setattr(ckpt_file, "encode", lambda *args: os.kill(os.getpid(), 9))
    save_checkpoint({"x": Tensor([1.0])}, "net", async_save="process")
    with pytest.raises(RuntimeError, match="the child process ended with status -9"):
        load_checkpoint("net.ckpt")


PROGRAM = """
import sys, time
import numpy as np
import dyad
from dyad._src.checkpoint import ckpt_file

encode = ckpt_file.encode

def slow(*args):
    time.sleep(0.2)
    if sys.argv[2] == "fails":
        raise OSError(28, "No space left on device")
    yield from encode(*args)

ckpt_file.encode = slow
dyad.save_checkpoint({"x": dyad.Tensor([5.0])}, "late", async_save=sys.argv[1])
"""


@pytest.mark.parametrize("way", ["thread", "process"])
def test_the_end_of_the_program_waits(way):
    done = subprocess.run([sys.executable, "-c", PROGRAM, way, "works"], capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == ""
    assert float(load_checkpoint("late.ckpt")["x"]) == 5.0
    done = subprocess.run([sys.executable, "-c", PROGRAM, way, "fails"], capture_output=True, text=True)
    assert "late.ckpt could not be saved in the background" in done.stderr


@pytest.mark.parametrize("format", ["ckpt", "safetensors"])
def test_loading_in_the_background(format):
    save_checkpoint({"a.x": Tensor([1.0]), "b.x": Tensor([2.0])}, "net", format=format)
    future = dyad.load_checkpoint_async(f"net.{format}", choice_func=lambda name: name.startswith("b"))
    assert [float(value) for value in future.result().values()] == [2.0]
    with pytest.raises(ValueError, match=r"there is no file 'absent\.ckpt'"):
        dyad.load_checkpoint_async("absent.ckpt").result()
