"""Notes beside the graph of a `.mindir` file."""

import numpy as np
import pytest

import dyad
from dyad import Tensor, nn
from dyad._src.base.protobuf.wire import bytes_field, number_field


@pytest.fixture
def exported(tmp_path):
    net, x = nn.Dense(2, 3), Tensor(np.ones((2, 2), np.float32))
    dyad.export(net, x, file_name=str(tmp_path / "net"), file_format="MINDIR")
    return tmp_path / "net.mindir", net(x).asnumpy(), x


def test_notes_are_kept_beside_the_graph(exported, tmp_path):
    path, expected, x = exported
    model = dyad.load_mindir(str(path))
    assert model.user_info == {}
    model.user_info["version"] = "first"
    model.user_info["version"] = "überarbeitet"
    dyad.save_mindir(model, str(tmp_path / "folder" / "noted"))
    noted = str(tmp_path / "folder" / "noted.mindir")
    assert dyad.load_mindir(noted).user_info == {"version": "überarbeitet"}
    np.testing.assert_array_equal(nn.GraphCell(dyad.load(noted))(x), expected)


def test_fields_that_nobody_knows_stay(exported, tmp_path):
    path, *_ = exported
    content = path.read_bytes() + number_field(999, 5) + bytes_field(1000, b"\x00later")
    path.write_bytes(content)
    dyad.save_mindir(dyad.load_mindir(str(path)), str(tmp_path / "copy.mindir"))
    assert (tmp_path / "copy.mindir").read_bytes() == content


def test_missing_files_and_wrong_user_info_are_rejected(exported, tmp_path):
    path, *_ = exported
    with pytest.raises(ValueError, match="load_mindir: there is no file"):
        dyad.load_mindir(str(tmp_path / "none.mindir"))
    (tmp_path / "text.mindir").write_bytes(number_field(1, 5))
    with pytest.raises(ValueError, match=r"text\.mindir is no \.mindir file: it has no graph"):
        dyad.load_mindir(str(tmp_path / "text.mindir"))
    model = dyad.load_mindir(str(path))
    before = path.read_bytes()
    model.user_info["version"] = 2
    with pytest.raises(TypeError, match="user_info has a str: an int; need a str and a str"):
        dyad.save_mindir(model, str(path))
    assert path.read_bytes() == before
    with pytest.raises(TypeError, match="save_mindir: model is a str; need what load_mindir returned"):
        dyad.save_mindir("model", str(path))
