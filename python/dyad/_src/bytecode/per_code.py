"""A cache of results per code object, kept as long as the code object exists."""

import functools
import weakref


def per_code(make):
    """`make(code)`, computed once for each code object; its result must not refer to the code object.

    Code objects are compared by identity: those of two functions may be equal.
    """
    known: dict = {}  # id of a code object -> (weak reference to it, result)

    @functools.wraps(make)
    def made(code):
        identity = id(code)
        found = known.get(identity)
        if found is None or found[0]() is not code:
            value = make(code)
            found = known[identity] = (weakref.ref(code, lambda _: known.pop(identity, None)), value)
        return found[1]

    return made
