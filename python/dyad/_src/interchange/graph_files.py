"""`export` and `load`: networks as graphs in files, and back."""

import functools
import os
import types

from dyad._src.base.abstract_cell import AbstractCell
from dyad._src.base.argument_checks import a_value
from dyad._src.base.atomic_file import write_atomically
from dyad._src.base.host_only import host_only
from dyad._src.base.lazy_import import load as load_module
from dyad._src.base.protobuf.wire import MalformedMessage
from dyad._src.checkpoint import encryption

_MODE = 0o644
_MODE_APART = 0o400  # as checkpoints, whose weights they hold
# Format -> the suffix of its files.
FORMATS = {"MINDIR": ".mindir", "DYAD": ".dyad", "ONNX": ".onnx"}
# Those that `load` reads.
_LOADED = (FORMATS["MINDIR"], FORMATS["DYAD"])
# Keywords that only None may be given for.
_NOT_WRITTEN = ("obf_func", "obf_config", "dataset", "custom_func")
_NOT_READ = ("obf_func",)

# KiB of weights that a MINDIR file holds, and that one data file next to it holds, as a function that returns them.
_LIMITS = [lambda: (1024 * 1024, 1024 * 1024 * 1024)]


def set_size_limits(limits):
    """Sets the function that returns the maximum sizes of files."""
    _LIMITS[:] = [limits]


@host_only
def export(net, *inputs, file_name: str, file_format="MINDIR", **kwargs) -> None:
    """Writes a network as a graph with its weights into a file, which `load` reads.

    `net` is a Cell or a function, jitted or not; it must be one graph at syntax level STRICT. The inputs are those of
    a call: Tensors set dtype and shape, templates (`Tensor(shape=[None, 3], dtype=...)`) have dynamic sizes, and all
    else is a constant of the graph. Parameters must be those of the Cell.

    `file_format` is "MINDIR", which MindSpore reads too, "DYAD", the text of the graph as `dyad.ir` shows it, or
    "ONNX" for other runtimes: `load` does not read it, and its results are a flat list of tensors. The suffix is
    added to `file_name` if it is missing, and directories are created. With `enc_key` (bytes) the file is encrypted
    like a checkpoint; `enc_mode` is "AES-GCM", "AES-CBC" or "SM4-CBC".

    Weights of more than 1 GiB (`train.serialization.TOTAL_SAVE`, in KiB) do not fit into one MINDIR file: the graph
    is then in `<name>_graph.mindir`, and they are in the directory `<name>_variables` next to it.

    Example:
        >>> import os, tempfile, dyad
        >>> from dyad import Tensor, nn
        >>> path = os.path.join(tempfile.mkdtemp(), "net")
        >>> dyad.export(nn.Dense(4, 3), Tensor(shape=[None, 4], dtype=dyad.float32), file_name=path)
        >>> print(nn.GraphCell(dyad.load(path + ".mindir"))(dyad.ops.ones((5, 4))).shape)
        (5, 3)
    """
    if file_format not in FORMATS:
        raise ValueError(f"export: file_format is {file_format!r}; need one of {', '.join(FORMATS)}")
    if not isinstance(file_name, str):
        raise TypeError(f"export: file_name is {a_value(file_name)}; need a str")
    _require_network(net)
    _require_known("export", kwargs, (*_NOT_WRITTEN, "enc_key", "enc_mode"))
    _refuse("export", kwargs, _NOT_WRITTEN)
    key, mode = _secret("export", kwargs, ("enc_key", "enc_mode"))
    suffix = FORMATS[file_format]
    path = os.path.realpath(file_name if file_name.endswith(suffix) else file_name + suffix)
    weights = []
    if file_format == "MINDIR":
        model = load_module("dyad._src.interchange.mindir.export").mindir_model(net, inputs)
        path, weights = _apart(model, path)
        data = model.to_bytes()
    elif file_format == "ONNX":
        data = load_module("dyad._src.interchange.onnx.export").onnx_bytes(net, inputs)
    else:
        data = load_module("dyad._src.interchange.mindir.text_file").text_bytes(net, inputs)
    for file, pieces in [*weights, (path, [data])]:
        os.makedirs(os.path.dirname(file), exist_ok=True)
        pieces = pieces if key is None else encryption.encrypt(pieces, key, mode)
        write_atomically(file, pieces, _MODE_APART if weights else _MODE)


