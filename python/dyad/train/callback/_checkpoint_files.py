"""The files of a `ModelCheckpoint`: names, listing and removal."""

import contextlib
import os
import re

_BREAKPOINT = "_breakpoint"
_SUFFIXES = (".ckpt", ".safetensors")


def unused_prefix(directory, prefix, exception=False):
    """The prefix, numbered if files of an earlier run start with it: `CKP`, `CKP_1`, `CKP_2`.

    With `exception` only files written after an error count.
    """
    if callable(prefix) or callable(directory):
        return prefix
    numbers = []
    for name in os.listdir(directory):
        stem, suffix = os.path.splitext(name)
        if suffix in _SUFFIXES and stem.endswith(_BREAKPOINT) == exception:
            found = re.match(re.escape(prefix) + r"(?:_(\d+))?-", stem)
            numbers += [] if found is None else [int(found[1] or 0)]
    return f"{prefix}_{max(numbers) + 1}" if numbers else prefix


class CheckpointManager:
    """Lists the files `prefix-epoch_step` of a directory, and removes those over the limit."""

    def __init__(self, format="ckpt"):
        self._suffix = "." + format
        self._ckpoint_filelist = []

    @property
    def ckpoint_filelist(self):
        """The files that were found."""
        return self._ckpoint_filelist

    @property
    def ckpoint_num(self):
        """Number of files that were found."""
        return len(self._ckpoint_filelist)

    def update_ckpoint_filelist(self, directory, prefix):
        """Lists the files again."""
        form = re.compile(rf"{re.escape(prefix)}-(\d+)_(\d+){re.escape(self._suffix)}")
        found = []
        for name in os.listdir(directory):
            fits = form.fullmatch(name)
            if fits is not None:
                path = os.path.join(directory, name)
                with contextlib.suppress(FileNotFoundError):
                    # Files with equal times are in the order of their steps.
                    found.append((os.stat(path).st_mtime_ns, int(fits[1]), int(fits[2]), path))
        self._ckpoint_filelist = [path for *_, path in sorted(found)]

    def remove_ckpoint_file(self, file_name):
        """Removes a file."""
        with contextlib.suppress(ValueError):
            self._ckpoint_filelist.remove(file_name)
        with contextlib.suppress(FileNotFoundError):
            os.remove(file_name)

    def remove_oldest_ckpoint_file(self):
        """Removes the file that was written before all others."""
        self.remove_ckpoint_file(self._ckpoint_filelist[0])

    def keep_one_ckpoint_per_minutes(self, minutes, cur_time):
        """Keeps only the first one of the files of the last `minutes`."""
        young = [path for path in self._ckpoint_filelist if cur_time - os.path.getmtime(path) < 60 * minutes]
        for path in young[1:]:
            self.remove_ckpoint_file(path)
