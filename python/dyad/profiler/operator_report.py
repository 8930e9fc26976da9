"""Reports on operators by name: number of runs, by types of operands, and their time."""

import json

from dyad._src.base.argument_checks import a_value, require_int
from dyad._src.observe.profile.kernel_run import grouped


def operator_report(owner, runs, op_name, device_id: int | None = None) -> str:
    """A JSON string of a dict: for each name a list of dicts, one for each combination of operands, and `device_id`.

    A name is that of a Primitive or of an operator. The time of an operator that is part of a fused kernel is that of
    the whole kernel. RuntimeError if nothing was recorded for a name.
    """
    if not op_name or not isinstance(op_name, (str, list)):
        raise TypeError(f"{owner}: op_name is {a_value(op_name)}; need a str or a list of them")
    device = 0 if device_id is None else require_int(owner, "device_id", device_id, 0)
    names = [op_name] if isinstance(op_name, str) else op_name
    report = {name: _entries(owner, runs, name) for name in names}
    return json.dumps({**report, "device_id": device})


def _entries(owner, runs, name):
    found = [run for run in runs if _letters(name) in {_letters(each) for each in _operators(run)}]
    if not found:
        known = sorted({each for run in runs for each in _operators(run)})
        raise RuntimeError(f"{owner}: nothing was recorded of {name!r}; need one of {', '.join(known)}")
    return [
        {
            "op_side": "cpu",
            "input_shape": step.operands,
            "op_occurrences": step.calls,
            "op_total_time(us)": round(step.seconds * 1e6, 4),
            "op_avg_time(us)": round(step.seconds * 1e6 / step.calls, 4),
        }
        for step in grouped(found, lambda run: run.operands)
    ]


def _operators(run):
    return run.operators.replace(",", " ").split() if run.operators else [run.kernel]


def _letters(name):
    return name.replace("_", "").lower()
