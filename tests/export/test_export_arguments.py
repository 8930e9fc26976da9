"""Arguments that `export` accepts and rejects, and the files it writes."""

import os

import pytest

import dyad
from dyad import Parameter, Tensor, log, nn, ops

X = ops.ones((2, 4))
outside = Parameter(ops.ones((4,)), name="outside")


def uses_a_global(x):
    return x * outside


@pytest.mark.parametrize(("file_format", "suffix"), [("MINDIR", ".mindir"), ("DYAD", ".dyad")])
def test_folders_are_made_and_suffixes_added(tmp_path, file_format, suffix):
    path = tmp_path / "a" / "b" / "net"
    dyad.export(nn.ReLU(), X, file_name=str(path), file_format=file_format)
    dyad.export(nn.ReLU(), X, file_name=str(path) + suffix, file_format=file_format)
    dyad.export(nn.ReLU(), X, file_name=str(path) + ".txt", file_format=file_format)
    assert sorted(os.listdir(path.parent)) == sorted([f"net{suffix}", f"net.txt{suffix}"])


@pytest.mark.parametrize("file_format", ["mindir", "AIR", "", None, 3])
def test_unknown_formats(tmp_path, file_format):
    with pytest.raises(ValueError, match="need one of MINDIR, DYAD"):
        dyad.export(nn.ReLU(), X, file_name=str(tmp_path / "net"), file_format=file_format)


def test_names_of_a_wrong_kind():
    with pytest.raises(TypeError, match="file_name is an int"):
        dyad.export(nn.ReLU(), X, file_name=3, file_format="MINDIR")


def test_networks_of_a_wrong_kind(tmp_path):
    with pytest.raises(TypeError, match="net is an int"):
        dyad.export(3, X, file_name=str(tmp_path / "net"), file_format="MINDIR")


@pytest.mark.parametrize("file_format", ["MINDIR", "DYAD"])
def test_a_global_parameter_is_refused(tmp_path, file_format):
    with pytest.raises(ValueError, match="'outside'"):
        dyad.export(uses_a_global, X, file_name=str(tmp_path / "net"), file_format=file_format)


@pytest.mark.parametrize(
    ("settings", "kind", "text"),
    [
        ({"enc_key": "0" * 16}, TypeError, "export: enc_key is of type str"),
        ({"enc_key": b"0" * 15}, ValueError, "export: enc_key has 15 bytes"),
        ({"enc_key": b"0" * 16, "enc_mode": "ROT-13"}, ValueError, "export: enc_mode is 'ROT-13'"),
        ({"obf_func": len}, ValueError, "export: obf_func is given"),
    ],
)
def test_keys_that_are_none_and_obfuscation_are_refused(tmp_path, settings, kind, text):
    with pytest.raises(kind, match=text):
        dyad.export(nn.ReLU(), X, file_name=str(tmp_path / "net"), file_format="MINDIR", **settings)
    assert not os.listdir(tmp_path)


@pytest.mark.parametrize("file_format", ["MINDIR", "DYAD"])
def test_what_needs_python_is_refused(tmp_path, file_format):
    class Asks(nn.Cell):
        def construct(self, x):
            return x + float(str(x.sum().asnumpy()))

    with pytest.raises(Exception, match=r"asnumpy|known only when"):
        dyad.export(Asks(), X, file_name=str(tmp_path / "net"), file_format=file_format)
    assert not os.listdir(tmp_path)


@pytest.mark.parametrize("file_format", ["MINDIR", "DYAD"])
def test_values_that_no_file_holds_are_refused(tmp_path, file_format):
    class Gives(nn.Cell):
        def construct(self, x):
            return x, {1, 2}

    with pytest.raises(TypeError, match="gives back"):
        dyad.export(Gives(), X, file_name=str(tmp_path / "net"), file_format=file_format)


def test_what_only_dyad_reads_is_said(tmp_path, monkeypatch):
    said = []
    monkeypatch.setattr(log, "warning", lambda text, *given: said.append(text % given))
    dyad.export(nn.GRU(3, 4), ops.ones((5, 2, 3)), file_name=str(tmp_path / "net"), file_format="MINDIR")
    assert "gru_layer" in said[0]
    said.clear()
    dyad.export(nn.Dense(4, 3), X, file_name=str(tmp_path / "net"), file_format="MINDIR")
    assert not said


@pytest.mark.parametrize("file_format", ["MINDIR", "DYAD"])
def test_what_python_does_is_left_out(tmp_path, monkeypatch, file_format):
    class Prints(nn.Cell):
        def construct(self, x):
            print("running")
            return x * 2

    said = []
    monkeypatch.setattr(log, "warning", lambda text, *given: said.append(text % given))
    path = str(tmp_path / f"net.{file_format.lower()}")
    dyad.export(Prints(), X, file_name=path, file_format=file_format)
    assert "print" in said[0]
    assert nn.GraphCell(dyad.load(path))(X).sum() == 16


def test_templates_need_a_rank(tmp_path):
    with pytest.raises(ValueError, match="rank"):
        dyad.export(nn.ReLU(), Tensor(shape=None, dtype=dyad.float32), file_name=str(tmp_path / "net"))


def raises_in_both_branches(x):
    if x.sum() > 0:
        raise ValueError("the sum is positive")
    raise KeyError("negative")


def raises_with_a_value(x):
    raise ValueError(f"x is {x}")


@pytest.mark.parametrize("file_format", ["MINDIR", "DYAD", "ONNX"])
@pytest.mark.parametrize(
    ("net", "x", "text"),
    [
        (nn.Dense(4, 2), ops.ones((2, 5)), r"Dense: input has shape \(2, 5\)"),
        (raises_in_both_branches, ops.ones(2), "the sum is positive"),
        (raises_with_a_value, ops.ones(2), r"x is \[1. 1.\]"),
        (raises_with_a_value, Tensor(shape=[None], dtype=dyad.float32), "export: raises_with_a_value raises"),
    ],
    ids=["operator", "branches", "value", "value_open"],
)
def test_a_call_that_always_raises_writes_nothing(tmp_path, file_format, net, x, text):
    with pytest.raises(ValueError, match=text):
        dyad.export(net, x, file_name=str(tmp_path / "net"), file_format=file_format)
    assert os.listdir(tmp_path) == []


def test_unknown_keywords_are_refused(tmp_path):
    path = str(tmp_path / "net")
    with pytest.raises(TypeError, match="export: unknown keyword nonsense, also; need one of"):
        dyad.export(nn.ReLU(), X, file_name=path, file_format="MINDIR", nonsense=3, also=None)
    assert os.listdir(tmp_path) == []
    dyad.export(nn.ReLU(), X, file_name=path, file_format="MINDIR", dataset=None)
    with pytest.raises(TypeError, match="load: unknown keyword nonsense; need one of"):
        dyad.load(path + ".mindir", nonsense=3)
