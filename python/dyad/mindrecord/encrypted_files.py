"""Record files that are encrypted: which key they are written with and read by.

    File { Part...; int32 0; the name of the mode; "ENCRYPT" }    Part { int32 size, big-endian; encrypted block }

The blocks are those of checkpoints.
"""

import io
import os
import shutil
import struct
import tempfile
import weakref
from dataclasses import dataclass

from dyad._src.base.host_only import host_only
from dyad._src.checkpoint.ckpt_file import CorruptFile
from dyad._src.checkpoint.encryption import decrypt, encrypt, require_key
from dyad.mindrecord.common.exceptions import MRMOpenError

__all__ = ["set_dec_mode", "set_enc_key", "set_enc_mode"]

_MODES = ("AES-GCM",)
_END = b"ENCRYPT"
_SIZE = struct.Struct(">I")
_PART_BYTES = 64 * 2**20


@dataclass
class _Encryption:
    """The key and the modes that the program has set."""

    key: bytes | None = None
    written: str = "AES-GCM"
    read: str | None = None


_chosen = _Encryption()


@host_only
def set_enc_key(enc_key: str | None) -> None:
    """The key, a str of 16, 24 or 32 characters, that files are encrypted with from now on; None encrypts none.

    Files that were encrypted are read with it too.
    """
    if enc_key is None:
        _chosen.key = None
        return
    if not isinstance(enc_key, str):
        raise ValueError(f"set_enc_key: enc_key is of type {type(enc_key).__name__}; need a str or None")
    if len(enc_key.encode()) not in (16, 24, 32):
        raise ValueError(f"set_enc_key: enc_key has {len(enc_key.encode())} bytes; need 16, 24 or 32")
    require_key("set_enc_key", ("enc_key", "enc_mode"), enc_key.encode(), _chosen.written)
    _chosen.key = enc_key.encode()


@host_only
def set_enc_mode(enc_mode="AES-GCM") -> None:
    """Sets the encryption mode of files: "AES-GCM"."""
    _chosen.written = _require_mode("set_enc_mode", "enc_mode", enc_mode)


@host_only
def set_dec_mode(dec_mode="AES-GCM") -> None:
    """Sets the decryption mode of files: "AES-GCM", or None for the encryption mode."""
    _chosen.read = None if dec_mode is None else _require_mode("set_dec_mode", "dec_mode", dec_mode)


def _require_mode(owner, name, mode):
    if mode not in _MODES:
        raise ValueError(f"{owner}: {name} is {mode!r}; need {' or '.join(map(repr, _MODES))}")
    return mode


def encrypt_file(path) -> None:
    """Encrypts a complete file in place, if the program has set a key."""
    if _chosen.key is None:
        return
    made = f"{path}.encrypted"
    with open(path, "rb") as source, open(made, "wb") as target:
        while content := source.read(_PART_BYTES):
            for block in encrypt([content], _chosen.key, _chosen.written):
                target.write(_SIZE.pack(len(block)) + block)
        target.write(_SIZE.pack(0) + _chosen.written.encode() + _END)
    os.chmod(made, os.stat(path).st_mode)
    os.replace(made, path)


def is_encrypted(path) -> bool:
    """Returns whether a file ends with the mark of encrypted files."""
    with open(path, "rb") as file:
        file.seek(0, os.SEEK_END)
        file.seek(max(file.tell() - len(_END), 0))
        return file.read() == _END


class _Folder:
    """A directory that is removed with the object."""

    def __init__(self):
        self.name = tempfile.mkdtemp(prefix="dyad-records-")
        weakref.finalize(self, shutil.rmtree, self.name, ignore_errors=True)


def decrypted_folder(owner, *paths):
    """A directory with the decrypted files, which is removed with the object."""
    if _chosen.key is None:
        raise MRMOpenError(
            f"{owner}: the file {paths[0]} is encrypted; need its key, by mindrecord.set_enc_key"
        )
    folder = _Folder()
    mode = _chosen.read or _chosen.written
    for path in paths:
        made = os.path.join(folder.name, os.path.basename(path))
        with open(path, "rb") as source, open(made, "wb") as target:
            while size := _SIZE.unpack(source.read(_SIZE.size).ljust(_SIZE.size, b"\0"))[0]:
                try:
                    target.write(decrypt(io.BytesIO(source.read(size)), _chosen.key, mode))
                except CorruptFile as error:
                    raise MRMOpenError(f"{owner}: the file {path} cannot be decrypted: {error}") from None
    return folder
