"""`./dev bench fallback`: what its page says, and that its programs have the cuts that the rows are about."""

import numpy
import pytest

from fallback_dyad import DyadFallback
from fallback_report import Found, missed, row_lines
from fallback_rows import BYTECODE, CUTS, ROWS

ROW = {row.key: row for row in ROWS}
TEXTS = {1e-6: "yes", 9e-6: "**no**"}


@pytest.mark.parametrize("added", TEXTS)
def test_a_figure_is_held_against_its_bar(added):
    found = Found(cuts={"dyad": 1})
    found.add("dyad", {"whole": 10e-6 + added, "other": 10e-6})
    lines = row_lines(ROW["cut"], found)
    assert missed(ROW["cut"], found) == (added > ROW["cut"].bar)
    assert f"| {added / 1e-6:.3g} µs | - | - | - | - | ≤ 5 µs | {TEXTS[added]} |" in lines[2]


def test_bytecode_mode_has_its_own_bar():
    found = Found()
    found.add("dyad", {"whole": 11e-6, "other": 10e-6})
    found.add(BYTECODE, {"whole": 19e-6, "other": 10e-6})
    assert "| ≤ 5 µs; ≤ 10 µs | yes; yes |" in row_lines(ROW["cut"], found)[2]
    found.turns[BYTECODE][0]["whole"] = 21e-6
    assert missed(ROW["cut"], found, BYTECODE) and not missed(ROW["cut"], found)
    assert "| ≤ 5 µs; ≤ 10 µs | yes; **no** |" in row_lines(ROW["cut"], found)[2]


def test_a_figure_is_the_median_of_the_turns_and_not_of_the_times():
    found = Found()
    for whole, other in ((3.0, 1.0), (10.0, 5.0), (20.0, 20.0)):
        found.add("dyad", {"whole": whole, "other": other})
    assert found.figure(ROW["host"], "dyad") == 2.0


def test_who_is_not_measured_is_named_in_the_cells():
    found = Found(failures={"mindspore": "ValueError: no", "torch": "gives another result (0.5)"})
    found.add("dyad-dynamic", {"whole": 1e-3})
    for text in row_lines(ROW["loop"], found):
        assert "| another result |" in text and "| cannot run it |" in text
    assert not missed(ROW["loop"], found)


def test_the_loop_is_held_against_a_process_without_jit():
    found = Found()
    found.add("dyad", {"whole": 3.0, "other": 4.0})
    found.add("dyad-dynamic", {"whole": 2.0})
    found.add("mindspore", {"whole": 3.0, "other": 4.0})
    assert found.figure(ROW["loop"], "dyad") == 1.5
    assert found.figure(ROW["loop"], "mindspore") is None


def test_first_calls_are_divided_by_the_cuts():
    found = Found()
    found.add("dyad", {"whole": 0.1})
    assert found.figure(ROW["capture"], "dyad") == 0.1 / CUTS


@pytest.mark.parametrize("form", ["dyad", BYTECODE])
@pytest.mark.parametrize("key", ROW)
def test_programs_are_cut_and_give_the_same_in_every_form(key, form, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    static, dynamic = DyadFallback(form), DyadFallback("dyad-dynamic")
    whole, other, inputs = getattr(static, key)()
    expected, none, _ = getattr(dynamic, key)()
    assert none is None and (other is None) == (not ROW[key].other)
    for _ in range(3):
        result = dynamic.array(expected(*inputs))
        for call in filter(None, (whole, other)):
            assert numpy.allclose(static.array(call(*inputs)), result, rtol=1e-3, atol=1e-4)
    assert cuts_as_expected(key, form, static.cuts(whole))


def cuts_as_expected(key, form, cuts):
    """True if the number of lines that Python runs is as expected; bytecode mode has many for pure host code."""
    if key == "call":
        return cuts is None
    if key == "capture":
        return cuts == CUTS
    return cuts >= 1 if form == BYTECODE or key == "plain" else cuts == 1
