"""Loads mutated checkpoints: each must be rejected with an error that names the file, or load data that fits its bytes.

Usage: mutate_files.py [--count N] [--seed S] [KIND ...]; a kind is one of ckpt, checksum, encrypted, safetensors (all
of them unless named). Prints how the files of each kind ended, and exits with 1 after the first fault. The file is left
in the folder that is printed; seed and number tell how to make it again.

A file under a checksum or encrypted with AES-GCM must be refused or give exactly what was saved, or warn that there
is no checksum left. The process may take
one GiB more than it begins with, so that a length in a file that is believed is a fault.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np

import dyad

KEY = b"a key of 16 byte"
ROOM = 2**30
NUMBERS = [0, 1, 2**7, 2**31 - 1, 2**31, 2**32, 2**53, 2**60, 2**63 - 1, 2**63, 2**64 - 1]
OPTIONS: dict[str, tuple[dict, dict]] = {
    "ckpt": ({}, {}),
    "checksum": ({"crc_check": True}, {"crc_check": True}),
    "encrypted": ({"enc_key": KEY}, {"dec_key": KEY}),
    "safetensors": ({"format": "safetensors"}, {"format": "safetensors"}),
}
EXACT = ("checksum", "encrypted")


class Fault(Exception):
    """A mutated file was neither rejected nor read correctly."""


def contents() -> dict[str, object]:
    """Tensors of several dtypes and shapes, and a string."""
    values = {
        "dense.weight": np.arange(12, dtype=np.float32).reshape(3, 4),
        "dense.bias": np.ones(3, np.float32),
        "steps": np.array(7, np.int64),
        "mask": np.array([True, False]),
        "half": np.arange(4, dtype=np.float16),
        "none": np.zeros((2, 0), np.int32),
    }
    return {name: dyad.Tensor(value) for name, value in values.items()} | {"note": "a text"}


def varint(number: int) -> bytes:
    """Encodes an integer as a Protocol Buffers varint."""
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(out + bytes([number]))


def _set_bytes(data: bytearray, rng: random.Random) -> None:
    for _ in range(rng.randint(1, 4)):
        data[rng.randrange(len(data))] = rng.randrange(256)


def _flip_bit(data: bytearray, rng: random.Random) -> None:
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def _cut(data: bytearray, rng: random.Random) -> None:
    del data[rng.randrange(len(data)) :]


def _remove(data: bytearray, rng: random.Random) -> None:
    start = rng.randrange(len(data))
    del data[start : start + rng.randint(1, 16)]


def _insert(data: bytearray, rng: random.Random) -> None:
    start = rng.randrange(len(data) + 1)
    data[start:start] = rng.randbytes(rng.randint(1, 16))


def _repeat(data: bytearray, rng: random.Random) -> None:
    start, target = rng.randrange(len(data)), rng.randrange(len(data))
    data[target:target] = data[start : start + rng.randint(1, 64)]


def _swap(data: bytearray, rng: random.Random) -> None:
    a, b, size = rng.randrange(len(data)), rng.randrange(len(data)), rng.randint(1, 16)
    data[a : a + size], data[b : b + size] = data[b : b + size], data[a : a + size]


def _put_number(data: bytearray, rng: random.Random) -> None:
    number, start = rng.choice(NUMBERS), rng.randrange(len(data))
    forms = [varint(number), number.to_bytes(8, "little"), str(number).encode(), json.dumps(-number).encode()]
    form = rng.choice(forms)
    data[start : start + rng.choice([1, len(form)])] = form


MUTATIONS: list[Callable[[bytearray, random.Random], None]] = [
    _set_bytes, _flip_bit, _cut, _remove, _insert, _repeat, _swap, _put_number,
]  # fmt: skip


def mutated(data: bytes, rng: random.Random) -> bytes:
    """The bytes after one to three mutations."""
    changed = bytearray(data)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        if changed:
            rng.choice(MUTATIONS)(changed, rng)
    return bytes(changed)


def as_bytes(value: object) -> tuple:
    """Kind and bytes of a value, for comparison."""
    if isinstance(value, str):
        return ("text", value)
    return (str(value.dtype), value.shape, value.asnumpy().tobytes())  # type: ignore[attr-defined]


def outcome(kind: str, path: Path, whole: dict[str, tuple]) -> str:
    """ "refused", "warned of", "same" or "other data"; anything else is a Fault."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # a file that has lost its checksum is told from one that is whole
            loaded = dyad.load_checkpoint(str(path), **OPTIONS[kind][1])
    except UserWarning:
        return "warned of"
    except ValueError as error:
        if not str(error).startswith("load_checkpoint: ") or path.name not in str(error):
            raise Fault(f"the error does not name the file: {error}") from error
        return "refused"
    except BaseException as error:
        raise Fault(f"{type(error).__name__}: {error}") from error
    read = {name: as_bytes(value) for name, value in loaded.items()}
    if read == whole:
        return "same"
    if kind in EXACT:
        raise Fault("it was read, and other data came out")
    if sum(len(value[-1]) for value in read.values()) > path.stat().st_size:
        raise Fault("more data came out than the file has bytes")
    return "other data"


def run(kind: str, seed: int, count: int, folder: Path) -> Counter[str]:
    """Counts the outcomes of loading `count` mutated files of a kind."""
    saved, counts = contents(), Counter[str]()
    options = OPTIONS[kind][0]
    path = folder / f"mutated.{options.get('format', 'ckpt')}"
    whole_path = folder / f"whole_{kind}{path.suffix}"
    dyad.save_checkpoint(saved, str(whole_path), **options)
    data, whole = whole_path.read_bytes(), {name: as_bytes(value) for name, value in saved.items()}
    for number in range(count):
        path.write_bytes(mutated(data, random.Random(f"{kind} {seed} {number}")))
        try:
            counts[outcome(kind, path, whole)] += 1
        except Fault as fault:
            raise Fault(f"{kind}, seed {seed}, number {number}, {path}: {fault}") from fault
    return counts


def limit_memory() -> None:
    """Limits the additional memory of the process."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + ROOM
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("kinds", metavar="KIND", nargs="*", choices=[[], *OPTIONS])
    parser.add_argument("--count", type=int, default=100_000, help="files in all")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    kinds = given.kinds or list(OPTIONS)
    folder = Path(tempfile.mkdtemp(prefix="mutated-"))
    limit_memory()
    for kind in kinds:
        try:
            counts = run(kind, given.seed, given.count // len(kinds), folder)
        except Fault as fault:
            print(fault)
            return 1
        print(f"{kind}: " + ", ".join(f"{count} {name}" for name, count in sorted(counts.items())))
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()
    return 0


if __name__ == "__main__":
    sys.exit(main())
