"""The example of Hessian-vector products gives what the whole Hessian gives, and its methods find what they should."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import dyad
from dyad import Tensor

PATH = Path(__file__).parents[2] / "examples/hessian_vector_product.py"


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("hessian_vector_product", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def hessian(example):
    return dyad.jacfwd(dyad.jacrev(example.loss))(example.start()).asnumpy()


@pytest.mark.parametrize("name", ["forward_over_reverse", "reverse_over_reverse", "product"])
def test_product_is_that_of_the_whole_hessian(example, hessian, name):
    v = np.linspace(-1, 1, len(hessian), dtype=np.float32)
    found = getattr(example, name)(example.start(), Tensor(v)).asnumpy()
    np.testing.assert_allclose(found, hessian @ v, rtol=1e-4, atol=1e-5)


def test_sharpest_direction_is_an_eigenvector(example, hessian):
    largest, direction = example.sharpest_direction(example.start())
    assert largest == pytest.approx(np.linalg.eigvalsh(hessian)[-1], rel=1e-4)
    along = direction.asnumpy()
    np.testing.assert_allclose(hessian @ along, largest * along, atol=1e-2)


def test_newton_learns_faster_than_gradient_descent(example):
    plain, _ = example.descend(example.start(), 25, lambda _, gradient: gradient, 0.3)
    newton, _ = example.descend(example.start(), 25, example.newton_direction, 1.0)
    assert newton[0] == plain[0]
    assert newton[-1] < 0.05 < 0.2 < plain[-1] < plain[0]


def test_what_is_shown(example, capsys):
    example.main()
    shown = capsys.readouterr().out
    assert "forward over reverse, static graph" in shown and "eigenvalue 3.05" in shown
