"""Functions that the captured program defines itself, and those that framework code calls."""

import inspect

from dyad._src.tensor.mutable import MutableNumber


class ClosureFunction:
    """A `def` or `lambda` inside the captured program. Names of its surroundings are read when it is called."""

    is_in_graph = True  # `jit` has nothing to do

    def __init__(self, interpreter, code, frame, defaults, keyword_defaults):
        self.interpreter = interpreter
        self.code = code
        self.frame = frame
        frame.escape()
        self.defaults = defaults
        self.keyword_defaults = keyword_defaults
        self.__name__ = code.name
        self.__qualname__ = f"{frame.qualname}.<locals>.{self.__name__}"
        self.__module__ = frame.namespace.get("__name__", "")
        self.__doc__ = code.doc
        self.attributes = interpreter.heap.note_namespace({})

    def __call__(self, *args, **kwargs):
        return self.interpreter.calls.call(self, *_received(args, kwargs))

    def __get__(self, instance, owner=None):
        return self if instance is None else Bound(self, instance)

    @property
    def __signature__(self):
        """Returns the result of `inspect.signature`, which framework code reads."""
        parameters = self.code.parameters
        optional = len(parameters.positional) - len(self.defaults)
        found = [
            inspect.Parameter(
                name,
                inspect.Parameter.POSITIONAL_ONLY
                if number < parameters.positional_only
                else inspect.Parameter.POSITIONAL_OR_KEYWORD,
                default=inspect.Parameter.empty if number < optional else self.defaults[number - optional],
            )
            for number, name in enumerate(parameters.positional)
        ]
        if parameters.rest is not None:
            found.append(inspect.Parameter(parameters.rest, inspect.Parameter.VAR_POSITIONAL))
        for name in parameters.keyword_only:
            default = self.keyword_defaults.get(name, inspect.Parameter.empty)
            found.append(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default))
        if parameters.keywords is not None:
            found.append(inspect.Parameter(parameters.keywords, inspect.Parameter.VAR_KEYWORD))
        return inspect.Signature(found)


class Bound:
    """A function of the program with its first argument."""

    def __init__(self, function, instance):
        self.__func__ = function
        self.__self__ = instance
        self.__name__ = getattr(function, "__name__", "")

    def __call__(self, *args, **kwargs):
        args, kwargs = _received(args, kwargs)
        return self.__func__.interpreter.calls.call(self.__func__, (self.__self__, *args), kwargs)


class Interpreted:
    """A user's function handed to framework code that calls it: the call comes back to the interpreter."""

    is_in_graph = True

    def __init__(self, interpreter, function):
        self._interpreter = interpreter
        self.__wrapped__ = function
        self.__name__ = getattr(function, "__name__", type(function).__name__)

    def __call__(self, *args, **kwargs):
        given = self._interpreter.calls.call(self.__wrapped__, *_received(args, kwargs))
        return self._interpreter.aliases.as_tensors(given)


def _received(args, kwargs):
    """Converts arguments that went through framework code back: no marks, and the program's own callables."""
    return tuple(map(_as_given, args)), {name: _as_given(value) for name, value in kwargs.items()}


def _as_given(value):
    if isinstance(value, MutableNumber):
        return value.number
    return value.__wrapped__ if isinstance(value, Interpreted) else value
