"""The schema of the columns of records."""

import json
from typing import Any

from dyad import dtype as dtypes
from dyad.dataset import _arguments as arguments

_TYPES = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
    "string",
)  # fmt: skip


def _type_name(de_type):
    """The name of a dtype, given as a dtype or by its name."""
    if isinstance(de_type, str):
        name = de_type
    elif isinstance(de_type, (type(dtypes.int32), type(dtypes.string))):
        name = str(de_type).lower()
    else:
        name = None
    if name not in _TYPES:
        raise TypeError(
            f"add_column: de_type is {de_type!r}: unknown column type; need one of {', '.join(_TYPES)}"
        )
    return name


def _check_shape(shape):
    if not isinstance(shape, list):
        raise TypeError(f"add_column: shape is {shape!r} of type {type(shape).__name__}; need a list of int")
    for size in shape:
        if isinstance(size, bool) or not isinstance(size, int):
            raise TypeError(f"add_column: shape is {shape}, which has {size!r}; need a list of int")
        if size < -1:
            raise ValueError(f"add_column: shape is {shape}; need sizes of 0 or more, or -1 for any")


class Schema:
    """Names, types and shapes of the columns of a dataset of records.

    Args:
        schema_file: path of a JSON file with "columns" and, optionally, "numRows" and "datasetType".
    """

    def __init__(self, schema_file=None):
        self.columns = []
        self.num_rows = None
        self.dataset_type = ""
        if schema_file is not None:
            path = arguments.require_file("Schema", schema_file, "schema_file")
            with open(path, encoding="utf-8") as file:
                try:
                    content = json.load(file)
                except ValueError as error:
                    raise RuntimeError(f"Schema: the file {path} is no JSON: {error}") from None
            self.from_json(content)

    def add_column(self, name: str, de_type, shape=None) -> None:
        """Adds a column.

        Args:
            name: its name.
            de_type: its dtype, for example `dyad.int32`, or the name of one.
            shape: a list of sizes, with -1 for an unknown one. Default: None, one dimension.
        """
        if not isinstance(name, str):
            raise TypeError(f"add_column: name is {name!r} of type {type(name).__name__}; need a str")
        column = {"name": name, "type": _type_name(de_type)}
        if shape is not None:
            _check_shape(shape)
            column["shape"] = list(shape)
        column["rank"] = 1 if shape is None else len(shape)
        self.columns.append(column)

    def parse_columns(self, columns) -> None:
        """Adds columns as JSON describes them: a list of dicts with "name", or a dict from names to dicts."""
        if isinstance(columns, dict):
            columns = [{"name": name, **self._described(name, columns[name])} for name in sorted(columns)]
        if not isinstance(columns, list):
            raise TypeError(f"parse_columns: columns is {columns!r}; need a list or a dict of columns")
        if not columns:
            raise ValueError("parse_columns: columns is empty; need one column or more")
        for column in columns:
            self._described("of the list", column)
            for key in ("name", "type"):
                if key not in column:
                    raise ValueError(
                        f"parse_columns: the column {column} has no {key!r}; need 'name' and 'type'"
                    )
            self.add_column(column["name"], column["type"], column.get("shape"))

    @staticmethod
    def _described(name, column):
        if not isinstance(column, dict):
            raise TypeError(f"parse_columns: the column {name} is {column!r}; need a dict with 'type'")
        return column

    def from_json(self, json_obj: dict) -> None:
        """Loads the columns from a dict, as JSON has it."""
        if not isinstance(json_obj, dict):
            raise ValueError(f"from_json: json_obj is {json_obj!r}; need a dict")
        if not json_obj.get("columns"):
            raise ValueError("from_json: json_obj has no 'columns'; need one column or more")
        rows = json_obj.get("numRows")
        if rows is not None and (isinstance(rows, bool) or not isinstance(rows, int) or rows < 0):
            raise ValueError(f"from_json: 'numRows' is {rows!r}; need an int of 0 or more")
        self.columns = []
        self.num_rows = rows
        self.dataset_type = json_obj.get("datasetType", "")
        self.parse_columns(json_obj["columns"])

    def to_json(self) -> str:
        """The schema as a JSON string."""
        described: dict[str, Any] = {
            "columns": [{key: column[key] for key in sorted(column)} for column in self.columns]
        }
        if self.num_rows is not None:
            described["numRows"] = self.num_rows
        if self.dataset_type:
            described["datasetType"] = self.dataset_type
        return json.dumps(described, indent=2)

    def get_num_rows(self):
        """Number of rows of a dataset, if the schema has it."""
        return self.num_rows

    def __str__(self):
        return self.to_json()
