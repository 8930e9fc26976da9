"""Reads event files for tests, by another way than the package: field by field out of the published message layout."""

import struct
import zlib


def crc32c(data):
    """The Castagnoli checksum, bit by bit."""
    register = 0xFFFFFFFF
    for byte in data:
        register ^= byte
        for _ in range(8):
            register = register >> 1 ^ (0x82F63B78 if register & 1 else 0)
    return register ^ 0xFFFFFFFF


def masked(data):
    check = crc32c(data)
    return ((check >> 15 | check << 17) + 0xA282EAD8) & 0xFFFFFFFF


def records(path):
    """The records of a file; fails where a checksum or the end does not fit."""
    data = path.read_bytes()
    while data:
        (length,) = struct.unpack("<Q", data[:8])
        record = data[12 : 12 + length]
        assert struct.unpack("<I", data[8:12])[0] == masked(data[:8])
        assert struct.unpack("<I", data[12 + length : 16 + length])[0] == masked(record)
        yield record
        data = data[16 + length :]


def message(data):
    """{field: [values]}: ints, floats by their wire type, or bytes."""
    found, at = {}, 0

    def varint():
        nonlocal at
        number = shift = 0
        while True:
            byte = data[at]
            at += 1
            number |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return number

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            value = varint()
        else:
            size = {1: 8, 5: 4}.get(key & 7) or varint()
            value, at = data[at : at + size], at + size
            assert len(value) == size
            if key & 7 in (1, 5):
                value = struct.unpack("<d" if key & 7 == 1 else "<f", value)[0]
        found.setdefault(key >> 3, []).append(value)
    return found


def values(path):
    """(step, tag, message of the value) of everything in a file, in order."""
    first, *events = [message(record) for record in records(path)]
    assert first[3] == [b"brain.Event:2"]
    for event in events:
        for summary in event.get(5, ()):
            for value in message(summary).get(1, ()):
                parts = message(value)
                yield event[2][0], parts[1][0].decode(), parts


def scalars(path):
    """{tag: [(step, number)]}."""
    found = {}
    for step, tag, parts in values(path):
        if 2 in parts:
            found.setdefault(tag, []).append((step, parts[2][0]))
    return found


def picture(data):
    """(height, width, channels, rows of bytes) of a PNG file without interlacing or filters."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, chunks = 8, {}
    while at < len(data):
        (size,) = struct.unpack(">I", data[at : at + 4])
        name, content = data[at + 4 : at + 8], data[at + 8 : at + 8 + size]
        assert struct.unpack(">I", data[at + 8 + size : at + 12 + size])[0] == zlib.crc32(name + content)
        chunks[name], at = content, at + 12 + size
    width, height, depth, colour = struct.unpack(">IIBB", chunks[b"IHDR"][:10])
    channels = {0: 1, 2: 3}[colour]
    lines = zlib.decompress(chunks[b"IDAT"])
    assert depth == 8 and len(lines) == height * (1 + width * channels)
    rows = [lines[i : i + 1 + width * channels] for i in range(0, len(lines), 1 + width * channels)]
    assert all(row[0] == 0 for row in rows)
    return height, width, channels, [row[1:] for row in rows]
