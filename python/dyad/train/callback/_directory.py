"""Directories that callbacks write to."""

import os


def made_directory(owner, name, path):
    """The absolute path of a directory, which is created if it does not exist."""
    if not isinstance(path, str) or not path.strip():
        raise TypeError(
            f"{owner}: {name} is {path!r} of type {type(path).__name__}; need the path of a folder"
        )
    path = os.path.realpath(path)
    os.makedirs(path, exist_ok=True)
    return path
