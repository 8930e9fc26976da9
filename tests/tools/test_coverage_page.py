"""docs/coverage.md tells names that work from names that are only there, and says why others stay out."""

import pytest

import coverage
import stays_out


@pytest.fixture(scope="module")
def names():
    return [row.name for row in coverage.read_rows()]


def test_a_name_that_something_runs_works(monkeypatch):
    monkeypatch.setattr(coverage, "words_run", lambda: frozenset({"relu", "reshape"}))
    assert coverage.state_of("mindspore.ops.relu") == coverage.WORKS
    assert coverage.state_of("Tensor.reshape") == coverage.WORKS
    assert coverage.state_of("mindspore.ops.gelu") == coverage.UNTRIED


def test_names_that_are_not_there():
    assert coverage.state_of("context:hccl_watchdog") == coverage.OUT
    assert coverage.state_of("mindspore.ops.AbsentOperator") == coverage.COMING
    assert coverage.state_of("parallel context:no_such_key") == coverage.COMING
    assert coverage.state_of("parallel context:parallel_mode") in (coverage.WORKS, coverage.UNTRIED)


def test_every_reason_is_that_of_a_name(names):
    for pattern, reason in stays_out.STAYS_OUT:
        assert reason and any(stays_out.re.fullmatch(pattern, name) for name in names), pattern


def test_sums_are_those_of_the_kinds(monkeypatch, names):
    rows = coverage.read_rows()
    states = {name: coverage.WORKS for name in names}
    *kinds, total = coverage.summary(rows, list(dict.fromkeys(row.kind for row in rows)), states)[2:]
    counts = [[int(cell) for cell in line.split("|")[2:4]] for line in (*kinds, total)]
    assert [sum(column) for column in zip(*counts[:-1], strict=True)] == counts[-1] == [len(rows)] * 2
