"""A machine without AVX must be able to run everything that is not in a function of the AVX namespaces.

The vectorised kernels are compiled once per instruction set and share headers, so a function of such a header could
come out of the link in the wider version and crash an older machine; see cmake/instruction_sets.cmake.
"""

import re
import subprocess
from pathlib import Path

import pytest

LIBRARY = Path(__file__).resolve().parents[2] / "python/dyad/lib/libdyad.so"
WIDE = {"avx2": re.compile(r"%ymm\d"), "avx512": re.compile(r"%zmm\d|%k[1-7]\b")}


@pytest.fixture(scope="module")
def functions() -> dict[str, str]:
    """Mangled name -> disassembly of every function of the library."""
    text = subprocess.run(
        ["objdump", "-d", "--no-show-raw-insn", LIBRARY], capture_output=True, text=True, check=True
    ).stdout
    blocks = re.split(r"^[0-9a-f]+ <(.+)>:\n", text, flags=re.MULTILINE)
    return dict(zip(blocks[1::2], blocks[2::2], strict=True))


def names_with(functions: dict[str, str], registers: re.Pattern) -> list[str]:
    return [name for name, body in functions.items() if registers.search(body)]


def test_wide_registers_stay_in_their_namespaces(functions):
    for_avx2 = names_with(functions, WIDE["avx2"])
    assert [name for name in for_avx2 if "avx2" not in name and "avx512" not in name] == []
    assert [name for name in names_with(functions, WIDE["avx512"]) if "avx512" not in name] == []


def test_each_instruction_set_is_used(functions):
    """The check above would also pass on a library without any vectorised kernel."""
    assert any("avx512" in name for name in names_with(functions, WIDE["avx512"]))
    assert any("avx2" in name for name in names_with(functions, WIDE["avx2"]))
