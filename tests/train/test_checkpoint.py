import os
import pathlib
import stat
import struct

import numpy as np
import pytest

import dyad
from dyad import Parameter, Tensor, load_checkpoint, load_param_into_net, nn, save_checkpoint


def network():
    return nn.SequentialCell(nn.Dense(2, 3), nn.BatchNorm1d(3))


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("format", ["ckpt", "safetensors"])
def test_round_trip_of_a_network(format):
    source, target = network(), network()
    save_checkpoint(source, "net", format=format)
    loaded = load_checkpoint(f"net.{format}", format=format)
    assert set(loaded) == set(source.parameters_dict())
    assert all(type(p) is Parameter and p.name == name for name, p in loaded.items())
    assert load_param_into_net(target, loaded) == ([], [])
    for a, b in zip(source.get_parameters(), target.get_parameters(), strict=True):
        assert (a.asnumpy() == b.asnumpy()).all()


@pytest.mark.parametrize("format", ["ckpt", "safetensors"])
@pytest.mark.parametrize(
    "dtype",
    [
        dyad.bool_, dyad.int8, dyad.int16, dyad.int32, dyad.int64, dyad.uint8, dyad.uint16, dyad.uint32, dyad.uint64,
        dyad.float16, dyad.bfloat16, dyad.float32, dyad.float64,
    ],
)  # fmt: skip
@pytest.mark.parametrize("shape", [(), (3,), (2, 0), (2, 3)])
def test_round_trip_of_every_dtype_and_shape(dtype, shape, format):
    tensor = Tensor(np.arange(int(np.prod(shape))).reshape(shape)).astype(dtype)
    save_checkpoint([{"name": "x", "data": tensor}], "x", format=format)
    loaded = load_checkpoint(f"x.{format}", format=format)["x"]
    assert loaded.dtype == dtype and loaded.shape == shape
    assert loaded.asnumpy().tolist() == tensor.asnumpy().tolist()


def test_a_view_is_saved_as_it_reads():
    x = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    save_checkpoint({"x": x.T}, "x")
    assert load_checkpoint("x.ckpt")["x"].asnumpy().tolist() == [[0, 3], [1, 4], [2, 5]]


def test_what_can_be_saved():
    save_checkpoint([Parameter(1.0, name="p")], "a")
    assert list(load_checkpoint("a.ckpt")) == ["p"]
    save_checkpoint({"t": Tensor([1.0]), "p": Parameter(2.0)}, "b")
    assert list(load_checkpoint("b.ckpt")) == ["t", "p"]


@pytest.mark.parametrize("format", ["ckpt", "safetensors"])
def test_appended_values(format):
    extra = {"epoch": 3, "rate": 0.5, "done": True, "note": "hé", "t": Tensor([1.0, 2.0])}
    save_checkpoint(network(), "net", append_dict=extra, format=format)
    loaded = load_checkpoint(f"net.{format}", format=format)
    assert (loaded["epoch"].dtype, loaded["rate"].dtype, loaded["done"].dtype) == (
        dyad.int64,
        dyad.float32,
        dyad.bool_,
    )
    assert (int(loaded["epoch"]), float(loaded["rate"]), bool(loaded["done"])) == (3, 0.5, True)
    assert loaded["note"] == "hé"
    missing, unused = load_param_into_net(network(), loaded)
    assert missing == [] and set(unused) == set(extra)


def test_the_layout_is_protocol_buffers():
    tensor = Tensor(np.array([[1.0, 2.0]], np.float32))
    save_checkpoint({"w": tensor}, "x")
    content = struct.pack("<2f", 1.0, 2.0)
    message = b"\x08\x01\x08\x02" + b"\x12\x07Float32" + b"\x1a\x08" + content
    entry = b"\x0a\x01w" + b"\x12" + bytes([len(message)]) + message
    assert pathlib.Path("x.ckpt").read_bytes() == b"\x0a" + bytes([len(entry)]) + entry


def test_reading_what_others_write():
    def entry(name, body):
        inner = b"\x0a" + bytes([len(name)]) + name + b"\x12" + bytes([len(body)]) + body
        return b"\x0a" + bytes([len(inner)]) + inner

    half = struct.pack("<f", 1.0), struct.pack("<f", 2.0)
    split = [entry(b"w", b"\x08\x02\x12\x07Float32\x1a\x04" + part) for part in half]
    scalar = entry(b"s", b"\x08\x00\x12\x07Float32\x1a\x04" + half[0])
    packed = entry(b"p", b"\x0a\x02\x01\x02\x12\x07Float32\x1a\x08" + half[0] + half[1])
    with open("other.ckpt", "wb") as file:
        file.write(split[0] + split[1] + scalar + packed)
    loaded = load_checkpoint("other.ckpt")
    assert loaded["w"].asnumpy().tolist() == [1.0, 2.0]
    assert loaded["s"].shape == () and float(loaded["s"]) == 1.0
    assert loaded["p"].shape == (1, 2)


