"""Checks that every entry of the op table is complete: documentation, samples good and bad, a gradient decision, a
cost, a kernel or a body; and of a public operator a page with a name, a formula and a meaning of each argument.

Prints one line per fault and exits with 1 if there is any. What the samples are worth is the task of tests/ops.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

# Openings that describe an element where the name of the operator belongs.
OPENINGS = ("Each ", "The element", "What ", "How ", "Whether ", "So ", "As `", "Gives ")
FACES = ("functions", "methods", "further_functions", "further_methods", "inplace_methods", "primitives")


def faults(op: dict) -> Iterator[str]:
    if not op["doc"].strip():
        yield "has no documentation; say in a sentence what it computes"
    elif not op["doc"].strip().endswith("."):
        yield f"has documentation that is no sentence: {op['doc'].strip()[-40:]!r}"
    if not op["samples"]:
        yield "has no samples; give at least one good input"
    if not op["rejects"]:
        yield "rejects nothing; give at least one bad input and its error"
    if op["gradient"] not in ("rule", "body", "none", "missing"):
        yield "has no gradient decision; give a rule, a body, or no_grad with the reason"
    if not op["cost"]:
        yield "has no cost; state it, or that it only moves elements"
    elif op["cost"] == "body" and op["kernel"]:
        yield "has a kernel beside its body; state what that costs"
    if op["layout"] not in ("default", "transparent", "aware"):
        yield "has no layout behaviour"
    if not all(-1 <= at < len(op["params"]) for at in (op["writes"], *op["updates"])):
        yield "writes an argument that it does not have"
    if not op["runnable"]:
        yield "has neither a kernel nor a body"


def page_faults(op: dict) -> Iterator[str]:
    """Faults of a public operator's page."""
    import dyad
    from dyad._src.observe.operator_pages import meaning_of

    if op["doc"].startswith(OPENINGS):
        yield f"has documentation that does not open with the operator's usual name: {op['doc'][:40]!r}"
    if not op["formulas"]:
        yield "has no formula; give what defines an element of its result"
    for formula, condition in op["formulas"]:
        if any((formula + condition).count(a) != (formula + condition).count(b) for a, b in ("()", "{}")):
            yield f"has a formula with a bracket too many: {formula!r}"
    for param in op["params"]:
        if not meaning_of(op, param):
            yield f"says nothing of its argument {param['name']}; give arg({param['name']!r}, …)"
    for name in filter(None, op["see"].split(", ")):
        owner, _, member = name.partition(".")
        if not hasattr(getattr(dyad, owner, None), member):
            yield f"refers to {name!r}, which does not exist"


def main() -> None:
    from dyad import _core

    table = _core.op_table()
    lines = [f"{op['name']}: {fault}" for op in table for fault in faults(op)]
    public = [op for op in table if any(op[faces] for faces in FACES)]
    lines += [f"{op['name']}: {fault}" for op in public for fault in page_faults(op)]
    print(*lines, sep="\n", end="\n" if lines else "")
    sys.exit(bool(lines))


if __name__ == "__main__":
    main()
