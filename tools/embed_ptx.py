#!/usr/bin/env python3
"""Takes PTX apart by kernel and packs the kernels for libdyad: embed_ptx.py FOLDER FILE.ptx...

Writes FOLDER/code.bin, groups of kernels that are deflated together, since neighbors are much alike once their
registers have relative names, and FOLDER/index.cpp, which embeds the former and tells of which parts of its group each
kernel consists. A kernel takes along the variables and functions that it uses, so that the driver compiles no more than
what is launched.
"""

import re
import sys
import zlib
from dataclasses import dataclass, field
from pathlib import Path

START = re.compile(r"^\.(visible|weak|extern|entry|func|global|const|shared|common|alias)\b")
NAME = re.compile(
    r"\.entry\s+([\w$]+)|\.func\s+(?:\([^)]*\)\s*)?([\w$]+)|([\w$]+)\s*(?:\[[^\]]*\])*\s*(?:=|;)"
)
IDENTIFIER = re.compile(r"(?<![\w$%.])[A-Za-z_$][\w$]*")
LABEL = re.compile(r"\$L__BB\d+_(\d+)\b")
REGISTER = re.compile(r"%(rd|rs|rq|r|p|fd|f|hh|h)(\d+)\b")
ENTRY = re.compile(r"\.entry\s+([\w$]+)")
IS_EMPTY = re.compile(r"\{\s*ret;\s*\}$")  # a definition does not hold for the kernel's dtype
GROUP_BYTES = 1 << 18  # of text: unpacked in about a millisecond


@dataclass
class Part:
    """One declaration at the top of a module."""

    name: str
    text: str
    is_entry: bool
    has_body: bool
    is_function: bool
    uses: set[str] = field(default_factory=set)


class Group:
    """Kernels that are packed together: each a list of pieces of one text."""

    def __init__(self) -> None:
        self.text = bytearray()
        self.places: dict[str, tuple[int, int]] = {}
        self.kernels: dict[str, list[tuple[int, int]]] = {}

    def add(self, name: str, pieces: list[str]) -> None:
        for piece in pieces:
            if piece not in self.places:
                encoded = piece.encode() + b"\n"
                self.places[piece] = (len(self.text), len(encoded))
                self.text += encoded
        self.kernels[name] = [self.places[piece] for piece in pieces]


def main(folder: Path, files: list[Path]) -> None:
    groups: list[Group] = []
    for file in files:
        groups.append(Group())
        for name, pieces in split(file.read_text(), file.name).items():
            if any(name in group.kernels for group in groups):
                sys.exit(f"{file.name}: a second kernel of the name {name}")
            if len(groups[-1].text) > GROUP_BYTES:
                groups.append(Group())
            groups[-1].add(name, pieces)
    blob = bytearray()
    group_rows = []
    piece_rows: list[str] = []
    kernel_rows = []
    for number, group in enumerate(groups):
        packed = zlib.compress(bytes(group.text), 9)
        group_rows.append(f"  {{{len(blob)}u, {len(packed)}u, {len(group.text)}u}},\n")
        blob += packed
        for name, places in group.kernels.items():
            kernel_rows.append((name, f'  {{"{name}", {number}u, {len(piece_rows)}u, {len(places)}u}},\n'))
            piece_rows += [f"  {{{begin}u, {size}u}},\n" for begin, size in places]
    (folder / "code.bin").write_bytes(bytes(blob))
    kernels = "".join(row for _, row in sorted(kernel_rows))
    text = INDEX.format(
        groups="".join(group_rows), pieces="".join(piece_rows), kernels=kernels, count=len(kernel_rows)
    )
    (folder / "index.cpp").write_text(text)


