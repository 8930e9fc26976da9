"""Checks of the settings of a summary: one form of message for each kind of fault.

The message has the words that MindSpore programs search for; the value and the argument are a note of the error.
"""

import os


def _refused(kind, message, owner, name, value):
    error = kind(message)
    error.add_note(f"{owner}: {name} is {value!r} of type {type(value).__name__}")
    return error


def require_kind(owner, name, value, *kinds):
    """Checks that a value has one of the types; None is the type of None. A bool is not an int."""
    types = tuple(type(None) if kind is None else kind for kind in kinds)
    if isinstance(value, types) and (bool in types or not isinstance(value, bool)):
        return value
    known = [kind.__name__ for kind in types]
    found = type(value).__name__
    message = f"For `{name}` the type should be a valid type of {known}, but got {found}."
    raise _refused(TypeError, message, owner, name, value)


def require_positive(owner, name, value):
    """An int above 0."""
    if require_kind(owner, name, value, int) > 0:
        return value
    message = f'For "{owner}", the value of `{name}` should be greater than 0, but got `{value}`.'
    raise _refused(ValueError, message, owner, name, value)


def require_keys(owner, name, given, known, quote="`"):
    """A dict, or None for an empty one, all of whose keys are known."""
    require_kind(owner, name, given, dict, None)
    given = {} if given is None else given
    for key in given:
        require_kind(owner, key, key, str)
    unknown = set(given) - set(known)
    if unknown:
        raise ValueError(
            f"{owner}: the keys {unknown} of {quote}{name}{quote} are unsupported; need {', '.join(known)}"
        )
    return given


def require_path(owner, name, path):
    """A path that is not blank, as a str."""
    if not isinstance(path, (str, os.PathLike)):
        message = f"The {name} is invalid, the type should be string."
        raise _refused(TypeError, message, owner, name, path)
    if not os.fspath(path).strip():
        raise _refused(ValueError, f"The {name} is invalid, it should be non-blank.", owner, name, path)
    return os.fspath(path)
