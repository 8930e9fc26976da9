"""The page on GPUs lists the operators that the CPU computes for it."""

import re
from pathlib import Path

from dyad import _core

PAGE = Path(__file__).resolve().parents[2] / "docs/gpu.md"


def test_the_page_lists_what_the_cpu_computes():
    text = PAGE.read_text().split("<!-- host route: begin -->")[1].split("<!-- host route: end -->")[0]
    taken = {op["name"] for op in _core.op_table() if op["host_route"]}
    assert set(re.findall(r"`(\w+)`", text)) == taken - {"transfer"}  # which dispatch carries out itself
