"""A test over the operator table compares at least one result of its operator, unless a list says that it cannot."""

import pytest
from counted import comparisons
from nothing_to_compare import NOTHING_TO_COMPARE, OF_THE_ENTRY


@pytest.fixture(autouse=True)
def something_is_compared(request):
    before = comparisons()
    yield
    given = getattr(request.node, "callspec", None)
    op = given.params.get("op") if given else None
    test = request.node.originalname
    if not isinstance(op, dict) or test in OF_THE_ENTRY:
        return
    listed = NOTHING_TO_COMPARE.get(test, frozenset())
    compared = comparisons() > before
    if op["name"] in listed or given.id in listed:
        assert not compared, f"{op['name']} is compared: take it off the list in nothing_to_compare.py"
    else:
        assert compared, f"{test} compares nothing for {op['name']}"
