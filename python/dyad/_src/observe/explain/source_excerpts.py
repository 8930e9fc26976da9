"""The parts of the user's program that the nodes of a graph come from."""

import ast
import dataclasses
import linecache

from dyad._src.capture.readers.ast.source import source_of

# Lines shown around a line outside of any function.
_AROUND = 2


@dataclasses.dataclass(frozen=True)
class Excerpt:
    """Consecutive lines of one file."""

    file: str
    first_line: int
    lines: tuple


def excerpts_of(nodes, function=None):
    """The functions that contain the nodes, in the order in which the nodes reach their files.

    `function` is the captured one: its source is known even if no file has it.
    """
    places: dict = {}
    for node in nodes:
        if node.line:
            places.setdefault(node.file, set()).add(node.line)
    known = _known_source(function)
    return [
        excerpt
        for file, lines in places.items()
        for excerpt in _excerpts(file, sorted(lines), known if known and known.filename == file else None)
    ]


def _known_source(function):
    try:
        return source_of(function)
    except (OSError, TypeError):
        return None


def _excerpts(file, wanted, known):
    text = [line.rstrip("\r\n") for line in linecache.getlines(file)]
    if not text and known is not None:
        return [Excerpt(file, known.first_line, tuple(line.rstrip("\r\n") for line in known.lines))]
    spans = _merged([_span(line, _functions_in(text)) for line in wanted if line <= len(text)])
    return [Excerpt(file, first, tuple(text[first - 1 : last])) for first, last in spans]


def _functions_in(text):
    """(first line, last line) of every function in the source, innermost last."""
    try:
        tree = ast.parse("\n".join(text))
    except SyntaxError:  # a cell of a notebook may hold commands of its own
        return []
    spans = [
        (min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]), node.end_lineno)
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    ]
    return sorted(spans, key=lambda span: span[0] - span[1])


def _span(line, functions):
    for first, last in reversed(functions):
        if first <= line <= last:
            return first, last
    return max(line - _AROUND, 1), line + _AROUND


def _merged(spans):
    merged: list = []
    for first, last in sorted(spans):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(merged[-1][1], last))
        else:
            merged.append((first, last))
    return merged
