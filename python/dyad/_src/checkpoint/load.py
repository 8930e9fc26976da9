"""Reading checkpoints."""

import io
import os

from dyad._src.base.argument_checks import require_bool
from dyad._src.base.host_only import host_only
from dyad._src.checkpoint import background, ckpt_file, encryption, safetensors_file
from dyad._src.checkpoint.ckpt_file import CorruptFile
from dyad._src.checkpoint.into_net import load_param_into_net
from dyad._src.checkpoint.save import FORMATS
from dyad._src.tensor.parameter import Parameter


@host_only
def load_checkpoint(
    ckpt_file_name,
    net=None,
    strict_load: bool = False,
    filter_prefix=None,
    dec_key=None,
    dec_mode="AES-GCM",
    specify_prefix=None,
    choice_func=None,
    crc_check: bool = False,
    remove_redundancy: bool = False,
    format="ckpt",
):
    """The contents of a checkpoint as {name: Parameter}; strings stay strings. With `net` they are loaded into it
    too.

    `choice_func(name)` selects names. `filter_prefix` excludes names by prefix and `specify_prefix` keeps only names
    with that prefix; with one of the two, `choice_func` is not called. `format` is "ckpt" or "safetensors", which
    also accepts an io.BytesIO. `crc_check` compares the saved checksum; `dec_key` and `dec_mode` are those of the
    encryption. `strict_load` and `remove_redundancy` are those of `load_param_into_net`.

    A file that cannot be read as a checkpoint, of which nothing is selected or for which `choice_func` fails raises
    ValueError.
    """
    require_bool("load_checkpoint", "crc_check", crc_check)
    wanted = _selection(
        _prefixes("filter_prefix", filter_prefix), _prefixes("specify_prefix", specify_prefix), choice_func
    )
    if dec_key is not None:
        _require_key(dec_key, dec_mode, format)
    background.wait()
    contents = _contents("load_checkpoint", ckpt_file_name, format, crc_check, wanted, dec_key, dec_mode)
    if not contents:
        raise ValueError(
            f"load_checkpoint: nothing is left of {ckpt_file_name}; it is empty or all was filtered out"
        )
    for name, value in contents.items():
        if not isinstance(value, str):
            contents[name] = Parameter(value, name=name)
    if net is not None:
        load_param_into_net(net, contents, strict_load, remove_redundancy)
    return contents


@host_only
def load_checkpoint_async(
    ckpt_file_name,
    net=None,
    strict_load=False,
    filter_prefix=None,
    dec_key=None,
    dec_mode="AES-GCM",
    specify_prefix=None,
    choice_func=None,
):
    """`load_checkpoint` in a thread: an object whose `result()` waits for the dict, or raises the error.

    A name that ends in .safetensors is read as such, any other as ckpt.
    """
    from concurrent.futures import ThreadPoolExecutor

    format = "safetensors" if str(ckpt_file_name).endswith(".safetensors") else "ckpt"
    with_names = {
        "net": net,
        "strict_load": strict_load,
        "filter_prefix": filter_prefix,
        "dec_key": dec_key,
        "dec_mode": dec_mode,
        "specify_prefix": specify_prefix,
        "choice_func": choice_func,
        "format": format,
    }
    executor = ThreadPoolExecutor(1, "load_checkpoint")
    future = executor.submit(load_checkpoint, ckpt_file_name, **with_names)
    executor.shutdown(wait=False)
    return future


