"""Checkpoints of runs of many devices: slices put together and cut otherwise, in one process."""

import json
import math
import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dyad
from dyad import Parameter, Tensor, load_checkpoint, nn, save_checkpoint
from dyad._src.checkpoint.layouts import Dims, ParallelLayouts
from dyad._src.checkpoint.sharded import cut, joined, ranks_needed, recut
from dyad.train._utils import get_parameter_redundancy, remove_param_redundancy
from dyad.train.node_strategy_pb2 import ParallelStrategyMap


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def layout(devices, tensor_map, shards=0):
    lists = tensor_map if isinstance(tensor_map[0], list) else [tensor_map]
    return ParallelLayouts(
        [Dims(devices)], [Dims(each) for each in lists], [Dims([])], [], 0, 1 if shards else 0, shards
    )


def as_json(layouts):
    return {
        name: {
            "dev_matrix": each.devices,
            "tensor_map": each.tensor_map[0].dim,
            "field": each.field,
            "opt_weight_shard_step": each.opt_weight_shard_step,
            "opt_weight_shard_size": each.opt_weight_shard_size,
        }
        for name, each in layouts.items()
    }


def field(number, content):
    assert len(content) < 128
    return bytes([number << 3 | 2, len(content)]) + content


def varint(number):
    number %= 2**64
    out = b""
    while number > 0x7F:
        out += bytes([number & 0x7F | 0x80])
        number >>= 7
    return out + bytes([number])


def dims(numbers):
    return b"".join(b"\x08" + varint(number) for number in numbers)


def as_messages(layouts):
    items = b""
    for name, each in layouts.items():
        message = field(1, dims(each.devices)) + field(2, dims(each.tensor_map[0].dim)) + field(3, b"")
        numbers = (each.field, each.opt_weight_shard_step, each.opt_weight_shard_size)
        message += b"".join(bytes([5 + i << 3]) + varint(number) for i, number in enumerate(numbers))
        items += field(3, field(1, name.encode()) + field(2, message))
    return b"\x08\x00" + items


def write_strategy(path, layouts):
    with open(path, "wb") as file:
        if path.endswith(".json"):
            file.write(json.dumps({"parallel_layout_item": as_json(layouts)}).encode())
        else:
            file.write(as_messages(layouts))


# What MindSpore 2.10 gives devices of a 2 x 4 matrix of the rows and columns of a 16 x 8 tensor.
PLACES = [
    (layout([2, 4], [1, 0]), 6, slice(8, 16), slice(4, 6)),
    (layout([2, 4], [0, -1]), 6, slice(8, 12), slice(0, 8)),
    (layout([2, 4], [-1, 1]), 6, slice(0, 16), slice(4, 8)),
    (layout([2, 4], [0, -1], 2), 6, slice(10, 12), slice(0, 8)),
    (layout([2, 4], [-1, 0], 2), 6, slice(8, 16), slice(4, 6)),
    (layout([2, 4], [-1, -1], 8), 6, slice(12, 14), slice(0, 8)),
    (layout([2, 4], [-1, -1], -1), 6, slice(12, 14), slice(0, 8)),
    (layout([2, 4], [[1, 0], [-1]]), 6, slice(12, 14), slice(0, 8)),
]


@pytest.mark.parametrize(("split", "rank", "rows", "columns"), PLACES)
def test_what_a_device_holds(split, rank, rows, columns):
    whole = np.arange(128, dtype=np.float32).reshape(16, 8)
    part = cut("w", Tensor(whole), split, rank)
    assert part.asnumpy().tolist() == whole[rows, columns].tolist()


@st.composite
def layouts(draw):
    devices = draw(st.lists(st.sampled_from([1, 2, 3]), min_size=1, max_size=3))
    axes = draw(st.permutations(range(len(devices))))
    tensor_map = [draw(st.sampled_from([-1, axis])) for axis in axes[:2]] + [-1] * (2 - len(axes[:2]))
    return layout(devices, tensor_map, draw(st.sampled_from([0, 0, -1])))


