"""Pages for newcomers: the README's program prints what is written below it, and links lead to files of the tree."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("README.md", "CONTRIBUTING.md", "docs/architecture.md", "docs/benchmarks.md")


def test_the_first_program_prints_the_text_below_it(tmp_path):
    text = (ROOT / "README.md").read_text()
    program, printed = re.search(r"```python\n(.*?)```\n\n```text\n(.*?)```", text, re.DOTALL).groups()
    (tmp_path / "program.py").write_text(program)
    done = subprocess.run([sys.executable, tmp_path / "program.py"], capture_output=True, text=True)
    assert done.stdout == printed, done.stderr


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_to_files_of_the_tree(page):
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", (ROOT / page).read_text())
    own = [link for link in links if not link.startswith("https://")]
    assert own and not [link for link in own if not (ROOT / page).parent.joinpath(link).exists()]


def test_the_citation_and_the_build_have_the_same_version():
    cited = re.search(r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    built = re.search(r"project\(dyad VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())
    assert cited[1] == built[1]
