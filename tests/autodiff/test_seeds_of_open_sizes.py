"""Gradients of outputs given to a graph whose sizes are left open: one graph for all, and misfits are refused."""

import pytest

import dyad
from dyad import JitConfig, Tensor, enable_dynamic, jit, ops, vjp


def exponential(x):
    return ops.exp(x) * 2


def by_grad_operation(x, seed):
    return ops.GradOperation(sens_param=True)(exponential)(x, seed)


def by_vjp(x, seed):
    return vjp(exponential, x)[1](seed)


def with_open_sizes(gradient, level):
    template = Tensor(shape=[None, None], dtype=dyad.float32)
    templates = enable_dynamic(x=template, seed=template)

    @templates
    def f(x, seed):
        return gradient(x, seed)

    return jit(f, jit_config=JitConfig(jit_syntax_level=level))


@pytest.mark.parametrize("gradient", [by_grad_operation, by_vjp])
@pytest.mark.parametrize("level", ["STRICT", "LAX"])
def test_one_graph_serves_every_size(gradient, level):
    compiled = with_open_sizes(gradient, level)
    for rows, columns in ((2, 3), (4, 2), (3, 5)):
        x, seed = ops.rand(rows, columns), ops.rand(rows, columns)
        found = compiled(x, seed)
        found = found[0] if isinstance(found, tuple) else found
        assert ops.isclose(found, seed * ops.exp(x) * 2, 1e-5, 1e-6).all()
    assert len(compiled.entries) == 1


@pytest.mark.parametrize("gradient", [by_grad_operation, by_vjp])
def test_a_gradient_of_another_size_is_refused(gradient):
    compiled = with_open_sizes(gradient, "LAX")
    compiled(ops.ones((2, 3)), ops.ones((2, 3)))
    for shape in ((5, 3), (3, 2), (1, 3)):
        with pytest.raises(ValueError, match="shape"):
            compiled(ops.ones((2, 3)), ops.ones(shape))
