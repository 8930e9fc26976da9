"""Reading the rows of MindRecord files by category, page by page."""

import json

import numpy as np

from dyad.mindrecord.common.exceptions import (
    MRMDefineCategoryError,
    MRMFetchDataError,
    MRMReadCategoryInfoError,
    ParamTypeError,
    ParamValueError,
)
from dyad.mindrecord.filereader import RowDicts, check_consumers
from dyad.mindrecord.shard_files import Shards, quoted


def _check_count(caller, name, value, low):
    if isinstance(value, bool) or not isinstance(value, int):
        raise ParamTypeError(f"{caller}: {name} is {value!r}; need an int")
    if value < low:
        raise ParamValueError(f"{caller}: {name} is {value}; need an int of at least {low}")


class MindPage:
    """Reads rows by the value of one index field, the category, in pages.

    Args:
        file_name: path of a file, which is read with all that belong to it, or a list of paths.
        num_consumer: accepted for other frameworks' programs; rows are read by the caller.
    """

    def __init__(self, file_name, num_consumer=4):
        check_consumers("MindPage", num_consumer)
        self._shards = Shards.open("MindPage", file_name)
        self._field = None

    @property
    def candidate_fields(self) -> list:
        """Names of the fields that can be the category."""
        return list(self._shards.index_fields)

    @property
    def category_field(self):
        """Name of the field that is the category."""
        return self._field

    @category_field.setter
    def category_field(self, category_field: str) -> None:
        if not isinstance(category_field, str):
            raise ParamTypeError(f"category_field: the value is {category_field!r}; need a str")
        if category_field not in self._shards.index_fields:
            fields = ", ".join(self._shards.index_fields)
            raise MRMDefineCategoryError(
                f"category_field: {category_field!r} is no candidate; need one of {fields}"
            )
        self._field = category_field

    def _column(self, caller):
        if self._field is None:
            raise MRMReadCategoryInfoError(
                f"{caller}: category_field is not set; set it to one of candidate_fields"
            )
        return quoted(f"{self._field}_0")

    def _categories(self, caller):
        """(value, number of rows) of each category, in the order of their names."""
        column = self._column(caller)
        counts: dict = {}
        for file in self._shards.files:
            for value, count in file.query(f"SELECT {column}, COUNT(*) FROM INDEXES GROUP BY {column}"):
                counts[value] = counts.get(value, 0) + count
        return sorted(counts.items(), key=lambda pair: str(pair[0]))

    def read_category_info(self) -> str:
        """The categories as JSON: their numbers, names and counts of rows."""
        categories = [
            {"count": count, "id": number, "name": str(value)}
            for number, (value, count) in enumerate(self._categories("read_category_info"))
        ]
        return json.dumps({"categories": categories, "key": f"{self._field}_0"}, separators=(",", ":"))

    def read_at_page_by_id(self, category_id, page, num_row):
        """A page of `num_row` rows, at most, of the category with that number."""
        _check_count("read_at_page_by_id", "category_id", category_id, 0)
        categories = self._categories("read_at_page_by_id")
        if category_id >= len(categories):
            raise MRMFetchDataError(
                f"read_at_page_by_id: category_id is {category_id}; need an int in [0, {len(categories) - 1}]"
            )
        return self._page("read_at_page_by_id", categories[category_id], page, num_row)

    def read_at_page_by_name(self, category_name: str, page, num_row):
        """A page of `num_row` rows, at most, of the category with that name."""
        if not isinstance(category_name, str):
            raise ParamTypeError(f"read_at_page_by_name: category_name is {category_name!r}; need a str")
        for category in self._categories("read_at_page_by_name"):
            if str(category[0]) == category_name:
                return self._page("read_at_page_by_name", category, page, num_row)
        raise MRMFetchDataError(f"read_at_page_by_name: there is no category {category_name!r}")

    def _page(self, caller, category, page, num_row):
        value, count = category
        _check_count(caller, "page", page, 0)
        _check_count(caller, "num_row", num_row, 1)
        if page * num_row >= count:
            raise MRMFetchDataError(
                f"{caller}: page is {page}; the category has {count} rows, which are {-(-count // num_row)} pages"
            )
        index = self._shards.index(f"WHERE {self._column(caller)} IS ?", (value,))
        chosen = np.ascontiguousarray(index[page * num_row : (page + 1) * num_row])
        return list(RowDicts(self._shards, list(self._shards.schema.fields)).read(chosen))
