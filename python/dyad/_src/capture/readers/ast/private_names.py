"""Private names: inside a class, Python stores `__name` as `_Class__name`."""

import ast
import copy

_FIELDS = {
    ast.Name: ("id",),
    ast.Attribute: ("attr",),
    ast.arg: ("arg",),
    ast.keyword: ("arg",),
    ast.FunctionDef: ("name",),
    ast.AsyncFunctionDef: ("name",),
    ast.ClassDef: ("name",),
    ast.alias: ("name", "asname"),
    ast.ExceptHandler: ("name",),
    ast.MatchAs: ("name",),
    ast.MatchStar: ("name",),
    ast.MatchMapping: ("rest",),
    ast.Global: ("names",),
    ast.Nonlocal: ("names",),
    ast.MatchClass: ("kwd_attrs",),
}


def class_around(tree, node):
    """The name of the innermost class that a node of the tree stands in, or None."""
    stack: list[tuple] = [(tree, None)]
    while stack:
        part, owner = stack.pop()
        if part is node:
            return owner
        inside = part.name if isinstance(part, ast.ClassDef) else owner
        for child in ast.iter_child_nodes(part):
            if not hasattr(child, "lineno") or child.lineno <= node.end_lineno:
                stack.append((child, inside))
    return None


def with_stored_names(node, class_name):
    """The function with private names as Python stores them; itself if it has none."""
    owner = class_name.lstrip("_")
    if not owner or not any(_is_private(name) for part in ast.walk(node) for name in _names_of(part)):
        return node
    node = copy.deepcopy(node)
    _store(node, owner, is_outermost=True)
    return node


def _store(part, owner, is_outermost=False):
    for field in _FIELDS.get(type(part), ()):
        if is_outermost and field == "name":
            continue  # it is found under the name that is written
        value = getattr(part, field)
        stored = (
            [_stored(name, owner) for name in value] if isinstance(value, list) else _stored(value, owner)
        )
        setattr(part, field, stored)
    # A class inside has private names of its own.
    inner = part.name.lstrip("_") or owner if isinstance(part, ast.ClassDef) else owner
    for child in ast.iter_child_nodes(part):
        _store(child, inner)


def _names_of(part):
    for field in _FIELDS.get(type(part), ()):
        value = getattr(part, field)
        yield from value if isinstance(value, list) else (value,)


def _is_private(name):
    return isinstance(name, str) and name.startswith("__") and not name.endswith("__") and "." not in name


def _stored(name, owner):
    return f"_{owner}{name}" if _is_private(name) else name
