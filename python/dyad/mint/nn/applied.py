"""Layers that are a function of their input and of settings."""

from collections.abc import Callable

from dyad._core import Tensor
from dyad.nn import Cell

__all__: list[str] = []


class Applied(Cell):
    """A function of the input and of settings: attributes of the layer, passed on in the order of the constructor."""

    _function: Callable

    def __init__(self, **settings):
        super().__init__()
        self._names = tuple(settings)
        for name, value in settings.items():
            setattr(self, name, value)

    def _settings(self):
        return [getattr(self, name) for name in self._names]

    def construct(self, input: Tensor):
        """Returns the result of the function."""
        return type(self)._function(input, *self._settings())
