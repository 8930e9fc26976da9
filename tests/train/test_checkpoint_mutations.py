"""Files that are not what they claim to be: an error that names the file, or data that fits it, and little memory."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

import dyad

SCRIPT = Path(__file__).parents[2] / "tools" / "mutate_files.py"


@pytest.mark.parametrize(
    "kind",
    [
        "ckpt",
        "checksum",
        "safetensors",
        pytest.param(
            "encrypted",
            marks=pytest.mark.skipif(not importlib.util.find_spec("cryptography"), reason="no cryptography"),
        ),
    ],
)
def test_mutated_files_are_refused_or_read(kind):
    command = [sys.executable, str(SCRIPT), kind, "--count", "1000", "--seed", "20"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith(f"{kind}: ") and "refused" in done.stdout


def varint(number):
    out = b""
    while number > 0x7F:
        out += bytes([number & 0x7F | 0x80])
        number >>= 7
    return out + bytes([number])


def field(number, content):
    return bytes([number << 3 | 2]) + varint(len(content)) + content


def entry(*fields, name=b"w"):
    return field(1, field(1, name) + field(2, b"".join(fields)))


FLOAT = field(2, b"Float32")
FOUR = field(3, b"\0" * 4)
LONG = 2**60
CRAFTED = {
    "an entry that is longer than any file": (b"\x0a" + varint(LONG) + b"\0", "ends in the middle"),
    "a tensor that is longer than its entry": (
        field(1, field(1, b"w") + b"\x12" + varint(LONG)),
        "ends in the middle",
    ),
    "contents longer than their tensor": (entry(FLOAT, b"\x1a" + varint(LONG)), "ends in the middle"),
    "a shape that no memory holds": (entry(b"\x08" + varint(LONG), FLOAT, FOUR), r"w of shape .* needs"),
    "nothing, in a shape that no memory holds": (
        entry(b"\x08\0", b"\x08" + varint(2**62), b"\x08" + varint(2**62), FLOAT, field(3, b"")),
        "which no memory holds",
    ),
    "a negative size": (entry(b"\x08" + varint(2**64 - 1), FLOAT, FOUR), "which no memory holds"),
    "too many dimensions": (entry(field(1, b"\x01" * 70), FLOAT, FOUR), "has 70 dimensions"),
    "an unknown type": (entry(field(2, b"Float7"), FOUR), "unknown type 'Float7'"),
    "a name that is no text": (entry(FLOAT, FOUR, name=b"\xff"), "not UTF-8"),
    "a text that is none": (entry(field(2, b"str"), field(3, b"\0\0\0\xff")), "not UTF-32"),
    "a number for a name": (field(1, b"\x08\x01" + field(2, FLOAT)), "a number stands"),
    "no tensor": (field(1, field(1, b"w")), "no name or no tensor"),
    "a table that grows": (field(1, field(1, b"w") + field(3, b"")), "w is a MapParameter"),
    "a number that does not end": (b"\x0a" + b"\xff" * 12, "no number ends"),
    "a group": (b"\x0b\x0c", "no entry begins"),
}


@pytest.mark.parametrize("case", CRAFTED)
def test_crafted_ckpt(tmp_path, case):
    data, text = CRAFTED[case]
    path = tmp_path / "crafted.ckpt"
    path.write_bytes(data)
    with pytest.raises(ValueError, match=rf"load_checkpoint: .*crafted\.ckpt is not a readable .*{text}"):
        dyad.load_checkpoint(str(path))


def test_a_pickle_is_not_run(tmp_path):
    import pickle

    class Evil:
        def __reduce__(self):
            return (Path.touch, (tmp_path / "ran",))

    for format in ("ckpt", "safetensors"):
        path = tmp_path / f"evil.{format}"
        path.write_bytes(pickle.dumps(Evil()))
        with pytest.raises(ValueError, match="is not a readable"):
            dyad.load_checkpoint(str(path), format=format)
    assert not (tmp_path / "ran").exists()
