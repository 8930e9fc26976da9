"""Encrypted checkpoints: MindSpore's layout, and errors that say what is wrong."""

import os
import sys

import numpy as np
import pytest

import dyad
from dyad import Tensor, load_checkpoint, save_checkpoint
from dyad._src.checkpoint import encryption

KEYS = {
    "AES-GCM": [b"k" * 16, b"k" * 24, b"k" * 32],
    "AES-CBC": [b"k" * 16, b"k" * 24, b"k" * 32],
    "SM4-CBC": [b"k" * 16],
}
CASES = [(mode, key) for mode, keys in KEYS.items() for key in keys]


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def cryptography():
    return pytest.importorskip("cryptography")


def saved(mode, key, **options):
    tensor = Tensor(np.arange(100, dtype=np.float32))
    save_checkpoint({"x": tensor, "note": "text"}, "secret", enc_key=key, enc_mode=mode, **options)
    return tensor


@pytest.mark.parametrize(("mode", "key"), CASES)
def test_round_trip(cryptography, mode, key):
    tensor = saved(mode, key)
    with open("secret.ckpt", "rb") as file:
        assert b"Float32" not in file.read()
    loaded = load_checkpoint("secret.ckpt", dec_key=key, dec_mode=mode)
    assert loaded["note"] == "text" and (loaded["x"].asnumpy() == tensor.asnumpy()).all()


@pytest.mark.parametrize(("mode", "key"), CASES)
def test_several_blocks(cryptography, monkeypatch, mode, key):
    monkeypatch.setattr(encryption, "_BLOCK_BYTES", 64)
    tensor = saved(mode, key)
    assert os.path.getsize("secret.ckpt") > 400 * 1.3
    loaded = load_checkpoint("secret.ckpt", dec_key=key, dec_mode=mode)
    assert (loaded["x"].asnumpy() == tensor.asnumpy()).all()


def test_a_child_process_encrypts(cryptography):
    tensor = saved("AES-GCM", b"k" * 16, async_save="process")
    loaded = load_checkpoint("secret.ckpt", dec_key=b"k" * 16)
    assert (loaded["x"].asnumpy() == tensor.asnumpy()).all()


@pytest.mark.parametrize("mode", ["AES-GCM", "AES-CBC"])
def test_equal_contents_do_not_look_alike(cryptography, mode):
    files = []
    for _ in range(2):
        saved(mode, b"k" * 16)
        with open("secret.ckpt", "rb") as file:
            files.append(file.read())
    assert files[0] != files[1] and len(files[0]) == len(files[1])


@pytest.mark.parametrize(("mode", "key"), CASES)
def test_another_key_or_none(cryptography, mode, key):
    saved(mode, key)
    with pytest.raises(ValueError, match=r"secret\.ckpt is not a readable ckpt file: .*"):
        load_checkpoint("secret.ckpt", dec_key=key[:-1] + b"x", dec_mode=mode)
    with pytest.raises(ValueError, match=f"it is encrypted with {mode}; give its dec_key"):
        load_checkpoint("secret.ckpt")
    other = "AES-CBC" if mode == "AES-GCM" else "AES-GCM"
    with pytest.raises(ValueError, match=f"it is not encrypted with {other}"):
        load_checkpoint("secret.ckpt", dec_key=key, dec_mode=other)
    assert dyad.check_checkpoint("secret.ckpt") is False


def test_a_plain_file_is_not_decrypted(cryptography):
    save_checkpoint({"x": Tensor([1.0])}, "plain")
    with pytest.raises(ValueError, match="it is not encrypted with AES-GCM"):
        load_checkpoint("plain.ckpt", dec_key=b"k" * 16)


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"enc_key": "k" * 16}, TypeError, "enc_key is of type str; need bytes or None"),
        ({"enc_key": b"k"}, ValueError, "enc_key has 1 bytes; AES-GCM needs 16 or 24 or 32"),
        ({"enc_key": b"k" * 32, "enc_mode": "SM4-CBC"}, ValueError, "enc_key has 32 bytes; SM4-CBC needs 16"),
        ({"enc_key": b"k" * 16, "enc_mode": 5}, TypeError, "enc_mode is of type int; need a str"),
        ({"enc_key": b"k" * 16, "enc_mode": "ROT13"}, ValueError, "enc_mode is 'ROT13'; need one of AES-GCM"),
        ({"enc_key": b"k" * 16, "format": "safetensors"}, ValueError, "format is 'safetensors'; need 'ckpt'"),
        ({"enc_key": b"k" * 16, "crc_check": True}, ValueError, "enc_key and crc_check exclude each other"),
    ],
)
def test_misuse_is_named(cryptography, options, error, text):
    with pytest.raises(error, match=text):
        save_checkpoint({"x": Tensor([1.0])}, "x", **options)
    assert os.listdir() == []


def test_the_missing_package_is_named(monkeypatch):
    for module in [name for name in sys.modules if name.startswith("cryptography")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "cryptography", None)
    with pytest.raises(
        ImportError, match=r"save_checkpoint: enc_key needs the package cryptography.*dyad\[crypto\]"
    ):
        save_checkpoint({"x": Tensor([1.0])}, "x", enc_key=b"k" * 16)
    with pytest.raises(ImportError, match="load_checkpoint: dec_key needs the package cryptography"):
        load_checkpoint("x.ckpt", dec_key=b"k" * 16)
