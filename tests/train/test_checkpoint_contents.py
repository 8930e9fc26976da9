"""Contents of saved and loaded files: large tensors, states, metadata, conversion between formats."""

import io
import json
import os

import numpy as np
import pytest

import dyad
from dyad import Parameter, Tensor, load_checkpoint, load_param_into_net, nn, save_checkpoint
from dyad._src.checkpoint import ckpt_file
from dyad.common.initializer import initializer


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("check", [False, True])
def test_a_large_tensor_is_split_over_entries(monkeypatch, check):
    monkeypatch.setattr(ckpt_file, "_CHUNK_BYTES", 12)
    values = np.arange(10, dtype=np.float32).reshape(2, 5)
    save_checkpoint({"a": Tensor([7.0]), "w": Tensor(values), "z": Tensor([8.0])}, "x", crc_check=check)
    with open("x.ckpt", "rb") as file:
        data = file.read()
    assert data.count(b"\x0a\x01w") == 4 and data.count(b"\x08\x02\x08\x05") == 4
    loaded = load_checkpoint("x.ckpt", crc_check=check)
    assert list(loaded) == ["a", "w", "z"] and (loaded["w"].asnumpy() == values).all()


def test_messages_of_programs_that_read_and_write_files_themselves():
    from dyad.train.checkpoint_pb2 import Checkpoint

    save_checkpoint({"w": Tensor([[1.0], [2.0]])}, "x")
    with open("x.ckpt", "rb") as file:
        read = Checkpoint()
        read.ParseFromString(file.read())
    (entry,) = read.value
    assert entry.tag == "w" and entry.tensor.tensor_type == "Float32" and list(entry.tensor.dims) == [2, 1]
    added = read.value.add()
    added.tag, added.tensor.tensor_type = "n", "Int32"
    added.tensor.dims.extend([2])
    added.tensor.tensor_content = np.array([3, 4], np.int32).tobytes()
    with open("y.ckpt", "wb") as file:
        file.write(read.SerializeToString())
    loaded = load_checkpoint("y.ckpt")
    assert loaded["w"].asnumpy().tolist() == [[1.0], [2.0]] and loaded["n"].asnumpy().tolist() == [3, 4]


def test_numbers_of_a_dict():
    save_checkpoint({"w": Tensor([1.0]), "epoch": 3, "rate": 0.5, "done": True, "kind": "mlp"}, "x")
    loaded = load_checkpoint("x.ckpt")
    assert loaded["kind"] == "mlp" and [loaded[name].item() for name in ("epoch", "rate", "done")] == [
        3,
        0.5,
        True,
    ]


def test_choice_func_is_asked_once_for_each_name(monkeypatch):
    monkeypatch.setattr(ckpt_file, "_CHUNK_BYTES", 4)
    save_checkpoint({"a": Tensor([1.0, 2.0]), "b": Tensor([3.0, 4.0])}, "x")
    asked = []
    load_checkpoint("x.ckpt", choice_func=lambda name: asked.append(name) or name == "b")
    assert asked == ["a", "b"]


def test_a_choice_func_that_fails():
    save_checkpoint({"a": Tensor([1.0])}, "x")
    with pytest.raises(ValueError, match=r"choice_func failed for 'a': .*startswith") as caught:
        load_checkpoint("x.ckpt", choice_func=lambda name: name.startswith(5))
    assert isinstance(caught.value.__cause__, TypeError)


def test_prefixes_count_instead_of_choice_func():
    save_checkpoint({"a": Tensor([1.0]), "b": Tensor([3.0])}, "x")
    assert list(load_checkpoint("x.ckpt", specify_prefix="a", choice_func=lambda name: name == "b")) == ["a"]


@pytest.mark.parametrize("format", ["ckpt", "safetensors"])
def test_arrays_and_generators(format):
    generator = dyad.Generator().manual_seed(5)
    save_checkpoint({"a": np.arange(3)}, "x", append_dict={"random": generator}, format=format)
    loaded = load_checkpoint(f"x.{format}", format=format)
    assert loaded["a"].dtype == dyad.int64 and loaded["a"].asnumpy().tolist() == [0, 1, 2]
    generator.manual_seed(6)
    generator.set_state(loaded["random"])
    assert generator.initial_seed() == 5


@pytest.mark.parametrize("way", [False, "thread", "process"])
def test_values_that_are_still_to_be_drawn(way):
    lazy = initializer("ones", (2, 2), dyad.float32)
    save_checkpoint([{"name": "w", "data": lazy}], "x", async_save=way)
    assert load_checkpoint("x.ckpt")["w"].asnumpy().tolist() == [[1, 1], [1, 1]]


