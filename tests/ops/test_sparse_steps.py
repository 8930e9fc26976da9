"""Steps of optimisers on some rows of a Parameter."""

import numpy as np
import pytest

import dyad
from dyad import Parameter, Tensor, nn, ops

FORMS = pytest.mark.parametrize("mode", [dyad.PYNATIVE_MODE, dyad.GRAPH_MODE])


@pytest.fixture(autouse=True)
def mode_as_before():
    before = dyad.get_context("mode")
    yield
    dyad.set_context(mode=before)


class Step(nn.Cell):
    """A Primitive at work on Parameters."""

    def __init__(self, primitive, *states):
        super().__init__()
        self.primitive = primitive
        self.states = dyad.ParameterTuple([Parameter(s, f"state{i}") for i, s in enumerate(states)])

    def construct(self, *args):
        return self.primitive(*self.states, *args)

    def values(self):
        return [state.asnumpy() for state in self.states]


def ones():
    return Tensor(np.ones((3, 2), np.float32))


GRADIENT = Tensor([[1.0, 2.0], [3.0, 4.0]])
ADAM = (0.9, 0.999, 0.1, 0.9, 0.999, 1e-8)


@FORMS
def test_rows_that_are_not_named_stay(mode):
    dyad.set_context(mode=mode)
    step = Step(ops.FusedSparseLazyAdam(), ones(), ones(), ones())
    step(*ADAM, GRADIENT, Tensor([2, 0]))
    for values in step.values():
        np.testing.assert_array_equal(values[1], 1)
        assert not (values[[0, 2]] == 1).all()


@FORMS
def test_the_step_of_whole_tensors_on_rows(mode):
    dyad.set_context(mode=mode)
    rows = Step(ops.SparseApplyFtrl(0.1, 0.01, 0.02, -0.5), ones(), ones(), ones())
    rows(GRADIENT, Tensor([2, 0]))
    whole = Step(ops.ApplyFtrl(), ones(), ones(), ones())
    whole(Tensor([[3.0, 4.0], [0.0, 0.0], [1.0, 2.0]]), 0.1, 0.01, 0.02, -0.5)
    for found, wanted in zip(rows.values(), whole.values(), strict=True):
        np.testing.assert_allclose(found[[0, 2]], wanted[[0, 2]], rtol=1e-6)


@FORMS
def test_all_rows_move_by_their_moments(mode):
    dyad.set_context(mode=mode)
    sparse = Step(ops.FusedSparseAdam(), ones(), ones(), ones())
    sparse(*ADAM, GRADIENT, Tensor([2, 0]))
    whole = Step(ops.Adam(), ones(), ones(), ones())
    whole(*ADAM, Tensor([[3.0, 4.0], [0.0, 0.0], [1.0, 2.0]]))
    for found, wanted in zip(sparse.values(), whole.values(), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-6)


def test_a_row_that_is_named_twice_takes_the_sum():
    twice = Step(ops.SparseApplyAdagrad(0.1), ones(), ones())
    twice(GRADIENT, Tensor([1, 1]))
    once = Step(ops.SparseApplyAdagrad(0.1), ones(), ones())
    once(Tensor([[4.0, 6.0]]), Tensor([1]))
    for found, wanted in zip(twice.values(), once.values(), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-6)


def test_a_row_that_is_not_there():
    step = Step(ops.SparseApplyAdagrad(0.1), ones(), ones())
    with pytest.raises(IndexError, match="index 3 is out of range"):
        step(GRADIENT, Tensor([0, 3]))


def test_indices_are_integers():
    step = Step(ops.SparseApplyAdagrad(0.1), ones(), ones())
    with pytest.raises(TypeError, match="indices have dtype Float32; accepted are integers"):
        step(GRADIENT, Tensor([0.0, 1.0]))
