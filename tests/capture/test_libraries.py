"""Which code is a library's: Python itself and known packages; every other package is captured wherever it lies."""

import json
import subprocess
import sys

import numpy as np
import pytest

from dyad import Tensor, jit
from dyad._src.capture.semantics.calls import libraries
from dyad._src.capture.semantics.calls.frameworks import is_captured, is_library_class


@pytest.mark.parametrize(
    ("filename", "module", "library"),
    [
        (json.__file__, "json", True),
        (None, "sys", True),
        ("<frozen os>", "os", True),
        (np.__file__, "numpy", True),
        (np.linalg.__file__, "numpy.linalg", True),
        ("/usr/lib/python3/dist-packages/yaml/nodes.py", "yaml.nodes", True),
        ("/usr/lib/python3/dist-packages/mindcv/models/vit.py", "mindcv.models.vit", False),
        ("/home/me/env/lib/python3.11/site-packages/six.py", "six", True),
        ("/home/me/env/lib/python3.11/site-packages/mylayers.py", "mylayers", False),
        ("/home/me/yaml.py", "yaml", False),
        (__file__, __name__, False),
        ("<string>", "numpy.made", True),
        ("<string>", __name__, False),
    ],
)
def test_is_library_file_recognizes_libraries_by_path_and_module(filename, module, library):
    assert libraries.is_library_file(filename, module) is library


def test_wrappers_belong_to_the_file_they_are_written_in():
    def wrapper():
        return None

    wrapper.__module__ = "numpy"  # as functools.wraps leaves it
    assert is_captured(wrapper)


def test_a_target_folder_is_told_by_the_metadata_in_it(tmp_path, monkeypatch):
    package = tmp_path / "wrapt"
    package.mkdir()
    (package / "__init__.py").write_text("def same(x):\n    return x\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "wrapt", raising=False)
    import wrapt

    assert is_captured(wrapt.same)  # a folder of the user's that has a library's name
    (tmp_path / "wrapt-1.0.dist-info").mkdir()
    libraries.is_library_file.cache_clear()
    libraries._holds_installed.cache_clear()
    assert not is_captured(wrapt.same)
    monkeypatch.delitem(sys.modules, "wrapt")


def test_classes_without_python_code_are_left_alone():
    assert is_library_class(np.ndarray) and is_library_class(dict)
    assert not is_library_class(type("Own", (), {"__module__": __name__}))


def outer(x):
    return x * 2.0


def test_ignored_packages_are_left_to_python(monkeypatch):
    def program(x):
        return outer(x)

    assert is_captured(outer)
    monkeypatch.setenv("MS_JIT_IGNORE_MODULES", f"something, {__name__}")
    assert not is_captured(outer)
    with pytest.raises(
        ValueError, match=r"outer: it is called with a value that is known only when the graph runs"
    ):
        jit(program, fullgraph=True)(Tensor([1.0]))
    assert jit(program)(Tensor([1.0])).asnumpy().tolist() == [2.0]
    monkeypatch.setenv("MS_JIT_MODULES", __name__)
    assert not is_captured(outer)  # a package that both lists name is left out
    monkeypatch.delenv("MS_JIT_IGNORE_MODULES")
    assert jit(program)(Tensor([1.0])).asnumpy().tolist() == [2.0]


def test_a_listed_library_can_be_taken_into_the_graph(monkeypatch):
    import textwrap

    def program(x):
        return x + len(textwrap.dedent("  a"))

    assert not is_captured(textwrap.dedent)
    monkeypatch.setenv("MS_JIT_MODULES", "textwrap")
    assert is_captured(textwrap.dedent)
    monkeypatch.delenv("MS_JIT_MODULES")
    assert jit(program)(Tensor([1.0])).asnumpy().tolist() == [2.0]


def test_a_program_beside_python_m_dyad_uses_an_installed_package(tmp_path):
    home = tmp_path / "site-packages" / "pip_layers"
    home.mkdir(parents=True)
    (home / "__init__.py").write_text(
        "from mindspore import nn, ops\n"
        "class Twice(nn.Cell):\n"
        "    def construct(self, x):\n"
        "        if x.sum() > 0:\n"
        "            return ops.relu(x) * 2\n"
        "        return x\n"
    )
    program = tmp_path / "program.py"
    program.write_text(
        f"import sys; sys.path.insert(0, {str(home.parent)!r})\n"
        "import mindspore as ms\n"
        "import pip_layers\n"
        "net = pip_layers.Twice()\n"
        "ms.set_context(mode=ms.GRAPH_MODE)\n"
        "print(net(ms.Tensor([1., -2., 3.])).asnumpy().tolist(), net(ms.Tensor([-1.])).asnumpy().tolist())\n"
        "print(ms.grad(ms.jit(net))(ms.Tensor([1., -2., 3.])).asnumpy().tolist())\n"
    )
    ran = subprocess.run(
        [sys.executable, "-m", "dyad", str(program)], capture_output=True, text=True, timeout=120, check=False
    )
    assert ran.stdout.splitlines() == ["[2.0, 0.0, 6.0] [-1.0]", "[2.0, 0.0, 2.0]"], ran.stderr
