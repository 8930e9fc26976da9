"""Files of records and their faults, made by tests."""

import random
import struct

_POLYNOMIAL = 0x82F63B78


def epoch(dataset):
    """The rows of one epoch as tuples of what `tolist` gives."""
    rows = dataset.create_tuple_iterator(num_epochs=1, output_numpy=True)
    return [tuple(value.tolist() for value in row) for row in rows]


def first_column(dataset):
    """The first value of each row of one epoch."""
    return [row[0] for row in epoch(dataset)]


def _varint(number):
    number &= (1 << 64) - 1
    made = bytearray()
    while number > 127:
        made.append(number & 127 | 128)
        number >>= 7
    return bytes([*made, number])


def _field(number, contents):
    return _varint(number << 3 | 2) + _varint(len(contents)) + contents


def _feature(values, packed):
    if not values:
        return b""
    if isinstance(values[0], bytes):
        return _field(1, b"".join(_field(1, value) for value in values))
    number, tag = (2, b"\x0d") if isinstance(values[0], float) else (3, b"\x08")
    parts = [struct.pack("<f", value) if number == 2 else _varint(value) for value in values]
    return _field(number, _field(1, b"".join(parts)) if packed else b"".join(tag + part for part in parts))


def example(features, packed=True):
    """A `tf.train.Example`: from names to lists of bytes, float or int."""
    entries = [
        _field(1, _field(1, name.encode()) + _field(2, _feature(values, packed)))
        for name, values in features.items()
    ]
    return _field(1, b"".join(entries))


def masked_check(contents):
    """The check that a TFRecord file stores, computed bit by bit."""
    check = 0xFFFFFFFF
    for byte in contents:
        check ^= byte
        for _ in range(8):
            check = check >> 1 ^ (_POLYNOMIAL if check & 1 else 0)
    check ^= 0xFFFFFFFF
    return ((check >> 15 | check << 17) + 0xA282EAD8) & 0xFFFFFFFF


def tf_record(contents):
    """A record of a TFRecord file."""
    length = struct.pack("<Q", len(contents))
    return (
        length
        + struct.pack("<I", masked_check(length))
        + contents
        + struct.pack("<I", masked_check(contents))
    )


def mutated(contents, generator: random.Random, first=0):
    """Some bytes with a few faults behind `first`: changed, missing, put in, cut off."""
    made = bytearray(contents)
    for _ in range(generator.choice([1, 1, 2, 5, 20])):
        at = generator.randrange(first, max(len(made), first + 1))
        fault = generator.randrange(5)
        if fault == 0:
            made[at : at + 1] = [generator.randrange(256)]
        elif fault == 1:
            del made[at : at + generator.randrange(1, 9)]
        elif fault == 2:
            made[at:at] = generator.randbytes(generator.randrange(1, 9))
        elif fault == 3:
            made[at : at + 8] = generator.choice([b"\xff" * 8, bytes(8), b"\x7f" + b"\xff" * 7])
        elif generator.random() < 0.2:
            del made[at:]
    return bytes(made)


def read_all(source):
    """Reads every row of a source; what is broken must say so."""
    faults = 0
    for index in range(len(source)):
        try:
            source[index]
        except (RuntimeError, MemoryError):
            faults += 1
    return faults
