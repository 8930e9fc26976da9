"""The type of each setting of a Primitive, from the operator table."""

import functools

from dyad import _core
from dyad._src.base.argument_checks import SettingError

# For each kind of parameter: its description, and the kinds of Python values that are never valid. The operator
# checks anything else, for example a Tensor or a number of another library.
_TEXTS = (str, bytes, dict, set)
_SEQUENCES = (tuple, list)
_REFUSED = {
    "int": ("an int", (*_TEXTS, *_SEQUENCES, float, complex)),
    "ints": ("an int or a tuple of ints", (*_TEXTS, float, complex)),
    "sizes": ("an int, None or a tuple of them", (*_TEXTS, float, complex)),
    "dtype": ("a dtype", (dict, set, *_SEQUENCES, bool, int, float, complex)),
    "float": ("a float", (*_TEXTS, *_SEQUENCES, complex)),
    "floats": ("a number or a tuple of numbers", (*_TEXTS, complex)),
    "Number": ("a number", (*_TEXTS, *_SEQUENCES)),
    "bool": ("a bool", (*_TEXTS, *_SEQUENCES, float, complex)),
    "str": ("a str", (dict, set, *_SEQUENCES, bool, int, float, complex)),
    "pairs": ("a tuple of pairs of ints", (*_TEXTS, int, float, complex)),
}


@functools.cache
def _kinds() -> dict[str, dict[str, tuple[str, bool]]]:
    """By Primitive and setting: the kind of parameter, and whether it accepts None."""
    return {
        primitive["name"]: {
            param["name"]: (
                param["kind"],
                param["optional"] or param["default"] == "None" or param["kind"] == "sizes",
            )
            for param in primitive["init"]["params"]
        }
        for operator in _core.op_table()
        for primitive in operator["primitives"]
    }


def require_kinds(name, settings):
    """Refuse settings of a Primitive of the operator table that no call could accept."""
    for setting, (kind, optional) in _kinds().get(name, {}).items():
        value = settings[setting]
        wanted, refused = _REFUSED.get(kind, ("", ()))
        if (
            isinstance(value, refused)
            or _has_wrong_member(kind, value)
            or _is_no_number(kind, value)
            or (value is None and wanted and not optional)
        ):
            shown = repr(value) if isinstance(value, (str, int, float, tuple, list, type(None))) else None
            given = f"{setting} is {shown}" if shown else f"{setting} is of type {type(value).__name__}"
            raise SettingError(
                f"{name}: {given}; need {wanted}{' or None' if optional and kind != 'sizes' else ''}"
            )


def _is_no_number(kind, value):
    """Returns whether an object without any number protocol is used as a number."""
    return kind in ("int", "float", "Number") and value is not None and not hasattr(value, "__float__")


def _has_wrong_member(kind, value):
    """Returns whether a sequence of ints contains anything else."""
    return (
        kind == "ints"
        and isinstance(value, _SEQUENCES)
        and any(isinstance(part, (*_TEXTS, float, complex, type(None))) for part in value)
    )
