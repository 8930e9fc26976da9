"""Native transforms from the arguments of `map`, `filter` and `batch`."""

import inspect
import random
from itertools import groupby

from dyad import _core
from dyad.dataset import _workers
from dyad.dataset._error_text import explained, name_of
from dyad.dataset._generator_rows import stacked
from dyad.dataset._operation import PyTensorOperation, TensorOperation

_native = _core.data


def is_native(operation):
    """Returns whether the pipeline runs an operation without Python."""
    return isinstance(operation, TensorOperation) and not isinstance(operation, PyTensorOperation)


def check_operations(operations):
    """A list of one operation or several; whatever cannot be applied is an error."""
    operations = list(operations) if isinstance(operations, (list, tuple)) else [operations]
    if not operations:
        raise ValueError("map: operations is empty; need one operation or more")
    for operation in operations:
        if inspect.isclass(operation) and issubclass(operation, TensorOperation):
            raise ValueError(f"map: operations has the class {operation.__name__}; need an instance of it")
        if not callable(operation):
            raise ValueError(f"map: operations has {operation!r}; need a transform or a function")
    return [step for operation in operations for step in _steps_of(operation)]


def _steps_of(operation):
    """Parts of a Compose are operations of the map, so that its functions go to the worker processes as well."""
    return operation.steps() if isinstance(operation, TensorOperation) else [operation]


class PythonSteps:
    """Python operations one after another, as a function of columns and the key of their random numbers."""

    def __init__(self, operations):
        self.operations = operations

    def __call__(self, columns, key):
        for at, operation in enumerate(self.operations):
            columns = _applied(operation, columns, key + at)
        return columns

    def __str__(self):
        return ", ".join(map(name_of, self.operations))


def _applied(operation, columns, key):
    if isinstance(operation, PyTensorOperation):
        made = operation.apply(tuple(map(operation.as_column, columns)), random.Random(key))
    else:
        made = operation(*columns)
    made = made if isinstance(made, tuple) else (made,)
    if any(value is None for value in made):
        raise TypeError(f"{name_of(operation)} gave None; need an array, or a tuple of one array per column")
    return made


def transforms_of(operations, run, processes, owner="map"):
    """Native transforms for operations. Python ones run in `processes` processes if that is above 1."""
    made = []
    for native, group in groupby(operations, is_native):
        steps = list(group)
        made += (
            [step.native() for step in steps] if native else [_python_transform(steps, run, processes, owner)]
        )
    return made


def _python_transform(operations, run, processes, owner):
    steps = PythonSteps(operations)
    stage = f"{owner}: the function {steps}"
    if processes > 1:
        pool = _workers.WorkerPool(steps, processes, stage)
        run.on_close(pool.close)
        return _native.python_transform(pool, explained(stage))
    return _native.python_transform(steps, explained(stage))


class BatchSteps:
    """Python operations on every row of a batch, given as a list per column; the results are stacked."""

    def __init__(self, operations, names):
        self.steps, self.names = PythonSteps(operations), names

    def __call__(self, columns, key):
        rows = zip(*columns[:-1], strict=True)
        made = [self._checked(self.steps(row, _native.mix_keys(key, at))) for at, row in enumerate(rows)]
        return tuple(stacked(name, [row[at] for row in made]) for at, name in enumerate(self.names))

    def _checked(self, row):
        if len(row) != len(self.names):
            raise ValueError(f"the operations gave {len(row)} columns; need {len(self.names)}")
        return row


def batch_transform(operations, names, run, processes):
    """A native transform of the columns of a batch, run by `processes` processes."""
    stage = f"map: the function {PythonSteps(operations)}"
    pool = _workers.WorkerPool(BatchSteps(operations, names), processes, stage)
    run.on_close(pool.close)
    return _native.python_transform(pool, explained(stage))


def function_transform(function, stage):
    """A native transform of a function that has the columns as arguments and returns one value."""

    def call(columns, key):
        return (function(*columns),)

    return _native.python_transform(call, explained(stage))
