"""Functions that result from transforms of other functions; in Graph mode each is compiled as a whole."""

import functools
import types
from typing import Any

from dyad import _core
from dyad._src.context.environment import jit_is_off
from dyad._src.context.settings import settings

GRAPHS_OF_TRANSFORMS = "__graphs_of_transforms__"
_compile: Any = None  # root -> what is compiled for it; see `install`
_at_no_object: dict = {}  # for functions without attributes: built-in ones, which are never deleted


def install(compiled_transform):
    """Sets the function that makes the compiled callable for transforms of `root`."""
    global _compile
    _compile = compiled_transform


def runs_as_graph():
    """In Graph mode: whether a call is one of a compiled graph, and not part of one that is being captured."""
    return not jit_is_off() and _core.current_graph() is None


def graph_of(root):
    """The compiled callable for all transforms of `root`; its first argument is the transformed function.

    It is stored in an attribute of `root`, a function or another callable, and is released with it.
    """
    root = getattr(root, "__func__", root)
    kept = getattr(root, "__dict__", None)
    kept, key = (kept, GRAPHS_OF_TRANSFORMS) if isinstance(kept, dict) else (_at_no_object, root)
    compiled = kept.get(key)
    if compiled is None:
        compiled = kept[key] = _compile(root)
    return compiled


class TransformedFunction:
    """The result of a transform of `fn`. It is called like any other function; as an attribute of a class it is a
    method.

    `parameters` are the Parameters that it works on, and `request` has all other arguments of the transform, in
    constants. The capture of a program does not call it: it applies the same transform to the captured forms of the
    function and of the Parameters, see `over`.
    """

    __name__: str

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
        """Returns the result of a call."""
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
    """A function without a transform; calling it in Graph mode compiles it like the results of transforms."""

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
        # The graph is of the function itself: differentiation happens outside.
        return graph_of(self.root)(self.__wrapped__, *args, **kwargs)


def called(transformed):
    """A plain function that calls the result of a transform."""

    @functools.wraps(transformed.__wrapped__, updated=())
    def transformed_function(*args, **kwargs):
        return transformed(*args, **kwargs)

    return transformed_function


class GradientFunction(TransformedFunction):
    """Runs a transform and arranges its results.

    `arrange(output, [(position, gradient)], [(Parameter, gradient)])` returns the result of a call; it is a dataclass
    of constants, with slots.
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
