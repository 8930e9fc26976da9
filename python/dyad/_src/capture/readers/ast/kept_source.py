"""The text of a module, kept beside it for the day when only its .pyc or .so is deployed (`support_binary`)."""

import os

from dyad._src.capture.errors import is_interruption
from dyad._src.capture.semantics.calls.frameworks import is_framework_module
from dyad._src.context.settings import settings

_SUFFIX = ".dyad_source"


def keep(code, module_globals, lines):
    """Write the text beside the module, if the program asked for that and it is not there already.

    The framework is installed with its text.
    """
    path = _path(module_globals)
    if not settings.read("support_binary") or path is None or not os.path.isfile(code.co_filename):
        return
    if is_framework_module(module_globals.get("__name__", "")):
        return
    text = "".join(lines)
    if _read(path) == text:
        return
    unfinished = f"{path}.{os.getpid()}"
    try:
        with open(unfinished, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(unfinished, path)  # another process finds the whole text or none
    except OSError as error:
        if is_interruption(error):
            raise
        raise OSError(
            f"support_binary: the source of {code.co_qualname} cannot be kept in {path}: {error.strerror}; make the "
            "folder writable, or set support_binary to False"
        ) from error


def kept_lines(module_globals):
    """The lines that were kept; empty if none were."""
    path = _path(module_globals)
    return [] if path is None else (_read(path) or "").splitlines(keepends=True)


def _path(module_globals):
    filename = (module_globals or {}).get("__file__")
    if not isinstance(filename, str):
        return None
    folder, name = os.path.split(filename)
    return os.path.join(folder, name.partition(".")[0] + _SUFFIX)


def _read(path):
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()
    except OSError as error:
        if is_interruption(error):
            raise
        return None
