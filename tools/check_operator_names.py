"""Checks that passes, code generators and the rooms that run programs keep no lists of operators.

An operator's entry (src/ops) states its properties: cost, movement, layout, writes. A file of these rooms
may name an operator where it makes one, as in `write("mul", {a, b})`, and where it is about this very operator; those
files are listed below, each with the names and the reason. Prints one line per fault and exits with 1 if there is any.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("passes", "codegen", "compile", "plan", "execute", "program")

# Patterns of operators that a pass looks for, and what is written in their place.
PATTERNS = {
    "passes/absent_gradients.cpp": "add",
    "passes/fold_batch_norm.cpp": "batch_norm_apply convolution",
    "passes/fuse_norm_epilogues.cpp": "add batch_norm_train batch_norm_train_grad relu relu_grad",
    "passes/fuse_product_epilogues.cpp": "add dense matmul mul panel_product product",
    "passes/match_attention.cpp": "add attention div matmul mul softmax",
    "passes/pack_weights.cpp": "dense matmul panel_product",
    "passes/simplify_arithmetic.cpp": "abs add div logical_not mul neg relu sub sum_to where",
}
# Operators that a file, or the files of a room, write into a graph or run: memory is copied and written by them.
MADE = {
    "codegen/loops/schedule.cpp": "mul",
    "execute": "assign copy zeros",
    "passes/insert_copies.cpp": "copy",
    "passes/simplify.cpp": "copy",
    "plan": "assign",
}
# Words that an operator has for its name too.
WORDS = {
    "codegen/cpu/generate.cpp": "copy",
    "codegen/loops/schedule_text.cpp": "full",
}

_ENTRY = re.compile(r'DYAD_OP\(\s*"(\w+)\(')
_LITERAL = re.compile(r'"(\w+)"(?!,\s*(?:\{|std::move))')


def operators(root: Path) -> set[str]:
    """The names of all entries."""
    sources = (root / "src/ops").rglob("*.cpp")
    return {name for source in sources for name in _ENTRY.findall(source.read_text())}


def named(text: str, names: set[str]) -> Iterator[tuple[int, str]]:
    """Line and name of each operator that is named without being created there."""
    for found in _LITERAL.finditer(text):
        if found[1] in names:
            yield text.count("\n", 0, found.start()) + 1, found[1]


def faults(root: Path) -> Iterator[str]:
    names = operators(root)
    listed = {**PATTERNS, **MADE, **WORDS}
    unused = {(place, name) for place, words in listed.items() for name in words.split()}
    allowed = set(unused)
    for room in ROOMS:
        for source in sorted((root / "src" / room).rglob("*.*")):
            if source.suffix not in (".cpp", ".h") or re.search(r"_test|fixture", source.stem):
                continue
            path = source.relative_to(root / "src").as_posix()
            for line, name in named(source.read_text(), names):
                unused -= {(path, name), (room, name)}
                if allowed.isdisjoint({(path, name), (room, name)}):
                    yield f"src/{path}:{line}: names the operator '{name}'; ask its entry for a property instead"
    for path, name in sorted(unused):
        yield f"src/{path} does not name '{name}' any more; take it off the list in tools/check_operator_names.py"


def main() -> None:
    lines = list(faults(ROOT))
    print(*lines, sep="\n", end="\n" if lines else "")
    sys.exit(bool(lines))


if __name__ == "__main__":
    main()
