"""Causes of compilations: the guard that failed, what it expected and found, and how to avoid it."""

import collections
import dataclasses

_CHANGED_SHAPE = (
    "use jit(dynamic=1), or a template that leaves the changing size open (input_signature, set_inputs)"
)
_CHANGED_FORM = "give the Tensor one dtype and layout, or convert it before the call"
_CHANGED_LENGTH = "pass a Tensor, or mutable(sequence, dynamic_len=True)"
_CHANGED_OBJECT = "make the object once, outside of the function that calls, and pass that one"
_CHANGED_NUMBER = "keep it in a Tensor or a Parameter, or pass it as an argument of one of these kinds"
_CHANGED_ARGUMENT = "pass it as a Tensor, or as mutable(number)"
_CHANGED = "let it stay the same, or pass what changes as a Tensor"


@dataclasses.dataclass(frozen=True)
class Cause:
    """A guard that failed, as `_core.GuardTree.failure` reports it.

    `subject`, `expected` and `actual` are texts for people; without a subject no guard failed, and `actual` is all.
    `kind` is that of the guard, `difference` what of the object differs, and `of_argument` means that it was passed.
    """

    subject: str
    expected: str
    actual: str
    kind: str = ""
    difference: str = ""
    of_argument: bool = False

    def __str__(self):
        return f"{self.subject}: was {self.expected}, is {self.actual}" if self.subject else self.actual

    @property
    def advice(self):
        """Advice on avoiding another compilation with every call; empty if there is nothing to avoid."""
        if not self.subject:
            return ""
        if self.kind == "length":
            return _CHANGED_LENGTH
        if self.kind == "identity" and self.difference != "gone":
            return _CHANGED_OBJECT
        if self.difference == "number":
            return _CHANGED_ARGUMENT if self.of_argument else _CHANGED_NUMBER
        return {"shape": _CHANGED_SHAPE, "form": _CHANGED_FORM}.get(self.difference, _CHANGED)


FIRST_CALL = Cause("", "", "it is the first call")


def cause_of(compiled, args, kwargs):
    """Returns why no entry of a compiled function fits a call: the first guard that fails of the entry used last."""
    entries = compiled.entries
    if not entries:
        return FIRST_CALL
    names = tuple(kwargs)
    alike = _entries_for(compiled, args, kwargs)
    if not alike:
        keywords = f" and the keywords {', '.join(names)}" if names else ""
        return Cause("", "", f"no earlier call had {len(args)} positional arguments{keywords}")
    failure = alike[0].tree.failure((*args, *kwargs.values()), names)
    if failure is None:
        return Cause("", "", "another thread compiled at the same time")
    return Cause(*failure)


def failures_of(compiled, args, kwargs):
    """Yields the first guard that fails of each entry for calls with such arguments."""
    given, names = (*args, *kwargs.values()), tuple(kwargs)
    for entry in _entries_for(compiled, args, kwargs):
        failure = entry.tree.failure(given, names)
        if failure is not None:
            yield Cause(*failure)


def _entries_for(compiled, args, kwargs):
    call = (len(args), tuple(kwargs))
    return [entry for entry in compiled.entries if (entry.positional, tuple(entry.keywords)) == call]


def changed_outside(compiled, args, kwargs):
    """The path of what, outside of the arguments, keeps an entry from serving a call; "" if there is nothing."""
    causes = failures_of(compiled, args, kwargs)
    return next((cause.subject for cause in causes if cause.subject and not cause.of_argument), "")


def changed_length(compiled, args, kwargs):
    """The path of what keeps an entry from serving a call because it has another length; "" if there is nothing."""
    causes = failures_of(compiled, args, kwargs)
    return next((cause.subject for cause in causes if cause.subject and cause.kind == "length"), "")


def most_frequent(causes):
    """(the latest of the causes that have the most frequent subject, their number); None if no guard failed."""
    failed = [cause for cause in causes if cause.subject]
    if not failed:
        return None
    subject, times = collections.Counter(cause.subject for cause in failed).most_common(1)[0]
    return next(cause for cause in reversed(failed) if cause.subject == subject), times
