"""The README: its program prints what is written below it, and its links lead to files of the tree."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("README.md", "docs/benchmarks.md")


def test_the_first_program_prints_the_text_below_it(tmp_path):
    text = (ROOT / "README.md").read_text()
    program, printed = re.search(r"```python\n(.*?)```\n\n```text\n(.*?)```", text, re.DOTALL).groups()
    (tmp_path / "program.py").write_text(program)
    done = subprocess.run([sys.executable, tmp_path / "program.py"], capture_output=True, text=True)
    assert done.stdout == printed, done.stderr


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_to_files_of_the_tree(page):
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", (ROOT / page).read_text())
    assert links and not [link for link in links if not (ROOT / page).parent.joinpath(link).exists()]
