"""Tests on NVIDIA's devices. With `DYAD_CUDA_DRIVER` in the environment they run on the device of that driver; without,
`test_emulated_device.py` runs them in a process of their own, on the emulated device of the build.
"""

import os
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "ops"))  # samples of the operator table, and what is expected of them

collect_ignore_glob = [] if "DYAD_CUDA_DRIVER" in os.environ else ["test_gpu_*.py"]


@pytest.fixture(scope="session", autouse=True)
def on_the_device():
    if "DYAD_CUDA_DRIVER" in os.environ:
        import dyad

        dyad.set_device("GPU", 0)
    yield
