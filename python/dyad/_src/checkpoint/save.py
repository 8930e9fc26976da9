"""Writing checkpoints."""

import os
import threading

from dyad import _core
from dyad._core import Tensor
from dyad._src.abstract_cell import AbstractCell
from dyad._src.checkpoint import ckpt_file, safetensors_file
from dyad._src.host_only import host_only
from dyad._src.parameter import Parameter

FORMATS = ("ckpt", "safetensors")


@host_only
def save_checkpoint(
    save_obj,
    ckpt_file_name,
    integrated_save=True,
    async_save=False,
    append_dict=None,
    enc_key=None,
    enc_mode="AES-GCM",
    choice_func=None,
    crc_check=False,
    format="ckpt",
):
    """Write a Cell's Parameters, a list of Parameters, a list of {"name", "data"} or a dict of tensors to a file.

    The suffix is added if it is missing and a file that is there is replaced, as a whole or not at all.
    `append_dict` adds numbers, strings and tensors; `choice_func(name)` selects Parameters. With `async_save` the
    values are taken now and written by a thread; the program does not end before that is done.

    `format` is "ckpt" or "safetensors"; `crc_check` adds a checksum to a ckpt file. Encryption (`enc_key`) is
    refused with ValueError; `integrated_save` is about distributed runs. A folder that is not there raises
    FileNotFoundError.
    """
    if not isinstance(ckpt_file_name, str):
        raise TypeError(
            f"save_checkpoint: ckpt_file_name is of type {type(ckpt_file_name).__name__}; need a str"
        )
    if format not in FORMATS:
        raise ValueError(f"save_checkpoint: format is {format!r}; need one of {', '.join(FORMATS)}")
    if enc_key is not None:
        raise ValueError(
            "save_checkpoint: enc_key is given, and encryption is not part of this version; need None"
        )
    if async_save not in (False, True, "thread", "process"):
        raise ValueError(f"save_checkpoint: async_save is {async_save!r}; need a bool, 'thread' or 'process'")
    entries = _entries(save_obj)
    if choice_func is not None:
        entries = {name: value for name, value in entries.items() if choice_func(name)}
    entries.update(_appended(append_dict))
    path = os.path.abspath(ckpt_file_name)
    if not path.endswith("." + format):
        path += "." + format
    if not async_save:
        return _write(path, entries, format, crc_check)
    taken = {name: value if isinstance(value, str) else value.copy() for name, value in entries.items()}
    threading.Thread(target=_write, args=(path, taken, format, crc_check)).start()
    return None


def _entries(save_obj):
    """{name: Tensor} of what is to be saved."""
    if isinstance(save_obj, AbstractCell):
        return dict(save_obj.parameters_dict())
    if isinstance(save_obj, dict):
        pairs = list(save_obj.items())
    elif isinstance(save_obj, (list, tuple)):
        pairs = [_pair(member) for member in save_obj]
    else:
        raise TypeError(
            f"save_checkpoint: save_obj is of type {type(save_obj).__name__}; need a Cell, a list or a dict"
        )
    for name, value in pairs:
        if not isinstance(name, str) or not isinstance(value, (Tensor, str)):
            raise TypeError(
                f"save_checkpoint: the entry {name!r} is of type {type(value).__name__}; need names with Tensors"
            )
    return dict(pairs)


def _pair(member):
    if isinstance(member, Parameter):
        return member.name, member
    if isinstance(member, dict) and "name" in member and "data" in member:
        return member["name"], member["data"]
    raise TypeError(
        f"save_checkpoint: an element is of type {type(member).__name__}; need Parameters or "
        "dicts with 'name' and 'data'"
    )


def _appended(append_dict):
    if append_dict is None:
        return {}
    if not isinstance(append_dict, dict):
        raise TypeError(f"save_checkpoint: append_dict is of type {type(append_dict).__name__}; need a dict")
    return {name: _appended_value(name, value) for name, value in append_dict.items()}


def _appended_value(name, value):
    if isinstance(value, (Tensor, str)):
        return value
    for kind, dtype in ((bool, _core.bool_), (int, _core.int64), (float, _core.float32)):
        if isinstance(value, kind):
            return Tensor(value, dtype)
    raise TypeError(
        f"save_checkpoint: append_dict[{name!r}] is of type {type(value).__name__}; "
        "need an int, float, bool, str, Parameter or Tensor"
    )


def _write(path, entries, format, with_checksum):
    """Into a new file beside the old one, which takes its place when it is complete."""
    import tempfile

    folder, name = os.path.split(path)
    if not os.path.isdir(folder):
        raise FileNotFoundError(f"save_checkpoint: there is no folder {folder!r} for the file {name!r}")
    try:
        handle, scratch = tempfile.mkstemp(dir=folder, prefix=name + ".")
    except OSError as error:
        reason = f"save_checkpoint: the file cannot be made: {error.strerror}"
        raise type(error)(error.errno, reason, path) from None
    try:
        with os.fdopen(handle, "wb") as file:
            if format == "ckpt":
                file.writelines(ckpt_file.encode(entries.items(), with_checksum))
            else:
                file.writelines(safetensors_file.encode(entries.items()))
        os.chmod(scratch, 0o400)
        os.replace(scratch, path)
    except BaseException:
        os.unlink(scratch)
        raise
