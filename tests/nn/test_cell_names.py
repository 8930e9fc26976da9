import pytest

from dyad import Parameter, Tensor, nn
from dyad.common.api import _cell_graph_executor


class Inner(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([1.0]), name="hand")
        self.v = Parameter(Tensor([1.0]))
        self.norm = nn.BatchNorm2d(3)
        self.sequence = nn.SequentialCell(nn.Dense(1, 1, has_bias=False), nn.ReLU())


class Outer(nn.Cell):
    def __init__(self):
        super().__init__()
        self.inner = Inner()
        self.a = Parameter(Tensor([0.0]))


def names(cell):
    return [(path, parameter.name) for path, parameter in cell.parameters_and_names()]


def test_a_name_given_by_hand_survives_in_the_outermost_cell_only():
    assert names(Inner())[:2] == [("w", "hand"), ("v", "v")]
    assert ("inner.w", "inner.w") in names(Outer())


def test_stand_alone_batch_norm_statistics_have_names_of_their_own():
    assert [p.name for p in nn.BatchNorm2d(3).get_parameters()] == ["mean", "variance", "gamma", "beta"]
    assert [name for _, name in names(Inner())][2:6] == [
        "norm.moving_mean",
        "norm.moving_variance",
        "norm.gamma",
        "norm.beta",
    ]


def test_own_parameters_come_before_those_of_children():
    assert next(iter(Outer().parameters_dict())) == "a"


def test_without_auto_prefix_names_stay():
    class Wrapper(nn.Cell):
        def __init__(self):
            super().__init__(auto_prefix=False)
            self.network = nn.Dense(1, 1)

    assert [name for _, name in names(Wrapper())] == ["weight", "bias"]


def test_a_cell_placed_twice_takes_the_last_path_and_is_listed_once():
    class Shared(nn.Cell):
        def __init__(self):
            super().__init__()
            self.a = nn.Dense(1, 1)
            self.b = self.a

    assert [p.name for p in Shared().get_parameters()] == ["b.weight", "b.bias"]


def test_a_shared_parameter_is_listed_once():
    class Tied(nn.Cell):
        def __init__(self):
            super().__init__()
            self.a = nn.Dense(1, 1)
            self.b = nn.Dense(1, 1)
            self.b.weight = self.a.weight

    assert [name for _, name in names(Tied())] == ["a.weight", "a.bias", "b.bias"]


def test_members_added_after_placing_are_named_by_their_full_path():
    class Late(nn.Cell):
        def __init__(self):
            super().__init__()
            self.layers = nn.CellList()
            self.chain = nn.SequentialCell()
            self.table = nn.CellDict()
            for _ in range(2):
                self.layers.append(nn.Dense(1, 1, has_bias=False))
                self.chain.append(nn.Dense(1, 1, has_bias=False))
            self.table["key"] = nn.Dense(1, 1, has_bias=False)

    expected = ["layers.0.weight", "layers.1.weight", "chain.0.weight", "chain.1.weight", "table.key.weight"]
    assert list(Late().parameters_dict()) == expected

    class Outermost(nn.Cell):
        def __init__(self):
            super().__init__()
            self.net = Late()

    outer = Outermost()
    outer.net.layers.append(nn.Dense(1, 1, has_bias=False))
    assert list(outer.parameters_dict()) == [
        "net.layers.0.weight",
        "net.layers.1.weight",
        "net.layers.2.weight",
        *(f"net.{name}" for name in expected[2:]),
    ]
    assert outer.net.layers.param_prefix == "net.layers"


def test_inserted_children_are_named_by_path():
    class Built(nn.Cell):
        def __init__(self):
            super().__init__()
            for index in range(2):
                self.insert_child_to_cell(f"block{index}", nn.Dense(1, 1, has_bias=False))

    assert list(Built().parameters_dict()) == ["block0.weight", "block1.weight"]


def test_two_parameters_of_one_name_are_an_error():
    class Clash(nn.Cell):
        def __init__(self):
            super().__init__()
            self.a = Parameter(1.0, name="w")
            self.b = Parameter(2.0, name="w")

    with pytest.raises(ValueError, match="Clash: two different Parameters are called 'w'"):
        Clash().parameters_dict()
    with pytest.raises(ValueError, match="two different Parameters are called 'w'"):
        Clash().check_names()


def test_update_parameters_name_prefixes_the_path():
    cell = nn.Dense(1, 1)
    cell.update_parameters_name("net.")
    assert [p.name for p in cell.get_parameters()] == ["net.weight", "net.bias"]
    with pytest.raises(TypeError, match="prefix is 5"):
        cell.update_parameters_name(5)


def test_listing_of_cells_is_in_pre_order():
    net = Outer()
    assert [name for name, _ in net.cells_and_names()] == [
        "",
        "inner",
        "inner.norm",
        "inner.sequence",
        "inner.sequence.0",
        "inner.sequence.1",
    ]
    assert list(net.name_cells()) == ["inner"]


def test_trainable_and_untrainable_split_the_parameters():
    net = Inner()
    assert [p.name for p in net.untrainable_params()] == ["norm.moving_mean", "norm.moving_variance"]
    assert len(net.trainable_params()) + 2 == len(list(net.get_parameters()))
    assert [p.name for p in net.trainable_params(recurse=False)] == ["hand", "v"]
    assert list(net.parameters_dict(recurse=False)) == ["hand", "v"]


def test_compiling_refuses_two_parameters_of_one_name():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.first = Parameter(Tensor([1.0]), name="weight")
            self.second = Parameter(Tensor([2.0]), name="weight")

        def construct(self):
            return self.first + self.second

    with pytest.raises(ValueError, match="two different Parameters are called 'weight'"):
        _cell_graph_executor.compile(Net())


def test_a_scope_is_the_way_from_the_cell_that_generates_it():
    net = Outer()
    assert net.get_scope() is None and net.inner.get_scope() is None
    net.generate_scope()
    assert net.get_scope() is None
    assert net.inner.get_scope() == "Default/inner-Inner"
    assert net.inner.sequence[1].get_scope() == (
        f"Default/inner-Inner/sequence-SequentialCell/1-{net.inner.sequence[1].cls_name}"
    )


def test_parameters_that_all_devices_hold_alike():
    cell = nn.Dense(1, 1)
    assert list(cell.parameters_broadcast_dict()) == ["weight", "bias"]
    cell.weight.layerwise_parallel = True
    assert list(cell.parameters_broadcast_dict()) == ["bias"]
    assert nn.ReLU().parameters_broadcast_dict() is None
    assert cell.set_broadcast_flag() is cell
    with pytest.raises(TypeError, match="mode"):
        cell.set_broadcast_flag("yes")
    assert cell.parameter_layout_dict == {}
    cell.parameter_layout_dict = {"weight": [1]}
    assert cell.parameter_layout_dict == {"weight": [1]}
    with pytest.raises(TypeError, match="need a dict"):
        cell.parameter_layout_dict = 3
