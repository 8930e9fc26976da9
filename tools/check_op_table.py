"""Checks that every entry of the op table is whole: documentation, samples good and bad, a gradient decision, a cost,
a kernel or a body.

Prints one line per fault and exits with 1 if there is any. What the samples are worth is the task of tests/ops.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator


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


def main() -> None:
    from dyad import _core

    lines = [f"{op['name']}: {fault}" for op in _core.op_table() for fault in faults(op)]
    print(*lines, sep="\n", end="\n" if lines else "")
    sys.exit(bool(lines))


if __name__ == "__main__":
    main()