def test_a_checkpoint_with_a_changed_byte_is_rejected():
    save_checkpoint(network(), "net", crc_check=True)
    data = bytearray(pathlib.Path("net.ckpt").read_bytes())
    assert data[-17:-10] == b"crc_num"
    assert len(load_checkpoint("net.ckpt", crc_check=True)) == 6
    data[60] ^= 1
    with open("broken.ckpt", "wb") as file:
        file.write(data)
    with pytest.raises(ValueError, match=r"broken\.ckpt is not a readable ckpt file: the checksum"):
        load_checkpoint("broken.ckpt", crc_check=True)
    save_checkpoint(network(), "plain")
    assert len(load_checkpoint("plain.ckpt")) == 6
    with pytest.warns(UserWarning, match="the file has no checksum to check"):
        assert len(load_checkpoint("plain.ckpt", crc_check=True)) == 6


def test_the_file_is_replaced_and_read_only():
    save_checkpoint(network(), "net.ckpt")
    save_checkpoint({"x": Tensor([1.0])}, "net.ckpt")
    assert list(load_checkpoint("net.ckpt")) == ["x"]
    assert stat.S_IMODE(os.stat("net.ckpt").st_mode) == 0o400
    assert os.listdir() == ["net.ckpt"]


def test_selection_by_name():
    save_checkpoint(network(), "net", choice_func=lambda name: name != "0.bias", append_dict={"epoch": 1})
    names = ["0.weight", "1.moving_mean", "1.moving_variance", "1.gamma", "1.beta", "epoch"]
    assert list(load_checkpoint("net.ckpt")) == names
    assert list(load_checkpoint("net.ckpt", filter_prefix="1")) == ["0.weight", "epoch"]
    assert list(load_checkpoint("net.ckpt", filter_prefix=["1", "0.w"])) == ["epoch"]
    assert list(load_checkpoint("net.ckpt", specify_prefix="0")) == ["0.weight"]
    assert list(load_checkpoint("net.ckpt", choice_func=lambda name: "mean" in name)) == ["1.moving_mean"]


def test_loading_straight_into_a_network():
    source, target = network(), network()
    save_checkpoint(source, "net")
    load_checkpoint("net.ckpt", net=target)
    assert (target[0].weight.asnumpy() == source[0].weight.asnumpy()).all()


def test_partial_and_prefixed_contents():
    net = network()
    ones = {"0.weight": Parameter(Tensor(np.ones((3, 2), np.float32)))}
    missing, unused = load_param_into_net(net, {**ones, "extra": Parameter(1.0)})
    assert missing == ["0.bias", "1.moving_mean", "1.moving_variance", "1.gamma", "1.beta"] and unused == [
        "extra"
    ]
    assert (net[0].weight.asnumpy() == 1).all()
    prefixed = {f"net.{p.name}": Parameter(p, name=f"net.{p.name}") for p in network().get_parameters()}
    assert load_param_into_net(net, prefixed) == ([], list(prefixed))
    assert (net[0].weight.asnumpy() == prefixed["net.0.weight"].asnumpy()).all()
    assert len(load_param_into_net(net, prefixed, strict_load=True)[0]) == 6


def test_conversion_within_a_kind_warns():
    half = {"0.weight": Parameter(Tensor(np.ones((3, 2), np.float16)))}
    net = network()
    with pytest.warns(UserWarning, match="0.weight is converted from Float16 to Float32"):
        load_param_into_net(net, half)
    assert net[0].weight.dtype == dyad.float32 and (net[0].weight.asnumpy() == 1).all()


def weight(shape, dtype):
    return {"0.weight": Parameter(Tensor(np.zeros(shape, dtype)))}


