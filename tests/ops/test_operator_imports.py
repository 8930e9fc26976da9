"""`from dyad._src.operators import x`: operators by name."""

import pickle

import pytest

from dyad import _core, ops
from dyad._src import operators
from dyad.ops import ones


def test_every_operator_can_be_imported_by_its_name():
    for op in _core.op_table():
        assert callable(getattr(operators, op["name"])), op["name"]


def test_an_operator_has_the_parameters_of_its_entry():
    assert operators.block_diag([ones((1, 1)), ones((1, 1))]).shape == (2, 2)
    with pytest.raises(TypeError):
        operators.block_diag(ones((1, 1)), ones((1, 1)))


def test_a_function_without_an_operator_of_its_name_is_found():
    assert operators.tril is ops.tril
    assert operators.tril(ones((2, 2))).tolist() == [[1, 0], [1, 1]]


def test_an_operator_is_looked_up_once():
    assert operators.where is operators.where
    assert vars(operators)["where"] is operators.where


def test_an_unknown_operator_is_named_in_the_error():
    with pytest.raises(AttributeError, match="no operator 'no_such_operator'"):
        operators.no_such_operator  # noqa: B018
    with pytest.raises(ImportError, match="no_such_operator"):
        from dyad._src.operators import no_such_operator  # noqa: F401


@pytest.mark.parametrize(
    "path, name",
    [
        ("packed_recurrent", "LSTM"),
        ("sparse_functions", "csr_mm"),
        ("varying_results", "svd"),
        ("flash_attention", "FlashAttentionScore"),
        ("differentiation", "vmap"),
    ],
)
def test_a_pickle_that_names_a_merged_module_loads(path, name):
    assert pickle.loads(f"cdyad.ops.{path}\n{name}\n.".encode()) is getattr(ops, name)
