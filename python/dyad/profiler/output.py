"""Output of a profiler: a directory with a trace, and with tables computed from it.

`trace_view.json` is a Chrome trace of kernels, steps and marks. `kernel_details.csv` has a row for each run of a
kernel, `op_statistic.csv` one for all runs of a kernel, `step_trace_time.csv` one for each step.
"""

import bisect
import csv
import json
import os
import time

from dyad._src.observe.profile.trace import write_trace

TRACE = "trace_view.json"
METADATA = "profiler_metadata.json"
SUFFIX = "_dyad_profile"
STEP = "ProfilerStep#"


def new_folder(path, worker_name) -> str:
    """A directory of its own for one recording, below `path`."""
    worker = worker_name or f"{os.uname().nodename}_{os.getpid()}"
    stamp = f"{time.strftime('%Y%m%d%H%M%S')}{time.time_ns() // 1000 % 1_000_000:06}"
    made = os.path.join(path, f"{worker}_{stamp}{SUFFIX}")
    os.makedirs(made)
    return made


def write_recording(folder, recording, metadata) -> None:
    """The trace, and what the program said of it."""
    write_trace(recording.runs, os.path.join(folder, TRACE), recording.spans)
    if metadata:
        with open(os.path.join(folder, METADATA), "w") as file:
            json.dump(metadata, file, indent=4)


def folders(path) -> list:
    """The directories of recordings at a path: itself, or those below it."""
    if os.path.exists(os.path.join(path, TRACE)):
        return [path]
    return sorted(
        os.path.join(path, name)
        for name in (os.listdir(path) if os.path.isdir(path) else ())
        if os.path.exists(os.path.join(path, name, TRACE))
    )


def write_tables(folder, step_list=None) -> None:
    """The tables of the trace in a directory, of all steps or of those that are listed."""
    with open(os.path.join(folder, TRACE)) as file:
        events = json.load(file)["traceEvents"]
    steps = [event for event in events if event["cat"] == "step"]
    kernels = [(step_of(event, steps), event) for event in events if event["cat"] == "kernel"]
    if step_list is not None:
        kernels = [(step, event) for step, event in kernels if step in step_list]
        steps = [event for event in steps if number_of(event) in step_list]
    _write(folder, "kernel_details.csv", kernel_rows(kernels))
    _write(folder, "op_statistic.csv", operator_rows([event for _, event in kernels]))
    _write(folder, "step_trace_time.csv", step_rows(steps, kernels))


def _write(folder, name, rows):
    with open(os.path.join(folder, name), "w", newline="") as file:
        csv.writer(file).writerows(rows)


def number_of(step) -> int:
    return int(step["name"].removeprefix(STEP))


def step_of(event, steps):
    """The number of the step in which a kernel started; "" outside of all. The steps are in order."""
    place = bisect.bisect_right(steps, event["ts"], key=lambda step: step["ts"]) - 1
    inside = place >= 0 and event["ts"] < steps[place]["ts"] + steps[place]["dur"]
    return number_of(steps[place]) if inside else ""


def kernel_rows(kernels):
    yield [
        "Step ID",
        "Name",
        "Operators",
        "Operands",
        "Line",
        "Start Time(us)",
        "Duration(us)",
        "FLOP",
        "Bytes",
    ]
    for step, event in kernels:
        args = event["args"]
        yield [
            step,
            event["name"],
            args["operators"],
            args["operands"],
            args["line"],
            event["ts"],
            event["dur"],
            args["flop"],
            args["bytes"],
        ]


def operator_rows(kernels):
    """Operators sorted by time, the longest first."""
    yield ["Name", "Count", "Total Time(us)", "Min Time(us)", "Avg Time(us)", "Max Time(us)", "Ratio(%)"]
    times: dict = {}
    for event in kernels:
        times.setdefault(event["name"], []).append(event["dur"])
    whole = sum(map(sum, times.values()))
    for name, spent in sorted(times.items(), key=lambda each: -sum(each[1])):
        total = sum(spent)
        share = 100 * total / whole if whole else 0.0
        yield [name, len(spent), total, min(spent), total / len(spent), max(spent), share]


def step_rows(steps, kernels):
    """The time of each step, and of kernels in it."""
    yield ["Step", "Computing(us)", "Free(us)", "Stage(us)"]
    busy: dict = {}
    for number, event in kernels:
        busy[number] = busy.get(number, 0.0) + event["dur"]
    for step in steps:
        number = number_of(step)
        computing = busy.get(number, 0.0)
        yield [number, computing, max(0.0, step["dur"] - computing), step["dur"]]
