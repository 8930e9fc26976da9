"""Every type that a header defines says what it is for; a specialisation has the comment of its template."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HEADERS = [path for folder in ("src", "include") for path in sorted((ROOT / folder).rglob("*.h"))]


def uncommented(text: str) -> list[str]:
    lines = text.splitlines()
    missing = []
    for number, line in enumerate(lines):
        found = re.match(r"(?:class|struct|enum class) (\w+)(?!<)\b[^;<]*\{", line)
        if not found or "///" in line:
            continue
        above = number - 1
        while re.match(r"template|\s+requires", lines[above]):
            above -= 1
        if not lines[above].startswith("//"):
            missing.append(found[1])
    return missing


@pytest.mark.parametrize("header", [str(path.relative_to(ROOT)) for path in HEADERS])
def test_types_have_a_comment(header):
    assert uncommented((ROOT / header).read_text()) == []


def test_a_missing_comment_is_found():
    header = "/// A node.\nstruct Node {};\ntemplate <class T>\nstruct List {\n};\nstruct Ahead;\n"
    assert uncommented(header) == ["List"]
