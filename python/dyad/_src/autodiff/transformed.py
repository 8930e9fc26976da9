"""Functions that transforms make of other functions."""

import functools
import types

from dyad._src.autodiff.graph_mode import graph_of, runs_as_graph
from dyad._src.context.settings import settings


class TransformedFunction:
    """A function made by a transform of `fn`. It is called like any other; as an attribute of a class it is a method.

    `parameters` are the Parameters that it works on, and `request` says, in constants, what else was asked for.
    The capture of a program does not call it as it stands: it asks for the same transform over what the program sees
    in place of the function and of the Parameters, see `over`.
    """

    def __init__(self, fn, parameters, request):
        self.__wrapped__ = fn
        self.parameters = parameters
        self.request = request

    @property
    def root(self):
        """The function, Cell or object that transforms were applied to, one after the other."""
        fn = self.__wrapped__
        return fn.root if isinstance(fn, TransformedFunction) else fn

    def over(self, fn, parameters):
        """The same transform of another function, on other Parameters."""
        raise TypeError(f"{type(self).__name__}: it does not say how it is made over another function")

    def run(self, args, kwargs):
        """What a call gives."""
        raise TypeError(f"{type(self).__name__}: it does not say what a call does")

    def __call__(self, *args, **kwargs):
        # Mode is 1 for the dynamic graph.
        if settings.mode or not runs_as_graph():
            return self.run(args, kwargs)
        return graph_of(self.root)(self, *args, **kwargs)

    def __get__(self, instance, owner=None):
        return self if instance is None else types.MethodType(self, instance)

    def __repr__(self):
        return f"<{self.__name__} of {self.__wrapped__!r}>"


class PlainFunction(TransformedFunction):
    """A function as it is; calling it in Graph mode compiles it like all that transforms make of it."""

    __name__ = "function"

    def __init__(self, fn):
        super().__init__(fn, (), "plain")

    def over(self, fn, parameters):
        return PlainFunction(fn)

    def run(self, args, kwargs):
        return self.__wrapped__(*args, **kwargs)

    def __call__(self, *args, **kwargs):
        if settings.mode or not runs_as_graph():
            return self.run(args, kwargs)
        # The graph is of the function itself: who differentiates it stands outside.
        return graph_of(self.root)(self.__wrapped__, *args, **kwargs)


def called(transformed):
    """A plain function that calls what a transform made."""

    @functools.wraps(transformed.__wrapped__, updated=())
    def transformed_function(*args, **kwargs):
        return transformed(*args, **kwargs)

    return transformed_function


class GradientFunction(TransformedFunction):
    """Runs a transform and brings what it finds into the promised shape.

    `arrange(output, [(position, gradient)], [(Parameter, gradient)])` is what a call gives; it is a dataclass of
    constants, with slots.
    """

    __name__ = "gradient_function"

    def __init__(self, transform, arrange):
        arranged = tuple(getattr(arrange, name) for name in arrange.__slots__)
        super().__init__(transform.fn, transform.weights, (transform.request(), arranged))
        self._transform, self._arrange = transform, arrange

    def over(self, fn, parameters):
        return type(self)(self._transform.over(fn, parameters), self._arrange)

    def run(self, args, kwargs):
        return self._arrange(*self._transform.run(args, kwargs))