@settings(max_examples=60, deadline=None)
@given(layouts(), layouts(), st.sampled_from([dyad.float32, dyad.bfloat16, dyad.int8]))
def test_slices_of_any_layout_make_those_of_any_other(source, target, dtype):
    tensor = Tensor(np.arange(54 * 27).reshape(54, 27) % 100).astype(dtype)
    tensor = Tensor(np.tile(tensor.astype(dyad.float32).asnumpy(), (4, 8))).astype(dtype)
    count = math.prod(source.devices)
    slices = {rank: cut("w", tensor, source, rank) for rank in range(count)}
    assert (joined("w", slices, source).asnumpy() == tensor.asnumpy()).all()
    for rank in range(math.prod(target.devices)):
        needed = {each: slices[each] for each in ranks_needed(source, target, rank)}
        expected = cut("w", tensor, target, rank)
        assert (recut("w", needed, source, target, rank).asnumpy() == expected.asnumpy()).all()


def sliced(values, name="w"):
    return [Parameter(Tensor(np.array(value, np.float32)), name=name) for value in values]


def test_merging_in_the_order_of_ranks():
    merged = dyad.merge_sliced_parameter(sliced([[1, 2], [3], [4, 5]]))
    assert type(merged) is Parameter and merged.name == "w"
    assert merged.asnumpy().tolist() == [1, 2, 3, 4, 5]


def test_merging_by_a_strategy():
    parts = sliced([[[1], [5]], [[2], [6]], [[3], [7]], [[4], [8]]])
    merged = dyad.merge_sliced_parameter(parts, {"w": layout([4], [-1, 0])})
    assert merged.asnumpy().tolist() == [[1, 2, 3, 4], [5, 6, 7, 8]]


@pytest.mark.parametrize(
    ("action", "error", "text"),
    [
        (lambda: dyad.merge_sliced_parameter(5), TypeError, "sliced_parameters is of type int; need a list"),
        (lambda: dyad.merge_sliced_parameter([]), ValueError, "is empty"),
        (lambda: dyad.merge_sliced_parameter([5]), TypeError, "a slice is of type int"),
        (
            lambda: dyad.merge_sliced_parameter(sliced([[1], [2]])[:1] + sliced([[1]], "v")),
            ValueError,
            "does not go with",
        ),
        (lambda: dyad.merge_sliced_parameter(sliced([[1]]), 5), TypeError, "strategy is of type int"),
        (lambda: dyad.merge_sliced_parameter(sliced([[1]]), {"v": 1}), KeyError, "no layout for 'w'"),
        (
            lambda: dyad.merge_sliced_parameter(sliced([[1]]), {"w": layout([2], [0])}),
            ValueError,
            "w is split into 2 slices, and 1 of them are there",
        ),
        (lambda: dyad.merge_sliced_parameter(sliced([1, 2])), ValueError, "w is a scalar"),
        (lambda: dyad.build_searched_strategy(5), TypeError, "strategy_filename is of type int"),
        (lambda: dyad.build_searched_strategy("absent"), ValueError, "'absent'; there is no such file"),
        (lambda: dyad.restore_group_info_list("absent"), ValueError, "'absent'; there is no such file"),
        (lambda: dyad.rank_list_for_transform("0"), TypeError, "rank_id is '0'"),
        (lambda: dyad.transform_checkpoints("absent", "x", "y"), NotADirectoryError, "no folder 'absent'"),
        (lambda: dyad.load_distributed_checkpoint(5), TypeError, "network is of type int; need a Cell"),
        (
            lambda: dyad.load_distributed_checkpoint(nn.Dense(1, 1), predict_strategy={"w": [[2], [0]]}),
            ValueError,
            "predict_strategy is for several devices",
        ),
    ],
)
def test_misuse_is_named(folder, action, error, text):
    with pytest.raises(error, match=text):
        action()


