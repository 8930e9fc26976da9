"""Weights that are too large for one MINDIR file: they lie beside it, and are found again."""

import importlib.util
import os
import shutil

import numpy as np
import pytest

import dyad
from dyad import nn, ops
from dyad.train import serialization

X = ops.ones((2, 4))


class TwoWeights(nn.Cell):
    def __init__(self):
        super().__init__()
        self.scale = dyad.Parameter(np.arange(4, dtype=np.float32), name="scale")
        self.shift = dyad.Parameter(np.arange(20, 24, dtype=np.float32), name="shift")

    def construct(self, x):
        return x * self.scale + self.shift


@pytest.fixture
def apart(monkeypatch):
    monkeypatch.setattr(serialization, "TOTAL_SAVE", 0)


def exported(folder, **options):
    net = TwoWeights()
    dyad.export(net, X, file_name=str(folder / "net"), file_format="MINDIR", **options)
    return net, str(folder / "net_graph.mindir")


@pytest.mark.parametrize("mode", [dyad.GRAPH_MODE, dyad.PYNATIVE_MODE])
def test_the_graph_finds_its_weights(tmp_path, apart, mode, request):
    net, path = exported(tmp_path)
    assert sorted(os.listdir(tmp_path)) == ["net_graph.mindir", "net_variables"]
    moved = tmp_path / "moved"
    moved.mkdir()
    shutil.move(path, moved)
    shutil.move(tmp_path / "net_variables", moved)
    request.addfinalizer(lambda: dyad.set_context(mode=dyad.PYNATIVE_MODE))
    dyad.set_context(mode=mode)
    loaded = nn.GraphCell(dyad.load(str(moved / "net_graph.mindir")))
    assert np.array_equal(loaded(X).asnumpy(), net(X).asnumpy())


def test_tensors_fill_64_bytes_each(tmp_path, apart):
    net, path = exported(tmp_path)
    data = (tmp_path / "net_variables" / "data_0").read_bytes()
    assert len(data) == 3 * 64
    assert data[:64] == b"\x01" + bytes(63)
    assert data[64:80] == net.scale.asnumpy().tobytes()
    assert data[128:144] == net.shift.asnumpy().tobytes()
    for file in (path, tmp_path / "net_variables" / "data_0"):
        assert os.stat(file).st_mode & 0o777 == 0o400


def test_a_full_file_is_followed_by_another(tmp_path, apart, monkeypatch):
    monkeypatch.setattr(serialization, "PARAMETER_SPLIT_SIZE", 128 / 1024)
    net, path = exported(tmp_path)
    assert sorted(os.listdir(tmp_path / "net_variables")) == ["data_0", "data_1"]
    assert np.array_equal(nn.GraphCell(dyad.load(path))(X).asnumpy(), net(X).asnumpy())


def test_a_weight_that_no_file_takes(tmp_path, apart, monkeypatch):
    monkeypatch.setattr(serialization, "PARAMETER_SPLIT_SIZE", 0)
    with pytest.raises(RuntimeError, match="'scale' has 16 bytes; need at most 0"):
        exported(tmp_path)
    assert os.listdir(tmp_path) == []


def test_weights_that_are_gone(tmp_path, apart):
    _, path = exported(tmp_path)
    shutil.rmtree(tmp_path / "net_variables")
    with pytest.raises(RuntimeError, match=r"net_variables/data_0.*No such file"):
        dyad.load(path)


@pytest.mark.skipif(importlib.util.find_spec("cryptography") is None, reason="needs the package cryptography")
def test_encrypted_weights(tmp_path, apart):
    key = bytes(range(16))
    net, path = exported(tmp_path, enc_key=key)
    assert net.scale.asnumpy().tobytes() not in (tmp_path / "net_variables" / "data_0").read_bytes()
    loaded = nn.GraphCell(dyad.load(path, dec_key=key))
    assert np.array_equal(loaded(X).asnumpy(), net(X).asnumpy())
    with pytest.raises(RuntimeError, match="encrypted"):
        dyad.load(path)


def test_small_weights_stay_inside(tmp_path):
    dyad.export(TwoWeights(), X, file_name=str(tmp_path / "net"), file_format="MINDIR")
    assert os.listdir(tmp_path) == ["net.mindir"]
