"""Datasets that choose, repeat and order rows and columns of one other."""

import copy
import math

from dyad import _core
from dyad._src.base.argument_checks import require_int
from dyad.dataset._dataset import Dataset

_native = _core.data
_LARGEST = (1 << 31) - 1


def column_list(owner, name, columns):
    """A list of distinct names from one name or several."""
    columns = [columns] if isinstance(columns, str) else columns
    if not isinstance(columns, (list, tuple)) or not all(isinstance(column, str) for column in columns):
        raise TypeError(f"{owner}: {name} is {columns!r}; need a str or a list of str")
    if not columns:
        raise ValueError(f"{owner}: {name} is empty; need one column or more")
    if "" in columns:
        raise ValueError(f"{owner}: {name} is {list(columns)}; need names that are not empty")
    if len(set(columns)) < len(columns):
        raise ValueError(f"{owner}: {name} is {list(columns)}; need every name once")
    return list(columns)


def _require_count(owner, name, value, low):
    if require_int(owner, name, value, low) > _LARGEST:
        raise ValueError(f"{owner}: {name} is {value}; need an int in [{low}, {_LARGEST}]")
    return int(value)


class RowByRow(Dataset):
    """A kind that makes one row of each row below it, so that rows can be chosen below."""

    @property
    def can_choose_rows(self):  # type: ignore[override]  # read-only in place of the class attribute
        return self.children[0].can_choose_rows

    def with_rows(self, indices):
        """The same over some of the rows."""
        child = self.children[0].with_rows(indices)
        made = copy.copy(self)
        made.children = [child]
        made.made_with = ((child, *self.made_with[0][1:]), self.made_with[1])
        made.__dict__.pop("_counted", None)
        made._become_parent()
        return made


class ShuffleDataset(Dataset, method="shuffle"):
    """Rows drawn from a buffer."""

    def __init__(self, input_dataset, buffer_size):
        super().__init__([input_dataset])
        self.buffer_size = _require_count("shuffle", "buffer_size", buffer_size, 2)

    def build(self, run):
        return _native.shuffled(self.children[0].build(run), self.buffer_size)

    def is_shuffled(self):
        return True


class RepeatDataset(Dataset, method="repeat"):
    """Several epochs as one."""

    def __init__(self, input_dataset, count=None):
        super().__init__([input_dataset])
        count = -1 if count is None else require_int("repeat", "count", count)
        if count != -1 and not 1 <= count <= _LARGEST:
            raise ValueError(f"repeat: count is {count}; need -1 or an int in [1, {_LARGEST}]")
        self.count = count

    def count_rows(self, endless):
        rows = self.children[0].count_rows(endless)
        factor = endless if self.count == -1 else self.count
        return rows if not rows else rows * factor

    def repeats(self):
        return self.count

    def build(self, run):
        return _native.repeated(self.children[0].build(run), self.count)


class TakeDataset(Dataset, method="take"):
    """The first rows of an epoch."""

    def __init__(self, input_dataset, count=-1):
        super().__init__([input_dataset])
        count = require_int("take", "count", count)
        if count != -1 and not 1 <= count <= _LARGEST:
            raise ValueError(f"take: count is {count}; need -1 or an int in [1, {_LARGEST}]")
        self.count = count

    def count_rows(self, endless):
        rows = self.children[0].count_rows(endless)
        return rows if rows is None or self.count == -1 else min(rows, self.count)

    def build(self, run):
        return _native.taken(self.children[0].build(run), self.count)


class SkipDataset(Dataset, method="skip"):
    """An epoch without its first rows."""

    def __init__(self, input_dataset, count):
        super().__init__([input_dataset])
        self.count = _require_count("skip", "count", count, 0)

    def count_rows(self, endless):
        rows = self.children[0].count_rows(endless)
        return rows if rows is None or rows == math.inf else max(0, rows - self.count)

    def build(self, run):
        return _native.skipped(self.children[0].build(run), self.count)


class ProjectDataset(RowByRow, method="project"):
    """Some columns, in a given order."""

    def __init__(self, input_dataset, columns):
        super().__init__([input_dataset])
        self.names = column_list("project", "columns", columns)

    def find_columns(self):
        self.children[0].positions(self.names, "project")
        return self.names

    def build(self, run):
        return _native.projected(
            self.children[0].build(run), self.children[0].positions(self.names, "project")
        )


class RenameDataset(RowByRow, method="rename"):
    """The same rows under other names."""

    def __init__(self, input_dataset, input_columns, output_columns):
        super().__init__([input_dataset])
        self.input_columns = column_list("rename", "input_columns", input_columns)
        self.output_columns = column_list("rename", "output_columns", output_columns)
        if len(self.input_columns) != len(self.output_columns):
            raise ValueError(
                f"rename: input_columns has {len(self.input_columns)} names and output_columns "
                f"{len(self.output_columns)}; need equally many"
            )

    def find_columns(self):
        names = list(self.children[0].columns())
        positions = self.children[0].positions(self.input_columns, "rename")
        for position, name in zip(positions, self.output_columns, strict=True):
            names[position] = name
        if len(set(names)) < len(names):
            raise RuntimeError(f"rename: the columns would be {names}; need every name once")
        return names

    def build(self, run):
        self.columns()
        return self.children[0].build(run)
