"""Files that MindSpore 2.10 wrote (tests/data/checkpoints/make.py) load here, and ours have the same bytes."""

from pathlib import Path

import numpy as np
import pytest

import dyad
from dyad import Parameter, Tensor, load_checkpoint, nn, save_checkpoint

FILES = Path(__file__).parents[1] / "data" / "checkpoints"
KEY = b"0123456789abcdef"


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(2, 3)
        self.bn = nn.BatchNorm1d(3)
        self.half = Parameter(Tensor(np.arange(4).reshape(2, 2), dyad.float16), name="half")
        self.brain = Parameter(Tensor(np.arange(4), dyad.bfloat16), name="brain")
        self.whole = Parameter(Tensor(np.array([1, -2, 3], np.int32)), name="whole")
        self.single = Parameter(Tensor(2.5, dyad.float64), name="single")
        self.flags = Parameter(Tensor(np.array([True, False])), name="flags")


@pytest.fixture
def net():
    net = Net()
    net.fc.weight.set_data(Tensor(np.arange(6).reshape(3, 2) / 4, dyad.float32))
    net.fc.bias.set_data(Tensor(np.arange(3), dyad.float32))
    return net


NUMBERS = {"epoch": 3, "rate": 0.5, "done": True}


def described(contents):
    return {
        name: value if isinstance(value, str) else (str(value.dtype), value.shape, value.asnumpy().tolist())
        for name, value in contents.items()
    }


def expected(net):
    scalars = {"epoch": ("Int64", (), 3), "rate": ("Float32", (), 0.5), "done": ("Bool", (), True)}
    return described(net.parameters_dict()) | scalars


@pytest.mark.parametrize(
    ("name", "check"), [("plain.ckpt", False), ("checksum.ckpt", False), ("checksum.ckpt", True)]
)
def test_ckpt_files_of_mindspore_are_read(net, name, check):
    loaded = load_checkpoint(str(FILES / name), crc_check=check)
    assert described(loaded) == expected(net) | {"note": "hé"}
    assert dyad.check_checkpoint(str(FILES / name))


def test_safetensors_files_of_mindspore_are_read(net):
    assert described(load_checkpoint(str(FILES / "plain.safetensors"), format="safetensors")) == expected(net)


@pytest.mark.parametrize("mode", ["AES-GCM", "AES-CBC", "SM4-CBC"])
def test_encrypted_files_of_mindspore_are_read(net, mode):
    pytest.importorskip("cryptography")
    loaded = load_checkpoint(str(FILES / f"{mode}.ckpt"), dec_key=KEY, dec_mode=mode)
    assert described(loaded) == described(net.parameters_dict())


@pytest.mark.parametrize(("name", "check"), [("plain.ckpt", False), ("checksum.ckpt", True)])
def test_the_same_bytes_are_written(net, tmp_path, name, check):
    path = tmp_path / name
    save_checkpoint(net, str(path), append_dict={**NUMBERS, "note": "hé"}, crc_check=check)
    assert path.read_bytes() == (FILES / name).read_bytes()


def test_the_network_takes_them(net):
    target = Net()
    missing, unused = dyad.load_param_into_net(target, load_checkpoint(str(FILES / "plain.ckpt")))
    assert missing == [] and set(unused) == {*NUMBERS, "note"}
    assert described(target.parameters_dict()) == described(net.parameters_dict())
