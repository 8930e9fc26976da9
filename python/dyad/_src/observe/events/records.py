"""Records in a file, each framed by its length and checksums, as in TFRecord files.

    uint64 length | uint32 checksum of the length | the record | uint32 checksum of the record

A file that is still written may end in the middle of a record.
"""

import struct

from dyad import _core

_HEAD = struct.Struct("<QI")
_CHECK = struct.Struct("<I")
_READ_AT_ONCE = 1 << 24


def framed(record):
    """The bytes of a record in a file."""
    length = struct.pack("<Q", len(record))
    check = _core.data.masked_crc32c
    return b"".join((length, _CHECK.pack(check(length)), record, _CHECK.pack(check(record))))


class RecordReader:
    """Reads the records that were added to a file since the last call; an incomplete one is left for later.

    A damaged record (a wrong checksum) ends the file: nothing after it can be trusted. `damage` is its position.
    """

    def __init__(self, path):
        self.path = path
        self.damage = None
        self._offset = 0

    def new_records(self):
        """(offset, record) of new complete records."""
        if self.damage is not None:
            return
        with open(self.path, "rb") as file:
            while (record := self._next(file)) is not None:
                offset, self._offset = self._offset, file.tell()
                yield offset, record

    def _next(self, file):
        try:
            return _record_at(file, self._offset)
        except ValueError as error:
            self.damage = f"{self.path}: at byte {self._offset}: {error}"
            return None


def read_record(path, offset):
    """The record that starts at a byte of a file. ValueError if there is none."""
    with open(path, "rb") as file:
        record = _record_at(file, offset)
    if record is None:
        raise ValueError(f"{path}: at byte {offset}: there is no whole record")
    return record


def _record_at(file, offset):
    """The record; None if it is torn. ValueError if it is damaged."""
    file.seek(offset)
    head = file.read(_HEAD.size)
    if len(head) < _HEAD.size:
        return None
    length, check = _HEAD.unpack(head)
    if _core.data.masked_crc32c(head[:8]) != check:
        raise ValueError("the length of a record does not fit its checksum")
    record = _read(file, length)
    tail = file.read(_CHECK.size)
    if record is None or len(tail) < _CHECK.size:
        return None
    if _core.data.masked_crc32c(record) != _CHECK.unpack(tail)[0]:
        raise ValueError("a record does not fit its checksum")
    return record


def _read(file, length):
    """`length` bytes; None if there are fewer. A wrong length allocates no memory."""
    pieces = []
    while length > 0:
        piece = file.read(min(length, _READ_AT_ONCE))
        if not piece:
            return None
        pieces.append(piece)
        length -= len(piece)
    return b"".join(pieces)
