"""docs/architecture.md against the tree: the files of its walks are there, and define the functions named."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/architecture.md").read_text()
STOPS = re.findall(r"^- `([\w/.]+)`: `(\w+)` — ", PAGE, re.MULTILINE)


def defines(path: Path, name: str) -> bool:
    """True if a file defines the function or class, also by a macro."""
    text = path.read_text()
    if path.suffix == ".py":
        return bool(re.search(rf"^\s*(def|class) {name}\b", text, re.MULTILINE))
    return bool(
        re.search(rf"^[^\n/]*\b{name}\([^;]*?\)[^;]*?{{|DYAD_\w+\({name}\b|\({name},", text, re.MULTILINE)
    )


@pytest.mark.parametrize(("file", "name"), STOPS)
def test_a_stop_of_a_walk_is_there(file, name):
    assert (ROOT / file).is_file()
    assert defines(ROOT / file, name)


def test_every_line_of_a_walk_is_read():
    walks = PAGE[PAGE.index("\n## ") :]
    lines = [line for line in walks.splitlines() if line.startswith("- ")]
    assert len(lines) == len(STOPS) > 30


def test_folders_of_the_table_are_there():
    folders = re.findall(r"`((?:src|python)/[\w/]+)`", PAGE[: PAGE.index("\n## ")])
    assert folders and all((ROOT / folder).is_dir() for folder in folders)
