"""Compiled loops on disk: a second process finds them and does not load the compiler."""

import os
import subprocess
import sys

PROGRAM = """
import numpy
from dyad import Tensor, jit, ops

@jit
def program(x):
    return ops.tanh(x * 2 + 1) - ops.exp(-x)

result = program(Tensor(numpy.linspace(-2, 2, 1000, dtype=numpy.float32))).asnumpy()
print(result.tobytes().hex(), "libdyad_llvm" in open("/proc/self/maps").read())
"""


def run(folder, **settings):
    environment = {**os.environ, "DYAD_CACHE_DIR": str(folder), **settings}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True
    )
    result, compiled = done.stdout.split()
    return result, compiled == "True"


def loops(folder):
    return sorted(folder.glob("loops/*.loop"))


def test_second_process_compiles_nothing(tmp_path):
    first, compiled = run(tmp_path)
    assert compiled and loops(tmp_path)
    second, compiled = run(tmp_path)
    assert second == first and not compiled


def test_damaged_files_are_rebuilt(tmp_path):
    first, _ = run(tmp_path)
    sound = [file.read_bytes() for file in loops(tmp_path)]
    for file in loops(tmp_path):
        file.write_bytes(file.read_bytes()[:-10] + bytes(10))
    second, compiled = run(tmp_path)
    assert second == first and compiled
    assert [file.read_bytes() for file in loops(tmp_path)] == sound


def test_dyad_cache_0_stores_no_code(tmp_path):
    first, compiled = run(tmp_path, DYAD_CACHE="0")
    assert compiled and not list(tmp_path.iterdir())
    assert run(tmp_path)[0] == first


def test_folder_that_cannot_be_made(tmp_path):
    place = tmp_path / "file"
    place.write_text("")
    result, compiled = run(place)
    assert compiled and run(tmp_path)[0] == result
