"""Passes and generators ask operators for properties; the check finds those that name them."""

from pathlib import Path

from check_operator_names import ROOT, faults, named


def test_the_tree_names_operators_only_where_it_may():
    assert list(faults(ROOT)) == []


def test_an_operator_that_is_made_is_not_a_fault():
    text = 'Value sum = write("add", {a, b});\nif (op->name == "relu") return;\nlog("other");'
    assert list(named(text, {"add", "relu"})) == [(2, "relu")]


def test_a_list_of_names_is_a_fault(tmp_path: Path):
    entry = tmp_path / "src/ops/exp.cpp"
    entry.parent.mkdir(parents=True)
    entry.write_text('DYAD_OP("exp(input: Tensor) -> Tensor").doc("…");')
    source = tmp_path / "src/passes/cheap.cpp"
    source.parent.mkdir()
    source.write_text('constexpr const char* kCheap[] = {"exp"};')
    found = [fault for fault in faults(tmp_path) if "exp" in fault]
    assert found == ["src/passes/cheap.cpp:1: names the operator 'exp'; ask its entry for a property instead"]
