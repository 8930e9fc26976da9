"""Writes docs/api: a page per family of operators, pages of layers and of what Python composes, and an index by name.

Everything comes from the op table and from docstrings: how each operator is called as a function, method and Primitive,
what it gives, and an example. tests/ops/test_operator_examples.py runs the examples.
Usage: api_pages.py [--check]; with --check nothing is written and an outdated page is a failure.
"""

from __future__ import annotations

import math
import re
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from api_entries import Entry, families, mint_entries, nn_entries, python_entries

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs/api"
NOTE = "<!-- Written by tools/api_pages.py from the op table and docstrings; `./dev check --fix` writes it anew. -->"
NUMBER = re.compile(r"(?<![\w.])[-+]?\d+\.\d*(?:e[-+]?\d+)?")

TITLES = {
    "create": "Making tensors",
    "elementwise": "Element by element",
    "reduce": "Reductions and scans",
    "shape": "Shapes and views",
    "index": "Gathering, scattering, masks",
    "sort": "Sorting and searching",
    "linalg": "Linear algebra",
    "fourier": "Fourier transforms and windows",
    "random": "Random numbers",
    "neural": "Convolution, pooling, attention, recurrence",
    "norm": "Normalization",
    "loss": "Losses",
    "optim": "Steps of optimizers",
    "image": "Images and boxes",
    "python": "Composed in Python",
    "mint": "`mint`: further functions",
    "nn": "`nn`: layers, losses, optimizers",
}


def page(family: str, entries: list[Entry]) -> str:
    """Entries under the file that they are written in."""
    lines = [f"# {TITLES[family]}", "", NOTE]
    group = None
    for entry in entries:
        if entry.group != group:
            group = entry.group
            lines += ["", f"## {group.replace('_', ' ').capitalize()}"]
        lines += ["", f"### {entry.title}", "", *section(entry)]
    return "\n".join(lines) + "\n"


def section(entry: Entry) -> list[str]:
    lines = [" ".join(paragraph.split()) for paragraph in entry.doc.split("\n\n")]
    text = [line for paragraph in lines if paragraph for line in (paragraph, "")]
    text += [
        f"- {label}: {', '.join(f'`{call}`' for call in calls)}" for label, calls in entry.calls if calls
    ]
    if entry.example:
        text += ["", "```python", *entry.example, "```"]
    return text


def index(pages: dict[str, list[Entry]]) -> str:
    """Names of the reference, each with a link to where it is described."""
    lines = [
        "# Operators and layers",
        "",
        NOTE,
        "",
        "A name of MindSpore leads to what it is here: read `dyad` for `mindspore`. `help(dyad.ops.relu)` shows the",
        "same in a session, [coverage](../coverage.md) tells which names of public programs work.",
        "",
    ]
    lines += [f"- [{TITLES[family]}]({family}.md), {len(pages[family])}" for family in TITLES]
    for space in ("mindspore.ops", "mindspore.Tensor", "mindspore.mint", "mindspore.nn"):
        places = {
            name: f"{family}.md#{anchor}"
            for family, entries in pages.items()
            for entry, anchor in zip(entries, anchors(entries), strict=True)
            for name in entry.names.get(space, ())
        }
        lines += ["", f"## {space}", "", *letters(places)]
    return "\n".join(lines) + "\n"


def letters(places: dict[str, str]) -> Iterable[str]:
    """A line for each first letter."""
    by_letter: dict[str, list[str]] = {}
    for name in sorted(places, key=lambda name: (name.lower(), name)):
        by_letter.setdefault(name.lstrip("_")[0].upper(), []).append(f"[`{name}`]({places[name]})")
    for letter, links in by_letter.items():
        yield f"**{letter}**: {', '.join(links)}"
        yield ""


def anchors(entries: list[Entry]) -> Iterable[str]:
    """Where the headings are found, as Markdown viewers call them: an equal one (`gelu`, `GeLU`) takes a number."""
    seen: Counter[str] = Counter()
    for entry in entries:
        plain = re.sub(r"[^\w-]", "", entry.title.lower().replace(" ", "-"))
        yield f"{plain}-{seen[plain]}" if seen[plain] else plain
        seen[plain] += 1


def pages() -> dict[str, str]:
    """File name to text."""
    entries = families() | {"python": python_entries(), "mint": mint_entries(), "nn": nn_entries()}
    missing = set(entries) ^ set(TITLES)
    if missing:
        sys.exit(
            f"api_pages: {', '.join(sorted(missing))}: a folder of src/ops without a title, or a title too many"
        )
    texts = {f"{family}.md": page(family, entries[family]) for family in TITLES}
    return {"README.md": index(entries), **texts}


def same(text: str, other: str) -> bool:
    """Whether two pages agree; the last digits of results may differ from machine to machine."""
    if NUMBER.sub("0", text).split() != NUMBER.sub("0", other).split():
        return False
    pairs = zip(NUMBER.findall(text), NUMBER.findall(other), strict=True)
    return all(a == b or math.isclose(float(a), float(b), rel_tol=1e-3, abs_tol=1e-5) for a, b in pairs)


def main() -> None:
    texts = pages()
    present = {path.name: path.read_text() for path in FOLDER.glob("*.md")}
    old = [
        name
        for name in sorted({*texts, *present})
        if name not in texts or not same(texts[name], present.get(name, ""))
    ]
    if "--check" in sys.argv[1:]:
        if old:
            sys.exit(f"docs/api: out of date: {', '.join(old)}; run ./dev check --fix")
        return
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in old:
        if name in texts:
            (FOLDER / name).write_text(texts[name])
        else:
            (FOLDER / name).unlink()


if __name__ == "__main__":
    main()
