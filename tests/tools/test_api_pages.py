"""The pages of the API: every public name has a place, and a page says how things are called."""

import dataclasses
import re

import pytest

import api_pages


@pytest.fixture(scope="module")
def entries():
    return api_pages.entries_by_page()


def test_every_public_name_is_described_and_says_how_it_is_called(entries):
    assert list(api_pages.faults(entries)) == []


def test_what_is_left_out_is_a_fault(entries):
    without_relu = [entry for entry in entries["elementwise"] if entry.title != "relu"]
    found = list(api_pages.faults(entries | {"elementwise": without_relu}))
    assert "mindspore.ops.relu: has no place in the API pages" in found
    assert "mindspore.Tensor.relu: has no place in the API pages" in found
    silent = [dataclasses.replace(entry, doc="", calls=[]) for entry in entries["loss"][:1]]
    title = silent[0].title
    assert list(api_pages.faults(entries | {"loss": [*silent, *entries["loss"][1:]]})) == [
        f"loss, {title}: has no description",
        f"loss, {title}: does not say how it is called",
    ]


def test_every_page_is_built(entries):
    texts = api_pages.pages(entries)
    assert texts.keys() == {"README.md", *(f"{name}.md" for name in entries)}
    assert all(text.startswith("# ") for text in texts.values())


def test_links_of_the_index_lead_to_headings(entries):
    places = {f"{name}.md#{anchor}" for name in entries for anchor in api_pages.anchors(entries[name])}
    links = set(re.findall(r"\]\((\w+\.md#[^)]+)\)", api_pages.index(entries)))
    assert links and links <= places


def test_equal_headings_of_a_page_are_told_apart(entries):
    for family in entries.values():
        found = list(api_pages.anchors(family))
        assert len(found) == len(set(found)) == len(family)
    assert {"gelu", "gelu-1"} <= set(api_pages.anchors(entries["elementwise"]))


def test_an_operator_with_its_faces(entries):
    (relu,) = (entry for entry in entries["elementwise"] if entry.title == "relu")
    text = "\n".join(api_pages.section(relu))
    assert "- `ops`: `ops.relu(input)`, `ops.relu(input, inplace)`" in text
    assert "- `Tensor`: `Tensor.relu()`" in text and "`ops.ReLU()(input)`" in text
    assert text.startswith(
        "Rectified linear unit, max(x, 0), element by element.\n\n    relu(x) = max(x, 0)\n"
    )
    assert "\n    input (Tensor): integers or floats, any shape.\nReturns:\n" in text
    assert "[0. 0. 2. 0.]\n```\n\nSee also: ops.relu6" in text
