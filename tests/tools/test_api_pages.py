"""The pages of docs/api: every public name has a place, and a page says how things are called."""

import re

import pytest

import api_entries
import api_pages
from dyad import Tensor, _core, mint, nn, ops


@pytest.fixture(scope="module")
def entries():
    found = api_entries.families()
    return found | {
        "python": api_entries.python_entries(),
        "mint": api_entries.mint_entries(),
        "nn": api_entries.nn_entries(),
    }


def indexed(entries, space):
    return {name for family in entries.values() for entry in family for name in entry.names.get(space, ())}


def test_every_public_name_is_in_the_index(entries):
    assert set(ops.__all__) - indexed(entries, "mindspore.ops") == set()
    assert set(nn.__all__) - indexed(entries, "mindspore.nn") == set()
    modules = {"distributed", "linalg", "nn", "optim", "special"}
    assert set(mint.__all__) - indexed(entries, "mindspore.mint") <= modules
    methods = {name for name, value in vars(Tensor).items() if isinstance(value, _core.OpMethod)}
    assert methods - indexed(entries, "mindspore.Tensor") == set()


def test_links_of_the_index_lead_to_headings(entries):
    places = {f"{name}.md#{anchor}" for name in entries for anchor in api_pages.anchors(entries[name])}
    links = set(re.findall(r"\]\((\w+\.md#[^)]+)\)", api_pages.index(entries)))
    assert links and links <= places


def test_equal_headings_of_a_page_are_told_apart(entries):
    for family in entries.values():
        found = list(api_pages.anchors(family))
        assert len(found) == len(set(found)) == len(family)
    assert {"gelu", "gelu-1"} <= set(api_pages.anchors(entries["elementwise"]))


def test_every_operator_says_what_it_gives_and_how_it_is_called(entries):
    for family in entries.values():
        for entry in family:
            assert entry.doc and any(calls for _, calls in entry.calls), entry.title


def test_an_operator_with_its_faces(entries):
    (relu,) = (entry for entry in entries["elementwise"] if entry.title == "relu")
    text = "\n".join(api_pages.section(relu))
    assert "- `ops`: `ops.relu(input)`, `ops.relu(input, inplace)`" in text
    assert "- `Tensor`: `Tensor.relu()`" in text and "`ops.ReLU()(input)`" in text
    assert text.endswith("[0. 0. 2. 0.]\n```")


def test_last_digits_may_differ():
    assert api_pages.same("[0.12345678 2.]", "[0.12345679 2.]")
    assert not api_pages.same("[0.12345678 2.]", "[0.1239 2.]")
    assert not api_pages.same("relu", "gelu")
    assert not api_pages.same("[1. 2.]", "[1. 2. 3.]")