SPLIT = {"weight": layout([2, 2], [1, 0]), "bias": layout([2, 2], [0], 2)}


@pytest.mark.parametrize("name", ["strategy.json", "strategy.ckpt"])
def test_strategy_files(folder, name):
    write_strategy(name, SPLIT)
    read = dyad.build_searched_strategy(name)
    assert {
        key: (each.devices, each.tensor_map[0].dim, each.opt_weight_shard_size) for key, each in read.items()
    } == {
        "weight": ([2, 2], [1, 0], 0),
        "bias": ([2, 2], [0], 2),
    }


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("bad.json", b"{"),
        ("bad.json", b'{"parallel_layout_item": {"w": 5}}'),
        ("bad.json", b'{"parallel_layout_item": {"w": {"dev_matrix": [0]}}}'),
        ("bad.json", b'{"parallel_layout_item": {"w": {"dev_matrix": [2], "tensor_map": [5]}}}'),
        ("bad.ckpt", b"\x1a\xff"),
        ("bad.ckpt", b"\x1a\x00"),
        ("bad.ckpt", b"\x1a\x05" + b"\x0a\x01w\x10\x05"),
    ],
)
def test_a_file_that_is_not_a_strategy_is_rejected(folder, name, content):
    with open(name, "wb") as file:
        file.write(content)
    with pytest.raises(ValueError, match=rf"build_searched_strategy: {name} is not a strategy file"):
        dyad.build_searched_strategy(name)


@pytest.fixture
def run(folder):
    """A network, and its weights as four devices saved them."""
    net = nn.Dense(4, 8)
    write_strategy("strategy.ckpt", SPLIT)
    os.makedirs("whole/rank_0")
    save_checkpoint(net, "whole/rank_0/net", append_dict={"rate": 0.5, "note": "text"})
    return net


def weights(net):
    return {name: parameter.asnumpy().tolist() for name, parameter in net.parameters_dict().items()}


def test_there_and_back(run):
    dyad.transform_checkpoints("whole", "sliced", "net", None, "strategy.ckpt")
    shapes = [
        {
            name: value if isinstance(value, str) else value.shape
            for name, value in load_checkpoint(path).items()
        }
        for path in (f"sliced/rank_{rank}/net{rank}.ckpt" for rank in range(4))
    ]
    assert shapes == [{"weight": (4, 2), "bias": (2,), "rate": (), "note": "text"}] * 4
    assert dyad.rank_list_for_transform(0, "strategy.ckpt") == [3, 2, 1, 0]
    dyad.transform_checkpoints("sliced", "back", "net", "strategy.ckpt", None, output_format="safetensors")
    fresh = nn.Dense(4, 8)
    load_checkpoint("back/rank_0/net0.safetensors", fresh, format="safetensors")
    assert weights(fresh) == weights(run)
    files = {rank: f"sliced/rank_{rank}/net{rank}.ckpt" for rank in (3, 2, 1, 0)}
    dyad.transform_checkpoint_by_rank(0, files, "one.ckpt", "strategy.ckpt")
    assert load_checkpoint("one.ckpt")["weight"].asnumpy().tolist() == weights(run)["weight"]
    del files[2]
    with pytest.raises(ValueError, match=r"weight needs the slices of the ranks \[2\]"):
        dyad.transform_checkpoint_by_rank(0, files, "one.ckpt", "strategy.ckpt")


def test_loading_what_many_devices_saved(run):
    dyad.transform_checkpoints("whole", "sliced", "net", None, "strategy.ckpt")
    files = [f"sliced/rank_{rank}/net{rank}.ckpt" for rank in range(4)]
    fresh = nn.Dense(4, 8)
    assert dyad.load_distributed_checkpoint(fresh, files, train_strategy_filename="strategy.ckpt") is True
    assert weights(fresh) == weights(run)
    with pytest.raises(ValueError, match="need the files of 4 devices"):
        dyad.load_distributed_checkpoint(fresh, files[:2], train_strategy_filename="strategy.ckpt")