@host_only
def load_segmented_checkpoints(
    ckpt_file_dir,
    net=None,
    strict_load=False,
    filter_prefix=None,
    dec_key=None,
    dec_mode="AES-GCM",
    specify_prefix=None,
    choice_func=None,
):
    """`load_checkpoint` of all .ckpt files of a directory as if they were one; the last one of equal names counts."""
    if not isinstance(ckpt_file_dir, str):
        raise TypeError(
            f"load_segmented_checkpoints: ckpt_file_dir is of type {type(ckpt_file_dir).__name__}; need a str"
        )
    if not os.path.isdir(ckpt_file_dir):
        raise ValueError(f"load_segmented_checkpoints: there is no folder {ckpt_file_dir!r}")
    names = sorted(name for name in os.listdir(ckpt_file_dir) if name.endswith(".ckpt"))
    if not names:
        raise ValueError(f"load_segmented_checkpoints: there is no .ckpt file in {ckpt_file_dir!r}")
    loaded: dict = {}
    for name in names:
        path = os.path.join(ckpt_file_dir, name)
        loaded |= load_checkpoint(
            path, None, False, filter_prefix, dec_key, dec_mode, specify_prefix, choice_func
        )
    if net is not None:
        load_param_into_net(net, loaded, strict_load)
    return loaded


@host_only
def check_checkpoint(ckpt_file_name):
    """Returns whether a .ckpt file can be read and, if it has a checksum, agrees with it."""
    if not isinstance(ckpt_file_name, str):
        raise TypeError(
            f"check_checkpoint: ckpt_file_name is of type {type(ckpt_file_name).__name__}; need a str"
        )
    if not ckpt_file_name.endswith(".ckpt"):
        return False
    background.wait()
    with open(ckpt_file_name, "rb") as file:
        try:
            ckpt_file.decode(file, ckpt_file.has_checksum(file))
        except CorruptFile:
            return False
    return True


def _selection(without, only, choice_func):
    """A function that returns whether a name is selected."""
    if without or only:
        return lambda name: not name.startswith(without) and (not only or name.startswith(only))
    return None if choice_func is None else lambda name: _chosen(choice_func, name)


def _chosen(choice_func, name):
    try:
        return choice_func(name)
    except Exception as error:
        raise ValueError(f"load_checkpoint: choice_func failed for {name!r}: {error}") from error


def _prefixes(name, given):
    if given is None:
        return ()
    if not isinstance(given, (str, list, tuple)):
        raise TypeError(f"load_checkpoint: {name} is {given!r}; need a str or a list of str")
    prefixes = (given,) if isinstance(given, str) else tuple(given)
    if not all(isinstance(prefix, str) for prefix in prefixes):
        raise TypeError(f"load_checkpoint: {name} is {given!r}; need a str or a list of str")
    if not prefixes or "" in prefixes:
        raise ValueError(f"load_checkpoint: {name} is {given!r}; need prefixes that are not empty")
    return prefixes


def _require_key(key, mode, format):
    encryption.require_key("load_checkpoint", ("dec_key", "dec_mode"), key, mode)
    if format != "ckpt":
        raise ValueError(f"load_checkpoint: dec_key is given and format is {format!r}; need 'ckpt'")


def _contents(owner, path, format, check, wanted, key, mode):
    """{name: Tensor or str}; every fault of the file is a ValueError that names it."""
    with _opened(owner, path, format) as file:
        try:
            if key is not None:
                file = io.BytesIO(encryption.decrypt(file, key, mode))
            elif format == "ckpt" and encryption.encryption_of(file) is not None:
                raise CorruptFile(f"it is encrypted with {encryption.encryption_of(file)}; give its dec_key")
            return (ckpt_file if format == "ckpt" else safetensors_file).decode(file, check, wanted)
        except CorruptFile as error:
            raise ValueError(f"{owner}: {path} is not a readable {format} file: {error}") from None


def _opened(owner, path, format):
    if format not in FORMATS:
        raise ValueError(f"{owner}: format is {format!r}; need one of {', '.join(FORMATS)}")
    if isinstance(path, io.BytesIO) and format == "safetensors":
        return io.BytesIO(path.getbuffer())
    if not isinstance(path, str):
        raise TypeError(f"{owner}: ckpt_file_name is of type {type(path).__name__}; need a str")
    if not path.endswith("." + format):
        raise ValueError(f"{owner}: {path!r} does not end in .{format}; need a name that fits the format")
    if not os.path.isfile(path):
        raise ValueError(f"{owner}: there is no file {path!r}")
    try:
        return open(path, "rb")
    except OSError as error:
        raise ValueError(f"{owner}: {path!r} cannot be opened: {error.strerror}") from None
