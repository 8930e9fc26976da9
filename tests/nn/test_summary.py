"""`dyad.summary` and the tables that notebooks show: what each layer gives, holds and computes."""

import numpy as np
import pytest

import dyad
from dyad import Parameter, Tensor, nn, ops


class Shared(nn.Cell):
    """One layer at two places, called three times, and a Parameter that two layers hold."""

    def __init__(self):
        super().__init__()
        self.first = nn.Dense(4, 4)
        self.again = self.first
        self.tied = nn.Dense(4, 4, has_bias=False)
        self.tied.weight = self.first.weight
        self.unused = nn.ReLU()

    def construct(self, x):
        return self.tied(self.again(self.first(self.first(x)))) * 2


def rows(made):
    return {layer.path: layer for layer in made.layers}


def test_shapes_parameters_and_operations_of_layers():
    net = nn.SequentialCell(nn.Conv2d(3, 8, 3, has_bias=False), nn.ReLU(), nn.Flatten(), nn.Dense(8 * 25, 10))
    made = rows(dyad.summary(net, ops.ones((2, 3, 5, 5))))
    assert [made[name].outputs for name in ("", "0", "1", "2", "3")] == [
        ["(2, 10)"],
        ["(2, 8, 5, 5)"],
        ["(2, 8, 5, 5)"],
        ["(2, 200)"],
        ["(2, 10)"],
    ]
    assert [made[name].parameters for name in ("", "0", "1", "3")] == [0, 8 * 3 * 9, 0, 200 * 10 + 10]
    assert made["0"].flop == 2 * (2 * 8 * 25) * 27
    assert made["1"].flop == 2 * 8 * 25
    assert made["3"].flop == 2 * 2 * 200 * 10
    assert made[""].flop == 0


def test_sums_are_those_of_the_rows():
    made = dyad.summary(Shared(), ops.ones((2, 4)))
    assert made.parameters == 4 * 4 + 4 == sum(p.size for p in made.layers[0].cell.get_parameters())
    assert made.flop == sum(layer.flop for layer in made.layers) > 3 * 2 * 2 * 16
    assert made.trainable == made.parameters


def test_a_layer_at_two_places_and_a_parameter_of_two_layers_count_once():
    made = rows(dyad.summary(Shared(), ops.ones((2, 4))))
    assert made["first"].outputs == ["(2, 4)"] * 3
    assert made["again"].same_as == "first" and made["again"].flop == 0
    assert (made["tied"].parameters, made["tied"].shared) == (0, 16)
    assert made["unused"].outputs == []
    assert made[""].flop == 2 * 4  # the product with 2, which is in no layer


def test_the_table_in_a_terminal():
    assert str(dyad.summary(Shared(), ops.ones((2, 4)))).splitlines() == [
        "Layer           Output shape   Parameters  FLOPs",
        "------------------------------------------------",
        "Shared          (2, 4)                  -      8",
        "  first: Dense  (2, 4) x3              20    192",
        "  again: Dense  same as first           -      -",
        "  tied: Dense   (2, 4)          16 shared     64",
        "  unused: ReLU  -                       -      -",
        "------------------------------------------------",
        "Total                                  20    264",
        "20 trainable, 0 fixed, 80 bytes of Parameters",
    ]


def test_without_inputs_nothing_is_called():
    class Silent(nn.Cell):
        def __init__(self):
            super().__init__()
            self.fc = nn.Dense(2, 3)

        def construct(self, x):
            raise AssertionError("called")

    made = dyad.summary(Silent())
    assert made.flop is None and made.parameters == 9
    assert "Output shape" not in str(made) and "FLOPs" not in str(made)


def test_results_of_several_tensors():
    class Several(nn.Cell):
        def construct(self, x, y=None):
            return x, [x[0], {"mask": y}], 3

    made = dyad.summary(Several(), ops.ones((2, 3)), y=ops.ones((1,)))
    assert made.layers[0].outputs == ["((2, 3), [(3,), {'mask': (1,)}], int)"]


class Restless(nn.Cell):
    """Changes all that a call can change."""

    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(3)
        self.drop = nn.Dropout(p=0.5)
        self.steps = Parameter(Tensor(0.0), name="steps")
        self.register_buffer("last", Tensor([1.0]))
        self.calls = 0

    def construct(self, x):
        self.steps += 1
        self.last = x[0]
        self.calls += 1
        return self.drop(self.norm(x)) + ops.rand(3)


