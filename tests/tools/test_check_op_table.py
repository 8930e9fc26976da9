"""The op-table check accepts a whole entry and names what is missing in any other."""

import pytest

from check_op_table import faults

WHOLE = {
    "name": "exp",
    "doc": "e raised to each element.",
    "samples": ["unary()"],
    "rejects": [("ops.exp('a')", "TypeError", "exp: input is 'a'")],
    "gradient": "rule",
    "cost": "elementwise",
    "kernel": True,
    "layout": "transparent",
    "params": [{"name": "input"}],
    "writes": -1,
    "updates": [],
    "runnable": True,
}


def test_whole_entry():
    assert list(faults(WHOLE)) == []


@pytest.mark.parametrize(
    ("field", "value", "fault"),
    [
        ("doc", " ", "has no documentation; say in a sentence what it computes"),
        ("doc", "e raised", "has documentation that is no sentence: 'e raised'"),
        ("samples", [], "has no samples; give at least one good input"),
        ("rejects", [], "rejects nothing; give at least one bad input and its error"),
        ("gradient", "", "has no gradient decision; give a rule, a body, or no_grad with the reason"),
        ("cost", "", "has no cost; state it, or that it only moves elements"),
        ("cost", "body", "has a kernel beside its body; state what that costs"),
        ("layout", "", "has no layout behaviour"),
        ("writes", 1, "writes an argument that it does not have"),
        ("updates", [2], "writes an argument that it does not have"),
        ("runnable", False, "has neither a kernel nor a body"),
    ],
)
def test_missing_part(field, value, fault):
    assert list(faults({**WHOLE, field: value})) == [fault]
