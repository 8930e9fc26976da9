"""Retries: for each signal that ends an attempt to capture a call, what the next attempt changes.

Capture begins with the cheapest guards and the most dynamic graph. `_RETRIES` is for signals of capture itself;
`with_fewer_dynamic_inputs` is for a program that no attempt could capture with the sizes and numbers left dynamic.
Every retry is counted with its change, and `dyad.explain` shows the counts.
"""

import dataclasses
import time
from typing import Any, NamedTuple

from dyad._src.capture.errors import CaptureError, refusal_of
from dyad._src.capture.progress import note_retry
from dyad._src.capture.semantics.memory.aliases import NeedsIdentity
from dyad._src.capture.semantics.outside.partial_guards import NeedsWholeArguments
from dyad._src.capture.semantics.stand_ins import NeedsLook

# Containers that are read from the beginning one by one; after that all of them are.
_MAX_CONTAINERS = 4
# Seconds of capture after which one retry reads all containers.
_MAX_SECONDS = 0.2


@dataclasses.dataclass(frozen=True)
class Attempt:
    """One attempt to capture a call. At `sites`, where paths meet, tensors are told apart.

    `sites_of_results` means that some of the sites are there because results share memory.
    """

    options: Any
    sites: frozenset = frozenset()
    sites_of_results: bool = False
    start: float = dataclasses.field(default_factory=time.perf_counter)

    def after(self, signal):
        """Returns the attempt that follows one that `signal` has ended; None if there is nothing to change."""
        for kind, change, next_attempt in _RETRIES:
            if isinstance(signal, kind):
                attempt = next_attempt(self, signal)
                if attempt is not None:
                    note_retry(change)
                return attempt
        return None

    def with_guards(self, **changes):
        """Returns the attempt with other guards."""
        guards = dataclasses.replace(self.options.guards, **changes)
        return dataclasses.replace(self, options=self.options.replace(guards=guards))


def _with_more_sites(attempt, signal):
    return dataclasses.replace(
        attempt,
        sites=attempt.sites.union(signal.sites),
        sites_of_results=attempt.sites_of_results or signal.of_results,
    )


def _with_whole_arguments(attempt, signal):
    return attempt.with_guards(whole_arguments=True)


def _with_container(attempt, signal):
    """Reads one more container, or all if there are many or time is short."""
    known = attempt.options.guards.looked_into
    if known is None:
        raise AssertionError("a container is asked for again that was looked into from the beginning")
    is_late = time.perf_counter() - attempt.start > _MAX_SECONDS
    is_one_more = not is_late and signal.path is not None and signal.path not in known
    one_by_one = is_one_more and len(known) < _MAX_CONTAINERS
    return attempt.with_guards(looked_into=known | {signal.path} if one_by_one else None)


def _without_sharing(attempt, error):
    """A graph holds the program, but not with tensors told apart."""
    if refusal_of(error) is None or attempt.options.keeps_sharing or not attempt.sites_of_results:
        return None
    return Attempt(attempt.options.replace(shares_results=False), start=attempt.start)


_RETRIES = (
    (NeedsIdentity, "tensors told apart", _with_more_sites),
    (NeedsWholeArguments, "whole arguments guarded", _with_whole_arguments),
    (NeedsLook, "a container read first", _with_container),
    (Exception, "results share no memory", _without_sharing),
)


class Fallback(NamedTuple):
    """Options that leave less dynamic. A refusal with them is final if `is_last`."""

    change: str
    options: Any
    is_last: bool = False


STATIC_OUTER_SIZES = "static sizes outside of the arguments"
FEWER_DYNAMIC_INPUTS = "fewer dynamic sizes and numbers"
NOTHING_DYNAMIC = "nothing dynamic"


def with_fewer_dynamic_inputs(options, error, dynamic_inputs, args, kwargs):
    """Yields the Fallbacks for a call that capture refused with `error`, the most dynamic first."""
    refusal = refusal_of(error)
    is_split = options.lax and refusal is not None and refusal.after_effect
    if isinstance(error, CaptureError) and not is_split:
        if options.outer_shapes.close():
            yield Fallback(STATIC_OUTER_SIZES, options)
        if options.templates or options.variable_numbers:
            for less in dynamic_inputs.fallbacks(options, args, kwargs):
                is_static = not less.templates and not less.variable_numbers
                yield Fallback(FEWER_DYNAMIC_INPUTS, less, is_static and not options.lax)
    if options.raises_at_breaks and options.changes:
        # Python needs a number outside of the arguments that was to be dynamic.
        static = options.replace(changes={}, templates={}, variable_numbers=frozenset())
        yield Fallback(NOTHING_DYNAMIC, static, is_last=True)
