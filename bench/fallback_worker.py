"""One form of one framework in one process: prepares a row of fallback_rows and times it.

Started by fallback.py as `fallback_worker.py FORM`. Requests and answers are lines of JSON:
  {"prepare": key}       -> {"first": seconds of the first call beyond a later one, "cuts": how many, or null}
                            or {"failure": why it cannot run the program}
  {"measure": seconds}   -> {"whole": fastest time of one call, "other": the same of what it is held against}
  {"save": path}         -> {} and the result of the first calls as a NumPy file
  {"profile": true}      -> {"text": where Python's time goes}
"""

from __future__ import annotations

import cProfile
import io
import json
import math
import pstats
import signal
import sys

import numpy

from graph_worker import Bench, load_framework, stream_of_answers

FRAMEWORKS = {
    "dyad": ("fallback_dyad", "DyadFallback"),
    "torch": ("fallback_torch", "TorchFallback"),
    "mindspore": ("fallback_dyad", "MindSporeFallback"),
}
PATIENCE = 180  # seconds after which a process ends that is still preparing
SLICES = 6  # in which the forms of a program take turns
SECONDS_PER_BATCH = 0.002  # short enough to be undisturbed now and then on a busy machine
TRIALS = 20  # calls, of which the fastest tells how many make a batch
PROFILED_CALLS, PROFILED_LINES = 300, 8


class Program:
    """The whole function of a row, and the form it is compared with."""

    def __init__(self, framework, key: str) -> None:
        whole, other, inputs = getattr(framework, key)()
        self.benches = {"whole": Bench(framework, (whole, inputs), keeps_all=True)}
        self.cuts = framework.cuts(whole)
        if other is not None:
            self.benches["other"] = Bench(framework, (other, inputs))
            fastest = min(min(bench.timer.repeat(TRIALS, 1)) for bench in self.benches.values())
            for bench in self.benches.values():  # batches of the same length
                bench.calls = max(1, int(SECONDS_PER_BATCH / fastest))

    def measure(self, seconds: float) -> dict[str, float]:
        fastest = dict.fromkeys(self.benches, math.inf)
        for _ in range(SLICES):
            for name, bench in self.benches.items():
                fastest[name] = min(fastest[name], bench.measure(seconds / SLICES / len(self.benches)))
        return fastest

    def profile(self) -> str:
        """Python functions in which most of the time is spent. Profiling makes all of them slower."""
        bench, profiler, text = self.benches["whole"], cProfile.Profile(), io.StringIO()
        with profiler:
            for _ in range(PROFILED_CALLS):
                bench.call(*bench.inputs)
        pstats.Stats(profiler, stream=text).strip_dirs().sort_stats("tottime").print_stats(PROFILED_LINES)
        return text.getvalue().strip()


def prepare(framework, key: str) -> tuple[Program | None, dict]:
    signal.alarm(PATIENCE)
    try:
        program = Program(framework, key)
    except Exception as error:  # a peer may fail in any way, which is a result
        lines = [line.strip() for line in str(error).splitlines() if line.strip(" -")]
        return None, {"failure": f"{type(error).__name__}: {lines[0] if lines else ''}"}
    finally:
        signal.alarm(0)
    return program, {"first": program.benches["whole"].first, "cuts": program.cuts}


def main() -> None:
    answers = stream_of_answers()
    framework = load_framework(FRAMEWORKS, sys.argv[1])
    program = None
    for line in sys.stdin:
        request = json.loads(line)
        answer: dict = {}
        if "prepare" in request:
            program, answer = prepare(framework, request["prepare"])
        elif "measure" in request:
            answer = program.measure(request["measure"])
        elif "save" in request:
            numpy.save(request["save"], numpy.stack(program.benches["whole"].results))
        else:
            answer["text"] = program.profile()
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
