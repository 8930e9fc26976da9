"""The modules show what they are for, and nothing of how it is done."""

import importlib

import pytest


@pytest.mark.parametrize(
    "name",
    ["", ".fft", ".linalg", ".ops", ".optimize", ".sparse", ".sparse.linalg"],
    ids=lambda name: name or "scipy",
)
def test_only_public_names_are_shown(name):
    module = importlib.import_module("dyad.scipy" + name)
    assert dir(module) == sorted(module.__all__)
    assert all(hasattr(module, shown) for shown in dir(module))
