import copy
import pickle

import numpy as np
import pytest

from dyad import Parameter, Tensor, nn, ops


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.weight = Parameter(Tensor([1.0, 2.0]), name="hand")
        self.dense = nn.Dense(2, 3)
        self.operator = ops.ReLU()

    def construct(self, x):
        return self.dense(x * self.weight)


def test_attributes_are_the_registered_objects():
    net = Net()
    assert net.weight is net.parameters_dict()["hand"]
    assert net.dense is net.name_cells()["dense"]


def test_replacing_a_child_in_the_registry_is_seen_by_the_attribute():
    net = Net()
    other = nn.Dense(2, 5)
    net._cells["dense"] = other
    assert net.dense is other
    assert net(Tensor(np.ones((1, 2), np.float32))).shape == (1, 5)


def test_assigning_a_tensor_to_a_parameter_sets_its_data():
    net = Net()
    parameter = net.weight
    net.weight = Tensor([3.0, 4.0])
    assert net.weight is parameter
    assert parameter.asnumpy().tolist() == [3.0, 4.0]


def test_assigning_none_unregisters():
    net = Net()
    net.weight = None
    net.dense = None
    assert net.weight is None and net.dense is None
    assert list(net.get_parameters()) == []
    assert list(net.cells()) == []


def test_none_may_become_a_member_later():
    class Late(nn.Cell):
        layer = None

        def __init__(self):
            super().__init__()
            self.bias = None

    net = Late()
    net.bias = Parameter(1.0)
    net.layer = nn.ReLU()
    assert [p.name for p in net.get_parameters()] == ["bias"]
    assert list(net.name_cells()) == ["layer"]


@pytest.mark.parametrize(
    ("name", "value", "error", "text"),
    [
        ("weight", 5, TypeError, "'weight' is a Parameter and cannot take an int"),
        ("dense", 5, TypeError, "'dense' is a Cell and cannot take an int"),
        ("weight", nn.ReLU(), KeyError, "'weight' is a Parameter and cannot become a Cell"),
        ("dense", Parameter(1.0), KeyError, "'dense' is a Cell and cannot become a Parameter"),
        ("phase", nn.ReLU(), KeyError, "'phase' is an attribute of the class"),
        ("cells", nn.ReLU(), KeyError, "'cells' is an attribute of the class"),
        ("cells", Parameter(1.0), KeyError, "'cells' is an attribute of the class"),
    ],
)
def test_another_kind_over_a_member_is_an_error(name, value, error, text):
    with pytest.raises(error, match=text):
        setattr(Net(), name, value)


def test_a_plain_attribute_may_become_a_child():
    net = Net()
    net.extra = 5
    net.extra = nn.ReLU()
    assert "extra" in net.name_cells()


def test_deleting_removes():
    net = Net()
    del net.dense
    assert not hasattr(net, "dense")
    assert list(net.cells()) == []
    with pytest.raises(AttributeError):
        del net.dense


def test_forgetting_super_init_is_named():
    class Forgetful(nn.Cell):
        def __init__(self):
            self.dense = nn.Dense(2, 2)

    with pytest.raises(
        AttributeError, match=r"Forgetful: Cell.__init__ was not called; call super\(\).__init__\(\)"
    ):
        Forgetful()


def test_calling_without_super_init_is_named():
    class Silent(nn.Cell):
        def __init__(self):
            pass

        def construct(self, x):
            return x

    with pytest.raises(AttributeError, match=r"Silent: Cell\.__init__ was not called"):
        Silent()(Tensor(1.0))


def test_a_missing_attribute_names_class_and_attribute():
    with pytest.raises(AttributeError, match="'Net' object has no attribute 'absent'"):
        _ = Net().absent


@pytest.mark.parametrize("name", ["", "a.b", "operator", "construct"])
def test_insert_child_refuses_bad_names(name):
    with pytest.raises(KeyError):
        Net().insert_child_to_cell(name, nn.ReLU())


@pytest.mark.parametrize("name", ["", "a.b", "operator", "construct"])
def test_insert_param_refuses_bad_names(name):
    with pytest.raises(KeyError):
        Net().insert_param_to_cell(name, Parameter(1.0))


def test_insert_refuses_wrong_types():
    with pytest.raises(TypeError, match="insert_child_to_cell: 'q' is of type int; need a Cell"):
        Net().insert_child_to_cell("q", 5)
    with pytest.raises(TypeError, match="insert_param_to_cell: 'q' is of type int; need a Parameter"):
        Net().insert_param_to_cell("q", 5)
    with pytest.raises(TypeError, match="child cell name should be a string; it is 5 of type int"):
        Net().insert_child_to_cell(5, nn.ReLU())
    with pytest.raises(TypeError, match="buffer name should be a string; it is 2 of type int"):
        Net().register_buffer(2, Tensor(1.0))
    with pytest.raises(KeyError, match=r'contain "\."'):
        Net().register_buffer("a.b", Tensor(1.0))


def test_insert_replaces_a_member_of_the_same_kind():
    net = Net()
    net.insert_child_to_cell("dense", nn.ReLU())
    net.insert_param_to_cell("weight", Parameter(3.0))
    assert isinstance(net.dense, nn.ReLU)
    assert float(net.weight.asnumpy()) == 3.0


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda net: pickle.loads(pickle.dumps(net))])
def test_copies_are_independent(duplicate):
    net = Net()
    copied = duplicate(net)
    copied.dense.weight.set_data(Tensor(np.zeros((3, 2), np.float32)))
    copied.weight = Tensor([5.0, 5.0])
    assert copied.dense is copied.name_cells()["dense"]
    assert net.weight.asnumpy().tolist() == [1.0, 2.0]
    assert np.abs(net.dense.weight.asnumpy()).sum() > 0
    assert [p.name for p in copied.get_parameters()] == [p.name for p in net.get_parameters()]
