"""A process that is killed while it saves leaves the old file or the new one."""

import fcntl
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import dyad
from dyad import Tensor
from dyad._src.base.atomic_file import write_atomically

SCRIPT = Path(__file__).parent / "kill_a_save.py"
MOMENTS = 200


@pytest.mark.parametrize("format", ["ckpt", "safetensors"])
def test_a_killed_save_leaves_the_old_file_or_the_new_one(tmp_path, format):
    command = [sys.executable, str(SCRIPT), str(tmp_path), format, str(MOMENTS)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)
    assert found["events"] > MOMENTS  # so the moments are different ones
    assert found["old"] + found["new"] == MOMENTS + MOMENTS // 5
    assert found["old"] > 0 and found["new"] > 0 and found["leftovers"] > 0
    assert found["files"] == [f"net.{format}"]


def test_what_a_living_process_writes_is_left_alone(tmp_path):
    path, seen = str(tmp_path / "net.ckpt"), []

    def pieces():
        seen.extend(os.listdir(tmp_path))
        yield b"contents"

    write_atomically(path, pieces(), 0o600)
    (scratch,) = seen
    dead, living = tmp_path / scratch.replace(".tmp", "0.tmp"), tmp_path / scratch.replace(".tmp", "1.tmp")
    dead.touch()
    with open(living, "wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        dyad.save_checkpoint({"x": Tensor([2.0])}, path)
        assert sorted(os.listdir(tmp_path)) == [living.name, "net.ckpt"]
    dyad.save_checkpoint({"x": Tensor([3.0])}, path)
    assert os.listdir(tmp_path) == ["net.ckpt"]


def test_a_failed_save_keeps_the_old_file(tmp_path):
    path = str(tmp_path / "net.safetensors")
    dyad.save_checkpoint({"x": Tensor([1.0])}, path, format="safetensors")
    unnameable = {"x": Tensor([2.0]), "c": Tensor([1.0]).astype(dyad.complex128)}
    with pytest.raises(TypeError, match="c is Complex128, which safetensors has no name for"):
        dyad.save_checkpoint(unnameable, path, format="safetensors")
    assert float(dyad.load_checkpoint(path, format="safetensors")["x"]) == 1.0
    assert os.listdir(tmp_path) == ["net.safetensors"]


def test_a_link_is_followed_and_a_long_name_fits(tmp_path):
    (tmp_path / "real.ckpt").touch()
    (tmp_path / "link.ckpt").symlink_to("real.ckpt")
    dyad.save_checkpoint({"x": Tensor([1.0])}, str(tmp_path / "link.ckpt"))
    assert (tmp_path / "link.ckpt").is_symlink() and (tmp_path / "real.ckpt").stat().st_size > 0
    long = tmp_path / ("n" * 250 + ".ckpt")
    dyad.save_checkpoint({"x": Tensor([1.0])}, str(long))
    assert long.stat().st_size > 0
