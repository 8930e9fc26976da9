"""CSV files to MindRecord files."""

import csv
from collections.abc import Callable

from dyad.mindrecord.common.exceptions import MRMFetchDataError
from dyad.mindrecord.tools import conversion

_TRUTHS = {"True": 1, "False": 0}


def _parsed(kind, fields):
    """The values of a column, if all of its fields are of that kind; otherwise None."""
    parsers: dict[str, Callable] = {
        "int64": int,
        "float64": float,
        "int32": _TRUTHS.__getitem__,
        "string": str,
    }
    parse = parsers[kind]
    try:
        values = [parse(field) for field in fields]
    except (ValueError, KeyError):
        return None
    if kind == "int64" and any(not -(1 << 63) <= value < 1 << 63 for value in values):
        return None
    return values


class CsvToMR:
    """Writes the records of a CSV file, whose first line names the columns, to MindRecord files.

    A column is int64 if all of its fields are whole numbers, float64 if they are numbers, int32 if they are True and
    False, and string otherwise.

    Args:
        source: path of the CSV file.
        destination: path of the file to write.
        columns_list: names of the columns to write; all without it.
        partition_number: number of files.
    """

    def __init__(self, source, destination, columns_list=None, partition_number=1):
        self.source = conversion.require_path("CsvToMR", "source", source, "file")
        self.destination = conversion.require_path("CsvToMR", "destination", destination)
        self.columns_list = conversion.require_names("CsvToMR", "columns_list", columns_list)
        self.partition_number = partition_number

    def run(self) -> None:
        """Writes the files."""
        columns = self._columns()
        schema, values = {}, {}
        for name, fields in columns.items():
            kinds = ("int64", "float64", "int32", "string")
            parsed = {kind: _parsed(kind, fields) for kind in kinds}
            kind = next(kind for kind in kinds if parsed[kind] is not None)
            schema[name], values[name] = {"type": kind}, parsed[kind]
        rows = (dict(zip(values, row, strict=True)) for row in zip(*values.values(), strict=True))
        conversion.write_rows(self.destination, schema, rows, list(schema), self.partition_number, "csv")

    transform = run

    def _columns(self):
        """The fields of each requested column."""
        with open(self.source, newline="", encoding="utf-8") as file:
            names, *records = [record for record in csv.reader(file) if record] or [[]]
        for number, record in enumerate(records, 2):
            if len(record) != len(names):
                raise MRMFetchDataError(
                    f"CsvToMR: record {number} of {self.source} has {len(record)} fields; need {len(names)}"
                )
        if not records:
            raise MRMFetchDataError(f"CsvToMR: the file {self.source} has no records")
        columns = dict(zip(names, zip(*records, strict=True), strict=True))
        for name in self.columns_list or []:
            if name not in columns:
                raise MRMFetchDataError(
                    f"CsvToMR: there is no column {name!r}; need one of {', '.join(columns)}"
                )
        return {name: columns[name] for name in self.columns_list or names}
