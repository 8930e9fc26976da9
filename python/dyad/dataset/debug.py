"""Hooks that see what the operations of a `map` get and make, in debug mode."""

from abc import ABC, abstractmethod


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

    def set_previous_op_name(self, prev_op_name):
        """The operation whose results it sees next."""
        self.prev_op_name = prev_op_name

    def set_is_first(self, is_first):
        """Whether it sees what the first operation gets."""
        self.is_first_op = is_first


class PrintMetaDataHook(DebugHook):
    """Prints the type, shape and element type of each column."""

    def compute(self, *args):
        for column in args[0]:
            print(
                f"{self.prev_op_name}: {type(column).__name__}, shape {getattr(column, 'shape', '')}, "
                f"{getattr(column, 'dtype', '')}"
            )
        return args[0]


class PrintDataHook(DebugHook):
    """Prints each column."""

    def compute(self, *args):
        for column in args[0]:
            print(f"{self.prev_op_name}: {column}")
        return args[0]
