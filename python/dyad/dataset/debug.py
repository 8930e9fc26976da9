"""Hooks that see what the operations of a `map` get and make, in debug mode."""

from abc import ABC, abstractmethod

# A path below this module leads to names that are kept elsewhere.
__path__: list[str] = []
__all__ = ["DebugHook", "PrintDataHook", "PrintMetaDataHook"]


def columns_after(hook, columns):
    """The columns after a hook: it may return a tuple, one in another, or None for no change."""
    made = hook.compute(columns)
    if made is None:
        return columns
    if isinstance(made, tuple) and len(made) == 1 and isinstance(made[0], tuple):
        return made[0]
    return made if isinstance(made, tuple) else (made,)


class DebugHook(ABC):
    """Base class of hooks that read the columns between two operations.

    Args:
        prev_op_name (str): the operation before the hook; the pipeline sets it.
    """

    def __init__(self, prev_op_name: str | None = None) -> None:
        self.prev_op_name = prev_op_name
        self.is_first_op = False

    @abstractmethod
    def compute(self, *args):
        """Receives the columns as one tuple, and returns the columns to continue with; None for no change."""

    def __call__(self, *columns):
        """The hook as an operation of a `map`, whose list may have it between two others."""
        made = columns_after(self, columns)
        return made[0] if len(made) == 1 else made

    def set_previous_op_name(self, prev_op_name) -> None:
        """The operation whose results it sees next."""
        self.prev_op_name = prev_op_name

    def set_is_first(self, is_first) -> None:
        """Sets whether it is before the first operation."""
        self.is_first_op = is_first

    def _place(self):
        """A description of the columns in a printed line: inputs of the first operation, or results of one."""
        if self.prev_op_name is None:
            return "columns"
        return f"{'input' if self.is_first_op else 'output'} of {self.prev_op_name}"


class PrintMetaDataHook(DebugHook):
    """Prints the type, shape and dtype of each column."""

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
