"""A Tensor where a number may stand: it takes part in the gradient like any other."""

from program import program

from dyad import Tensor, grad, ops

V = Tensor(2.0)
ROWS = ops.ones((2, 3))


@program(V, 1.5)
def filled(v, w):
    def total(v):
        whole = ops.full((2, 3), v).sum() + ops.full_like(ROWS, v * v).sum()
        return whole + ROWS.new_full((4,), v).sum() + ops.full((2,), w).sum()

    return total(v), grad(total)(v)


@program(V)
def spaced(v):
    def total(v):
        return (
            (ops.linspace(v, 5.0, 4) ** 2).sum() + ops.linspace(1, v, 3).sum() + ops.logspace(0, v, 3).sum()
        )

    return total(v), grad(total)(v)


@program(V)
def margins(v):
    def total(v):
        return (ops.pad(ROWS, (1, 1), value=v) ** 2).sum()

    return total(v), grad(total)(v)


@program(V, Tensor([-1.0, 2.0, -3.0]))
def slopes(v, x):
    def total(v, x):
        return (ops.leaky_relu(x, v) ** 2).sum()

    return total(v, x), grad(total, (0, 1))(v, x)