def test_unified_safetensors(run):
    dyad.transform_checkpoints("whole", "sliced", "net", None, "strategy.ckpt", output_format="safetensors")
    dyad.unified_safetensors(
        "sliced", "strategy.ckpt", "unified", choice_func=lambda name: "w" if name == "weight" else True
    )
    assert sorted(os.listdir("unified")) == [
        "hyper_param.safetensors",
        "param_name_map.json",
        "part0.safetensors",
    ]
    with open("unified/param_name_map.json") as file:
        described = json.load(file)
    assert described == {
        "metadata": {"total_size": 160},
        "weight_map": {"w": "part0.safetensors", "bias": "part0.safetensors"},
    }
    fresh = nn.Dense(4, 8)
    dyad.load_distributed_checkpoint(
        fresh, format="safetensors", unified_safetensors_dir="unified", name_map={"w": "weight"}
    )
    assert weights(fresh) == weights(run)


def test_pipeline_stages(folder):
    write_strategy("stages.ckpt", {"0-first": layout([2], [0]), "1-second": layout([2], [0])})
    for rank, (name, values) in enumerate([("first", [1]), ("first", [2]), ("second", [3]), ("second", [4])]):
        os.makedirs(f"run/rank_{rank}")
        save_checkpoint({name: Tensor(np.array(values, np.float32))}, f"run/rank_{rank}/x")
    assert dyad.rank_list_for_transform(0, "stages.ckpt") == [3, 2, 1, 0]
    dyad.transform_checkpoints("run", "whole", "x", "stages.ckpt")
    loaded = load_checkpoint("whole/rank_0/x0.ckpt")
    assert {name: value.asnumpy().tolist() for name, value in loaded.items()} == {
        "first": [1, 2],
        "second": [3, 4],
    }


def test_groups_and_paths(folder):
    with open("groups.pb", "wb") as file:
        file.write(field(1, field(1, b"world")) + field(2, dims([0, 4, 200])))
    assert dyad.restore_group_info_list("groups.pb") == [0, 4, 200]
    os.makedirs("rank_0")
    save_checkpoint({"x": Tensor([1.0])}, "rank_0/x")
    assert dyad.get_ckpt_path_with_strategy("rank_5/x.ckpt", "strategy.ckpt") == "rank_0/x.ckpt"
    assert dyad.get_ckpt_path_with_strategy("rank_5/y.ckpt", "strategy.ckpt") is None


def test_files_of_prints(folder):
    tensor = b"\x08\x02" + field(2, b"Int32") + field(3, np.array([1, 2], "<i4").tobytes())
    scalar = b"\x08\x00" + field(2, b"Float32") + field(3, np.array(0.5, "<f4").tobytes())
    with open("log.data", "wb") as file:
        file.write(field(1, field(1, b"x:")) + field(1, field(2, tensor)) + field(1, field(2, scalar)))
    text, numbers, number = dyad.parse_print("log.data")
    assert (
        text == "x:" and numbers.asnumpy().tolist() == [1, 2] and number.shape == () and float(number) == 0.5
    )
    with open("log.data", "wb") as file:
        file.write(b"\x0a\xff")
    with pytest.raises(ValueError, match=r"log\.data is not a file of prints"):
        dyad.parse_print("log.data")


def staged(stage, layouts, suffix):
    """The strategy file of one stage of a pipeline."""
    if suffix == ".json":
        strategies = {f"matmul{stage}": {"stage": stage, "parallel_strategy": [[1, 2]]}}
        whole = {"parallel_strategy_item": strategies, "parallel_layout_item": as_json(layouts)}
        return json.dumps(whole).encode()
    strategy = field(2, field(1, f"matmul{stage}".encode()) + field(2, b"\x08" + varint(stage)))
    return as_messages(layouts) + strategy


