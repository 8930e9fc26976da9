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


needs_emulated_device = pytest.mark.skipif(
    "DYAD_CUDA_DRIVER" in os.environ or not DRIVERS,
    reason="this process runs on a device already, or the emulated one is not built (`./dev build`)",
)


def run_on_emulated_device(name, libraries):
    environment = {
        **os.environ,
        "DYAD_CUDA_DRIVER": str(DRIVERS[0]),
        "DYAD_CUDA_LIBRARIES": str(libraries),
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(HERE / name)]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]


@needs_emulated_device
@pytest.mark.parametrize("name", FILES)
def test_on_emulated_device(name):
    run_on_emulated_device(name, DRIVERS[0].parent)


@needs_emulated_device
@pytest.mark.parametrize(
    "kept", ["libcublasLt.so", None], ids=["products by cuBLASLt", "products of our own"]
)
def test_convolutions_without_cudnn(tmp_path, kept):
    """They are matrix products then."""
    if kept:
        (tmp_path / kept).symlink_to(DRIVERS[0].parent / kept)
    run_on_emulated_device("test_gpu_convolutions.py", tmp_path)
