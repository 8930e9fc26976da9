"""A profile as a trace file, for chrome://tracing and https://ui.perfetto.dev."""

import json


def trace_events(runs):
    """One event per kernel; times are in microseconds from the first one."""
    if not runs:
        return []
    origin = min(run.start for run in runs)
    threads = {thread: number for number, thread in enumerate(dict.fromkeys(run.thread for run in runs))}
    return [
        {
            "name": run.kernel,
            "cat": "kernel",
            "ph": "X",
            "ts": (run.start - origin) / 1e3,
            "dur": (run.end - run.start) / 1e3,
            "pid": 0,
            "tid": threads[run.thread],
            "args": {
                "operators": run.operators,
                "operands": run.operands,
                "line": f"{run.file}:{run.line}" if run.file else "",
                "flop": run.flop,
                "bytes": run.bytes,
            },
        }
        for run in runs
    ]


def write_trace(runs, path):
    with open(path, "w") as file:
        json.dump({"traceEvents": trace_events(runs), "displayTimeUnit": "ns"}, file)
