"""Cache of facts about classes, kept as long as they exist."""

import functools
import weakref


def per_class(make):
    """`make(cls)`, computed once for each class. Classes are told apart by identity, and none is kept alive."""
    known = {}  # id of a class -> (weak reference to it, what was made)

    @functools.wraps(make)
    def made(cls):
        identity = id(cls)
        found = known.get(identity)
        if found is None or found[0]() is not cls:
            value = make(cls)
            found = known[identity] = (weakref.ref(cls, lambda _: known.pop(identity, None)), value)
        return found[1]

    return made
