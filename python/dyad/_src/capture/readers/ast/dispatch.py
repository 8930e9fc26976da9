"""Which method of the interpreter reads which part of a syntax tree."""

import ast


def methods_by_node(cls, prefix):
    """Class of a node -> the method named after it, such as `execute_For` for the prefix `execute_`."""
    names = (name.removeprefix(prefix) for name in dir(cls) if name.startswith(prefix))
    return {getattr(ast, name): getattr(cls, prefix + name) for name in names if hasattr(ast, name)}
