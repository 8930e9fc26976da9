"""`# @jit.typing: () -> TYPE` behind a statement that Python runs: what it gives must be of that type."""

import ast
from typing import cast

from dyad import _core
from dyad._core import Tensor
from dyad._src.capture.semantics.attributes.object_state import is_array_type

_SCALARS = {"int": int, "float": float, "bool": bool, "str": str, "none": type(None), "None": type(None)}
_SEQUENCES = {"tuple_type": tuple, "list_type": list}
_NUMBERS = {"Int": int, "UInt": int, "Float": float, "BFloat": float, "Bool": bool}


class Annotation:
    """The type that a comment states. `names` are the variables it speaks of, as `{name}`.

    RuntimeError if the comment is no such type.
    """

    def __init__(self, text, filename, line):
        self._text = text
        self._where = f'\n  File "{filename}", line {line}'
        arrow, _, stated = text.partition("->")
        try:
            if arrow.replace(" ", "") != "()":
                raise SyntaxError
            self._type = ast.parse(stated.strip().replace("{", "(").replace("}", ")"), mode="eval").body
            found = {name for name in _leaves(self._type)}
        except SyntaxError:
            raise RuntimeError(
                f"# @jit.typing: {text!r} is no type of a result; need '() -> TYPE' with a type such as int, "
                f"tensor_type[float32], tuple_type[int, tensor_type[int32]] or list_type[...]{self._where}"
            ) from None
        braced = {part.strip() for part in stated.replace("}", "{").split("{")[1::2]}
        self.names = sorted(found & braced)

    def check(self, value, *values):
        """TypeError if a value is of another type; `values` are those of the names."""
        if not self._fits(self._type, value, dict(zip(self.names, values, strict=True))):
            raise TypeError(
                f"# @jit.typing: {self._text!r} is stated, and what came is {_shown(value)}{self._where}"
            )

    def _fits(self, stated, value, names):
        if isinstance(stated, ast.Subscript):
            kind = cast(ast.Name, stated.value).id
            parts = stated.slice.elts if isinstance(stated.slice, ast.Tuple) else [stated.slice]
            if kind == "tensor_type":
                return isinstance(value, Tensor) and value.dtype == _dtype(parts[0], names)
            return (
                isinstance(value, _SEQUENCES[kind])
                and len(value) == len(parts)
                and all(self._fits(part, item, names) for part, item in zip(parts, value, strict=True))
            )
        if stated.id in _SCALARS:
            return type(value) is _SCALARS[stated.id] or (is_array_type(type(value)) and not value.ndim)
        number = next(
            (kind for name, kind in _NUMBERS.items() if str(_dtype(stated, names)).startswith(name)), None
        )
        return type(value) is number


def _leaves(stated):
    """The names in a type; SyntaxError if it is built of anything else."""
    if isinstance(stated, ast.Name):
        if stated.id not in _SCALARS and not stated.id.isidentifier():
            raise SyntaxError
        yield stated.id
    elif isinstance(stated, ast.Subscript) and isinstance(stated.value, ast.Name):
        if stated.value.id not in ("tensor_type", *_SEQUENCES):
            raise SyntaxError
        parts = stated.slice.elts if isinstance(stated.slice, ast.Tuple) else [stated.slice]
        for part in parts:
            yield from _leaves(part)
    else:
        raise SyntaxError


def _dtype(stated, names):
    return names[stated.id] if stated.id in names else getattr(_core, stated.id, None)


def _shown(value):
    if isinstance(value, Tensor):
        return f"a Tensor of {value.dtype}"
    if isinstance(value, (tuple, list)):
        return f"a {type(value).__name__} of ({', '.join(map(_shown, value))})"
    return f"of type {type(value).__name__}"
