from collections import OrderedDict

import numpy as np
import pytest

from dyad import Tensor, nn


def kinds(cells):
    return [cell.cls_name for cell in cells]


def test_sequence_from_cells_list_or_ordered_dict():
    assert kinds(nn.SequentialCell(nn.ReLU(), nn.Tanh())) == ["ReLU", "Tanh"]
    assert kinds(nn.SequentialCell([nn.ReLU(), nn.Tanh()])) == ["ReLU", "Tanh"]
    named = nn.SequentialCell(OrderedDict([("fc", nn.Dense(2, 2)), ("act", nn.ReLU())]))
    assert list(named.name_cells()) == ["fc", "act"]
    assert [p.name for p in named.get_parameters()] == ["fc.weight", "fc.bias"]


def test_sequence_runs_its_members_in_order():
    double = nn.SequentialCell(nn.ReLU(), nn.Dense(1, 1, weight_init=2.0, bias_init=1.0))
    x = Tensor(np.array([[-3.0], [2.0]], np.float32))
    assert double(x).asnumpy().tolist() == [[1.0], [5.0]]
    assert nn.SequentialCell()(x) is x


def test_sequence_indexing():
    net = nn.SequentialCell(nn.Dense(2, 3), nn.ReLU(), nn.Dense(3, 1))
    assert net[-1] is net[2]
    part = net[0:2]
    assert type(part) is nn.SequentialCell and kinds(part) == ["Dense", "ReLU"]
    assert part[0] is net[0]
    assert [p.name for p in net.get_parameters()] == ["0.weight", "0.bias", "2.weight", "2.bias"]
    net[1] = nn.Tanh()
    assert kinds(net) == ["Dense", "Tanh", "Dense"]
    del net[0]
    assert kinds(net) == ["Tanh", "Dense"]
    assert [p.name for p in net.get_parameters()] == ["1.weight", "1.bias"]
    net.append(nn.ReLU())
    assert len(net) == 3 and list(net.name_cells()) == ["0", "1", "2"]


def test_given_names_stay_when_members_go():
    net = nn.SequentialCell(OrderedDict([("fc", nn.Dense(2, 2)), ("r", nn.ReLU()), ("g", nn.Dense(2, 2))]))
    del net[0]
    assert list(net.name_cells()) == ["r", "g"]
    assert list(net[1:].name_cells()) == ["g"]
    net.append(nn.ReLU())
    assert list(net.name_cells()) == ["r", "g", "2"]


@pytest.mark.parametrize(
    ("action", "error", "text"),
    [
        (
            lambda: nn.SequentialCell(nn.ReLU())[5],
            IndexError,
            "SequentialCell: index 5 is out of range for 1 Cells",
        ),
        (lambda: nn.SequentialCell(nn.ReLU())["a"], TypeError, "SequentialCell: index is 'a' of type str"),
        (lambda: nn.SequentialCell(nn.ReLU(), 5), TypeError, "SequentialCell: a member is of type int"),
        (lambda: nn.SequentialCell(5), TypeError, "SequentialCell: a member is of type int"),
        (lambda: nn.SequentialCell().append(5), TypeError, "SequentialCell: a member is of type int"),
        (lambda: nn.CellList([5]), TypeError, "CellList: a member is of type int"),
        (lambda: nn.CellList().extend(5), TypeError, "CellList.extend: got an int"),
        (lambda: nn.CellList([nn.ReLU()])[1], IndexError, "CellList: index 1 is out of range for 1 Cells"),
        (lambda: nn.CellList([nn.ReLU()])[-2], IndexError, "CellList: index -2 is out of range for 1 Cells"),
        (lambda: nn.CellList().insert(1, nn.ReLU()), IndexError, "CellList.insert: index 1 is out of range"),
        (lambda: nn.CellList([nn.ReLU()])(1), TypeError, "CellList: a list of Cells cannot be called"),
        (lambda: nn.CellDict({"a": 5}), TypeError, "CellDict: 'a' is of type int"),
        (lambda: nn.CellDict({"a": None}), TypeError, "CellDict: 'a' is of type NoneType"),
        (lambda: nn.CellDict({5: nn.ReLU()}), TypeError, "CellDict: key is 5 of type int"),
        (lambda: nn.CellDict(5), TypeError, "CellDict.update: got an int"),
        (lambda: nn.CellDict()["q"], KeyError, "q"),
        (lambda: nn.CellDict({"a.b": nn.ReLU()}), KeyError, "CellDict: key 'a.b'"),
        (lambda: nn.CellDict({"keys": nn.ReLU()}), KeyError, "CellDict: key 'keys'"),
        (lambda: nn.CellDict({"": nn.ReLU()}), KeyError, "CellDict: key ''"),
        (lambda: nn.CellDict()(1), TypeError, "CellDict: a dictionary of Cells cannot be called"),
    ],
)
def test_misuse_is_named(action, error, text):
    with pytest.raises(error, match=text):
        action()


def test_list_from_a_list_or_from_cells():
    assert kinds(nn.CellList([nn.ReLU(), nn.Tanh()])) == ["ReLU", "Tanh"]
    assert kinds(nn.CellList(nn.ReLU(), nn.Tanh())) == ["ReLU", "Tanh"]
    assert kinds(nn.CellList(nn.ReLU())) == ["ReLU"]
    assert len(nn.CellList()) == 0 and not nn.CellList()


def test_list_members_are_renumbered():
    cells = nn.CellList([nn.Dense(2, 2), nn.ReLU()])
    cells.append(nn.Dense(1, 1))
    cells += [nn.Tanh()]
    cells.insert(0, nn.Dense(1, 2))
    assert kinds(cells) == ["Dense", "Dense", "ReLU", "Dense", "Tanh"]
    assert [p.name for p in cells.get_parameters()] == [
        "0.weight",
        "0.bias",
        "1.weight",
        "1.bias",
        "3.weight",
        "3.bias",
    ]
    del cells[0]
    assert [p.name for p in cells.get_parameters()] == ["0.weight", "0.bias", "2.weight", "2.bias"]
    del cells[0:2]
    assert kinds(cells) == ["Dense", "Tanh"]
    cells[1] = nn.ReLU()
    assert kinds(cells) == ["Dense", "ReLU"]
    assert cells[-1] is cells[1] and kinds(cells[0:1]) == ["Dense"]


def test_a_failed_extend_adds_nothing():
    cells = nn.CellList()
    with pytest.raises(TypeError):
        cells.extend([nn.ReLU(), 5])
    assert len(cells) == 0


def test_dict_behaves_like_one():
    cells = nn.CellDict({"a": nn.ReLU(), "b": nn.Dense(2, 2)})
    assert list(cells) == list(cells.keys()) == ["a", "b"]
    assert len(cells) == 2 and "a" in cells and "z" not in cells
    assert kinds(cells.values()) == ["ReLU", "Dense"]
    assert [key for key, _ in cells.items()] == ["a", "b"]
    assert [p.name for p in cells.get_parameters()] == ["b.weight", "b.bias"]
    cells.update([("c", nn.Tanh())])
    assert cells.pop("a").cls_name == "ReLU"
    del cells["c"]
    assert list(cells) == ["b"]
    cells.clear()
    assert len(cells) == 0
