"""The counts of docs/house.md, on small sources and on this tree."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import house

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("source", "decides"),
    [
        ("'out of' in str(error)", True),
        ("reason.partition(': ')", True),
        ("re.match('no', error.message)", True),
        ("kind == 'size'", False),
        ("text.partition(': ')", False),
        ("re.sub('a', 'b', text)", False),
    ],
)
def test_decisions_by_words_are_told_from_others(source, decides):
    node = ast.parse(source, mode="eval").body
    assert house._decides_by_words(node, house._MESSAGE_NAMES) == decides


def test_a_count_names_its_places_or_says_a_text():
    points = {point.name: point for point in house.POINTS}
    assert house.PLACES.keys() <= points.keys()
    assert points["loose"].count().count("/") == 1
    assert points["readme"].now({}).startswith(f"{len((ROOT / 'README.md').read_text().splitlines())} lines")
    assert points["ci"].now({}) == "not measured"


def test_a_measurement_needs_its_command():
    script = [sys.executable, ROOT / "tools/house.py"]
    done = subprocess.run([*script, "--measured", "ci=40 min"], capture_output=True, text=True)
    assert done.returncode and "need NAME=VALUE and --command" in done.stderr
