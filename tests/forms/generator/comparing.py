"""Holds generated programs under `jit` against the dynamic graph."""

from collections import Counter

from described import difference
from generator.programs import as_program, sources
from hypothesis import HealthCheck, given, seed, settings
from session import dynamic, jit, run

from dyad import _core


class Tally:
    """How many programs agreed and why others were refused."""

    def __init__(self):
        self.agreed = 0
        self.refused = Counter()

    @property
    def share_refused(self):
        return self.refused.total() / max(self.agreed + self.refused.total(), 1)


def compare(source, tally):
    """Raises AssertionError with both answers and the program where they differ; a refusal is only counted.

    Two places that hold one Tensor made on a path that a Tensor chose may hold two equal ones in a static graph.
    """
    program = as_program(source)
    truth = run(program, dynamic, new_tensors_alike=True)
    static = run(program, jit, new_tensors_alike=True)
    refusal = next((error for error in static.raised if isinstance(error, _core.CaptureError)), None)
    if refusal is not None:
        tally.refused[str(refusal).splitlines()[0]] += 1
        return
    for number, (ours, theirs) in enumerate(zip(static.outcomes, truth.outcomes, strict=True)):
        found = difference(ours, theirs, f"call {number}")
        if found is not None:
            error = static.raised[min(number, len(static.raised) - 1)]
            raise AssertionError(f"{found}\nthis form raised {error!r}\n\n{source}")
    tally.agreed += 1


def compare_many(programs):
    """Compares programs; the first that differs is raised."""
    tally = Tally()
    for source in programs:
        compare(source, tally)
    return tally


def search(count, chosen_seed):
    """Compares that many programs; one that differs is shrunk before it is raised."""
    tally = Tally()

    @seed(chosen_seed)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        print_blob=False,
        suppress_health_check=list(HealthCheck),
    )
    @given(sources())
    def agree(source):
        compare(source, tally)

    agree()
    return tally
