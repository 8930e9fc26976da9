"""`Dataset`: a lazy description of rows. Operations return new datasets; an iterator computes the rows of one."""

import functools
import math
import numbers
import weakref
from typing import ClassVar

import numpy as np

from dyad._src.base.argument_checks import require_bool, require_int
from dyad._src.base.no_effect import say_no_effect
from dyad.dataset import _explain, iterators
from dyad.dataset._dataset_operations import Operations
from dyad.dataset.cache_client import DatasetCache


class _Found:
    """An attribute that holds what a method of the dataset last returned, None before the first call.

    A value that a program assigns to it is what the method returns.
    """

    def __init__(self, method):
        self._method = method

    def __set_name__(self, owner, name):
        self._name = name
        setattr(owner, self._method.__name__, self._keeping(self._method))

    def __get__(self, dataset, owner=None):
        return self if dataset is None else dataset._found.get(self._name, (None, False))[0]

    def __set__(self, dataset, value):
        dataset._found[self._name] = value, value is not None

    def _keeping(self, method):
        @functools.wraps(method)
        def find(dataset):
            value, is_assigned = dataset._found.get(self._name, (None, False))
            if not is_assigned:
                value = method(dataset)
                dataset._found[self._name] = value, False
            return value

        return find


class Dataset(Operations):
    """Rows of named columns, computed when they are iterated over.

    A subclass defines its columns (`find_columns`), number of rows (`count_rows`) and native stage (`build`). The
    subclass that a method of `Dataset` returns names that method: `class TakeDataset(Dataset, method="take")`.
    """

    made_with: tuple
    _found: dict

    can_choose_rows = False  # whether `with_rows` returns a dataset of a subset of its rows
    _kinds: ClassVar[dict] = {}

    def __init_subclass__(cls, method=None, **rest):
        super().__init_subclass__(**rest)
        if method is not None:
            Dataset._kinds[method] = cls

    def __new__(cls, *args, **kwargs):
        made = super().__new__(cls)
        made.made_with = (args, kwargs)  # for `serialize`
        made._found, made.parent = {}, []
        return made

    def __copy__(self):
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        made._found, made.parent = {}, []
        return made

    def __getstate__(self):
        """State for deep copies and pickles: without open files, which copies open themselves."""
        state = dict(self.__dict__)
        if isinstance(getattr(type(self), "source", None), functools.cached_property):
            state.pop("source", None)
        del state["parent"]
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.parent = []
        self._become_parent()

    def _become_parent(self):
        """Appends a weak reference to this dataset to `parent` of each child."""
        for child in self.children:
            child.parent.append(weakref.ref(self))

    def __init__(self, children=(), num_parallel_workers=None, cache=None):
        owner = type(self).__name__
        if num_parallel_workers is not None:
            require_int(owner, "num_parallel_workers", num_parallel_workers, 1)
        if isinstance(cache, DatasetCache):
            say_no_effect("mindspore.dataset.DatasetCache", f"{owner}: cache")
        elif cache is not None:
            raise TypeError(
                f"{owner}: cache is {cache!r}; there is no cache server here, need None or a DatasetCache"
            )
        self.children = list(children)
        self._become_parent()
        self.num_parallel_workers = num_parallel_workers
        self.cache = cache
        self._input_indexs = ()
        self._dynamic_columns = None
        self._found_columns = None

    # Methods that subclasses define.

    def columns(self):
        """Names of the columns, found once."""
        if self._found_columns is None:
            self._found_columns = self.find_columns()
        return self._found_columns

    def find_columns(self):
        """Names of the columns; those of the only child where a kind does not say otherwise."""
        return self.children[0].columns()

    def count_rows(self, endless):
        """Rows of an epoch, or None if only a run can count them; `endless` stands for an infinite repeat."""
        return self.children[0].count_rows(endless)

    def build(self, run):
        """The native stage, for one run."""
        raise TypeError(f"{type(self).__name__}: the class makes no rows; override build")

    def calls_functions(self):
        """Returns whether the stage calls Python functions on rows, in any thread."""
        return False

    def reads_in_python(self):
        """Returns whether Python reads the rows, one after another."""
        return False

    def works_natively(self):
        """Returns whether native threads do more for a row than stack it."""
        return False

    def rows_in_batch(self):
        """Rows of the source in one row of this dataset; -1 where they vary."""
        return self.children[0].rows_in_batch() if self.children else 1

    def repeats(self):
        """The argument of the last `repeat`, -1 for infinite."""
        return self.children[0].repeats() if self.children else 1

    def positions(self, names, owner):
        """Indexes of columns; an unknown name is a RuntimeError."""
        known = self.columns()
        for name in names:
            if name not in known:
                raise RuntimeError(
                    f"{owner}: the column {name!r} does not exist; the columns are {', '.join(map(repr, known))}"
                )
        return [known.index(name) for name in names]

    def walk(self):
        """This dataset and all below it."""
        yield self
        for child in self.children:
            yield from child.walk()

    # Queries of programs.

    def get_col_names(self):
        """Names of the columns, in the order of the rows."""
        return list(self.columns())

    _col_names = _Found(get_col_names)

    def get_dataset_size(self):
        """Number of rows in an epoch; of batches, after `batch`. An infinite repeat counts once."""
        size = self.count_rows(math.inf)
        if size == math.inf:
            size = self.count_rows(1)
        if size is not None:
            return int(size)
        if self.repeats() == -1:
            raise RuntimeError(
                f"{type(self).__name__}: only a run tells how many rows there are, and it has no end"
            )
        return self._counted

    dataset_size = _Found(get_dataset_size)

    def note_size(self, rows):
        """Keeps the number of rows of an epoch that was read to its end as `dataset_size`, unless it has one."""
        if self.dataset_size is None:
            self._found["dataset_size"] = rows, False

    @functools.cached_property
    def _counted(self):
        """The rows of one epoch, by running it."""
        with iterators.TupleIterator(self, num_epochs=1, output_numpy=True) as rows:
            return sum(1 for _ in rows)

    def get_batch_size(self):
        """Rows in a batch; 1 without `batch`, -1 where batches vary."""
        return self.rows_in_batch()

    _batch_size = _Found(get_batch_size)

    def get_repeat_count(self):
        """The argument of the last `repeat`; 1 without one, -1 for infinite."""
        return self.repeats()

    _repeat_count = _Found(get_repeat_count)

    def get_class_indexing(self):
        """From names of classes to numbers, where the source has names."""
        return self.children[0].get_class_indexing() if self.children else {}

    def num_classes(self):
        """Number of classes in the source, or None."""
        return self.children[0].num_classes() if self.children else None

    @functools.cached_property
    def _first_row(self):
        with iterators.TupleIterator(self, num_epochs=1, output_numpy=True) as rows:
            for row in rows:
                return row
        raise RuntimeError(
            f"{type(self).__name__}: the dataset has no rows, so that nothing is known of them"
        )

    def output_shapes(self, estimate=False):
        """Shapes of the columns in the first row; with `estimate`, None for sizes that differ between rows."""
        if not require_bool("output_shapes", "estimate", estimate):
            return self._shapes_of_first_row()
        return self._shapes_of_all_rows()

    def _shapes_of_first_row(self):
        return [list(np.shape(value)) for value in self._first_row]

    saved_output_shapes = _Found(_shapes_of_first_row)

    def _shapes_of_all_rows(self):
        with iterators.TupleIterator(self, num_epochs=1, output_numpy=True) as rows:
            return functools.reduce(_joined_shapes, ([list(np.shape(v)) for v in row] for row in rows))

    estimated_output_shapes = _Found(_shapes_of_all_rows)

    def output_types(self):
        """NumPy dtypes of the columns; '<U' and '<S' for strings and bytes, without a length."""
        return [_plain_dtype(np.asarray(value).dtype) for value in self._first_row]

    saved_output_types = _Found(output_types)

    def set_dynamic_columns(self, columns=None):
        """Sets shapes of columns by name, with None for sizes that vary. They are checked and stored: rows report
        their own.
        """
        if not isinstance(columns, dict):
            raise TypeError(f"set_dynamic_columns: columns is {columns!r}; need a dict from names to shapes")
        if not columns:
            raise ValueError("set_dynamic_columns: columns is empty; need the shape of one column or more")
        self._dynamic_columns = dict(columns)

    def dynamic_min_max_shapes(self):
        """The smallest and the largest shape of each column, over one epoch."""
        with iterators.TupleIterator(self, num_epochs=1, output_numpy=True) as rows:
            shapes = [[np.shape(value) for value in row] for row in rows]
        ranks = {tuple(map(len, row)) for row in shapes}
        if len(ranks) != 1:
            raise RuntimeError(f"dynamic_min_max_shapes: the number of dimensions varies: {sorted(ranks)}")
        columns = [np.array(column).reshape(len(shapes), -1) for column in zip(*shapes, strict=True)]
        return [column.min(0).tolist() for column in columns], [column.max(0).tolist() for column in columns]

    @property
    def input_indexs(self):
        """Indexes of the columns that a network receives, for programs that select them by number."""
        return self._input_indexs or (self.children[0].input_indexs if self.children else ())

    @input_indexs.setter
    def input_indexs(self, value):
        self._input_indexs = value

    def reset(self):
        """Has no effect: a new `for` always starts at the first row."""

    def __len__(self):
        return self.get_dataset_size()

    def __iter__(self):
        return self.create_tuple_iterator(num_epochs=1)

    def __getitem__(self, index):
        """Row number `index`, a tuple of NumPy arrays. Sources read it; other datasets run up to it."""
        if isinstance(index, bool) or not isinstance(index, numbers.Integral):
            raise TypeError(f"{type(self).__name__}: the index is {index!r}; need an int")
        size = self.get_dataset_size()
        if not 0 <= int(index) < size:
            raise IndexError(f"{type(self).__name__}: the index is {index}; need an int in [0, {size - 1}]")
        return self.read_row(int(index))

    def read_row(self, index):
        """The row at an index that is in range."""
        with iterators.TupleIterator(self.skip(index), num_epochs=1, output_numpy=True) as rows:
            return tuple(next(rows))

    def create_tuple_iterator(self, columns=None, num_epochs=-1, output_numpy=False, do_copy=False):
        """An iterator over rows as lists: of Tensors, or of NumPy arrays with `output_numpy`."""
        return iterators.TupleIterator(self, columns, num_epochs, output_numpy, do_copy)

    def create_dict_iterator(self, num_epochs=-1, output_numpy=False, do_copy=False):
        """An iterator over rows as dicts from column names to values."""
        return iterators.DictIterator(self, num_epochs, output_numpy, do_copy)

    def explain(self, rows=None, seconds=2.0):
        """Runs the pipeline for at most `rows` rows and `seconds` seconds, and returns a table of the time of each
        stage.
        """
        return _explain.measured(self, rows, seconds)


def _plain_dtype(dtype):
    return np.dtype(f"<{dtype.kind}") if dtype.kind in "US" else dtype


def _joined_shapes(first, second):
    """Shapes that cover both: None where sizes differ."""
    made = []
    for one, other in zip(first, second, strict=True):
        if len(one) != len(other):
            raise RuntimeError(
                f"output_shapes: a column has shapes of {len(one)} and {len(other)} dimensions"
            )
        made.append([a if a == b else None for a, b in zip(one, other, strict=True)])
    return made


def batches_of(rows, size, drop_remainder):
    """Number of batches of `rows` rows."""
    if rows is None or rows == math.inf:
        return rows
    return rows // size if drop_remainder else -(-rows // size)
