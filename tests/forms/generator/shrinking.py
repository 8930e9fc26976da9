"""Makes a program that shows a difference small: what can be left out, or written more simply, is."""

import ast
import copy
import itertools
import time

_SIMPLE = (ast.Name, ast.Constant)
_BLOCKS = ("body", "orelse", "finalbody")
_LISTS = ("elts", "handlers", "items", "keywords", "cases", "values", "args")


def shrunk(source, still_shows, seconds=60):
    """The smallest text found in that time for which `still_shows(text)` holds; it holds for `source`."""
    tree = ast.parse(source)
    end = time.monotonic() + seconds
    improved = True
    while improved:
        improved = False
        for ways in (_with_fewer_statements, _with_simpler_expressions):
            at = 0
            while True:
                # What was tried before this place is not tried again until the next round.
                found = next(itertools.islice(ways(tree), at, None), None)
                if found is None:
                    break
                if time.monotonic() > end:
                    return _text(tree)
                made = found()
                text = None if made is None else _text(made)
                if text is not None and still_shows(text):
                    tree, improved = made, True
                else:
                    at += 1
    return _text(tree)


def _text(tree):
    try:
        text = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
        compile(text, "<shrunk>", "exec")
    except (SyntaxError, ValueError, AttributeError):
        return None
    return text


def _with_fewer_statements(tree):
    """Functions that give a copy of the tree with statements left out, or a block in place of its statement."""
    for at, (node, field) in enumerate(_blocks(tree)):
        count = len(getattr(node, field))
        size = count
        while size:
            for first in range(0, count, size):
                yield lambda at=at, first=first, size=size: _cut(tree, at, first, size, ())
            size //= 2
        for number, statement in enumerate(getattr(node, field)):
            if isinstance(statement, ast.FunctionDef | ast.ClassDef):
                continue
            for inner in (*_BLOCKS, "handlers"):
                if getattr(statement, inner, None):
                    yield lambda at=at, number=number, inner=inner: _cut(tree, at, number, 1, (inner,))


def _blocks(tree):
    for node in ast.walk(tree):
        for field in _BLOCKS:
            if isinstance(getattr(node, field, None), list):
                yield node, field


def _cut(tree, at, first, size, kept):
    made = copy.deepcopy(tree)
    node, field = next(itertools.islice(_blocks(made), at, None))
    body = getattr(node, field)
    inner = getattr(body[first], kept[0]) if kept else []
    if kept == ("handlers",):
        inner = inner[0].body
    left = [*body[:first], *inner, *body[first + size :]]
    if not left and field == "body" and not isinstance(node, ast.Module):
        if isinstance(body[0], ast.Pass):
            return None
        left = [ast.Pass()]
    setattr(node, field, left)
    return made


def _with_simpler_expressions(tree):
    """Functions that give a copy of the tree with a part of an expression, or a constant, in place of it."""
    for at, node in enumerate(ast.walk(tree)):
        for field, value in ast.iter_fields(node):
            if isinstance(value, ast.expr) and field not in ("target", "func"):
                for simpler in _simpler(value):
                    yield lambda at=at, f=field, simpler=simpler: _replaced(tree, at, f, None, simpler)
            elif isinstance(value, list) and field != "targets":
                for number, item in enumerate(value):
                    if field in _LISTS and not isinstance(node, ast.Compare | ast.Dict):
                        yield lambda at=at, f=field, number=number: _replaced(tree, at, f, number, None)
                    if isinstance(item, ast.expr):
                        for simpler in _simpler(item):
                            yield lambda at=at, f=field, n=number, new=simpler: _replaced(tree, at, f, n, new)


def _simpler(value):
    if isinstance(value, _SIMPLE):
        return
    yield from (part for part in ast.iter_child_nodes(value) if isinstance(part, ast.expr))
    yield ast.Constant(1)


def _replaced(tree, at, field, number, new):
    made = copy.deepcopy(tree)
    node = next(itertools.islice(ast.walk(made), at, None))
    if number is None:
        setattr(node, field, copy.deepcopy(new))
    elif new is None:
        del getattr(node, field)[number]
    else:
        getattr(node, field)[number] = copy.deepcopy(new)
    return made
