"""Reading checkpoints and putting them into a network."""

import os
import warnings

from dyad._src.abstract_cell import AbstractCell
from dyad._src.checkpoint import ckpt_file, safetensors_file
from dyad._src.checkpoint.save import FORMATS
from dyad._src.host_only import host_only
from dyad._src.parameter import Parameter


@host_only
def load_checkpoint(
    ckpt_file_name,
    net=None,
    strict_load=False,
    filter_prefix=None,
    dec_key=None,
    dec_mode="AES-GCM",
    specify_prefix=None,
    choice_func=None,
    crc_check=False,
    remove_redundancy=False,
    format="ckpt",
):
    """The contents of a checkpoint as {name: Parameter}; strings stay strings. With `net` they are put into it too.

    `filter_prefix` leaves names out by their start, `specify_prefix` keeps only those, `choice_func(name)` selects.
    `format` is "ckpt" or "safetensors"; `crc_check` compares the checksum that was saved with a ckpt file.
    `strict_load` is that of `load_param_into_net`. Encryption (`dec_key`) is refused; `remove_redundancy` is about
    distributed runs.

    A file that cannot be read as a checkpoint, or of which nothing is selected, raises ValueError.
    """
    data = _read(ckpt_file_name, format)
    if dec_key is not None:
        raise ValueError(
            "load_checkpoint: dec_key is given, and encryption is not part of this version; need None"
        )
    try:
        contents = ckpt_file.decode(data, crc_check) if format == "ckpt" else safetensors_file.decode(data)
    except (ckpt_file.CorruptFile, UnicodeDecodeError) as error:
        raise ValueError(
            f"load_checkpoint: {ckpt_file_name} is not a readable {format} file: {error}"
        ) from None
    without, only = _prefixes("filter_prefix", filter_prefix), _prefixes("specify_prefix", specify_prefix)
    loaded = {}
    for name, value in contents.items():
        if (without and name.startswith(without)) or (only and not name.startswith(only)):
            continue
        if choice_func is not None and not choice_func(name):
            continue
        loaded[name] = value if isinstance(value, str) else Parameter(value, name=name)
    if not loaded:
        raise ValueError(
            f"load_checkpoint: nothing is left of {ckpt_file_name}; it is empty or all was filtered out"
        )
    if net is not None:
        load_param_into_net(net, loaded, strict_load)
    return loaded


def _read(path, format):
    if not isinstance(path, str):
        raise TypeError(f"load_checkpoint: ckpt_file_name is of type {type(path).__name__}; need a str")
    if format not in FORMATS:
        raise ValueError(f"load_checkpoint: format is {format!r}; need one of {', '.join(FORMATS)}")
    if not path.endswith("." + format):
        raise ValueError(
            f"load_checkpoint: {path!r} does not end in .{format}; need a name that fits the format"
        )
    if not os.path.isfile(path):
        raise ValueError(f"load_checkpoint: there is no file {path!r}")
    with open(path, "rb") as file:
        return file.read()


def _prefixes(name, given):
    if given is None:
        return ()
    prefixes = (given,) if isinstance(given, str) else tuple(given)
    if not all(isinstance(prefix, str) for prefix in prefixes):
        raise TypeError(f"load_checkpoint: {name} is {given!r}; need a str or a list of str")
    return prefixes


@host_only
def load_param_into_net(net, parameter_dict, strict_load=False, remove_redundancy=False):
    """Copy Parameters by name into a network; returns the names it did not find and those it did not use.

    Shapes must agree. Another dtype of the same kind is converted with a warning unless `strict_load`. If nothing
    else fits, a prefix that all names of the checkpoint share is left off.
    """
    _require_loadable(net, parameter_dict)
    wanted = dict(net.parameters_dict())
    given = {name: value for name, value in parameter_dict.items() if not isinstance(value, str)}
    matches = {name: given[name] for name in wanted if name in given}
    if not strict_load and len(matches) < len(wanted):
        prefix = _shared_prefix(given)
        for name in wanted:
            if prefix and name not in matches and prefix + name in given:
                matches[name] = given[prefix + name]
    for name, source in matches.items():
        _require_fit(name, wanted[name], source, strict_load)
    for name, source in matches.items():
        wanted[name].set_data(source)
    return [name for name in wanted if name not in matches], [
        name for name in parameter_dict if name not in matches
    ]


def _require_loadable(net, parameter_dict):
    if not isinstance(net, AbstractCell):
        raise TypeError(f"load_param_into_net: net is of type {type(net).__name__}; need a Cell")
    if not isinstance(parameter_dict, dict):
        raise TypeError(
            f"load_param_into_net: parameter_dict is of type {type(parameter_dict).__name__}; need a dict"
        )
    for name, value in parameter_dict.items():
        if not isinstance(name, str) or not isinstance(value, (Parameter, str)):
            raise TypeError(
                f"load_param_into_net: the entry {name!r} is of type {type(value).__name__}; need Parameters"
            )


def _shared_prefix(names):
    """What all names begin with, up to a dot."""
    first, last = min(names, default=""), max(names, default="")
    common = 0
    while common < min(len(first), len(last)) and first[common] == last[common]:
        common += 1
    return first[: first.rfind(".", 0, common) + 1]


def _require_fit(name, target, source, strict):
    if target.shape != source.shape:
        raise RuntimeError(
            f"load_param_into_net: {name} has shape {target.shape} in the network and {source.shape} in the "
            "checkpoint; need equal shapes"
        )
    if target.dtype == source.dtype:
        return
    if strict or _kind(target.dtype) is None or _kind(target.dtype) != _kind(source.dtype):
        raise RuntimeError(
            f"load_param_into_net: {name} is {target.dtype} in the network and {source.dtype} in the checkpoint; "
            "need equal dtypes" + ("" if strict else ", or two float or two signed int dtypes")
        )
    warnings.warn(
        f"load_param_into_net: {name} is converted from {source.dtype} to {target.dtype}", stacklevel=3
    )


def _kind(dtype):
    if dtype.is_floating_point:
        return "float"
    return "int" if dtype.name.startswith("int") else None
