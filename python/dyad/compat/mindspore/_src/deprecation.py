"""Marks what a package keeps for old programs."""

import functools

from dyad import log

__all__ = ["deprecated"]


def deprecated(version, substitute, use_substitute_name=False):
    """A decorator: the first call warns that the name is deprecated since `version`, in favour of `substitute`.

    With `use_substitute_name` the function has the name of what replaces it.
    """

    def mark(function):
        was_warned = False

        @functools.wraps(function)
        def called(*args, **kwargs):
            nonlocal was_warned
            if not was_warned:
                was_warned = True
                log.warning(
                    "%r is deprecated from version %s and will be removed; use %r instead",
                    function.__name__, version, substitute,
                )  # fmt: skip
            return function(*args, **kwargs)

        if use_substitute_name:
            called.__name__ = substitute
        return called

    return mark
