"""From one format to the other."""

import os
import re

from dyad._src.base.argument_checks import require_int
from dyad._src.base.host_only import host_only
from dyad._src.checkpoint.load import load_checkpoint
from dyad._src.checkpoint.save import save_checkpoint


@host_only
def ckpt_to_safetensors(file_path, save_path=None, name_map=None, file_name_regex=None, processes_num=1):
    """Converts a .ckpt file to .safetensors, or all those in the `rank*` directories of a directory, else in itself.

    The new files are written to the directory `save_path`, which is created, or next to the old ones. `name_map`
    renames Parameters. Of a directory, only files whose names `file_name_regex` matches are converted.
    `processes_num` files are converted at a time. A path without such a file raises ValueError.
    """
    _convert("ckpt_to_safetensors", file_path, save_path, name_map, file_name_regex, processes_num)


@host_only
def safetensors_to_ckpt(file_path, save_path=None, name_map=None, file_name_regex=None, processes_num=1):
    """Write a .safetensors file as .ckpt; with the arguments of `ckpt_to_safetensors`."""
    _convert("safetensors_to_ckpt", file_path, save_path, name_map, file_name_regex, processes_num)


def _convert(owner, file_path, save_path, name_map, file_name_regex, processes_num):
    source, target = owner.split("_to_")
    names = _names(owner, name_map)
    require_int(owner, "processes_num", processes_num, 1)
    if save_path is not None and os.path.splitext(save_path)[1]:
        raise ValueError(f"{owner}: save_path is {save_path!r}; need a folder")
    files = _files(owner, file_path, source, file_name_regex)

    def convert(path, below):
        folder = os.path.dirname(path) if save_path is None else os.path.join(save_path, below)
        os.makedirs(folder, exist_ok=True)
        contents = load_checkpoint(path, format=source)
        stem = os.path.basename(path).removesuffix("." + source)
        renamed = {names.get(name, name): value for name, value in contents.items()}
        save_checkpoint(renamed, os.path.join(folder, f"{stem}.{target}"), format=target)

    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(processes_num, owner) as executor:
        list(executor.map(lambda file: convert(*file), files))


def _names(owner, name_map):
    if name_map is None:
        return {}
    if not isinstance(name_map, dict):
        raise ValueError(f"{owner}: name_map is of type {type(name_map).__name__}; need a dict")
    return name_map


def _files(owner, path, format, pattern):
    """(path, directory below the one that was given) of every file to convert."""
    if os.path.isfile(path):
        if not path.endswith("." + format):
            raise ValueError(f"{owner}: {path!r} does not end in .{format}")
        if pattern is not None and not re.search(pattern, path):
            raise ValueError(f"{owner}: {path!r} does not match {pattern!r}")
        return [(path, "")]
    if not os.path.isdir(path):
        raise ValueError(f"{owner}: {path!r} is neither a file nor a folder")
    ranks = sorted(name for name in os.listdir(path) if name.startswith("rank"))
    folders = [name for name in ranks if os.path.isdir(os.path.join(path, name))] or [""]
    found = [
        (os.path.join(path, below, name), below)
        for below in folders
        for name in sorted(os.listdir(os.path.join(path, below)))
        if name.endswith("." + format) and (pattern is None or re.search(pattern, name))
    ]
    if not found:
        raise ValueError(f"{owner}: no .{format} file in {path!r} is to be converted")
    return found
