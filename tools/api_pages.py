"""Writes build/docs/api: a page per family of operators, pages of layers and of Python functions, and an index.

Everything comes from the op table and from docstrings: how each operator is called as a function, method and Primitive,
what it returns, and an example. tests/ops/test_operator_examples.py runs the examples.
Usage: api_pages.py [--check]; with --check nothing is written, and each public name that has no place in the index and
each entry without a description or a way to call it is a fault.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from api_entries import Entry, families, mint_entries, nn_entries, python_entries
from dyad import Tensor, _core, mint, nn, ops

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build/docs/api"
NOTE = "<!-- Written by tools/api_pages.py from the op table and docstrings. -->"

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
    """Text of an entry: summary, formulas, signatures, arguments, results, errors, example and references."""
    paragraphs = entry.description or [" ".join(text.split()) for text in entry.doc.split("\n\n")]
    blocks = [[paragraph] for paragraph in paragraphs if paragraph]
    blocks.append(
        [f"- {label}: {', '.join(f'`{call}`' for call in calls)}" for label, calls in entry.calls if calls]
    )
    if entry.sections:
        blocks.append(["```text", *entry.sections, "```"])
    if entry.example:
        blocks.append(["```python", *entry.example, "```"])
    if entry.further:
        blocks.append([entry.further])
    return [line for block in blocks for line in ("", *block)][1:]


def index(pages: dict[str, list[Entry]]) -> str:
    """Names of MindSpore, each with a link to its entry."""
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
    """Anchors of the headings, as Markdown viewers name them: a repeated one (`gelu`, `GeLU`) has a number."""
    seen: Counter[str] = Counter()
    for entry in entries:
        plain = re.sub(r"[^\w-]", "", entry.title.lower().replace(" ", "-"))
        yield f"{plain}-{seen[plain]}" if seen[plain] else plain
        seen[plain] += 1


def entries_by_page() -> dict[str, list[Entry]]:
    """Entries of each page."""
    entries = families() | {"python": python_entries(), "mint": mint_entries(), "nn": nn_entries()}
    missing = set(entries) ^ set(TITLES)
    if missing:
        sys.exit(
            f"api_pages: {', '.join(sorted(missing))}: a folder of src/ops without a title, or a title too many"
        )
    return entries


def pages(entries: dict[str, list[Entry]]) -> dict[str, str]:
    """File name to text."""
    texts = {f"{family}.md": page(family, entries[family]) for family in TITLES}
    return {"README.md": index(entries), **texts}


def public_names() -> dict[str, set[str]]:
    """Public names, by the package of MindSpore that defines them; modules are left out."""
    found = {
        f"mindspore.{space.__name__.rpartition('.')[2]}": {
            name for name in space.__all__ if not inspect.ismodule(getattr(space, name))
        }
        for space in (ops, nn, mint)
    }
    methods = {name for name, value in vars(Tensor).items() if isinstance(value, _core.OpMethod)}
    return found | {"mindspore.Tensor": methods}


def faults(entries: dict[str, list[Entry]]) -> Iterator[str]:
    """Public names that the index lacks, and entries without a description or a signature."""
    described = [entry for page in entries.values() for entry in page]
    for space, names in public_names().items():
        indexed = {name for entry in described for name in entry.names.get(space, ())}
        for name in sorted(names - indexed):
            yield f"{space}.{name}: has no place in the API pages"
    for family, page in entries.items():
        for entry in page:
            if not entry.doc:
                yield f"{family}, {entry.title}: has no description"
            if not any(calls for _, calls in entry.calls):
                yield f"{family}, {entry.title}: does not say how it is called"


def main() -> None:
    entries = entries_by_page()
    texts = pages(entries)
    if "--check" in sys.argv[1:]:
        found = list(faults(entries))
        print(*found, sep="\n", end="\n" if found else "")
        sys.exit(bool(found))
    FOLDER.mkdir(parents=True, exist_ok=True)
    for old in FOLDER.glob("*.md"):
        old.unlink()
    for name, text in texts.items():
        (FOLDER / name).write_text(text)
    print(f"api_pages: {len(texts)} pages in {FOLDER.relative_to(ROOT)}, from README.md on")


if __name__ == "__main__":
    main()
