"""The room check of python/dyad finds each kind of fault in a small package."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import python_rooms

ROOT = Path(__file__).resolve().parents[2]

PLAN = """
[rooms]
"core" = { holds = ["_core"], imports = [] }
"ground" = { holds = ["_src/ground", "_src/base/lazy_import"], imports = ["core"] }
"jit" = { holds = ["_src/jit"], imports = ["ground"] }
"nn" = { holds = ["nn"], imports = ["ground", "jit"] }
"dyad" = { holds = ["."], imports = ["nn"] }

[lazy]
"numpy" = { in = ["_src/jit"], why = "76 ms" }
"dyad.nn.*" = { in = ["nn"], why = "few programs use them" }
"""

FILES = {
    "__init__.py": "from dyad import nn\n",
    "_src/ground.py": "from dyad import _core\n",
    "_src/jit/__init__.py": "",
    "_src/jit/jit.py": "from dyad._src import ground\n\ndef first():\n    import numpy\n",
    "nn/__init__.py": (
        "from dyad.nn.cell import Cell\n"
        "from dyad._src.base.lazy_import import load\n"
        "def __getattr__(name):\n    return load(f'dyad.nn.{name}')\n"
    ),
    "nn/cell.py": "from .._src.jit import jit\nclass Cell: pass\n",
    "_src/base/lazy_import.py": "def load(name): ...\n",
}


@pytest.fixture
def tree(tmp_path):
    """A package without a fault; a test breaks one thing in it."""
    for name, text in FILES.items():
        write(tmp_path, name, text)
    write(tmp_path, "../../src/bindings/module.cpp", "NB_MODULE(_core, module) {}\n")
    return tmp_path


def write(root: Path, name: str, text: str) -> None:
    file = root / "python/dyad" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def plan(text: str = PLAN) -> python_rooms.PythonRooms:
    return python_rooms.PythonRooms(tomllib.loads(text))


def faults(root: Path, text: str = PLAN) -> list[str]:
    return python_rooms.check(root, plan(text))


def test_sound_package_has_no_fault(tree):
    assert faults(tree) == []


def test_import_that_points_up(tree):
    write(tree, "_src/ground.py", "from dyad.nn import cell\n")
    assert faults(tree)[0] == (
        "python/dyad/_src/ground.py:1: ground may not import dyad.nn.cell of nn; it may import core"
    )


def test_rooms_are_listed_one_by_one(tree):
    write(tree, "nn/dense.py", "from dyad._core import Tensor\n")
    assert faults(tree) == [
        "python/dyad/nn/dense.py:1: nn may not import dyad._core of core; it may import ground, jit"
    ]


def test_relative_import(tree):
    write(tree, "_src/jit/wrap.py", "from ...nn import cell\nfrom . import jit\nfrom .. import ground\n")
    assert faults(tree)[0].startswith("python/dyad/_src/jit/wrap.py:1: jit may not import dyad.nn.cell of nn")


def test_name_from_a_package_is_an_import_of_the_package(tree):
    write(tree, "_src/jit/wrap.py", "from dyad import Tensor\n")
    assert faults(tree)[0].startswith("python/dyad/_src/jit/wrap.py:1: jit may not import dyad of dyad")


def test_import_for_types_points_down_too(tree):
    text = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from dyad.nn.cell import Cell\n"
    write(tree, "_src/jit/wrap.py", text)
    assert faults(tree) == [
        "python/dyad/_src/jit/wrap.py:3: jit may not import dyad.nn.cell of nn; it may import ground"
    ]
    write(tree, "nn/dense.py", text.replace("dyad.nn.cell import Cell", "dyad._src.jit import jit"))
    write(tree, "_src/jit/wrap.py", "")
    assert faults(tree) == []
    assert "nn -> jit: 2 (1 for types)" in list(python_rooms.edges(tree, plan()))


def test_import_inside_a_function_needs_a_reason(tree):
    write(tree, "nn/dense.py", "def dense():\n    from dyad._src.jit import jit\n    import numpy\n")
    assert faults(tree) == [
        f"python/dyad/nn/dense.py:{line}: {module} is imported inside a function; import it above, or list why not"
        for line, module in ((2, "dyad._src.jit.jit"), (3, "numpy"))
    ]


def test_import_by_a_string_is_an_import(tree):
    write(
        tree,
        "_src/jit/wrap.py",
        "from dyad._src.base.lazy_import import load\nimport importlib\n"
        "late = lambda: load('dyad.nn.cell')\nimportlib.import_module('dyad.nn')\n",
    )
    assert [fault.split(": ", 1)[1].split(";")[0] for fault in faults(tree)][:3] == [
        "jit may not import dyad.nn.cell of nn",
        "dyad.nn.cell is imported inside a function",
        "jit may not import dyad.nn of nn",
    ]


def test_reason_that_is_no_longer_needed(tree):
    write(tree, "_src/jit/jit.py", "import numpy\n")
    assert faults(tree) == [
        "rooms.toml: lazy numpy names _src/jit, which does not import it inside a function"
    ]


def test_reason_that_says_nothing(tree):
    assert faults(tree, PLAN.replace("76 ms", "")) == ["rooms.toml: lazy numpy has no reason"]


def test_file_outside_every_room(tree):
    write(tree, "misc.py", "")
    assert faults(tree) == ["python/dyad/misc.py: lies in no room of rooms.toml"]


def test_room_above_itself(tree):
    upside_down = PLAN.replace('imports = ["core"]', 'imports = ["nn"]')
    assert faults(tree, upside_down) == ["rooms.toml: ground imports nn, which is not below it"]


def test_plan_names_what_is_there(tree):
    wrong = PLAN.replace(
        'holds = ["nn"], imports = ["ground", "jit"]', 'holds = ["nn", "amp", "_core"], imports = ["git"]'
    )
    assert faults(tree, wrong) == [
        "rooms.toml: _core is held by 2 rooms",
        "rooms.toml: nn holds amp, which is not in python/dyad",
        "rooms.toml: nn imports git, which is no room",
    ]


def test_an_extension_that_the_bindings_no_longer_compile(tree):
    write(tree, "../../src/bindings/module.cpp", "NB_MODULE(_kernels, module) {}\n")
    assert faults(tree) == ["rooms.toml: core holds _core, which is not in python/dyad"]


def test_modules_that_import_each_other(tree):
    write(tree, "nn/cell.py", "from dyad.nn import dense\n")
    write(tree, "nn/dense.py", "from dyad.nn import cell\n")
    assert faults(tree) == ["import cycle: dyad.nn.cell -> dyad.nn.dense -> dyad.nn.cell"]


def test_edges_tell_what_is_not_used(tree):
    write(tree, "nn/cell.py", "")
    assert list(python_rooms.edges(tree, plan())) == [
        "dyad -> nn: 1",
        "ground -> core: 1",
        "jit -> ground: 1",
        "nn -> ground: 1",
        "nn -> jit: allowed, not used",
    ]


def test_what_is_imported_late_is_not_imported_with_the_package():
    """Otherwise an import inside a function saves nothing."""
    late = tomllib.loads((ROOT / "rooms.toml").read_text())["python"]["lazy"]
    code = f"import sys, dyad; print([name for name in {[*late]} if name in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == "[]\n"