@pytest.mark.parametrize(
    ("action", "error", "text"),
    [
        (
            lambda: save_checkpoint(5, "x"),
            TypeError,
            "save_obj is of type int; need a Cell, a list or a dict",
        ),
        (lambda: save_checkpoint(network(), 5), TypeError, "ckpt_file_name is of type int; need a str"),
        (lambda: save_checkpoint(network(), "absent/x"), FileNotFoundError, "absent"),
        (
            lambda: save_checkpoint(network(), "x", format="q"),
            ValueError,
            "format is 'q'; need one of ckpt, safetensors",
        ),
        (lambda: save_checkpoint(network(), "x", append_dict=5), TypeError, "append_dict is of type int"),
        (
            lambda: save_checkpoint(network(), "x", append_dict={"a": [1]}),
            TypeError,
            r"append_dict\['a'\] is of type list",
        ),
        (lambda: save_checkpoint([5], "x"), TypeError, "an element is of type int"),
        (lambda: save_checkpoint({"a": [5]}, "x"), TypeError, "the entry 'a' is of type list"),
        (
            lambda: save_checkpoint(network(), "x", integrated_save=1),
            TypeError,
            "integrated_save is 1 of type int; need a bool",
        ),
        (lambda: save_checkpoint(network(), "x", async_save=1), TypeError, "async_save is of type int"),
        (lambda: save_checkpoint(network(), "x", async_save="later"), ValueError, "async_save is 'later'"),
        (lambda: save_checkpoint(network(), "x", crc_check=1), TypeError, "crc_check is 1 of type int"),
        (lambda: save_checkpoint(network(), "."), IsADirectoryError, "'.' is a folder"),
        (lambda: save_checkpoint(network(), "x", append_dict={1: 1}), TypeError, "append_dict has the key 1"),
        (lambda: load_checkpoint("a.ckpt", filter_prefix=5), TypeError, "filter_prefix is 5"),
        (lambda: load_checkpoint("a.ckpt", specify_prefix=[5]), TypeError, r"specify_prefix is \[5\]"),
        (lambda: load_checkpoint("a.ckpt", filter_prefix=[]), ValueError, r"filter_prefix is \[\]"),
        (lambda: load_checkpoint("a.ckpt", filter_prefix=""), ValueError, "filter_prefix is ''"),
        (lambda: load_checkpoint("absent.ckpt"), ValueError, "there is no file 'absent.ckpt'"),
        (lambda: load_checkpoint("a.txt"), ValueError, "'a.txt' does not end in .ckpt"),
        (lambda: load_checkpoint(5), TypeError, "ckpt_file_name is of type int"),
        (lambda: load_param_into_net(5, {}), TypeError, "net is of type int; need a Cell"),
        (lambda: load_param_into_net(network(), 5), TypeError, "parameter_dict is of type int; need a dict"),
        (
            lambda: load_param_into_net(network(), {"a": Tensor([1.0])}),
            TypeError,
            "the entry 'a' is of type Tensor",
        ),
        (
            lambda: load_param_into_net(network(), weight((5, 5), "f4")),
            RuntimeError,
            r"0.weight has shape \(3, 2\)",
        ),
        (
            lambda: load_param_into_net(network(), weight((3, 2), "i4")),
            RuntimeError,
            "0.weight is Float32 in the network",
        ),
        (
            lambda: load_param_into_net(network(), weight((3, 2), "f2"), True),
            RuntimeError,
            "need equal dtypes",
        ),
    ],
)
def test_misuse_is_named(action, error, text):
    with pytest.raises(error, match=text):
        action()


def test_a_failed_load_changes_nothing():
    net = network()
    before = net[0].bias.asnumpy().copy()
    bad = {"0.bias": Parameter(Tensor(np.zeros(3, np.float32))), **weight((5, 5), "f4")}
    with pytest.raises(RuntimeError):
        load_param_into_net(net, bad)
    assert (net[0].bias.asnumpy() == before).all()


@pytest.mark.parametrize("format", ["ckpt", "safetensors"])
def test_files_that_are_cut_or_garbled_are_value_errors(format):
    save_checkpoint(network(), "net", format=format)
    data = pathlib.Path(f"net.{format}").read_bytes()
    rng = np.random.default_rng(0)
    for trial in range(200):
        broken = bytearray(data[: rng.integers(len(data))] if trial % 2 else data)
        for _ in range(rng.integers(1, 6)):
            if broken:
                broken[rng.integers(len(broken))] = rng.integers(256)
        with open(f"broken.{format}", "wb") as file:
            file.write(broken)
        try:
            loaded = load_checkpoint(f"broken.{format}", format=format)
        except ValueError as error:
            assert "load_checkpoint: " in str(error)
        else:
            assert loaded


def _safetensors(header, body=b""):
    import json

    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + body


_ENTRY = {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}
_CRAFTED = [
    b"[" * 100_000 + b"]" * 100_000,
    [1, 2],
    "text",
    {"w": 3},
    {"w": [1, 2]},
    {"w": {**_ENTRY, "dtype": ["F32"]}},
    {"w": {**_ENTRY, "shape": ["1"]}},
    {"w": {**_ENTRY, "shape": [1.0]}},
    {"w": {**_ENTRY, "shape": [-1]}},
    {"w": {**_ENTRY, "shape": None}},
    {"w": {**_ENTRY, "data_offsets": [0, "4"]}},
    {"w": {**_ENTRY, "data_offsets": [0, 4, 8]}},
    {"w": {**_ENTRY, "data_offsets": [None, 4]}},
    {"__metadata__": 3, "w": _ENTRY},
    {"__metadata__": {"a": 3}, "w": _ENTRY},
]


@pytest.mark.parametrize("header", _CRAFTED, ids=range(len(_CRAFTED)))
def test_a_crafted_header_is_an_error_that_names_the_file(tmp_path, header):
    path = tmp_path / "crafted.safetensors"
    path.write_bytes(_safetensors(header, b"\0" * 4))
    with pytest.raises(
        ValueError, match=r"load_checkpoint: .*crafted\.safetensors is not a readable safetensors file"
    ):
        dyad.load_checkpoint(str(path), format="safetensors")


@pytest.mark.parametrize("format", ["ckpt", "safetensors"])
def test_a_folder_that_is_missing_is_named(tmp_path, format):
    path = tmp_path / "none" / f"net.{format}"
    with pytest.raises(
        FileNotFoundError, match=f"save_checkpoint: there is no folder '.*none' for the file 'net.{format}'"
    ):
        dyad.save_checkpoint(dyad.nn.Dense(2, 2), str(path), format=format)
