"""`dyad.ops._primitive_cache`: Primitives by their arguments."""

__all__ = ["_get_cache_prim"]


def _get_cache_prim(cls):
    """Returns a function that creates a Primitive of the class from its arguments.

    That is the class: a Primitive holds its attributes and nothing else, so one is as good as another made alike.
    """
    return cls
