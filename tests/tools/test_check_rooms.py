"""The room check accepts this tree and finds each kind of fault in a small bad one."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "tools/check_rooms.py"

PLAN = """
[rooms]
"base" = []
"ops" = ["base"]
"kernels" = ["base"]
"kernels/cpu" = ["ops"]
"include" = []

[foreign]
'Python\\.h' = ["ops"]
"""


@pytest.fixture
def tree(tmp_path):
    """A tree without a fault; a test breaks one thing in it."""
    (tmp_path / "rooms.toml").write_text(PLAN)
    for room in ("src/base", "src/ops", "src/kernels", "src/kernels/cpu", "include"):
        (tmp_path / room).mkdir(parents=True, exist_ok=True)
        (tmp_path / room / "README.md").write_text("what it is for\n")
    (tmp_path / "include/dyad").mkdir()
    (tmp_path / "include/dyad/api.h").write_text("#pragma once\n")
    (tmp_path / "src/base/error.h").write_text("#include <string>\n")
    (tmp_path / "src/kernels/cpu/add.cpp").write_text(
        '#include "base/error.h"\n#include "kernels/cpu/add.h"\n'
    )
    return tmp_path


def faults(root: Path) -> list[str]:
    result = subprocess.run([sys.executable, SCRIPT, root], capture_output=True, text=True)
    assert result.returncode == bool(result.stdout), result.stderr
    return result.stdout.splitlines()


def edges(root: Path) -> list[str]:
    return subprocess.run(
        [sys.executable, SCRIPT, "--edges", root], capture_output=True, text=True, check=True
    ).stdout.splitlines()


def test_this_tree_is_sound():
    assert faults(ROOT) == []


def test_sound_tree_has_no_fault(tree):
    assert faults(tree) == []


def test_tests_are_a_room_wherever_they_lie(tree):
    (tree / "src/base/error_test.cpp").write_text(
        '#include "kernels/cpu/add.h"\n#include "ops/ops_fixture.h"\n'
    )
    (tree / "src/base/error.h").write_text('#include "ops/ops_fixture.h"\n')
    (tree / "rooms.toml").write_text(
        PLAN.replace('"include" = []', '"include" = []\n"tests" = ["kernels/cpu"]')
    )
    (fault,) = faults(tree)
    assert fault == "src/base/error.h:1: base may not include ops/ops_fixture.h; it may know no room"


def test_unlisted_include(tree):
    (tree / "src/base/error.cpp").write_text('#include "base/error.h"\n#include "ops/op.h"\n')
    assert faults(tree) == ["src/base/error.cpp:2: base may not include ops/op.h; it may know no room"]


def test_the_longest_room_name_wins(tree):
    (tree / "src/kernels/registry.cpp").write_text('#include "ops/op.h"\n')
    assert faults(tree) == ["src/kernels/registry.cpp:1: kernels may not include ops/op.h; it may know base"]


def test_public_header_may_not_look_inside(tree):
    (tree / "include/dyad/api.h").write_text('#include "base/error.h"\n')
    assert faults(tree) == ["include/dyad/api.h:1: include may not include base/error.h; it may know no room"]


def test_foreign_header_in_the_wrong_room(tree):
    (tree / "src/base/error.h").write_text("#  include <Python.h>\n")
    assert faults(tree) == ["src/base/error.h:1: base may not include Python.h; only ops may"]


def test_file_outside_every_room(tree):
    (tree / "src/misc.cpp").write_text("")
    assert faults(tree) == ["src/misc.cpp: lies in no room of rooms.toml"]


def test_room_without_readme(tree):
    (tree / "src/ops/README.md").unlink()
    assert faults(tree) == ["src/ops/README.md: missing; a room says on at most a page what it is for"]


def test_cycle_in_the_plan(tree):
    (tree / "rooms.toml").write_text(PLAN.replace('"base" = []', '"base" = ["ops"]'))
    assert any("base reaches itself" in fault for fault in faults(tree))


def test_edge_to_no_room(tree):
    (tree / "rooms.toml").write_text(PLAN.replace('["ops"]\n"include"', '["oops"]\n"include"'))
    assert faults(tree) == ["rooms.toml: kernels/cpu names oops, which is no room"]


def test_edges_are_counted(tree):
    (tree / "src/kernels/cpu/add.h").write_text('#include "base/error.h"\n#include "ops/op.h"\n')
    assert edges(tree) == [
        "includes between rooms of src: 3 on 2 edges",
        "  kernels/cpu -> base: 2",
        "  kernels/cpu -> ops: 1",
    ]
