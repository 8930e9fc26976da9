"""The runs below a directory, read as their event files grow."""

import json
import math
import os
import time

from dyad._src.base.protobuf.wire import MalformedMessage
from dyad._src.observe.events.reading import values_of
from dyad._src.observe.events.records import RecordReader, read_record

_MARK = ".tfevents."
_DIGITS = 6  # of numbers in histograms


class Runs:
    """All values of the runs below a directory, as a list that only grows: each is the text of a JSON array.

    [number of the run, kind, tag, step, wall time, content]; the content of an image is its number. A directory with
    event files is a run, named by its path from here.
    """

    def __init__(self, folder):
        self.folder = os.path.realpath(folder)
        self.names = []
        self.entries = []
        self._readers = {}  # path of a file -> (number of its run, its reader)
        self._pictures = []  # (path, offset of the record, index among its values)

    @property
    def damage(self):
        """Messages about damaged files."""
        return [reader.damage for _, reader in self._readers.values() if reader.damage is not None]

    def poll(self, seconds):
        """Reads what is new, for about so long; returns whether there may be more."""
        end = time.monotonic() + seconds
        self._find_files()
        for number, reader in self._readers.values():
            for offset, record in _records(reader):
                self._add(number, reader.path, offset, record)
                if time.monotonic() > end:
                    return True
        return False

    def picture(self, number):
        """The PNG file of an image. LookupError if it does not exist, or no longer."""
        path, offset, place = self._pictures[number]
        try:
            return values_of(read_record(path, offset))[place].content
        except (OSError, ValueError) as error:
            raise LookupError(str(error)) from None

    def _find_files(self):
        for folder, _, names in sorted(os.walk(self.folder)):
            for name in sorted(names):
                path = os.path.join(folder, name)
                if _MARK in name and path not in self._readers and os.path.isfile(path):
                    self._readers[path] = self._number_of(folder), RecordReader(path)

    def _number_of(self, folder):
        name = os.path.relpath(folder, self.folder)
        name = os.path.basename(self.folder) if name == os.curdir else name
        if name not in self.names:
            self.names.append(name)
        return self.names.index(name)

    def _add(self, run, path, offset, record):
        try:
            values = values_of(record)
        except MalformedMessage:
            return  # whole, but of another kind
        for place, value in enumerate(values):
            if value.kind == "image":
                self._pictures.append((path, offset, place))
            entry = [run, value.kind, value.tag, value.step, round(value.wall_time, 3), self._content(value)]
            self.entries.append(json.dumps(entry, separators=(",", ":")))

    def _content(self, value):
        if value.kind == "scalar":
            return _number(value.content)
        if value.kind == "image":
            return len(self._pictures) - 1
        if value.kind == "histogram":
            low, limits, counts = value.content
            return [_short(low), [_short(limit) for limit in limits], [_short(count) for count in counts]]
        return value.content


def _records(reader):
    """The new records of a file; none if it was deleted."""
    try:
        yield from reader.new_records()
    except OSError:
        return


def _number(value):
    """The number as JSON has it, or the name that JavaScript converts to it."""
    if math.isfinite(value):
        return float(f"{value:.9g}")
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _short(value):
    return float(f"{value:.{_DIGITS}g}") if math.isfinite(value) else 0.0
