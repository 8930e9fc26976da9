"""PTX taken apart by kernel: each takes along what it uses and nothing else."""

import re
import zlib
from pathlib import Path

import pytest

import embed_ptx

HEAD = ".version 7.5\n.target sm_75\n.address_size 64\n"
TABLE = ".global .align 8 .b8 table[16] = {1, 2};\n"
OTHER = ".global .align 8 .b8 other[16];\n"
HELPER = ".func (.param .b64 func_retval0) helper(\n\t.param .b64 helper_param_0\n)\n"
BODY = "{\n\tmov.b64 %rd1, table; // from the table\n\tret;\n}\n"


def kernel(name, *lines):
    return f".visible .entry {name}(\n\t.param .align 8 .b8 {name}_param_0[16]\n)\n" + "\n".join(
        ["{", *lines, "ret;", "}", ""]
    )


def pieces_of(module):
    return embed_ptx.split(module, "some.ptx")


def test_a_kernel_takes_along_what_it_uses():
    module = HEAD + TABLE + OTHER + HELPER + ";\n" + kernel("a", "call.uni (retval0), helper, (param0);")
    module += kernel("b", "mov.b64 %rd1, other;") + HELPER + BODY
    found = {name: "\n".join(pieces) for name, pieces in pieces_of(module).items()}
    assert set(found) == {"a", "b"}
    assert found["a"].startswith(HEAD) and found["b"].startswith(HEAD)
    assert "table[16]" in found["a"] and found["a"].count("helper(") == 2 and "other" not in found["a"]
    assert "other[16]" in found["b"] and "helper" not in found["b"] and ".entry a" not in found["b"]
    assert "from the table" not in found["a"]


def test_a_kernel_that_does_nothing_is_left_out():
    assert set(pieces_of(HEAD + kernel("nothing") + kernel("something", "bar.sync 0;"))) == {"something"}


def test_a_function_that_is_not_there_stops_the_build():
    module = HEAD + ".extern .func (.param .b64 func_retval0) sin(\n\t.param .b64 sin_param_0\n)\n;\n"
    module += kernel("wave", "call.uni (retval0), sin, (param0);")
    with pytest.raises(SystemExit, match="kernel wave calls sin"):
        pieces_of(module)


def test_what_is_written_holds_every_kernel(tmp_path: Path):
    for name in ("one", "two"):
        (tmp_path / f"{name}.ptx").write_text(HEAD + TABLE + kernel(name, "mov.b64 %rd1, table;"))
    embed_ptx.main(tmp_path, [tmp_path / "one.ptx", tmp_path / "two.ptx"])
    index = (tmp_path / "index.cpp").read_text()
    assert re.search(r'"one".*"two"', index, re.DOTALL) and "kEmbeddedCount = 2;" in index
    unpacked = zlib.decompressobj()
    first = unpacked.decompress((tmp_path / "code.bin").read_bytes()).decode()
    assert ".entry one(" in first and "table[16]" in first and unpacked.unused_data


def test_names_are_unique(tmp_path: Path):
    (tmp_path / "a.ptx").write_text(HEAD + kernel("same", "bar.sync 0;"))
    with pytest.raises(SystemExit, match="a second kernel of the name same"):
        embed_ptx.main(tmp_path, [tmp_path / "a.ptx", tmp_path / "a.ptx"])


def with_numbers(function):
    """Numbers registers with relative names, like the library."""
    counts = {}

    def number(found):
        kind, since = found[1], found[2]
        counts[kind] = counts.get(kind, 0) + (since == "")
        return f"%{kind}{counts[kind] - int(since or 0)}"

    return re.sub(r"\x01([a-z]+)(\d*)", number, function)


def test_registers_have_relative_names():
    lines = ["mov.b64 %rd7, 7;", "add.s32 %r9, %r9, %r4;", "@%p3 bra $L__BB5_1;", "mov.b64 %rd2, %rd7;"]
    text = embed_ptx.with_relative_names(kernel("one", *lines, "mov.u32 %r4, %ntid.x;", "$L__BB5_1:"))
    assert "one_param_0" not in text and "BB5" not in text and "%ntid.x" in text
    assert "mov.b64 \x01rd, 7;" in text and "mov.b64 \x01rd, \x01rd1;" in text
    found = with_numbers(text)
    assert "add.s32 %r1, %r1, %r2;" in found and "mov.b64 %rd2, %rd1;" in found
    assert "@%p1 bra $L1;" in found and "$L1:" in found


def test_alike_functions_are_the_same_text():
    one, other = (kernel("k", f"mov.b64 %rd{n}, 7;", f"add.s64 %rd{n + 2}, %rd{n}, 1;") for n in (1, 40))
    assert embed_ptx.with_relative_names(one) == embed_ptx.with_relative_names(other)
