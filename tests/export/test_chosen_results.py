"""A result that is one of several tensors, by what a run finds, is chosen by the file as by the network."""

import numpy as np
import onnx
import pytest
from forms import FORMS
from onnx.reference import ReferenceEvaluator

import dyad
from dyad import Parameter, Tensor, nn, ops


class Counter(nn.Cell):
    """The counter is a constant if the loop has no turn."""

    def construct(self, x, y):
        turns = Tensor(0, dyad.int32)
        while x.sum() < 20:
            x = x.abs() * 2 + 1
            turns += 1
        return turns


class ArgumentOrProduct(nn.Cell):
    def construct(self, x, y):
        turns, last = Tensor(0, dyad.int32), y
        while turns < x.sum():
            last = x * turns
            turns += 1
        return last, turns


class Swapped(nn.Cell):
    """Both were constants, in either order."""

    def construct(self, x, y):
        low, high = Tensor([1.0, 1.0]), Tensor([2.0, 2.0])
        while low.sum() < x.sum() * 5:
            low, high = high, low + high
        return low, high


class FirstFound(nn.Cell):
    def construct(self, x, y):
        found, turn = Tensor([0.0, 0.0]), 0
        while turn < 3:
            if (x * turn).sum() > 2:
                found = x * turn
                break
            turn += 1
        return found, turn


class InContainers(nn.Cell):
    def construct(self, x, y):
        turns, made = Tensor(0), (Tensor([0.0, 0.0]), y)
        while turns < x.sum():
            made = (made[0] + x, made[1] * 2)
            turns = turns + 1
        return {"made": made, "all": [turns, made[0]]}


class UpdatedParameter(nn.Cell):
    def __init__(self):
        super().__init__()
        self.weight = Parameter(Tensor([5.0, 6.0]), name="weight")

    def construct(self, x, y):
        turns, made = Tensor(0), self.weight
        while turns < x.sum():
            made = made * 2
            turns = turns + 1
        self.weight += 1.0
        return made + 0, turns


NETS = [Counter, ArgumentOrProduct, Swapped, FirstFound, InContainers, UpdatedParameter]
INPUTS = [
    (Tensor([1.0, 2.0]), Tensor([3.0, -4.0])),
    (Tensor([-1.0, -2.0]), Tensor([3.0, -4.0])),
    (Tensor([30.0, 4.0]), Tensor([-1.0, 7.0])),
    (Tensor([-1.0, 2.0]), Tensor([0.0, 0.0])),
]


def flat(value):
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, (tuple, list)):
        return [array for member in value for array in flat(member)]
    return [value.asnumpy() if isinstance(value, Tensor) else np.asarray(value)]


def assert_equal(made, expected):
    assert len(made) == len(expected)
    for array, wanted in zip(made, expected, strict=True):
        np.testing.assert_array_equal(array, wanted)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", ["MINDIR", "DYAD"])
@pytest.mark.parametrize("case", NETS)
def test_loaded_here(tmp_path, case, kind, form):
    path, net = str(tmp_path / f"net.{kind.lower()}"), case()
    dyad.export(net, *INPUTS[0], file_name=path, file_format=kind)
    loaded = nn.GraphCell(dyad.load(path))
    for given in INPUTS:
        assert_equal(flat(form(loaded, *given)), flat(net(*given)))


@pytest.mark.parametrize("case", [net for net in NETS if net is not UpdatedParameter])
def test_run_by_the_evaluator_of_onnx(tmp_path, case):
    path, net = str(tmp_path / "net.onnx"), case()
    dyad.export(net, *INPUTS[0], file_name=path, file_format="ONNX")
    model = onnx.load(path)
    onnx.checker.check_model(model, full_check=True)
    names = [given.name for given in model.graph.input]
    for given in INPUTS:
        feed = dict(zip(names, [tensor.asnumpy() for tensor in given], strict=True))
        assert_equal(ReferenceEvaluator(model).run(None, feed), flat(net(*given)))


class Grows(nn.Cell):
    def construct(self, x, y):
        grown, turns = Tensor([0.0]), Tensor(0)
        while turns < y.sum():
            grown = ops.concat((grown, x))
            turns += 1
        return grown


class SliceOrProduct(nn.Cell):
    def construct(self, x, y):
        if y.sum() > 0:
            return x[1:]
        return x * 2


class SumOfTurns(nn.Cell):
    def construct(self, x, y):
        turns, total = Tensor(0, dyad.int32), ops.zeros_like(x)
        while turns < y.sum():
            total = total + x if (x.sum() + turns) > 1 else total - x * turns
            turns += 1
        return total, turns


SIZES = [Grows, SliceOrProduct, SumOfTurns]
OPEN = Tensor(shape=(None,), dtype=dyad.float32), Tensor([1.0])
LENGTHS = [
    (Tensor([1.0, 2.0, 3.0]), Tensor([2.0])),
    (Tensor([1.0, 2.0, 3.0, 4.0]), Tensor([-2.0])),
    (Tensor([-1.0, 2.0]), Tensor([5.0])),
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", ["MINDIR", "DYAD"])
@pytest.mark.parametrize("case", SIZES)
def test_sizes_that_a_run_decides(tmp_path, case, kind, form):
    path, net = str(tmp_path / f"net.{kind.lower()}"), case()
    dyad.export(net, *OPEN, file_name=path, file_format=kind)
    loaded = nn.GraphCell(dyad.load(path))
    for given in LENGTHS:
        assert_equal(flat(form(loaded, *given)), flat(net(*given)))


@pytest.mark.parametrize("case", SIZES)
def test_sizes_that_a_run_decides_in_onnx(tmp_path, case):
    path, net = str(tmp_path / "net.onnx"), case()
    dyad.export(net, *OPEN, file_name=path, file_format="ONNX")
    model = onnx.load(path)
    onnx.checker.check_model(model, full_check=True)
    names = [given.name for given in model.graph.input]
    for given in LENGTHS:
        feed = dict(zip(names, [tensor.asnumpy() for tensor in given], strict=True))
        assert_equal(ReferenceEvaluator(model).run(None, feed), flat(net(*given)))


class OfTwoRanks(nn.Cell):
    def construct(self, x):
        made, turns = Tensor(0.0), Tensor(0)
        while turns < x.sum():
            made = x
            turns += 1
        return made * 1


@pytest.mark.parametrize("kind", ["MINDIR", "DYAD", "ONNX"])
def test_another_rank_is_refused(tmp_path, kind):
    with pytest.raises(TypeError, match="export: OfTwoRanks gives back values of different kinds"):
        dyad.export(OfTwoRanks(), Tensor([1.0, 2.0]), file_name=str(tmp_path / "net"), file_format=kind)
