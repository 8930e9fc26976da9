"""`Dataset.save`: an epoch in files."""

import os

import numpy as np

from dyad._src.base.argument_checks import require_choice, require_int
from dyad.dataset import _tfrecord_writing
from dyad.mindrecord import FileWriter

_LARGEST_SHARDS = 1000
_ROWS_AT_ONCE = 100
# Element types that a file has none of, and what holds their values.
_WIDER = {
    "uint8": "int32",
    "int8": "int32",
    "uint16": "int32",
    "int16": "int32",
    "uint32": "int64",
    "float16": "float32",
}
_KEPT = ("int32", "int64", "float32", "float64")


def save(dataset, file_name, num_files, file_type):
    """Writes the rows of an epoch to `num_files` files."""
    if not isinstance(file_name, str):
        raise TypeError(f"save: file_name is {file_name!r} of type {type(file_name).__name__}; need a str")
    folder = os.path.dirname(file_name)
    if folder and not os.path.isdir(folder):
        raise ValueError(f"save: file_name is {file_name!r}; the folder {folder!r} does not exist")
    if require_int("save", "num_files", num_files, 1) > _LARGEST_SHARDS:
        raise ValueError(f"save: num_files is {num_files}; need an int in [1, {_LARGEST_SHARDS}]")
    require_choice("save", "file_type", file_type, ("mindrecord", "tfrecord"))
    rows = dataset.create_dict_iterator(num_epochs=1, output_numpy=True)
    with rows:
        if file_type == "tfrecord":
            _tfrecord_writing.write(rows, file_name, num_files)
        else:
            _write_mindrecord(rows, file_name, num_files)


def _write_mindrecord(rows, file_name, num_files):
    writer, waiting = None, []
    for row in rows:
        if writer is None:
            writer = FileWriter(file_name, num_files)
            writer.add_schema({name: _field(name, value) for name, value in row.items()}, "saved dataset")
        waiting.append({name: _value(value) for name, value in row.items()})
        if len(waiting) == _ROWS_AT_ONCE:
            writer.write_raw_data(waiting)
            waiting = []
    if writer is None:
        raise RuntimeError("save: the dataset has no rows; need one or more")
    if waiting:
        writer.write_raw_data(waiting)
    writer.commit()


def _field(name, value):
    """The description of a column in a MindRecord file."""
    array = np.asarray(value)
    if array.dtype.kind in "US" and array.ndim == 0:
        return {"type": "string" if array.dtype.kind == "U" else "bytes"}
    kind = _WIDER.get(array.dtype.name, array.dtype.name)
    if kind not in _KEPT:
        raise RuntimeError(
            f"save: the column {name!r} has {array.dtype.name} with shape {array.shape}; need numbers of up to "
            "64 bits, or texts without dimensions"
        )
    return {"type": kind} if array.ndim == 0 else {"type": kind, "shape": [-1, *array.shape[1:]]}


def _value(value):
    array = np.asarray(value)
    if array.dtype.kind in "US":
        return array.item()
    array = array.astype(_WIDER.get(array.dtype.name, array.dtype.name))
    return array if array.ndim else array.item()
