"""Reading MindRecord files row by row."""

from dyad.mindrecord.common.exceptions import MRMFetchDataError, ParamTypeError, ParamValueError
from dyad.mindrecord.shard_files import Shards


def check_consumers(owner, num_consumer) -> None:
    """The number of threads another framework would read with; here rows are read by the caller."""
    if isinstance(num_consumer, bool) or not isinstance(num_consumer, int):
        raise ParamTypeError(f"{owner}: num_consumer is {num_consumer!r}; need an int")
    if num_consumer < 1:
        raise ParamValueError(f"{owner}: num_consumer is {num_consumer}; need an int of at least 1")


class RowDicts:
    """Rows of files as dicts of Python values: numbers, str, bytes, and NumPy arrays."""

    def __init__(self, shards, columns):
        self._shards = shards
        blob = shards.schema.blob_fields
        self._columns = sorted(columns, key=lambda name: name in blob)

    def read(self, index=None):
        """Yields the rows at the positions of an index, one by one; all rows without it."""
        source = self._shards.source(self._columns, index, exact=True)
        for number in range(len(source)):
            values = zip(self._columns, source[number], strict=True)
            yield {name: self._value(name, value) for name, value in values}

    def _value(self, name, value):
        field = self._shards.schema.fields[name]
        if "shape" in field:
            return value
        return value.tobytes() if field["type"] == "bytes" else value.item()


class FileReader:
    """Reads the rows of MindRecord files in order.

    Args:
        file_name: path of a file, which is read with all that belong to it, or a list of paths.
        num_consumer: accepted for other frameworks' programs; rows are read by the caller.
        columns: names of the fields to read; all without it.
        operator: must be None.
    """

    def __init__(self, file_name, num_consumer=4, columns=None, operator=None):
        check_consumers("FileReader", num_consumer)
        if columns is not None and (
            not isinstance(columns, list) or any(not isinstance(name, str) for name in columns)
        ):
            raise ParamTypeError(f"FileReader: columns is {columns!r}; need a list of str")
        if operator is not None:
            raise ParamValueError(f"FileReader: operator is {operator!r}; need None")
        self._shards = Shards.open("FileReader", file_name)
        self._rows = RowDicts(self._shards, self._shards.check_columns(columns or None)).read()
        self._closed = False

    def get_next(self):
        """Returns the rows that were not given yet, as dicts."""
        if self._closed:
            raise MRMFetchDataError("get_next: the reader is closed; open a new one")
        while (
            row := next(self._rows, None)
        ) is not None:  # `yield from` would close the rows when it is given up
            yield row

    def close(self) -> None:
        """Ends reading."""
        self._closed = True
        self._rows.close()

    def schema(self) -> dict:
        """The fields of the rows: a dict from names to types and shapes."""
        return {name: dict(field) for name, field in self._shards.schema.fields.items()}

    def len(self):
        """Number of rows in the files."""
        return sum(file.rows() for file in self._shards.files)
