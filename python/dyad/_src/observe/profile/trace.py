"""A profile as a trace file, for chrome://tracing and https://ui.perfetto.dev."""

import json


def trace_events(runs, spans=()):
    """One event per kernel and per span of the program; times are in microseconds from the first one."""
    if not runs and not spans:
        return []
    origin = min(each.start for each in (*runs, *spans))
    threads: dict = {}
    for each in (*runs, *spans):
        threads.setdefault(each.thread, len(threads))
    return [
        *(
            {
                **_event(run.kernel, "kernel", run, origin, threads),
                "args": {
                    "operators": run.operators,
                    "operands": run.operands,
                    "line": f"{run.file}:{run.line}" if run.file else "",
                    "flop": run.flop,
                    "bytes": run.bytes,
                },
            }
            for run in runs
        ),
        *(_event(span.name, span.category, span, origin, threads) for span in spans),
    ]


def _event(name, category, timed, origin, threads):
    return {
        "name": name,
        "cat": category,
        "ph": "X",
        "ts": (timed.start - origin) / 1e3,
        "dur": (timed.end - timed.start) / 1e3,
        "pid": 0,
        "tid": threads[timed.thread],
    }


def write_trace(runs, path, spans=()):
    with open(path, "w") as file:
        json.dump({"traceEvents": trace_events(runs, spans), "displayTimeUnit": "ns"}, file)
