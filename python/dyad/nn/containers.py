"""Containers: Cells that hold Cells as a chain, a list or a dictionary."""

from typing import Self

from dyad._src.base.abstract_cell import AbstractCellList
from dyad._src.base.argument_checks import a_value
from dyad.nn.cell import Cell

__all__ = ["CellDict", "CellList", "SequentialCell"]


class _OrderedCells(Cell):
    """Base class of SequentialCell and CellList: indexes, slices, and member names that follow the indexes."""

    def _require_member(self, cell):
        if not isinstance(cell, Cell):
            raise TypeError(f"{type(self).__name__}: a member is of type {type(cell).__name__}; need a Cell")

    def _name_at(self, index):
        if isinstance(index, bool) or not hasattr(index, "__index__"):
            raise TypeError(
                f"{type(self).__name__}: index is {index!r} of type {type(index).__name__}; need an int or a slice"
            )
        size = len(self._cells)
        position = index.__index__()
        if not -size <= position < size:
            raise IndexError(f"{type(self).__name__}: index {position} is out of range for {size} Cells")
        return list(self._cells)[position]

    def _renumber(self, members):
        """Replaces the members. A member keeps an explicit name; numeric names follow the index."""
        members = list(members)
        self._cells.clear()
        for position, (name, cell) in enumerate(members):
            self._set_child(str(position) if name is None or name.isdigit() else name, cell)

    def __getitem__(self, index):
        if isinstance(index, slice):
            part = type(self)()
            # The part borrows the members: their Parameters keep the names they have here.
            for position, name in enumerate(list(self._cells)[index]):
                part._cells[str(position) if name.isdigit() else name] = self._cells[name]
            return part
        return self._cells[self._name_at(index)]

    def __setitem__(self, index, cell):
        self._require_member(cell)
        self._set_child(self._name_at(index), cell)

    def __delitem__(self, index):
        names = list(self._cells)
        removed = set(names[index]) if isinstance(index, slice) else {self._name_at(index)}
        self._renumber([(name, cell) for name, cell in list(self._cells.items()) if name not in removed])

    def __len__(self) -> int:
        return len(self._cells)

    def __iter__(self):
        return iter(self._cells.values())

    def append(self, cell) -> Self:
        """Add one Cell at the end."""
        self._require_member(cell)
        self._set_child(str(len(self._cells)), cell)
        return self


class SequentialCell(_OrderedCells):
    """A sequence of Cells, each called with the result of the previous one.

    Its members are Cells, a list of Cells, or an OrderedDict, whose keys become the names.
    """

    def __init__(self, *args):
        super().__init__()
        if len(args) == 1 and isinstance(args[0], dict):
            for name, cell in args[0].items():
                self.insert_child_to_cell(name, cell)
            return
        members = args[0] if len(args) == 1 and isinstance(args[0], (list, tuple, _OrderedCells)) else args
        for cell in members:
            self.append(cell)

    def construct(self, input_data):
        """The result of the last Cell; `input_data` itself if there is none."""
        for cell in self._cells.values():
            input_data = cell(input_data)
        return input_data


class CellList(_OrderedCells, AbstractCellList):
    """A list of Cells. It cannot be called; its members can."""

    def __init__(self, *args, auto_prefix: bool = True) -> None:
        super().__init__(auto_prefix=auto_prefix)
        members = args[0] if len(args) == 1 and not isinstance(args[0], Cell) else args
        self.extend(members)

    def extend(self, cells) -> Self:
        """Add Cells at the end."""
        if not hasattr(cells, "__iter__"):
            raise TypeError(f"CellList.extend: got {a_value(cells)}; need a sequence of Cells")
        cells = list(cells)
        for cell in cells:
            self._require_member(cell)
        for cell in cells:
            self.append(cell)
        return self

    def __iadd__(self, cells):
        return self.extend(cells)

    def insert(self, index, cell) -> None:
        """Put a Cell before the position; those after it move up and are renamed."""
        self._require_member(cell)
        size = len(self._cells)
        if isinstance(index, bool) or not isinstance(index, int):
            raise TypeError(
                f"CellList.insert: index is {index!r} of type {type(index).__name__}; need an int"
            )
        if not -size <= index <= size:
            raise IndexError(f"CellList.insert: index {index} is out of range for {size} Cells")
        members = list(self._cells.items())
        members.insert(index, (None, cell))
        self._renumber(members)

    def construct(self, *inputs):
        """Always a TypeError: a list is not a computation."""
        raise TypeError("CellList: a list of Cells cannot be called; call its members")


class CellDict(Cell):
    """A dictionary of Cells. It cannot be called; its members can."""

    def __init__(self, *args, auto_prefix: bool = True) -> None:
        super().__init__(auto_prefix=auto_prefix)
        if len(args) > 1:
            raise TypeError(f"CellDict: got {len(args)} arguments; need at most one mapping")
        if args:
            self.update(args[0])

    def __getitem__(self, key):
        return self._cells[key]

    def __setitem__(self, key, cell):
        if not isinstance(key, str):
            raise TypeError(f"CellDict: key is {key!r} of type {type(key).__name__}; need a str")
        if not key or "." in key or (key not in self._cells and hasattr(self, key)):
            raise KeyError(f"CellDict: key {key!r} is empty, has a dot or is an attribute; need another key")
        if not isinstance(cell, Cell):
            raise TypeError(f"CellDict: {key!r} is of type {type(cell).__name__}; need a Cell")
        self._set_child(key, cell)

    def __delitem__(self, key):
        del self._cells[key]

    def __len__(self) -> int:
        return len(self._cells)

    def __iter__(self):
        return iter(self._cells)

    def __contains__(self, key):
        return key in self._cells

    def keys(self):
        """The names of the members."""
        return self._cells.keys()

    def values(self):
        """The members."""
        return self._cells.values()

    def items(self):
        """(name, member) for each member."""
        return self._cells.items()

    def clear(self) -> None:
        """Removes all members."""
        self._cells.clear()

    def pop(self, key):
        """Remove a Cell and return it."""
        return self._cells.pop(key)

    def update(self, cells) -> None:
        """Add Cells from a mapping or from (key, Cell) pairs."""
        if isinstance(cells, (dict, CellDict)):
            cells = cells.items()
        elif not hasattr(cells, "__iter__"):
            raise TypeError(f"CellDict.update: got {a_value(cells)}; need a mapping or (key, Cell) pairs")
        for entry in cells:
            if not isinstance(entry, (tuple, list)) or len(entry) != 2:
                error = ValueError if isinstance(entry, (tuple, list)) else TypeError
                raise error(f"CellDict.update: an entry is {entry!r}; need (key, Cell) pairs")
            self[entry[0]] = entry[1]

    def construct(self, *inputs):
        """Always a TypeError: a dictionary is not a computation."""
        raise TypeError("CellDict: a dictionary of Cells cannot be called; call its members")