@pytest.mark.parametrize("mode", [dyad.PYNATIVE_MODE, dyad.GRAPH_MODE])
@pytest.mark.parametrize("training", [False, True])
def test_the_network_is_left_as_it_was(mode, training):
    net = Restless()
    net.norm.set_train(training)
    attributes = {cell: dict(cell.__dict__) for _, cell in net.cells_and_names()}
    values = [np.array(p.asnumpy()) for p in net.get_parameters()]
    last = net.last
    dyad.set_context(mode=mode)
    try:
        dyad.manual_seed(5)
        expected = ops.rand(2).asnumpy()
        dyad.manual_seed(5)
        dyad.summary(net, ops.ones((4, 3)))
        assert (ops.rand(2).asnumpy() == expected).all()
    finally:
        dyad.set_context(mode=dyad.PYNATIVE_MODE)
    for cell, before in attributes.items():
        assert list(cell.__dict__) == list(before)
        assert all(cell.__dict__[name] is value for name, value in before.items())
    for parameter, value in zip(net.get_parameters(), values, strict=True):
        assert (parameter.asnumpy() == value).all()
    assert net.last is last and last.asnumpy().tolist() == [1.0]
    assert not any(cell._forward_hooks or cell._forward_pre_hooks for cell in attributes)


def test_a_call_that_fails_leaves_the_network_as_it_was():
    class Failing(nn.Cell):
        def __init__(self):
            super().__init__()
            self.fc = nn.Dense(2, 2)

        def construct(self, x):
            self.note = 1
            return self.fc(x).missing

    net = Failing()
    net.set_train()
    with pytest.raises(AttributeError, match="missing"):
        dyad.summary(net, ops.ones((1, 2)))
    assert net.training and net.fc.training and not hasattr(net, "note")
    assert not net.fc._forward_hooks
    assert net.fc(ops.ones((1, 2))).shape == (1, 2)


@pytest.mark.parametrize("options", [{}, {"capture_mode": "bytecode"}, {"capture_mode": "trace"}])
def test_layers_below_a_jitted_construct_are_seen(options):
    class Jitted(nn.Cell):
        def __init__(self):
            super().__init__()
            self.fc = nn.Dense(2, 3)

        @dyad.jit(**options)
        def construct(self, x):
            return self.fc(x)

    net = Jitted()
    net(ops.ones((1, 2)))
    made = rows(dyad.summary(net, ops.ones((5, 2))))
    assert made["fc"].outputs == ["(5, 3)"] and made["fc"].flop >= 2 * 5 * 2 * 3


def test_a_training_step_is_put_back():
    net = nn.Dense(2, 1)
    step = nn.TrainOneStepCell(
        nn.WithLossCell(net, nn.MSELoss()), nn.Adam(net.trainable_params(), learning_rate=0.1)
    )
    before = net.weight.asnumpy().copy()
    made = dyad.summary(step, ops.ones((3, 2)), ops.ones((3, 1)))
    assert (net.weight.asnumpy() == before).all()
    assert made.flop > 0


def test_own_backward_does_not_hide_a_layer():
    class Own(nn.Cell):
        def construct(self, x):
            return x * 2

        def bprop(self, x, out, dout):
            return (dout * 2,)

    assert dyad.summary(Own(), ops.ones((3,))).layers[0].outputs == ["(3,)"]


def test_what_is_not_a_network_is_refused():
    with pytest.raises(TypeError, match="summary: network is of type Tensor; need a Cell"):
        dyad.summary(Tensor([1.0]))


def test_parameters_without_values_are_refused_where_they_would_be_drawn():
    with nn.no_init_parameters():
        net = nn.Dense(2, 2)
    with pytest.raises(ValueError, match="values of weight are still to be drawn"):
        dyad.summary(net, ops.ones((1, 2)))
    assert dyad.summary(net).parameters == 6
    assert net.weight.has_init


def test_html_of_a_network():
    text = nn.SequentialCell(nn.Dense(2, 3), nn.ReLU())._repr_html_()
    assert "Dense" in text and ">9<" in text and "Output shape" not in text
    run = dyad.summary(nn.Dense(2, 3), ops.ones((4, 2)))._repr_html_()
    assert "(4, 3)" in run and run.count("<tr>") == 3


def test_names_are_escaped():
    kind = type("A<b>", (nn.Cell,), {})
    assert "A&lt;b&gt;" in kind()._repr_html_()
