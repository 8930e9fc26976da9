"""`load` and `nn.GraphCell`: what they take and what they refuse."""

import numpy as np
import pytest
from reference_files import Expectation

import dyad
from dyad import Parameter, Tensor, nn, ops


@pytest.fixture
def graph():
    return dyad.load(Expectation("mlp").path)


def test_params_init_gives_values(graph):
    zeros = {"2.weight": ops.zeros((3, 8)), "2.bias": Parameter(Tensor([1.0, 2.0, 3.0]), name="other")}
    net = nn.GraphCell(graph, {**zeros, "not there": Tensor(1)})
    np.testing.assert_array_equal(net(ops.ones((2, 4))).asnumpy(), [[1, 2, 3], [1, 2, 3]])


def test_params_init_is_copied(graph):
    bias = Tensor([1.0, 2.0, 3.0])
    net = nn.GraphCell(graph, {"2.bias": bias})
    net.trainable_params()[-1].set_data(ops.zeros((3,)))
    assert bias[2] == 3


def test_two_cells_of_one_graph_have_their_own_parameters(graph):
    first, second = nn.GraphCell(graph), nn.GraphCell(graph)
    for parameter in first.get_parameters():
        parameter.set_data(ops.zeros_like(parameter))
    assert second(ops.ones((1, 4))).abs().sum() > 0


@pytest.mark.parametrize("values", [[1], "weight", {"2.bias": 1}, {2: Tensor(1.0)}])
def test_params_init_of_a_wrong_kind(graph, values):
    with pytest.raises(TypeError, match="params_init"):
        nn.GraphCell(graph, values)


@pytest.mark.parametrize("value", [ops.zeros((2,)), ops.zeros((3,), dyad.float16)])
def test_params_init_of_another_type(graph, value):
    with pytest.raises(ValueError, match=r"2\.bias"):
        nn.GraphCell(graph, {"2.bias": value})


def test_graph_of_a_wrong_kind():
    with pytest.raises(TypeError, match="graph is an int"):
        nn.GraphCell(3)


def test_obfuscation_is_refused(graph):
    with pytest.raises(ValueError, match="obfuscation"):
        nn.GraphCell(graph, obf_random_seed=3)


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ((), "0 inputs were given; the graph takes 1"),
        ((ops.ones((2, 4)), ops.ones((2, 4))), "2 inputs"),
        ((ops.ones((2, 4), dyad.float16),), "dtype Float16; the graph takes Float32"),
        ((3,), "input_data is an int"),
    ],
)
def test_inputs_that_do_not_fit(graph, inputs, words):
    with pytest.raises(RuntimeError, match=words):
        nn.GraphCell(graph)(*inputs)


@pytest.mark.parametrize("name", [3, "graph", "graph.ckpt", "nowhere.mindir", "nowhere.dyad"])
def test_names_of_no_graph(name):
    with pytest.raises(ValueError, match="load: "):
        dyad.load(name)


@pytest.mark.parametrize("suffix", [".mindir", ".dyad"])
@pytest.mark.parametrize("content", [b"", b"hello", b"\xff" * 100, b"\x3a\x00", b"dyad graph 1\n"])
def test_files_of_no_graph(tmp_path, suffix, content):
    path = tmp_path / f"graph{suffix}"
    path.write_bytes(content)
    with pytest.raises(RuntimeError, match="is not a graph"):
        dyad.load(str(path))


@pytest.mark.parametrize("file_format", ["MINDIR", "DYAD"])
@pytest.mark.parametrize("mode", ["AES-GCM", "AES-CBC", "SM4-CBC"])
def test_encrypted_files(tmp_path, file_format, mode):
    pytest.importorskip("cryptography")
    net, x, key = nn.Dense(4, 3), ops.ones((2, 4)), b"k" * 16
    path = str(tmp_path / f"net.{file_format.lower()}")
    dyad.export(net, x, file_name=path, file_format=file_format, enc_key=key, enc_mode=mode)
    again = nn.GraphCell(dyad.load(path, dec_key=key, dec_mode=mode))
    np.testing.assert_array_equal(again(x).asnumpy(), net(x).asnumpy())
    with pytest.raises(RuntimeError, match=f"it is encrypted with {mode}; give its dec_key"):
        dyad.load(path)
    with pytest.raises(RuntimeError, match=r"net.* is not a graph"):
        dyad.load(path, dec_key=b"x" * 16, dec_mode=mode)


def test_a_key_for_a_file_that_is_not_encrypted():
    pytest.importorskip("cryptography")
    with pytest.raises(RuntimeError, match="it is not encrypted with AES-GCM"):
        dyad.load(Expectation("mlp").path, dec_key=b"0" * 16)


def test_a_graph_shows_what_it_takes(graph):
    assert "input_data" in repr(graph)
    assert graph.inputs == (("input_data", dyad.float32, (2, 4)),)
