"""The programs that `tools/on_gpu.sh` runs at full length, here short: they run, and can tell right from wrong."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
DRIVER = Path(os.environ["DYAD_CUDA_DRIVER"])
EMULATED = "emulated" in DRIVER.name
DTYPE = re.compile(r"_(bool|u?int\d+|b?float\d+|complex\d+|float|double|\d+)$")


def run(name, *arguments, **environment):
    command = [sys.executable, str(HERE / name), *arguments]
    done = subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr[-4000:]
    return done.stdout


def test_a_short_soak_run_passes():
    assert run("soak.py", "60", "10").endswith("soak: passed\n")


def test_soak_sees_memory_that_grows():
    program = (
        "import soak, dyad, sys; dyad.set_device('GPU', 0); kept = []; mlp = soak.mlp()\n"
        "class Keeps(soak.nn.Cell):\n"
        "    def __init__(self): super().__init__(); self.inner = mlp\n"
        "    def construct(self, x): kept.append(x + 1); return self.inner(x)\n"
        "sys.exit(soak.soak('kept', Keeps(), (16,), 60))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=HERE, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "NOT FLAT" in done.stdout


def test_two_processes_share_the_device():
    assert run("processes.py", "2").endswith("processes: passed\n")


def test_two_streams():
    assert run("two_streams.py", "8").endswith("streams: passed\n")


def family(name):
    """The name of a kernel without the dtypes that it was made for, and without what counts in 64 bits."""
    while DTYPE.search(name):
        name = DTYPE.sub("", name)
    return name.replace("_far", "")


@pytest.mark.skipif(not EMULATED, reason="only the emulated driver tells which kernels were used")
def test_every_kernel_is_watched(tmp_path):
    """Kernels that are made from scalar definitions share their code: not each of those must be there."""
    used = tmp_path / "kernels"
    run("every_kernel.py", "200", DYAD_EMULATED_KERNELS=str(used))
    built = [path for path in DRIVER.parents[1].rglob("*.ptx") if not path.name.startswith("elementwise")]
    assert built
    written = {family(name) for path in built for name in re.findall(r"\.entry (\w+)", path.read_text())}
    missing = written - {family(name) for name in used.read_text().split()}
    assert not missing, sorted(missing)