def split(module: str, file: str) -> dict[str, list[str]]:
    """Declarations of each kernel of a module and of all that it uses."""
    lines = [line for line in (raw.split("//")[0].strip() for raw in module.splitlines()) if line]
    head = [line for line in lines[:3] if line.startswith((".version", ".target", ".address_size"))]
    parts = take_apart(lines[len(head) :])
    by_name: dict[str, list[Part]] = {}
    for part in parts:
        by_name.setdefault(part.name, []).append(part)
    for part in parts:
        part.uses = {name for name in IDENTIFIER.findall(part.text) if name != part.name and name in by_name}
    kernels = {}
    for entry in (part for part in parts if part.is_entry and not IS_EMPTY.search(part.text)):
        needed = closure(entry, by_name)
        for name in needed:
            if any(part.is_function for part in by_name[name]) and not any(
                part.has_body for part in by_name[name]
            ):
                sys.exit(f"{file}: kernel {entry.name} calls {name}, which device code does not define")
        text = [part.text for part in parts if part is entry or (part.name in needed and not part.is_entry)]
        kernels[entry.name] = ["\n".join(head), *map(with_relative_names, text)]
    return kernels


def with_relative_names(text: str) -> str:
    """A function whose registers are told by how many of their kind came up since: byte 1, the kind, and that number; a
    new one has none. Names of labels and parameters, which hold in the function alone, do without the function's.
    `with_register_names` in runtime/cuda/embedded.cpp gives them numbers again.
    """
    seen: dict[str, int] = {}
    counts: dict[str, int] = {}

    def relative(found: re.Match[str]) -> str:
        register, kind = found[0], found[1]
        if register in seen:
            return f"\x01{kind}{counts[kind] - seen[register]}"
        seen[register] = counts[kind] = counts.get(kind, 0) + 1
        return f"\x01{kind}"

    entry = ENTRY.search(text)
    if entry:
        text = text.replace(f"{entry[1]}_param_", "param_")
    return REGISTER.sub(relative, LABEL.sub(r"$L\1", text))


def take_apart(lines: list[str]) -> list[Part]:
    parts = []
    at = 0
    while at < len(lines):
        if not START.match(lines[at]):
            sys.exit(f"embed_ptx: {lines[at]!r} is not understood")
        begin = at
        is_function = bool(re.search(r"\.(entry|func)\b", lines[at]))
        if is_function:
            while lines[at] != ";" and lines[at] != "{" and not lines[at].endswith(";"):
                at += 1
            if lines[at] == "{":
                at = end_of_body(lines, at)
        else:
            while not lines[at].endswith(";"):
                at += 1
        at += 1
        text = "\n".join(lines[begin:at])
        name = next(filter(None, NAME.search(text).groups()))
        parts.append(Part(name, text, ".entry" in lines[begin], "{" in text or not is_function, is_function))
    return parts


def end_of_body(lines: list[str], at: int) -> int:
    depth = 0
    while True:
        depth += lines[at].count("{") - lines[at].count("}")
        if depth == 0:
            return at
        at += 1


def closure(entry: Part, by_name: dict[str, list[Part]]) -> set[str]:
    found: set[str] = set()
    waiting = list(entry.uses)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += [use for part in by_name[name] for use in part.uses]
    return found


INDEX = """// Written by tools/embed_ptx.py.
#include "runtime/cuda/embedded_index.h"

asm(".section .rodata,\\"a\\"\\n"
    ".balign 16\\n"
    ".global dyad_device_code\\n"
    ".hidden dyad_device_code\\n"
    "dyad_device_code: .incbin \\"code.bin\\"\\n"
    ".byte 0\\n"
    ".previous\\n");

namespace dyad::cuda {{

const EmbeddedGroup kEmbeddedGroups[] = {{
{groups}  {{0, 0, 0}}}};
const EmbeddedPiece kEmbeddedPieces[] = {{
{pieces}  {{0, 0}}}};
const EmbeddedKernel kEmbedded[] = {{
{kernels}  {{"", 0, 0, 0}}}};
const unsigned kEmbeddedCount = {count};

}}  // namespace dyad::cuda
"""

if __name__ == "__main__":
    main(Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]])
