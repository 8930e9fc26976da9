"""Writing an event file."""

import os
from typing import Any

from dyad._src.observe.events.messages import first_event
from dyad._src.observe.events.records import framed


class FileFull(RuntimeError):
    """The file may not grow by what is to be written."""


class EventFile:
    """A file of events. It is created at the first event, and `write` returns when the system has the event.

    `most_bytes` is its maximum size; an event that would not fit raises FileFull.
    """

    def __init__(self, path, wall_time, most_bytes=None):
        self.path = path
        self._first = framed(first_event(wall_time))
        self._most_bytes = most_bytes
        self._size = 0
        self._file: Any = None

    def write(self, event):
        """Adds the bytes of an event."""
        record = framed(event) if self._file else self._first + framed(event)
        if self._most_bytes is not None and self._size + len(record) > self._most_bytes:
            raise FileFull(
                f"{self.path}: it has {self._size} bytes and the next event {len(record)}; "
                f"max_file_size is {self._most_bytes}"
            )
        if self._file is None:
            self._file = open(self.path, "wb", buffering=0)  # noqa: SIM115, it stays open
        self._size += self._write_all(record)

    def _write_all(self, record):
        rest = memoryview(record)
        while rest:
            rest = rest[self._file.write(rest) :]
        return len(record)

    def flush(self):
        """Flushes to disk, so that events survive a failure of the system."""
        if self._file is not None:
            os.fsync(self._file.fileno())

    def close(self):
        """Closes the file."""
        if self._file is not None:
            self._file.close()
