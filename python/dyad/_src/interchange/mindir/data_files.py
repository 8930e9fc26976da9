"""Weights in separate files, if they are too large for one message.

Each starts with a byte that says whether its numbers are little-endian; it and every tensor are padded to a multiple
of 64 bytes. The graph has the file and the offset of each tensor.
"""

import sys

from dyad._src.interchange.mindir.messages import ExternalData

_ALIGNMENT = 64
_KIB = 1024


def data_files(parameters, folder, most_inside, most_in_a_file):
    """Moves the bytes of tensor records into files of `folder`: [(name, pieces)], none if they may stay inside.

    They stay inside up to `most_inside` KiB; a file holds `most_in_a_file` KiB.
    """
    if sum(len(record.raw_data) for record in parameters) <= most_inside * _KIB:
        return []
    files: list = []
    room = -1
    for record in parameters:
        data = record.raw_data
        padding = bytes(-len(data) % _ALIGNMENT)
        size = len(data) + len(padding)
        if size > room:
            room = most_in_a_file * _KIB - _ALIGNMENT
            if size > room:
                raise RuntimeError(
                    f"export: the Parameter {record.ref_key!r} has {len(data)} bytes; "
                    f"need at most {max(int(room), 0)}, which is what a file of weights takes"
                )
            files.append((f"data_{len(files)}", [_front()]))
        name, pieces = files[-1]
        record.external_data = ExternalData(
            location=f"{folder}/{name}", offset=sum(map(len, pieces)), length=len(data)
        )
        record.raw_data = None
        pieces += [data, padding]
        room -= size
    return files


def _front():
    return bytes([sys.byteorder == "little"]) + bytes(_ALIGNMENT - 1)
