"""Writing checkpoints."""

import os

from dyad import _core
from dyad._core import Tensor
from dyad._src.base import lazy_numpy as numpy
from dyad._src.base.abstract_cell import AbstractCell
from dyad._src.base.argument_checks import require_bool
from dyad._src.base.atomic_file import write_atomically
from dyad._src.base.host_only import host_only
from dyad._src.checkpoint import background, ckpt_file, encryption, safetensors_file
from dyad._src.tensor.generator import Generator
from dyad._src.tensor.parameter import Parameter

FORMATS = ("ckpt", "safetensors")
_READ_ONLY = 0o400


@host_only
def save_checkpoint(
    save_obj,
    ckpt_file_name,
    integrated_save: bool = True,
    async_save: bool | str = False,
    append_dict=None,
    enc_key=None,
    enc_mode="AES-GCM",
    choice_func=None,
    crc_check: bool = False,
    format="ckpt",
    *,
    incremental: bool = False,
    global_step_num=None,
    remove_redundancy=None,
) -> None:
    """Writes a Cell's Parameters, a list of Parameters, a list of {"name", "data"} or a dict of tensors to a file.

    The suffix is added if it is missing and an existing file is replaced, as a whole or not at all, whatever happens
    to the process. `append_dict` adds numbers, strings, tensors and the states of Generators; `choice_func(name)`
    selects Parameters. A missing directory raises FileNotFoundError.

    With `async_save` (True, "thread" or "process") the values are copied now and written by a thread or a child
    process. The next save or load waits for it, as does the end of the program, and raises RuntimeError if it failed.

    `format` is "ckpt" or "safetensors"; `crc_check` adds a checksum. With `enc_key` (bytes) a ckpt file is encrypted;
    `enc_mode` is "AES-GCM", "AES-CBC" (keys of 16, 24 or 32 bytes) or "SM4-CBC" (16 bytes). That needs the package
    `cryptography` and excludes a checksum.

    The other arguments belong to runs of several processes; here every Parameter is whole.
    """
    require_bool("save_checkpoint", "integrated_save", integrated_save)
    path = _path(ckpt_file_name, format)
    how = _how(async_save)
    options = _options(format, crc_check, remove_redundancy, enc_key, enc_mode)
    entries = _entries(save_obj)
    if choice_func is not None:
        entries = {name: value for name, value in entries.items() if choice_func(name)}
    entries.update(_appended(append_dict))
    _require_folder(path)
    if how is None:
        background.wait()
        _write(path, entries, **options)
    else:
        taken = {name: _taken(value, how) for name, value in entries.items()}
        background.start(how, path, lambda: _write(path, taken, **options))


@host_only
def async_ckpt_thread_status():
    """Returns whether a save in the background is still under way."""
    return background.is_running()


def _path(name, format):
    """The path of the file; a link is followed."""
    if not isinstance(name, str):
        raise TypeError(f"save_checkpoint: ckpt_file_name is of type {type(name).__name__}; need a str")
    if format not in FORMATS:
        raise ValueError(f"save_checkpoint: format is {format!r}; need one of {', '.join(FORMATS)}")
    path = os.path.realpath(name)
    if os.path.isdir(path):
        raise IsADirectoryError(f"save_checkpoint: {name!r} is a folder; need the name of a file")
    return path if path.endswith("." + format) else os.path.realpath(f"{path}.{format}")


def _require_folder(path):
    folder, name = os.path.split(path)
    if not os.path.isdir(folder):
        raise FileNotFoundError(f"save_checkpoint: there is no folder {folder!r} for the file {name!r}")


def _how(async_save):
    """None for at once, or "thread" or "process"."""
    if not isinstance(async_save, (bool, str)):
        raise TypeError(
            f"save_checkpoint: async_save is of type {type(async_save).__name__}; need a bool or a str"
        )
    if isinstance(async_save, str) and async_save not in ("thread", "process"):
        raise ValueError(f"save_checkpoint: async_save is {async_save!r}; need a bool, 'thread' or 'process'")
    if isinstance(async_save, bool):
        return "thread" if async_save else None
    return async_save


