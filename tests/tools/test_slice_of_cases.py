"""`pytest --every 4`, by which the newest Python runs a part of tests/forms, and `--share 2/8`, one of eight shares."""

from pathlib import Path
from types import SimpleNamespace

import pytest

CASES = [f"tests/forms/test_programs.py::test_static_forms_agree[topic.program{i}-jit]" for i in range(2000)]


@pytest.fixture
def slicing(pytestconfig):
    return pytestconfig.pluginmanager.get_plugin(str(Path(__file__).parents[1] / "conftest.py"))


@pytest.fixture
def is_chosen(slicing):
    return slicing.is_chosen


def test_a_quarter_is_chosen_by_name_alone(is_chosen):
    chosen = [case for case in CASES if is_chosen(case, 4)]
    assert 400 < len(chosen) < 600
    assert chosen == [case for case in reversed(CASES) if is_chosen(case, 4)][::-1]
    assert CASES[2] in chosen and CASES[0] not in chosen  # the same ones in every run and on every machine


def test_all_are_chosen_where_nothing_is_said(is_chosen):
    assert all(is_chosen(case, 1) for case in CASES)


def test_a_test_without_cases_is_always_run(is_chosen):
    assert is_chosen("tests/forms/test_programs.py::test_the_corpus_is_large_and_its_names_are_unique", 1000)


def collected(slicing, every, share="1/1"):
    """Selected cases, and those reported to pytest as deselected."""
    told = []
    hook = SimpleNamespace(pytest_deselected=lambda *, items: told.extend(items))
    options = {"--every": every, "--share": share, "--device": None}
    config = SimpleNamespace(getoption=options.get, hook=hook)
    items = [SimpleNamespace(nodeid=case) for case in CASES]
    slicing.pytest_collection_modifyitems(config, items)
    return [item.nodeid for item in items], [item.nodeid for item in told]


def test_pytest_is_told_what_is_left_out(slicing):
    left, out = collected(slicing, 4)
    assert sorted(left + out) == sorted(CASES) and left == [case for case in CASES if case in set(left)]
    assert all(slicing.is_chosen(case, 4) for case in left)
    assert collected(slicing, 1) == (CASES, [])


def test_a_slice_that_is_not_a_number_of_cases_is_refused(slicing):
    with pytest.raises(pytest.UsageError, match="--every is 0; need a whole number from 1 on"):
        collected(slicing, 0)


def test_shares_are_all_cases_once(slicing):
    shares = [collected(slicing, 4, f"{k}/3")[0] for k in (1, 2, 3)]
    assert sorted(case for share in shares for case in share) == sorted(collected(slicing, 4)[0])
    assert all(80 < len(share) < 250 for share in shares)
    with pytest.raises(pytest.UsageError, match="--share is 4/3; need K/N with K from 1 to N"):
        collected(slicing, 4, "4/3")
