"""The entries of a checkpoint as stored in the file, for packages that read and write them one by one."""

from types import SimpleNamespace
from typing import Any

from dyad import _core
from dyad._core import Tensor
from dyad._src.base import lazy_numpy as numpy
from dyad._src.base.atomic_file import write_atomically
from dyad._src.base.lazy_import import load
from dyad._src.checkpoint import ckpt_file, encryption
from dyad._src.tensor.type_marks import string

# Name and value of the type of an entry.
tensor_to_ms_type: dict[str, Any] = {**ckpt_file.TYPES_IN_FILES, "str": string}


class _NumpyTypes(dict):
    """The NumPy types of entries by name: a table, and a function as in newer programs.

    They are created on first use: not every program needs NumPy.
    """

    def __missing__(self, kind):
        if kind not in tensor_to_ms_type:
            raise KeyError(kind)
        self[kind] = "U" if kind == "str" else _numpy_type(tensor_to_ms_type[kind])
        return self[kind]

    def __call__(self, tensor_type_str):
        return self[tensor_type_str]

    def get(self, kind, default=None):
        """The NumPy type of a kind of entry."""
        return self[kind] if kind in tensor_to_ms_type else default


def _numpy_type(dtype):
    if dtype is _core.bfloat16:
        return load("ml_dtypes").bfloat16
    return numpy.asarray(Tensor(0, dtype)).dtype.type


tensor_to_np_type = _NumpyTypes()


def _parse_ckpt_proto(ckpt_file_name, dec_key=None, dec_mode="AES-GCM", crc_check=False):
    """The entries of a file: `.value`, each with `.tag` and `.tensor`, that with dims, tensor_type, tensor_content."""
    with open(ckpt_file_name, "rb") as file:
        opened = file if dec_key is None else encryption.decrypt(file, dec_key, dec_mode)
        found = ckpt_file.raw_entries(opened, bool(crc_check))
        return SimpleNamespace(
            value=[
                SimpleNamespace(
                    tag=name,
                    tensor=SimpleNamespace(dims=list(dims), tensor_type=kind, tensor_content=bytes(content)),
                )
                for name, dims, kind, content in found
            ]
        )


def _exec_save(
    ckpt_file_name, data_list, enc_key=None, enc_mode="AES-GCM", map_param_inc=False, crc_check=False
):
    """Writes {name: [dims, type, NumPy array]} as a checkpoint."""
    entries: dict[str, str | Tensor] = {}
    for name, (dims, kind, data) in data_list.items():
        if kind not in tensor_to_ms_type:
            raise TypeError(
                f"_exec_save: {name} is of type {kind!r}; need one of {', '.join(tensor_to_ms_type)}"
            )
        if kind == "str":
            entries[name] = "".join(data.tolist())
        else:
            entries[name] = Tensor(data).reshape(tuple(dims)).astype(tensor_to_ms_type[kind])
    pieces = ckpt_file.encode(entries.items(), crc_check)
    write_atomically(
        ckpt_file_name, pieces if enc_key is None else encryption.encrypt(pieces, enc_key, enc_mode), 0o400
    )


def _get_merged_param_data(net, *arguments):
    """The data of a Parameter, of which processes would hold parts: one holds all of it.

    Called with (net, name, data, integrated_save), newer programs with a table of layouts before the name.
    """
    if len(arguments) not in (3, 4):
        raise TypeError(f"_get_merged_param_data: {len(arguments) + 1} arguments are given; need 4 or 5")
    return arguments[-2]
