"""Files that are written as a whole or not at all.

The bytes are written to a scratch file next to the target, flushed to the disk, and only then renamed: a process that
is killed on the way leaves the old file or the new one. A writer locks its scratch file, so the next save recognizes
and removes one whose writer is dead.
"""

import contextlib
import fcntl
import os
import zlib

_SUFFIX = ".tmp"


def write_atomically(path, pieces, mode):
    """Make the file `path` of the pieces, in order, with the permissions `mode`."""
    folder, name = os.path.split(path)
    stem = f".{name[:50]}.{zlib.crc32(os.fsencode(name)):08x}."  # a long name leaves no room for more
    with contextlib.suppress(OSError):
        _remove_leftovers(folder, stem)
    file, scratch = _new_scratch(folder, stem)
    with file:
        try:
            file.writelines(pieces)
            file.flush()
            os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())
            os.replace(scratch, path)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(scratch)
            raise
    _flush_folder(folder)


def _new_scratch(folder, stem):
    """A new file that this process has locked, and its path."""
    while True:
        scratch = os.path.join(folder, stem + os.urandom(8).hex() + _SUFFIX)
        handle = os.open(scratch, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with contextlib.suppress(OSError):  # a file system without locks: scratch files there are kept
            fcntl.flock(handle, fcntl.LOCK_EX)
        # Another save may have removed it as abandoned before it was locked.
        if os.path.exists(scratch):
            return os.fdopen(handle, "wb"), scratch
        os.close(handle)


def _remove_leftovers(folder, stem):
    """Removes scratch files of this stem whose writers are dead."""
    for name in os.listdir(folder):
        if name.startswith(stem) and name.endswith(_SUFFIX):
            with contextlib.suppress(OSError):
                _remove_if_unlocked(os.path.join(folder, name))


def _remove_if_unlocked(path):
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.unlink(path)
    finally:
        os.close(handle)


def _flush_folder(folder):
    """The new name is on the disk as well."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with contextlib.suppress(OSError):  # not every file system can
            os.fsync(handle)
    finally:
        os.close(handle)
