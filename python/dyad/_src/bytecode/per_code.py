"""What is found out about code objects, kept as long as they live."""

import functools
import weakref


def per_code(make):
    """`make(code)`, computed once for each code object; what it gives must not hold the code object.

    Code objects are told apart by identity: those of two functions may be equal.
    """
    known = {}  # id of a code object -> (weak reference to it, what was made)

    @functools.wraps(make)
    def made(code):
        identity = id(code)
        found = known.get(identity)
        if found is None or found[0]() is not code:
            value = make(code)
            found = known[identity] = (weakref.ref(code, lambda _: known.pop(identity, None)), value)
        return found[1]

    return made
