"""Why a call had to be compiled: which check failed, what it expected and what it met; and what to do about it."""

import collections
import dataclasses
import re

_TENSOR = re.compile(r"(?P<kind>.*) of shape \((?P<shape>[^)]*)\)$")
_NUMBER = re.compile(r"-?(\d|inf|nan)|True$|False$")


@dataclasses.dataclass(frozen=True)
class Cause:
    """`subject` names what was checked; empty if no check failed, then `actual` says it all."""

    subject: str
    expected: str
    actual: str

    def __str__(self):
        return f"{self.subject}: was {self.expected}, is {self.actual}" if self.subject else self.actual

    @property
    def advice(self):
        """How a program avoids that this compiles again with every call; empty if there is nothing to avoid."""
        if not self.subject:
            return ""
        was, now = _TENSOR.match(self.expected), _TENSOR.match(self.actual)
        if was and now:
            if was["kind"] != now["kind"]:
                return "give the Tensor one dtype and layout, or convert it before the call"
            return "use jit(dynamic=1), or a template that leaves the changing size open (input_signature, set_inputs)"
        if self.expected.startswith("length "):
            return "pass a Tensor, or mutable(sequence, dynamic_len=True)"
        if self.expected.startswith("the same object"):
            return "make the object once, outside of the function that calls, and pass that one"
        if _NUMBER.match(self.expected) and _NUMBER.match(self.actual):
            if _is_argument(self.subject):
                return "pass it as a Tensor, or as mutable(number)"
            return "keep it in a Tensor or a Parameter, or pass it as an argument of one of these kinds"
        return "let it stay the same, or pass what changes as a Tensor"


def _is_argument(subject):
    return subject.startswith("argument ") and "." not in subject


FIRST_CALL = Cause("", "", "it is the first call")


def cause_of(compiled, args, kwargs):
    """Why no entry of a compiled function fits a call: the first check that fails of the entry used last."""
    entries = compiled.entries
    if not entries:
        return FIRST_CALL
    call = (len(args), tuple(kwargs))
    alike = [entry for entry in entries if (entry.positional, tuple(entry.keywords)) == call]
    if not alike:
        keywords = f" and the keywords {', '.join(call[1])}" if call[1] else ""
        return Cause("", "", f"no earlier call had {call[0]} positional arguments{keywords}")
    failure = alike[0].tree.failure((*args, *kwargs.values()), call[1])
    if failure is None:
        return Cause("", "", "another thread compiled at the same time")
    return Cause(*failure)


def changed_outside(compiled, args, kwargs):
    """The path of what, outside of the arguments, keeps an entry from serving a call; "" if there is nothing."""
    causes = _causes(compiled, args, kwargs)
    return next((cause.subject for cause in causes if not _is_argument(cause.subject)), "")


def changed_length(compiled, args, kwargs):
    """The path of what keeps an entry from serving a call because it has another length; "" if there is nothing."""
    causes = _causes(compiled, args, kwargs)
    return next((cause.subject for cause in causes if cause.expected.startswith("length ")), "")


def _causes(compiled, args, kwargs):
    """The first check that fails of each entry for such a call."""
    call = (len(args), tuple(kwargs))
    for entry in compiled.entries:
        if (entry.positional, tuple(entry.keywords)) == call:
            failure = entry.tree.failure((*args, *kwargs.values()), call[1])
            if failure is not None and failure[0]:
                yield Cause(*failure)


def most_frequent(causes):
    """(the latest of the causes that have the most frequent subject, their number); None if no check failed."""
    failed = [cause for cause in causes if cause.subject]
    if not failed:
        return None
    subject, times = collections.Counter(cause.subject for cause in failed).most_common(1)[0]
    return next(cause for cause in reversed(failed) if cause.subject == subject), times
