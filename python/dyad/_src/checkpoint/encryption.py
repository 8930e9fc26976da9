"""Encrypted files: blocks of up to 64 MiB, each encrypted by itself with an initial vector of its own.

    Block { int32 mark; 16 bytes of tag, for AES-GCM; int32 size of Body; Body }
    Body  { int32 16; 16 bytes of initial vector; int32 size of the content; content }

All numbers are little-endian. AES-GCM uses the first 12 bytes of the initial vector, as files of MindSpore have it. The
ciphers are those of the package `cryptography`, which is imported when a key is given.
"""

import os
import struct

from dyad._src.base.lazy_import import load
from dyad._src.checkpoint.ckpt_file import CorruptFile

_BLOCK_BYTES = 64 * 2**20
_VECTOR_BYTES = _TAG_BYTES = 16
_NONCE_BYTES = 12
_INT = struct.Struct("<i")
_MARKS = {"AES-GCM": 0x7F3A5ED8, "AES-CBC": 0x7F3A5ED9, "SM4-CBC": 0x7F3A5EDA}
_MODES = {mark: mode for mode, mark in _MARKS.items()}
_AES_KEYS, _SM4_KEYS = (16, 24, 32), (16,)


def require_key(owner, names, key, mode):
    """Checks that the key and the mode, called `names`, are consistent, and that the package of the ciphers is
    installed.
    """
    key_name, mode_name = names
    if not isinstance(key, bytes):
        raise TypeError(f"{owner}: {key_name} is of type {type(key).__name__}; need bytes or None")
    if not isinstance(mode, str):
        raise TypeError(f"{owner}: {mode_name} is of type {type(mode).__name__}; need a str")
    if mode not in _MARKS:
        raise ValueError(f"{owner}: {mode_name} is {mode!r}; need one of {', '.join(_MARKS)}")
    sizes = _SM4_KEYS if mode.startswith("SM4") else _AES_KEYS
    if len(key) not in sizes:
        accepted = " or ".join(map(str, sizes))
        raise ValueError(f"{owner}: {key_name} has {len(key)} bytes; {mode} needs {accepted}")
    try:
        _ciphers(), _padding(), _invalid_tag()
    except ImportError:
        raise ImportError(
            f"{owner}: {key_name} needs the package cryptography, which is not installed; "
            "pip install 'dyad[crypto]' brings it"
        ) from None


def encrypt(pieces, key, mode):
    """Encrypted blocks of the bytes that the pieces make up."""
    waiting = bytearray()
    for piece in pieces:
        for start in range(0, len(piece), _BLOCK_BYTES):
            waiting += piece[start : start + _BLOCK_BYTES]
            while len(waiting) >= _BLOCK_BYTES:
                yield _encrypted(bytes(waiting[:_BLOCK_BYTES]), key, mode)
                del waiting[:_BLOCK_BYTES]
    if waiting:
        yield _encrypted(bytes(waiting), key, mode)


def _encrypted(plain, key, mode):
    vector = os.urandom(_VECTOR_BYTES)
    cipher = _cipher(key, mode, vector).encryptor()
    if mode.endswith("CBC"):
        padder = _padding().padder()
        plain = padder.update(plain) + padder.finalize()
    content = cipher.update(plain) + cipher.finalize()
    tag = cipher.tag if mode == "AES-GCM" else b""
    body = _INT.pack(_VECTOR_BYTES) + vector + _INT.pack(len(content)) + content
    return _INT.pack(_MARKS[mode]) + tag + _INT.pack(len(body)) + body


def encryption_of(file):
    """The encryption mode in the first bytes of a file, or None."""
    file.seek(0)
    head = file.read(_INT.size)
    return _MODES.get(_INT.unpack(head)[0]) if len(head) == _INT.size else None


def decrypt(file, key, mode):
    """The bytes that were encrypted."""
    if encryption_of(file) != mode:
        raise CorruptFile(f"it is not encrypted with {mode}")
    file.seek(0)
    data, position, plain = memoryview(file.read()), 0, []
    while position < len(data):
        mark, position = _number(data, position)
        if mark != _MARKS[mode]:
            raise CorruptFile(f"no block begins at byte {position - _INT.size}")
        tag, position = _taken(data, position, _TAG_BYTES if mode == "AES-GCM" else 0)
        size, position = _number(data, position)
        body, position = _taken(data, position, size)
        plain.append(_decrypted(body, bytes(tag), key, mode))
    return b"".join(plain)


def _decrypted(body, tag, key, mode):
    size, position = _number(body, 0)
    if size != _VECTOR_BYTES:
        raise CorruptFile(f"an initial vector has {size} bytes; need {_VECTOR_BYTES}")
    vector, position = _taken(body, position, size)
    size, position = _number(body, position)
    content, position = _taken(body, position, size)
    if position != len(body):
        raise CorruptFile("the lengths in a block do not agree")
    cipher = _cipher(key, mode, bytes(vector), tag).decryptor()
    try:
        plain = cipher.update(content) + cipher.finalize()
        if mode.endswith("CBC"):
            padding = _padding().unpadder()
            plain = padding.update(plain) + padding.finalize()
    except (ValueError, _invalid_tag()):
        raise CorruptFile("it was encrypted with another key, or was changed") from None
    return plain


def _number(data, position):
    content, position = _taken(data, position, _INT.size)
    return _INT.unpack(content)[0], position


def _taken(data, position, size):
    if not 0 <= size <= len(data) - position:
        raise CorruptFile(f"a block of {size} bytes is longer than the file")
    return data[position : position + size], position + size


def _cipher(key, mode, vector, tag=None):
    ciphers = _ciphers()
    kind, chaining = mode.split("-")
    algorithm = getattr(ciphers.algorithms, kind)(key)
    if chaining == "GCM":
        return ciphers.Cipher(algorithm, ciphers.modes.GCM(vector[:_NONCE_BYTES], tag))
    return ciphers.Cipher(algorithm, ciphers.modes.CBC(vector))


def _ciphers():
    return load("cryptography.hazmat.primitives.ciphers")


def _padding():
    return load("cryptography.hazmat.primitives.padding").PKCS7(8 * _VECTOR_BYTES)


def _invalid_tag():
    return load("cryptography.exceptions").InvalidTag
