"""Functions that transforms make of other functions."""

import functools
import types


class TransformedFunction:
    """A function made by a transform. It is called like any other; a method of a class that it is an attribute of.

    The capture of a program does not call it as it stands: it asks for the same transform over what the program sees
    in place of the function and of the Parameters, see `over`.
    """

    __slots__ = ("__weakref__",)

    parameters: tuple = ()

    def over(self, fn, parameters):
        """The same transform of another function, by other Parameters."""
        raise TypeError(f"{type(self).__name__}: it does not say how it is made over another function")

    def __call__(self, *args, **kwargs):
        raise TypeError(f"{type(self).__name__}: it does not say what a call does")

    def __get__(self, instance, owner=None):
        return self if instance is None else types.MethodType(self, instance)

    def __repr__(self):
        return f"<{self.__name__} of {self.__wrapped__!r}>"


def called(transformed):
    """A plain function that calls what a transform made."""

    @functools.wraps(transformed.__wrapped__, updated=())
    def transformed_function(*args, **kwargs):
        return transformed(*args, **kwargs)

    return transformed_function
