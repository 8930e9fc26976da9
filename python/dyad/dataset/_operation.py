"""Transforms of columns: what `map` applies to every row, and what can be called by itself."""

import enum

from dyad import _core
from dyad.dataset import _random_keys

_native = _core.data


class Implementation(enum.IntEnum):
    """Implementation of a transform: without Python, `C`, or in Python, `PY`; recorded by the class."""

    C = 0
    PY = 1


def is_pil(value):
    """Returns whether a value is a PIL image; Pillow is not loaded for it."""
    return any(kind.__module__ == "PIL.Image" and kind.__name__ == "Image" for kind in type(value).__mro__)


class TensorOperation:
    """A transform of columns.

    A subclass checks its arguments and names an entry of the native table with `entry`; the pipeline then runs it
    without Python. Called directly, it accepts NumPy arrays, or values that convert to one, and returns NumPy arrays.
    """

    implementation: Implementation | None = None  # PY for transforms that MindSpore runs in Python only
    _made = None

    def entry(self):
        """(name, attributes) of the native transform."""
        raise TypeError(f"{type(self).__name__}: the class names no transform; override entry")

    def native(self):
        """The native transform, created at the first use."""
        if self._made is None:
            name, attributes = self.entry()
            self._made = _native.make_transform(name, attributes)
        return self._made

    def steps(self):
        """The operations that it is composed of, in order; itself if there are none."""
        return [self]

    def __call__(self, *columns):
        made = self.native()(tuple(self.as_column(column) for column in columns), _random_keys.next_key())
        return made[0] if len(made) == 1 else made

    def as_column(self, column):
        """The value that replaces an argument of a direct call; a subclass may convert or reject it."""
        return column

    def __getstate__(self):
        return {name: value for name, value in self.__dict__.items() if name != "_made"}


class PyTensorOperation(TensorOperation):
    """A transform written in Python: `apply` receives columns and a `random.Random` that is a function of the row."""

    def apply(self, columns, random):
        """The columns, a tuple, that it makes of a tuple of columns: by `execute_py` or `_execute_py` of a class."""
        execute = getattr(self, "execute_py", None) or getattr(self, "_execute_py", None)
        if execute is None:
            raise TypeError(
                f"{type(self).__name__}: the class has no transform; override apply, execute_py or _execute_py"
            )
        made = execute(*columns)
        return made if isinstance(made, tuple) else (made,)

    def __call__(self, *columns):
        made = self.apply(tuple(self.as_column(column) for column in columns), _random_keys.next_random())
        return made[0] if len(made) == 1 else made
