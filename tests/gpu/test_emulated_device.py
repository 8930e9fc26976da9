"""Runs the tests of this folder on the emulated device, each file in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
DRIVERS = sorted(
    ROOT.glob("build/*/emulated/libdyad_emulated_cuda.so"),
    key=lambda path: path.stat().st_mtime,
    reverse=True,
)
FILES = sorted(path.name for path in HERE.glob("test_gpu_*.py"))


@pytest.mark.skipif("DYAD_CUDA_DRIVER" in os.environ, reason="this process runs on a device already")
@pytest.mark.skipif(not DRIVERS, reason="the emulated device is not built; `./dev build` builds it")
@pytest.mark.parametrize("name", FILES)
def test_on_emulated_device(name):
    environment = {
        **os.environ,
        "DYAD_CUDA_DRIVER": str(DRIVERS[0]),
        "DYAD_CUDA_LIBRARIES": str(DRIVERS[0].parent),
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(HERE / name)]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
