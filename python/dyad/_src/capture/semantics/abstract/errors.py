"""Errors for values of two paths that cannot be joined."""

MAX_ALTERNATIVES = 16


class CannotJoin(Exception):
    """Two values have no common abstract value; `entry` is the name they stand under and the two values."""

    entry: tuple | None = None


class TooManyKinds(CannotJoin):
    """There is a common abstract value, but it would have too many alternatives."""

    def __init__(self):
        super().__init__(f"more than {MAX_ALTERNATIVES} different kinds of value")


def require_few(alternatives):
    """Raises TooManyKinds for a choice between more alternatives than a graph shall carry."""
    if len(alternatives) > MAX_ALTERNATIVES:
        raise TooManyKinds