def _options(format, crc_check, remove_redundancy, enc_key, enc_mode):
    """Keywords of `_pieces` for these options."""
    require_bool("save_checkpoint", "crc_check", crc_check)
    if remove_redundancy is not None:
        require_bool("save_checkpoint", "remove_redundancy", remove_redundancy)
    if enc_key is not None:
        encryption.require_key("save_checkpoint", ("enc_key", "enc_mode"), enc_key, enc_mode)
        if format != "ckpt":
            raise ValueError(f"save_checkpoint: enc_key is given and format is {format!r}; need 'ckpt'")
        if crc_check:
            raise ValueError("save_checkpoint: enc_key and crc_check exclude each other; need one of them")
    return {
        "format": format,
        "with_checksum": crc_check,
        "remove_redundancy": remove_redundancy,
        "key": enc_key,
        "mode": enc_mode,
    }


def _entries(save_obj):
    """{name: Tensor or str} of what is to be saved."""
    if isinstance(save_obj, AbstractCell):
        return dict(save_obj.parameters_dict())
    if isinstance(save_obj, dict):
        pairs = [(name, _number(value)) for name, value in save_obj.items()]
    elif isinstance(save_obj, (list, tuple)):
        pairs = [_pair(member) for member in save_obj]
    else:
        raise TypeError(
            f"save_checkpoint: save_obj is of type {type(save_obj).__name__}; need a Cell, a list or a dict"
        )
    return {name: _saved_value(name, value) for name, value in pairs}


def _pair(member):
    if isinstance(member, Parameter):
        return member.name, member
    if isinstance(member, dict) and "name" in member and "data" in member:
        return member["name"], member["data"]
    raise TypeError(
        f"save_checkpoint: an element is of type {type(member).__name__}; need Parameters or "
        "dicts with 'name' and 'data'"
    )


def _saved_value(name, value):
    if isinstance(name, str) and isinstance(value, (Tensor, str)):
        return value
    if isinstance(name, str) and isinstance(value, numpy.ndarray):
        return Tensor(value)
    raise TypeError(
        f"save_checkpoint: the entry {name!r} is of type {type(value).__name__}; need names with Tensors, "
        "and in a dict numbers or texts"
    )


def _appended(append_dict):
    if append_dict is None:
        return {}
    if not isinstance(append_dict, dict):
        raise TypeError(f"save_checkpoint: append_dict is of type {type(append_dict).__name__}; need a dict")
    return {name: _appended_value(name, value) for name, value in append_dict.items()}


def _appended_value(name, value):
    if not isinstance(name, str):
        raise TypeError(f"save_checkpoint: append_dict has the key {name!r}; need keys of type str")
    if isinstance(value, (Tensor, str)):
        return value
    if isinstance(value, Generator):
        return value.get_state()
    if isinstance(_number(value), Tensor):
        return _number(value)
    raise TypeError(
        f"save_checkpoint: append_dict[{name!r}] is of type {type(value).__name__}; "
        "need an int, float, bool, str, Parameter, Tensor or Generator"
    )


def _number(value):
    """A Python number as a Tensor without axes; anything else as it is."""
    for kind, dtype in ((bool, _core.bool_), (int, _core.int64), (float, _core.float32)):
        if isinstance(value, kind):
            return Tensor(value, dtype)
    return value


def _taken(value, how):
    """The value as it is now. A child process has it as it is; but there, nothing may be computed any more, and the
    memory of a device cannot be read."""
    if isinstance(value, str):
        return value
    if how == "process" and value.device != "CPU":
        return value.to("CPU").contiguous()
    return value.copy() if how == "thread" else value.contiguous()


def _write(path, entries, **options):
    try:
        write_atomically(path, _pieces(entries, **options), _READ_ONLY)
    except OSError as error:
        reason = f"save_checkpoint: the file cannot be written: {error.strerror}"
        raise type(error)(error.errno, reason, path) from None


def _pieces(entries, format, with_checksum, remove_redundancy, key, mode):
    if format == "safetensors":
        return safetensors_file.encode(entries.items(), with_checksum, remove_redundancy)
    pieces = ckpt_file.encode(entries.items(), with_checksum)
    return pieces if key is None else encryption.encrypt(pieces, key, mode)
