import numpy as np
import pytest

from dyad import Parameter, Tensor, nn


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([1.0, 2.0]), name="hand")
        self.register_buffer("count", Tensor([7.0]))
        self.register_buffer("scratch", Tensor([8.0]), persistent=False)
        self.register_buffer("unset", None)
        self.dense = nn.Dense(1, 1)

    def construct(self, x):
        return x * self.count


def test_buffers_are_state_but_not_parameters():
    net = Net()
    assert list(net.parameters_dict()) == ["hand", "dense.weight", "dense.bias"]
    assert [name for name, _ in net.named_buffers()] == ["count", "scratch"]
    assert [b.asnumpy().tolist() for b in net.buffers()] == [[7.0], [8.0]]
    assert net.get_buffer("count") is net.count
    assert net(Tensor([2.0])).asnumpy().tolist() == [14.0]


def test_a_buffer_can_be_replaced_or_unset():
    net = Net()
    net.count = Tensor([9.0])
    assert net.state_dict()["count"].asnumpy().tolist() == [9.0]
    net.count = None
    assert "count" not in net.state_dict()
    with pytest.raises(TypeError, match="'count' is a buffer and cannot take an int"):
        net.count = 5


@pytest.mark.parametrize(
    ("name", "tensor", "error"),
    [
        ("count", 5, TypeError),
        (5, Tensor(1.0), TypeError),
        ("a.b", Tensor(1.0), KeyError),
        ("", Tensor(1.0), KeyError),
        ("construct", Tensor(1.0), KeyError),
        ("w", Tensor(1.0), KeyError),
    ],
)
def test_bad_buffers_are_refused(name, tensor, error):
    with pytest.raises(error, match="register_buffer"):
        Net().register_buffer(name, tensor)


@pytest.mark.parametrize("target", ["absent", "w", "dense.weight", "absent.count"])
def test_get_buffer_names_what_is_missing(target):
    with pytest.raises(AttributeError, match="has no"):
        Net().get_buffer(target)


def test_get_sub_cell():
    net = Net()
    assert net.get_sub_cell("dense") is net.dense
    assert net.get_sub_cell("") is net
    with pytest.raises(AttributeError, match="Net has no child Cell 'absent'"):
        net.get_sub_cell("absent")


def test_state_dict_holds_live_objects_by_path():
    net = Net()
    state = net.state_dict()
    assert list(state) == ["w", "count", "dense.weight", "dense.bias"]
    assert state["w"] is net.w
    assert list(net.state_dict(prefix="x.")) == ["x.w", "x.count", "x.dense.weight", "x.dense.bias"]


def test_loading_copies_values():
    source, target = Net(), Net()
    source.w.set_data(Tensor([5.0, 6.0]))
    source.count = Tensor([3.0])
    report = target.load_state_dict(source.state_dict())
    assert report == ([], [])
    assert str(report) == "<All keys matched successfully>"
    assert target.w.asnumpy().tolist() == [5.0, 6.0]
    assert target.count.asnumpy().tolist() == [3.0]
    assert target.w is not source.w
    assert (target.dense.weight.asnumpy() == source.dense.weight.asnumpy()).all()


def test_strict_loading_lists_all_that_does_not_fit_and_changes_nothing():
    net = Net()
    state = dict(net.state_dict())
    del state["w"]
    state["extra"] = Tensor(1.0)
    state["count"] = Tensor([100.0])
    with pytest.raises(RuntimeError, match="cannot take this state: missing names w; unexpected names extra"):
        net.load_state_dict(state)
    assert net.count.asnumpy().tolist() == [7.0]
    report = net.load_state_dict(state, strict=False)
    assert report.missing_keys == ["w"] and report.unexpected_keys == ["extra"]
    assert net.count.asnumpy().tolist() == [100.0]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Tensor([1.0, 2.0, 3.0]), r"w has shape \(3,\) but the Cell has \(2,\)"),
        (5, "w is of type int and not a Tensor"),
    ],
)
@pytest.mark.parametrize("strict", [True, False])
def test_a_wrong_value_is_an_error_even_if_not_strict(value, text, strict):
    net = Net()
    with pytest.raises(RuntimeError, match=text):
        net.load_state_dict({**net.state_dict(), "w": value}, strict=strict)


def test_the_state_must_be_a_dict():
    with pytest.raises(TypeError, match="load_state_dict: state_dict is of type int"):
        Net().load_state_dict(5)


def test_hooks_around_saving_and_loading():
    net, log = Net(), []
    net.register_state_dict_pre_hook(lambda cell, prefix, keep_vars: log.append("save"))
    net.register_state_dict_post_hook(lambda cell, state, prefix, metadata: log.append(len(state)))
    net.register_load_state_dict_pre_hook(lambda *arguments: log.append(len(arguments)))
    net.register_load_state_dict_post_hook(lambda cell, report: log.append(report.missing_keys))
    net.load_state_dict(net.state_dict())
    assert log == ["save", 4, 8, []]


def test_extra_state_travels_along():
    class Counting(nn.Cell):
        def __init__(self):
            super().__init__()
            self.steps = 3

        def get_extra_state(self):
            return self.steps

        def set_extra_state(self, state):
            self.steps = state

    source, target = Counting(), Counting()
    source.steps = 11
    target.load_state_dict(source.state_dict())
    assert target.steps == 11


def test_parameters_can_stay_uninitialized_until_asked_for():
    with nn.no_init_parameters():
        layer = nn.Dense(2, 2)
    assert layer.weight.has_init and layer.weight.shape == (2, 2)
    layer.init_parameters_data()
    assert not layer.weight.has_init
    assert np.abs(layer.weight.asnumpy()).sum() > 0
    assert not nn.Dense(2, 2).weight.has_init


def test_loading_fills_uninitialized_parameters():
    source = nn.Dense(2, 2)
    with nn.no_init_parameters():
        target = nn.Dense(2, 2)
    target.load_state_dict(source.state_dict())
    assert not target.weight.has_init
    assert (target.weight.asnumpy() == source.weight.asnumpy()).all()
