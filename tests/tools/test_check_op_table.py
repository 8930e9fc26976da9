"""The op-table check accepts a complete entry and names what is missing in any other."""

import pytest

from check_op_table import faults, page_faults

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


PAGE = {
    "name": "clamp",
    "doc": "Clamp: limits each element to [low, high].",
    "formulas": [("clamp(x) = min(max(x, low), high)", "")],
    "samples": ["call(T(3), 1, 2)"],
    "params": [
        {"name": "input", "meaning": "floats, any shape."},
        {"name": "low", "meaning": "lower bound."},
    ],
    "functions": [{"name": "clamp"}],
    "methods": [],
    "inplace_methods": [],
    "primitives": [],
    "see": "ops.relu, Tensor.clamp",
}


def test_a_page_with_name_formula_and_arguments_is_complete():
    assert list(page_faults(PAGE)) == []


def test_operands_of_an_elementwise_operator_need_no_words():
    operands = [{"name": "input", "meaning": ""}, {"name": "other", "meaning": ""}]
    assert list(page_faults({**PAGE, "samples": ["binary(only='float')"], "params": operands})) == []


@pytest.mark.parametrize(
    ("field", "value", "fault"),
    [
        (
            "doc",
            "Each element in bounds.",
            "does not open with the operator's usual name: 'Each element in bounds.'",
        ),
        ("formulas", [], "has no formula; give what defines an element of its result"),
        ("formulas", [("min(max(x, low)", "")], "has a formula with a bracket too many: 'min(max(x, low)'"),
        ("params", [{"name": "low", "meaning": ""}], "says nothing of its argument low; give arg('low', …)"),
        ("see", "ops.relu, ops.reluu", "refers to 'ops.reluu', which does not exist"),
    ],
)
def test_what_a_page_lacks_is_named(field, value, fault):
    (found,) = page_faults({**PAGE, field: value})
    assert fault in found
