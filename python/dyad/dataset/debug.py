"""Hooks that see what the operations of a `map` get and make, in debug mode."""

from abc import ABC, abstractmethod

# A path below this module leads to names that are kept elsewhere.
__path__: list[str] = []
__all__ = ["DebugHook", "PrintDataHook", "PrintMetaDataHook"]


def columns_after(hook, columns):
    """The columns with which to go on after a hook: it may give a tuple, one in another, or None for the same."""
    made = hook.compute(columns)
    if made is None:
        return columns
    if isinstance(made, tuple) and len(made) == 1 and isinstance(made[0], tuple):
        return made[0]
    return made if isinstance(made, tuple) else (made,)


class DebugHook(ABC):
    """Something that looks at the columns between two operations.

    Args:
        prev_op_name (str): the operation whose results it sees; the pipeline sets it.
    """

    def __init__(self, prev_op_name=None):
        self.prev_op_name = prev_op_name
        self.is_first_op = False

    @abstractmethod
    def compute(self, *args):
        """Gets the columns as one tuple, and gives those with which to go on; None for the same."""

    def __call__(self, *columns):
        """The hook as an operation of a `map`, whose list may have it between two others."""
        made = columns_after(self, columns)
        return made[0] if len(made) == 1 else made

    def set_previous_op_name(self, prev_op_name):
        """The operation whose results it sees next."""
        self.prev_op_name = prev_op_name

    def set_is_first(self, is_first):
        """Whether it sees what the first operation gets."""
        self.is_first_op = is_first

    def _place(self):
        """What the columns are, for a line that is printed: those that the first operation gets, or what one made."""
        if self.prev_op_name is None:
            return "columns"
        return f"{'input' if self.is_first_op else 'output'} of {self.prev_op_name}"


class PrintMetaDataHook(DebugHook):
    """Prints the type, shape and element type of each column."""

    def compute(self, *args):
        for number, column in enumerate(args[0]):
            print(
                f"{self._place()}: column {number}: {type(column).__name__}, "
                f"shape {getattr(column, 'shape', '')}, {getattr(column, 'dtype', '')}"
            )
        return args[0]


class PrintDataHook(DebugHook):
    """Prints each column."""

    def compute(self, *args):
        for number, column in enumerate(args[0]):
            print(f"{self._place()}: column {number}: {column}")
        return args[0]