class WithBuffer(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(2, 2)
        self.register_buffer("steps", Tensor([0.0]))


@pytest.mark.parametrize("format", ["ckpt", "safetensors"])
def test_a_state_dict_goes_through_a_file(format):
    source, target = WithBuffer(), WithBuffer()
    source.steps.copy_(Tensor([5.0]))
    save_checkpoint(source.state_dict(), "x", format=format)
    loaded = load_checkpoint(f"x.{format}", format=format)
    assert set(loaded) == {"dense.weight", "dense.bias", "steps"}
    target.load_state_dict(loaded)
    assert float(target.steps) == 5.0
    assert (target.dense.weight.asnumpy() == source.dense.weight.asnumpy()).all()
    save_checkpoint(source, "x", format=format)
    assert set(load_checkpoint(f"x.{format}", format=format)) == {"dense.weight", "dense.bias"}


def test_safetensors_from_memory_and_their_metadata():
    save_checkpoint({"w": Tensor([1.0]), "note": "hé"}, "x", format="safetensors", remove_redundancy=False)
    with open("x.safetensors", "rb") as file:
        data = file.read()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    assert header["__metadata__"] == {"format": "ms", "remove_redundancy": "False", "text:note": "hé"}
    assert list(load_checkpoint(io.BytesIO(data), format="safetensors")) == ["w", "note"]
    with pytest.raises(TypeError, match="ckpt_file_name is of type BytesIO; need a str"):
        load_checkpoint(io.BytesIO(data))


def test_metadata_of_others_are_not_contents():
    header = {"__metadata__": {"format": "pt"}, "w": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}
    text = json.dumps(header).encode()
    with open("x.safetensors", "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text + b"\0" * 4)
    assert list(load_checkpoint("x.safetensors", format="safetensors")) == ["w"]


def test_checksum_of_safetensors():
    save_checkpoint({"b": Tensor([1.0]), "a": Tensor([2.0])}, "x", format="safetensors", crc_check=True)
    assert len(load_checkpoint("x.safetensors", format="safetensors", crc_check=True)) == 2
    with open("x.safetensors", "rb") as file:
        data = bytearray(file.read())
    data[-1] ^= 1
    with open("y.safetensors", "wb") as file:
        file.write(data)
    with pytest.raises(ValueError, match=r"y\.safetensors is not a readable safetensors file: the checksum"):
        load_checkpoint("y.safetensors", format="safetensors", crc_check=True)
    assert len(load_checkpoint("y.safetensors", format="safetensors")) == 2
    save_checkpoint({"b": Tensor([1.0])}, "z", format="safetensors")
    with pytest.warns(UserWarning, match="the file has no checksum to check"):
        assert len(load_checkpoint("z.safetensors", format="safetensors", crc_check=True)) == 1


@pytest.mark.parametrize(
    ("offsets", "text"),
    [
        ([(0, 4), (8, 12)], "b begins at byte 8 of the tensors; need 4"),
        ([(0, 4), (0, 4)], "b begins at byte 0"),
        ([(0, 4), (4, 8)], "take up 8 bytes, there are 12"),
    ],
)
def test_every_byte_belongs_to_one_tensor(offsets, text):
    header = {
        name: {"dtype": "F32", "shape": [1], "data_offsets": place}
        for name, place in zip("ab", offsets, strict=True)
    }
    encoded = json.dumps(header).encode()
    with open("x.safetensors", "wb") as file:
        file.write(len(encoded).to_bytes(8, "little") + encoded + b"\0" * 12)
    with pytest.raises(ValueError, match=text):
        load_checkpoint("x.safetensors", format="safetensors")


class TestPrefixes:
    def wanted(self):
        return nn.SequentialCell(nn.Dense(1, 1), nn.Dense(1, 1))

    def given(self, *names):
        return {
            name: Parameter(Tensor(np.full((1, 1) if name.endswith("weight") else (1,), number, np.float32)))
            for number, name in enumerate(names, 1)
        }

    def test_load_strips_a_prefix_that_all_names_share(self):
        net = self.wanted()
        given = self.given("net.0.weight", "net.0.bias", "net.other")
        assert load_param_into_net(net, given) == (["1.weight", "1.bias"], list(given))
        assert float(net[0].weight) == 1 and float(net[0].bias) == 2

    def test_load_strips_a_prefix_shorter_than_the_common_one(self):
        net, given = self.wanted(), self.given("net.0.weight", "net.0.bias")
        assert load_param_into_net(net, given)[0] == ["1.weight", "1.bias"]
        assert float(net[0].weight) == 1 and float(net[0].bias) == 2

    def test_load_strips_the_prefix_under_which_all_names_are_found(self):
        names = [
            f"{prefix}{name}"
            for prefix in ("net.", "moments.net.")
            for name in self.wanted().parameters_dict()
        ]
        net, given = self.wanted(), self.given(*names, "learning_rate")
        assert load_param_into_net(net, given) == ([], list(given))
        assert [float(parameter) for parameter in net.get_parameters()] == [1, 2, 3, 4]

    def test_load_strips_no_prefix_if_a_name_would_still_be_missing(self):
        net, given = self.wanted(), self.given("head.0.weight", "tail.1.weight")
        before = float(net[0].weight)
        assert load_param_into_net(net, given) == (list(net.parameters_dict()), list(given))
        assert float(net[0].weight) == before

    def test_a_part_of_a_name_is_not_a_prefix(self):
        net, given = self.wanted(), self.given("10.weight", "10.bias", "11.weight", "11.bias")
        assert len(load_param_into_net(net, given)[0]) == 4

    def test_strict_load_strips_no_prefix(self):
        net = self.wanted()
        given = self.given(*(f"net.{name}" for name in net.parameters_dict()))
        assert len(load_param_into_net(net, given, strict_load=True)[0]) == 4


@pytest.mark.parametrize("redundancy", [False, True])
def test_one_process_has_whole_files(redundancy):
    net = nn.Dense(1, 1)
    save_checkpoint(net, "x", remove_redundancy=redundancy)
    load_checkpoint("x.ckpt", net, remove_redundancy=redundancy)
    with pytest.raises(TypeError, match="strict_load is 1 of type int; need a bool"):
        load_param_into_net(net, {}, strict_load=1)


def test_conversion_of_a_file_and_back():
    source = {"w": Tensor([1.0, 2.0]).astype(dyad.bfloat16), "n": Tensor(3), "note": "hé"}
    save_checkpoint(source, "x")
    dyad.ckpt_to_safetensors("x.ckpt", "new", {"w": "weight"})
    loaded = load_checkpoint("new/x.safetensors", format="safetensors")
    assert list(loaded) == ["weight", "n", "note"] and loaded["weight"].dtype == dyad.bfloat16
    dyad.safetensors_to_ckpt("new/x.safetensors", name_map={"weight": "w"})
    with open("x.ckpt", "rb") as one, open("new/x.ckpt", "rb") as other:
        assert one.read() == other.read()


def test_conversion_of_folders():
    for rank in range(2):
        os.makedirs(f"run/rank_{rank}")
        for name in ("a", "b"):
            save_checkpoint({"x": Tensor([float(rank)])}, f"run/rank_{rank}/{name}")
    dyad.ckpt_to_safetensors("run", "new", file_name_regex="a", processes_num=2)
    assert sorted(os.listdir("new/rank_1")) == ["a.safetensors"]
    assert float(load_checkpoint("new/rank_1/a.safetensors", format="safetensors")["x"]) == 1.0
    dyad.ckpt_to_safetensors("run/rank_0")
    assert sorted(os.listdir("run/rank_0")) == ["a.ckpt", "a.safetensors", "b.ckpt", "b.safetensors"]
    loaded = dyad.load_segmented_checkpoints("run/rank_0", choice_func=lambda name: name == "x")
    assert float(loaded["x"]) == 0.0


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("absent",), "'absent' is neither a file nor a folder"),
        (("x.ckpt", "new.d"), "save_path is 'new.d'; need a folder"),
        (("x.ckpt", None, 5), "name_map is of type int; need a dict"),
        (("x.txt",), "'x.txt' does not end in .ckpt"),
        (("x.ckpt", None, None, "q"), "'x.ckpt' does not match 'q'"),
        ((".", None, None, "q"), "no .ckpt file in '.' is to be converted"),
    ],
)
def test_what_cannot_be_converted(arguments, text):
    save_checkpoint({"x": Tensor([1.0])}, "x")
    with open("x.txt", "w"):
        pass
    with pytest.raises(ValueError, match=text):
        dyad.ckpt_to_safetensors(*arguments)


def test_whether_a_checkpoint_is_valid():
    save_checkpoint({"x": Tensor([1.0, 2.0])}, "x", crc_check=True)
    assert dyad.check_checkpoint("x.ckpt") is True
    with open("x.ckpt", "rb") as file:
        data = bytearray(file.read())
    data[-20] ^= 1
    with open("y.ckpt", "wb") as file:
        file.write(data)
    assert dyad.check_checkpoint("y.ckpt") is False
    assert dyad.check_checkpoint("x.txt") is False
