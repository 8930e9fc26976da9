"""Names of the package that are imported when a program first asks for them."""

import importlib
import subprocess
import sys

import pytest

import dyad
from dyad.compat.mindspore._src import late_names

# Modules of `train` that a program takes from there, not from the package.
_MODULES = {"callback", "metrics", "serialization"}


@pytest.mark.parametrize("home", late_names.NAMES)
def test_the_listed_names_are_those_of_their_module(home):
    module = importlib.import_module(f"dyad.{home}")
    for name in late_names.NAMES[home].split():
        assert getattr(dyad, name) is getattr(module, name)


@pytest.mark.parametrize("home", ["train", "parallel"])
def test_no_name_of_the_module_is_left_out(home):
    module = importlib.import_module(f"dyad.{home}")
    for name in set(module.__all__) - _MODULES:
        assert getattr(dyad, name) is getattr(module, name)


def test_names_of_the_runtime_are_names_of_the_package():
    assert dyad.Stream is dyad.runtime.Stream
    assert dyad.memory_allocated is dyad.runtime.memory_allocated


def test_a_name_that_nobody_has_imports_only_what_knows_the_older_names():
    code = """
import sys, dyad
before = set(sys.modules)
assert not hasattr(dyad, "zorkmid")
assert not [name for name in set(sys.modules) - before if not name.startswith("dyad.compat")]
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_nearest_name_is_looked_for_when_the_error_is_read():
    with pytest.raises(AttributeError, match=r"dyad has no 'Modle'|nearest is dyad") as caught:
        _ = dyad.Modle
    assert caught.value.name == "Modle"
    with pytest.raises(AttributeError, match=r"dyad has no 'Conv2d'; nearest is dyad.nn.Conv2d"):
        _ = dyad.Conv2d
