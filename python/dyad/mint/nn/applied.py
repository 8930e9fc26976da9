"""Layers that are a function of their input and of settings."""

from collections.abc import Callable

from dyad.nn import Cell

__all__: list[str] = []


class Applied(Cell):
    """A function of the input; constructor arguments are passed on to it."""

    _function: Callable

    def __init__(self, *settings):
        super().__init__()
        self._settings = settings

    def construct(self, input):
        """What the function gives."""
        return type(self)._function(input, *self._settings)
