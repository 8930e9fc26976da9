"""Holds generated programs under `jit` against the dynamic graph."""

from collections import Counter

from described import difference
from generator.programs import as_program, sources, sources_of
from hypothesis import HealthCheck, given, seed, settings
from mixtures import dynamic_gradient, gradient_of_jit, jit_of_gradient
from session import dynamic, jit, run

from dyad import _core


class Tally:
    """How many programs agreed and why others were refused."""

    def __init__(self):
        self.agreed = 0
        self.refused = Counter()
        self.overwritten = 0

    @property
    def share_refused(self):
        return self.refused.total() / max(self.agreed + self.refused.total(), 1)


def compare(source, tally, make=as_program):
    """Raises AssertionError with both answers and the program where they differ; a refusal is only counted.

    Two places that hold one Tensor made on a path that a Tensor chose may hold two equal ones in a static graph.
    """
    program = make(source)
    truth = run(program, dynamic, new_tensors_alike=True)
    _compare(source, tally, run(program, jit, new_tensors_alike=True), truth)


def compare_gradients(source, tally, make=as_program):
    """As `compare`, with the gradients of the program, of a static graph and inside one.

    Where the tape lacks a value that was overwritten, a static graph may still have it: nothing is to compare.
    """
    program = make(source, differentiated=True)
    truth = run(program, dynamic_gradient, tensors_alike=True)
    if any("has overwritten it" in str(error) for error in truth.raised):
        tally.overwritten += 1
        return
    for mixture in (jit_of_gradient, gradient_of_jit):
        _compare(source, tally, run(program, mixture, tensors_alike=True), truth)


def _compare(source, tally, static, truth):
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


def compare_many(count, chosen_seed, differentiated=False, writing=None):
    """Compares that many programs, the same ones everywhere; the first that differs is raised."""
    tally = Tally()
    how = compare_gradients if differentiated else compare
    for source in sources_of(chosen_seed, count, differentiated, writing):
        how(source, tally)
    return tally


def search(count, chosen_seed, differentiated=False):
    """Compares that many programs; one that differs is shrunk before it is raised."""
    tally = Tally()
    how = compare_gradients if differentiated else compare

    @seed(chosen_seed)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        print_blob=False,
        suppress_health_check=list(HealthCheck),
    )
    @given(sources(differentiated))
    def agree(source):
        how(source, tally)

    agree()
    return tally
