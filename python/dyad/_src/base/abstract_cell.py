"""Base classes by which lower rooms recognize a Cell."""

from collections.abc import Callable
from typing import Any


class AbstractCell:
    """Every Cell is one, and nothing else is."""

    add_flags_recursive: Callable
    cells_and_names: Callable
    construct: Callable
    get_inputs: Callable
    get_parameters: Callable
    parameters_dict: Callable
    set_train: Callable
    trainable_params: Callable
    __call__: Callable[..., Any]


class AbstractCellList(AbstractCell):
    """Every CellList is one; `vmap` maps over its Cells."""


class AbstractRegistry(dict):
    """Base class of the registries that hold the members of a Cell."""

    __slots__ = ()
