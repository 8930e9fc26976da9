"""Holds generated programs under `jit` against the dynamic graph."""

import re
import sys
from collections import Counter

import session
from described import difference
from generator.programs import as_program, sources, sources_of
from generator.shrinking import shrunk
from hypothesis import HealthCheck, given, seed, settings
from mixtures import (
    bytecode_of_gradient,
    dynamic_gradient,
    gradient_of_bytecode,
    gradient_of_jit,
    jit_of_gradient,
)
from session import bytecode, bytecode_without_source, dynamic, graph_mode, jit, run, trace
from sourceless import forget_texts

from dyad import _core

FORMS = {form.__name__: form for form in (jit, graph_mode, bytecode, bytecode_without_source, trace)}
_GRADIENTS = {jit: (jit_of_gradient, gradient_of_jit), bytecode: (bytecode_of_gradient, gradient_of_bytecode)}
_SECONDS_TO_SHRINK = 40


class Tally:
    """Number of programs that agreed, and reasons why others were rejected. `differed` counts kinds for `survey`."""

    def __init__(self):
        self.agreed = 0
        self.refused = Counter()
        self.overwritten = 0
        self.differed = Counter()

    @property
    def share_refused(self):
        return self.refused.total() / max(self.agreed + self.refused.total(), 1)


def compare(source, tally, make=as_program, form=jit):
    """Raises AssertionError with both answers and the program where they differ; a refusal is only counted.

    Two places that hold one Tensor made on a path that a Tensor chose may hold two equal ones in a static graph.
    """
    program = _made(source, make, form)
    truth = run(program, dynamic, new_tensors_alike=True)
    _compare(source, tally, run(program, form, new_tensors_alike=True), truth)


def _made(source, make, form, **options):
    program = make(source, **options)
    if form is bytecode_without_source:
        forget_texts()
    return program


def compare_gradients(source, tally, make=as_program, form=jit):
    """As `compare`, with the gradients of the program, of a static graph and inside one.

    Where the tape lacks a value that was overwritten, a static graph may still have it: nothing is to compare.
    """
    program = _made(source, make, form, differentiated=True)
    truth = run(program, dynamic_gradient, tensors_alike=True)
    if any("has overwritten it" in str(error) for error in truth.raised):
        tally.overwritten += 1
        return
    for mixture in _GRADIENTS[form]:
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


def compare_many(count, chosen_seed, differentiated=False, writing=None, form=jit):
    """Compares that many programs, the same ones everywhere; the first that differs is raised."""
    tally = Tally()
    how = compare_gradients if differentiated else compare
    for source in sources_of(chosen_seed, count, differentiated, writing):
        how(source, tally, form=form)
    return tally


def search(count, chosen_seed, differentiated=False, form=jit):
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
        how(source, tally, form=form)

    agree()
    return tally


def survey(written, make=as_program, form=jit, each=3):
    """Compares all programs; of each kind of difference the first few are printed, made small."""
    tally = Tally()
    for number, source in enumerate(written):
        if number % 100 == 0:
            print(f"at program {number}", flush=True)
        kind = _kind_of_difference(source, make, form, tally)
        if kind is None:
            continue
        tally.differed[kind] += 1
        print(f"program {number} differs: {kind}", flush=True)
        if tally.differed[kind] <= each:
            before, session.SECONDS_ALLOWED = session.SECONDS_ALLOWED, 3  # what is left of a loop may not end
            small = shrunk(source, lambda text, kind=kind: shows(text, make, form, kind), _SECONDS_TO_SHRINK)
            session.SECONDS_ALLOWED = before
            print(small, flush=True)
    return tally


def shows(source, make, form, kind):
    """True if a program differs in that way."""
    try:
        return _kind_of_difference(source, make, form, Tally()) == kind
    except Exception:
        return False


def _kind_of_difference(source, make, form, tally):
    """Difference and exception, without numbers; None if there is none."""
    try:
        compare(source, tally, make, form)
    except AssertionError as error:
        found, _, raised = str(error).partition("\nthis form raised ")
        place = found.partition(":")[0].split("/")[1:2]
        return f"{place} {re.sub(r'[0-9]+', '#', raised.splitlines()[0])}"
    return None


def tell(tally):
    """Prints the counts of many comparisons, the totals last; ends the program with status 1 if one differed."""
    for what, times in [*tally.differed.most_common(20), *tally.refused.most_common(20)]:
        print(f"{times:6} {what}")
    print(
        f"{tally.agreed} comparisons agree, {tally.differed.total()} differ, {tally.refused.total()} are refused"
    )
    if tally.differed:
        sys.exit(1)
