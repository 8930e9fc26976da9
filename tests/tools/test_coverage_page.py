"""The page of coverage tells names that work from names that are only there, and says why others stay out."""

import pytest

import coverage


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


def test_every_name_of_public_programs_works_or_has_a_reason():
    assert list(coverage.faults(coverage.read_rows())) == []


def test_a_name_that_is_lost_or_no_longer_run_is_a_fault(monkeypatch, names):
    rows = [*coverage.read_rows(), coverage.Row("mindspore.ops.AbsentOperator", "ops class", 1, 0, 0)]
    assert list(coverage.faults(rows)) == [
        "mindspore.ops.AbsentOperator: is not there; add it, or say in tools/stays_out.py why not"
    ]
    words = coverage.words_run() - {"GRAPH_MODE"}
    monkeypatch.setattr(coverage, "words_run", lambda: words)
    assert list(coverage.faults(coverage.read_rows())) == [
        "mindspore.GRAPH_MODE: is used by programs and run by no sample, example or test here"
    ]


def test_a_reason_that_no_name_needs_is_a_fault(monkeypatch):
    monkeypatch.setattr(coverage, "NOT_YET", [*coverage.NOT_YET, (r"mindspore\.ops\.relu", "comes later")])
    assert list(coverage.faults(coverage.read_rows())) == [
        r"tools/stays_out.py: mindspore\.ops\.relu: no name needs this reason any more"
    ]


def test_sums_are_those_of_the_kinds(monkeypatch, names):
    rows = coverage.read_rows()
    states = {name: coverage.WORKS for name in names}
    *kinds, total = coverage.summary(rows, list(dict.fromkeys(row.kind for row in rows)), states)[2:]
    counts = [[int(cell) for cell in line.split("|")[2:4]] for line in (*kinds, total)]
    assert [sum(column) for column in zip(*counts[:-1], strict=True)] == counts[-1] == [len(rows)] * 2
