"""Docstrings of `ops`: a signature, and an example that is true."""

import doctest
import inspect
import re

import pytest

import dyad
from dyad import Tensor, _core, jit, ops

FLAGS = doctest.NORMALIZE_WHITESPACE
METHODS = sorted(name for name, entry in vars(Tensor).items() if isinstance(entry, _core.OpMethod))


def run_examples(name, text):
    """Runs the examples of a docstring, up to its references, with nothing but what they import."""
    test = doctest.DocTestParser().get_doctest(
        re.split(r"(?m)^(?=See also: |Reference: )", text)[0], {}, name, None, 0
    )
    assert test.examples, f"{name} has no example in its docstring"
    said = []
    runner = doctest.DocTestRunner(optionflags=FLAGS, verbose=False)
    runner.run(test, out=said.append)
    assert not runner.failures, "".join(said)


@pytest.mark.parametrize("name", ops.__all__)
def test_the_example_of_an_operator_is_true(name):
    run_examples(name, inspect.getdoc(getattr(ops, name)))


@pytest.mark.parametrize("name", METHODS)
def test_the_example_of_a_method_is_true(name):
    run_examples(name, inspect.getdoc(getattr(Tensor, name)))


@pytest.mark.parametrize("name", ops.__all__)
def test_operators_have_signatures(name):
    assert inspect.signature(getattr(ops, name)) is not None


def test_signatures_of_the_three_faces():
    assert str(inspect.signature(ops.relu)) == "(input)"
    assert str(inspect.signature(Tensor.sum)) == "(self, axis=None, dtype=None, keepdims=False)"
    assert str(inspect.signature(ops.ReduceSum)) == "(keep_dims=False, skip_mode=False)"
    assert list(inspect.signature(ops.ReduceSum()).parameters) == ["x", "axis"]


def test_a_docstring_of_a_function_starts_with_its_signature():
    assert ops.relu.__doc__.startswith("relu(input) -> Tensor\n\nRectified linear unit")
    assert Tensor.relu.__doc__.startswith("Rectified linear unit")


GELU = """\
gelu(input, approximate='none') -> Tensor

Gaussian error linear unit, element by element.

    gelu(x) = x · Φ(x) = x/2 · (1 + erf(x/√2))                      approximate='none'
    gelu(x) ≈ x/2 · (1 + tanh(√(2/π) · (x + 0.044715 x³)))          approximate='tanh'

Φ is the standard normal distribution function.

Args:
    input (Tensor): floats, any shape.
    approximate (str): 'none' (exact) or 'tanh'. Default: 'none'.
Returns:
    Tensor with the shape and dtype of `input`.
Raises:
    ValueError: approximate is 'fast', as in `ops.gelu(ones(2), 'fast')`.
Example:
    >>> from dyad import Tensor, ops
    >>> print(ops.gelu(Tensor([0.0, -1.5, 2.0, -0.5])))
    [ 0.         -0.10021079  1.9544997  -0.15426876]
See also: nn.GELU, ops.silu. Reference: arXiv:1606.08415."""


def test_a_page_has_name_formulas_arguments_results_errors_example_and_references():
    assert ops.gelu.__doc__ == GELU


def test_formulas_and_arguments_have_the_names_of_the_face():
    assert "    out[…] = Σ over the axes of x[…]\n" in ops.ReduceSum.__doc__
    assert "    x (Tensor): any dtype and shape.\n" in ops.ReduceSum.__doc__
    assert "    out[i] = self[i] + alpha · other[i]\n" in Tensor.add.__doc__


def test_results_of_elementwise_operators_name_the_dtype_by_inference():
    assert "Tensor with the broadcast shape of `input` and `other` and dtype bool." in ops.less.__doc__
    assert "Tensor with the shape of `input` and dtype bool." in ops.isnan.__doc__
    assert "Tensor with the shape and dtype of `self`." in Tensor.exp.__doc__


def test_a_primitive_of_a_program_has_its_own_signature_and_docstring():
    class Doubled(ops.ReLU):
        """Twice the result."""

        def __init__(self, factor=2):
            super().__init__()
            self.factor = factor

    assert str(inspect.signature(Doubled)) == "(factor=2)"
    assert Doubled.__doc__ == "Twice the result."


def test_reading_a_docstring_draws_no_random_numbers():
    dyad.manual_seed(3)
    first = ops.rand(4)
    dyad.manual_seed(3)
    assert ops.dropout.__doc__ and ops.rand.__doc__ and ops.StandardNormal.__doc__
    assert (ops.rand(4) == first).all()


def test_a_docstring_is_read_while_a_graph_is_traced():
    @jit
    def f(x):
        return x + len(ops.tanh.__doc__)

    assert f(Tensor([0.0])).item() > 0