def _apart(model, path):
    """Path of the graph, and the files with weights that are too large to be in it: [(path, pieces)]."""
    stem = path.removesuffix(FORMATS["MINDIR"])
    files = load_module("dyad._src.interchange.mindir.data_files").data_files(
        model.parameters, os.path.basename(stem) + "_variables", *_LIMITS[-1]()
    )
    if not files:
        return path, []
    return f"{stem}_graph{FORMATS['MINDIR']}", [
        (os.path.join(f"{stem}_variables", name), pieces) for name, pieces in files
    ]


def _require_network(net):
    is_function = isinstance(net, (types.FunctionType, types.MethodType)) or hasattr(net, "__jit_compiler__")
    if not isinstance(net, AbstractCell) and not is_function:
        raise TypeError(f"export: net is {a_value(net)}; need a Cell or a function")


def _require_known(owner, kwargs, names):
    unknown = [name for name in kwargs if name not in names]
    if unknown:
        raise TypeError(f"{owner}: unknown keyword {', '.join(unknown)}; need one of {', '.join(names)}")


def _refuse(owner, kwargs, names):
    for name in names:
        if kwargs.get(name) is not None:
            raise ValueError(f"{owner}: {name} is given; obfuscated and extended files are not supported")


def _secret(owner, kwargs, names):
    """The key and the mode of an encrypted file; no key where it is plain."""
    key, mode = kwargs.get(names[0]), kwargs.get(names[1], "AES-GCM")
    if key is not None:
        encryption.require_key(owner, names, key, mode)
    return key, mode


@host_only
def load(file_name: str, **kwargs):
    """Loads the graph in a `.mindir` or `.dyad` file, for `nn.GraphCell` to run.

    A name that is not such a file raises ValueError; a file that is not a graph, or has unknown operators,
    RuntimeError. Nothing of a file is run while it is loaded. `dec_key` and `dec_mode` are those of its encryption.
    """
    if not isinstance(file_name, str):
        raise ValueError(f"load: file_name is {a_value(file_name)}; need a str")
    if not file_name.endswith(_LOADED):
        raise ValueError(f"load: file_name is {file_name!r}; need a name that ends in {' or '.join(_LOADED)}")
    if not os.path.isfile(file_name):
        raise ValueError(f"load: there is no file {file_name!r}")
    _require_known("load", kwargs, (*_NOT_READ, "dec_key", "dec_mode"))
    _refuse("load", kwargs, _NOT_READ)
    key, mode = _secret("load", kwargs, ("dec_key", "dec_mode"))
    try:
        data = _content(file_name, key, mode)
    except MalformedMessage as error:
        raise RuntimeError(f"load: {file_name} is not a graph that can be run here: {error}") from None
    if not file_name.endswith(FORMATS["MINDIR"]):
        return load_module("dyad._src.interchange.mindir.text_file").graph_of(data, file_name)
    return load_module("dyad._src.interchange.mindir.load").graph_of(
        data, file_name, functools.partial(_content, key=key, mode=mode)
    )


def _content(file_name, key, mode):
    """The bytes of a file. MalformedMessage if it is encrypted in another way."""
    with open(file_name, "rb") as file:
        if key is not None:
            return encryption.decrypt(file, key, mode)
        used = encryption.encryption_of(file)
        if used is not None:
            raise MalformedMessage(f"it is encrypted with {used}; give its dec_key")
        file.seek(0)
        return file.read()
