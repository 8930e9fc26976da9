"""A slower way than there is, is logged once and shown by `explain`."""

import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np

import dyad
from dyad import Tensor, explain, jit

X = Tensor([1.0, 2.0])


def test_sizes_that_cannot_be_left_open_are_said_once(logged):
    def fixed(x):
        return x * Tensor(np.ones(x.shape, np.float32))

    compiled = jit(fixed, dynamic=1)
    for size in range(2, 8):
        compiled(Tensor([1.0] * size))
    said = [line for line in logged if "sizes cannot be left open" in line]
    assert len(said) == 1 and "numpy.ones" in said[0]
    made = explain(compiled)(Tensor([1.0, 2.0]))
    assert "Slower than it could be\n  sizes cannot be left open" in str(made)
    assert "sizes cannot be left open" in made._repr_html_()


def test_operators_recorded_one_by_one_are_said_once(logged):
    def whole(x):
        return (x * 2).astype(dyad.int32).astype(dyad.float32).sum(), (x * 2).astype(dyad.int32)

    recorded = jit(whole)
    for _ in range(2):
        dyad.grad(lambda x: recorded(x)[0] + (x * x).sum())(X)
    said = [line for line in logged if "is recorded by itself" in line]
    assert len(said) == 1 and "result 1 has dtype int32" in said[0].lower()


def test_a_missing_code_generator_is_said(tmp_path):
    library = pathlib.Path(dyad.__file__).parent / "lib/libdyad.so"
    shutil.copy(library, tmp_path)  # the code generator is looked for beside it
    script = (
        "import dyad; from dyad import Tensor\n"
        "f = dyad.jit(lambda x: dyad.ops.tanh(x * 2.0) + 1.0)\n"
        "print(f(Tensor([0.0])).asnumpy(), f(Tensor([0.0, 0.0])).asnumpy())\n"
        "print('Slower than it could be' in str(dyad.explain(f)(Tensor([0.0]))))\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "LD_LIBRARY_PATH": str(tmp_path), "DYAD_CACHE_DIR": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert ran.stdout.split() == ["[1.]", "[1.", "1.]", "True"]
    assert ran.stderr.count("there is no code generator for this machine") == 1, ran.stderr
