"""One data file of a MindRecord dataset while it is written, and its index file.

A data file is a header and pages of one size. The raw and the blob parts of rows are in separate pages. The rows of a
page of blobs are a group; their raw parts are in one page.
"""

import json
import os
import sqlite3
import struct

from dyad.mindrecord.common.exceptions import MRMCommitError

_INDEX_COLUMNS = (
    "ROW_ID", "PAGE_ID_RAW", "PAGE_OFFSET_RAW", "PAGE_OFFSET_RAW_END", "ROW_GROUP_ID",
    "PAGE_ID_BLOB", "PAGE_OFFSET_BLOB", "PAGE_OFFSET_BLOB_END",
)  # fmt: skip


def _new_page(number, kind, ordinal, shard, first_row):
    return {
        "end_row_id": first_row, "page_id": number, "page_size": 0, "page_type": kind, "page_type_id": ordinal,
        "row_group_ids": [], "shard_id": shard, "start_row_id": first_row,
    }  # fmt: skip


class ShardWriter:
    """Writes rows into one data file. `pages` and `rows` are what the file holds already."""

    def __init__(self, path, number, header_size, page_size, schema, index_fields, pages=(), rows=0):
        self.path = path
        self.number = number
        self.header_size = header_size
        self.page_size = page_size
        self.schema = schema
        self.index_fields = index_fields
        self.pages = list(pages)
        self.rows = rows
        self._blob = self._last("BLOB_DATA")
        self._raw = self._last("RAW_DATA")
        self._open_files(new=not self.pages)

    def _last(self, kind):
        return next((page for page in reversed(self.pages) if page["page_type"] == kind), None)

    def _open_files(self, new):
        if new:
            os.close(os.open(self.path, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600))
            os.close(os.open(f"{self.path}.db", os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600))
        self._file = open(self.path, "r+b")  # noqa: SIM115 - kept open until `close`
        self._index = sqlite3.connect(f"{self.path}.db")
        if new:
            self._create_tables()

    def _create_tables(self):
        columns = [f"{name} INT NOT NULL" for name in _INDEX_COLUMNS]
        key = ["ROW_ID"]
        for position, name in enumerate(self.index_fields):
            columns += [f"INC_{position} INT", f"{name}_0 {self.schema.sql_type(name)}"]
            key.append(f"INC_{position}")
        self._index.execute(f"CREATE TABLE INDEXES({', '.join(columns)}, PRIMARY KEY({', '.join(key)}))")
        self._index.execute("CREATE TABLE SHARD_NAME(NAME TEXT NOT NULL)")
        self._index.execute("INSERT INTO SHARD_NAME VALUES(?)", (os.path.basename(self.path),))

    def _add_page(self, kind):
        ordinal = sum(page["page_type"] == kind for page in self.pages)
        page = _new_page(len(self.pages), kind, ordinal, self.number, self.rows if kind == "BLOB_DATA" else 0)
        self.pages.append(page)
        return page

    def _fits(self, page, size):
        return page is not None and page["page_size"] + size <= self.page_size

    def _make_room(self, raw_size, blob_size):
        """Starts a group, and a page of raw parts, if the current ones are full."""
        raw_fits = self._fits(self._raw, raw_size)
        if raw_fits and self._fits(self._blob, blob_size):
            return
        self._blob = self._add_page("BLOB_DATA")
        self._blob["row_group_ids"].append({"id": 0, "offset": 0})
        if not raw_fits:
            self._raw = self._add_page("RAW_DATA")
        self._raw["row_group_ids"].append(
            {"id": self._blob["page_type_id"], "offset": self._raw["page_size"]}
        )

    def write(self, encoded) -> None:
        """Writes rows as `RecordSchema.encode` returns them."""
        chunks: dict = {}
        entries = []
        for raw, blob, _, plain in encoded:
            self._make_room(len(raw) + 8, len(blob) + 8)
            entry = [self.rows, *self._place(chunks, self._raw, raw)]
            entry += [self._blob["page_type_id"], *self._place(chunks, self._blob, blob)]
            for name in self.index_fields:
                entry += [0, plain[name]]
            entries.append(entry)
            self.rows += 1
            self._blob["end_row_id"] = self.rows
        self._flush(chunks, entries)

    @staticmethod
    def _place(chunks, page, part):
        """Appends a part to a page; returns its position."""
        begin = page["page_size"]
        parts = chunks.setdefault(page["page_id"], (begin, []))[1]
        parts += (struct.pack("<Q", len(part)), part)
        page["page_size"] += len(part) + 8
        return page["page_id"], begin, page["page_size"]

    def _flush(self, chunks, entries):
        for number, (offset, parts) in chunks.items():
            self._file.seek(self.header_size + number * self.page_size + offset)
            self._file.write(b"".join(parts))
        marks = ", ".join("?" * (len(_INDEX_COLUMNS) + 2 * len(self.index_fields)))
        self._index.executemany(f"INSERT INTO INDEXES VALUES({marks})", entries)

    def _header(self, addresses, saved):
        fields = [{"index_field": name, "schema_id": 0} for name in self.index_fields]
        return {
            "header_size": self.header_size, "index_fields": fields or None, "page": self.pages,
            "page_size": self.page_size, "compression_size": saved, "schema": [self.schema.header_entry()],
            "shard_addresses": addresses, "shard_id": self.number, "statistics": None, "version": "3.0",
        }  # fmt: skip

    def commit(self, addresses, saved) -> None:
        """Writes the header and closes the files."""
        header = json.dumps(self._header(addresses, saved), separators=(",", ":")).encode()
        if len(header) + 8 > self.header_size:
            raise MRMCommitError(
                f"commit: the header of {self.path} has {len(header)} bytes; there is room for {self.header_size - 8}, "
                "which set_header_size makes larger"
            )
        self._file.seek(0)
        self._file.write(struct.pack("<Q", len(header)) + header)
        self._index.commit()
        self.close()

    def close(self) -> None:
        """Closes the files as they are."""
        self._file.close()
        self._index.close()