@pytest.mark.parametrize("suffix", [".ckpt", ".json"])
def test_strategy_files_of_stages_are_put_together(folder, suffix):
    os.mkdir("stages")
    for number, (stage, name) in enumerate([(0, "in.weight"), (1, "out.weight"), (1, "out.weight")]):
        with open(f"stages/strategy{number}{suffix}", "wb") as file:
            file.write(staged(stage, {name: layout([2, 2], [0, -1])}, suffix))
    dyad.parallel.merge_pipeline_strategys("stages", f"made/whole{suffix}")
    merged = dyad.build_searched_strategy(f"made/whole{suffix}")
    assert list(merged) == ["0-in.weight", "1-out.weight"]
    assert merged["1-out.weight"].devices == [2, 2]
    assert dyad.rank_list_for_convert(0, f"made/whole{suffix}") == [5, 4, 1, 0]


def test_what_cannot_be_put_together(folder):
    with pytest.raises(NotADirectoryError, match="src_strategy_dirs is 'nowhere'; need a folder"):
        dyad.merge_pipeline_strategys("nowhere", "whole.ckpt")
    os.mkdir("stages")
    with pytest.raises(ValueError, match=r"has none of \.ckpt and \.json files"):
        dyad.merge_pipeline_strategys("stages", "whole.ckpt")
    with open("stages/a.ckpt", "wb") as file:
        file.write(as_messages({"w": layout([2], [0])}))
    with pytest.raises(ValueError, match=r"a\.ckpt is not a strategy file: it has no strategies"):
        dyad.merge_pipeline_strategys("stages", "whole.ckpt")
    with open("stages/b.json", "w") as file:
        file.write("[1")
    with pytest.raises(ValueError, match=r"has both of \.ckpt and \.json"):
        dyad.merge_pipeline_strategys("stages", "whole.ckpt")
    os.remove("stages/a.ckpt")
    with pytest.raises(ValueError, match=r"b\.json is not a strategy file"):
        dyad.merge_pipeline_strategys("stages", "whole.ckpt")
    assert not os.path.exists("whole.ckpt")


def test_who_holds_the_same_slice(folder):
    layouts = {
        "whole": ([4], [-1, -1], [4, 4], 0, True, ""),
        "rows": ([2, 2], [0, -1], [2, 4], 0, True, ""),
        "both": ([2, 2], [0, 1], [2, 2], 0, True, ""),
    }
    found = get_parameter_redundancy(layouts)
    assert found == {
        "whole": ((0, 1, 2, 3),),
        "rows": ((0, 2), (1, 3)),
        "both": ((0,), (2,), (1,), (3,)),
    }
    assert remove_param_redundancy(found) == {
        0: {"whole", "rows", "both"},
        1: {"rows", "both"},
        2: {"both"},
        3: {"both"},
    }
    with open("strategy.ckpt", "wb") as file:
        file.write(as_messages({"rows": layout([2, 2], [0, -1])}))
    assert get_parameter_redundancy("strategy.ckpt", initial_rank=4) == {"rows": ((4, 6), (5, 7))}
    with pytest.raises(ValueError, match="the layout of 'w' is 3; need a device matrix"):
        get_parameter_redundancy({"w": 3})


def test_a_strategy_file_by_its_messages(folder):
    written = ParallelStrategyMap()
    written.current_stage = 1
    item = written.parallel_layout_item.add()
    item.param_name = "w"
    item.parallel_layouts.dev_matrix.add().dim.extend([2, 2])
    item.parallel_layouts.tensor_map.add().dim.extend([0, -1])
    with open("strategy.ckpt", "wb") as file:
        file.write(written.SerializeToString())
    assert dyad.build_searched_strategy("strategy.ckpt")["w"].devices == [2, 2]
    read = ParallelStrategyMap()
    read.ParseFromString(written.SerializeToString())
    assert read.parallel_layout_item[0].parallel_layouts.tensor_map[0].dim == [0, -1]
    read.parallel_layout_item.add(param_name="v")
    assert [each.param_name for each in read.parallel_layout_item] == ["w", "v"]
