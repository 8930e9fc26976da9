"""Base classes by which lower rooms recognize a Cell."""


class AbstractCell:
    """Every Cell is one, and nothing else is."""


class AbstractCellList(AbstractCell):
    """Every CellList is one; `vmap` maps over its Cells."""


class AbstractRegistry(dict):
    """Base class of the registries that hold the members of a Cell."""

    __slots__ = ()
