"""What Cells are to the rooms below `_src/cell`, which have to know one when they see it."""


class AbstractCell:
    """Every Cell is one, and nothing else is."""


class AbstractCellList(AbstractCell):
    """Every CellList is one; `vmap` maps over its Cells."""


class AbstractRegistry(dict):
    """What holds the members of a Cell."""

    __slots__ = ()
