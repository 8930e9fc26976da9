"""`support_binary`: a module that is deployed without its source can still be captured."""

import compileall
import os
import pathlib
import subprocess
import sys

import pytest

import dyad

LAYER = """
from dyad import nn

class Layer(nn.Cell):
    def construct(self, x):
        if x.sum() > 0:
            return x * 2.0
        return -x
"""

PROGRAM = """
import sys
import dyad
from dyad import Tensor, jit
dyad.set_context(support_binary=sys.argv[1] == "keep")
import layer
print(jit(layer.Layer(), fullgraph="lax" not in sys.argv)(Tensor([1.0, 2.0])).asnumpy().tolist())
"""


def run(folder, *modes):
    return subprocess.run(
        [sys.executable, str(folder / "program.py"), *modes],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "layer.py").write_text(LAYER)
    (tmp_path / "program.py").write_text(PROGRAM)
    return tmp_path


def deploy_without_source(folder):
    assert compileall.compile_file(folder / "layer.py", legacy=True, quiet=1)
    (folder / "layer.py").unlink()


def test_source_is_kept_and_found_again(folder):
    assert run(folder, "keep").stdout == "[2.0, 4.0]\n"
    assert (folder / "layer.dyad_source").read_text() == LAYER
    assert not list(pathlib.Path(dyad.__file__).parent.rglob("*.dyad_source"))
    deploy_without_source(folder)
    ran = run(folder, "find")
    assert ran.stdout == "[2.0, 4.0]\n", ran.stderr


def test_without_the_setting_nothing_is_kept(folder):
    assert run(folder, "find").stdout == "[2.0, 4.0]\n"
    assert not (folder / "layer.dyad_source").exists()
    deploy_without_source(folder)
    ran = run(folder, "find")
    assert ran.returncode == 1 and "set_context(support_binary=True) keeps the text" in ran.stderr


def test_without_its_text_a_module_is_run_by_python(folder):
    deploy_without_source(folder)
    ran = run(folder, "find", "lax")
    assert ran.stdout == "[2.0, 4.0]\n", ran.stderr


def test_a_text_that_is_not_of_this_code_is_not_used(folder):
    assert run(folder, "keep").stdout == "[2.0, 4.0]\n"
    (folder / "layer.py").write_text(LAYER.replace("\nclass", "\n\n\n\nclass"))
    deploy_without_source(folder)
    ran = run(folder, "find")
    assert ran.returncode == 1 and "layer" in ran.stderr and "Error" in ran.stderr
