"""`Dataset.explain`: what each stage of a pipeline took."""

import time

from dyad._src.base.argument_checks import require_at_least, require_int
from dyad.dataset import _run


class PipelineReport:
    """A table of the stages of a pipeline, the root first. Printed, it shows itself."""

    def __init__(self, statistics, seconds):
        self.seconds = seconds
        self.rows = statistics["rows"]
        self.waited = statistics["waited"]
        self.workers = statistics["workers"]
        self.fill, self.slots = statistics["fill"], statistics["slots"]
        self.stages = [dict(stage, depth=depth) for depth, stage in _in_depth(statistics["stages"])]

    def __str__(self):
        lines = [f"{'stage':<28}{'rows':>10}{'rows/s':>12}{'time':>11}{'per row':>12}"]
        lines += map(self._line, self.stages)
        share = 100 * self.waited / self.seconds if self.seconds else 0
        lines.append(
            f"{self.rows} rows in {self.seconds:.3f} s on {self.workers} threads; "
            f"the consumer waited {self.waited:.3f} s ({share:.0f} %), {self.fill:.1f} of {self.slots} slots filled"
        )
        return "\n".join(lines)

    def _line(self, stage):
        name = "  " * stage["depth"] + stage["name"]
        rate = stage["rows"] / self.seconds if self.seconds else 0
        each = stage["seconds"] / stage["rows"] * 1e6 if stage["rows"] else 0
        return f"{name:<28}{stage['rows']:>10}{rate:>12.0f}{stage['seconds']:>9.3f} s{each:>9.1f} us"

    __repr__ = __str__


def _in_depth(stages, at=0, depth=0):
    by_number = {stage["number"]: stage for stage in stages}
    root = stages[0]["number"] if depth == 0 else at
    yield depth, by_number[root]
    for child in by_number[root]["children"]:
        yield from _in_depth(stages, child, depth + 1)


def measured(dataset, rows, seconds):
    """A report on an epoch, or on its first `rows` rows or `seconds` seconds."""
    limit = float("inf") if rows is None else require_int("explain", "rows", rows, 1)
    require_at_least("explain", "seconds", seconds, 0)
    run = _run.start(dataset, 1)
    started, count = time.perf_counter(), 0
    try:
        while count < limit and time.perf_counter() - started < seconds and run.next(True) is not None:
            count += 1
        return PipelineReport(run.pipeline.statistics(), time.perf_counter() - started)
    finally:
        run.close()
