"""Curvature without the Hessian: products of a loss's second derivatives with a vector, in both forms.

The Hessian of a network with n weights has n * n numbers; its product with a vector costs about as much as two
gradients. Forward mode over reverse mode gives it in one line, `jvp(grad(loss), ...)`, in the dynamic graph and, with
`@jit`, as one static graph. It is put to work twice here: power iteration finds the sharpest direction of the loss, and
conjugate gradients solve Newton's equation, which trains the network in a few steps.

    python examples/hessian_vector_product.py
"""

import timeit

import numpy as np

import dyad
from dyad import Tensor, grad, jit, jvp, ops

SAMPLES, FEATURES, HIDDEN = 256, 6, 8
SHAPES = ((FEATURES, HIDDEN), (HIDDEN,), (HIDDEN, 1))
SIZES = [int(np.prod(shape)) for shape in SHAPES]
DAMPING = 0.05
LONGEST_STEP = 0.5


def data():
    """Points in space, and a smooth function of them with some noise."""
    random = np.random.default_rng(4)
    x = random.normal(size=(SAMPLES, FEATURES))
    y = np.sin(x[:, 0]) + 0.5 * x[:, 1] * x[:, 2] + 0.1 * random.normal(size=SAMPLES)
    return Tensor(x.astype(np.float32)), Tensor(y.astype(np.float32).reshape(-1, 1))


X, Y = data()


def loss(weights):
    """The mean squared error of a network whose weights are one vector."""
    first, bias, second = (
        part.reshape(shape) for part, shape in zip(ops.split(weights, SIZES), SHAPES, strict=True)
    )
    hidden = ops.tanh(ops.matmul(X, first) + bias)
    return ((ops.matmul(hidden, second) - Y) ** 2).mean() + 1e-3 * (weights * weights).sum()


def forward_over_reverse(weights, v):
    return jvp(grad(loss), weights, v)[1]


def reverse_over_reverse(weights, v):
    return grad(lambda weights: (grad(loss)(weights) * v).sum())(weights)


@jit
def product(weights, v):
    """The same as one static graph."""
    return forward_over_reverse(weights, v)


@jit
def value_and_gradient(weights):
    return dyad.value_and_grad(loss)(weights)


# --- What it is good for ---------------------------------------------------------------------------------------


def sharpest_direction(weights, rounds=50):
    """The largest eigenvalue of the Hessian and its direction, by power iteration."""
    v = Tensor(np.random.default_rng(0).normal(size=weights.shape).astype(np.float32))
    for _ in range(rounds):
        v = v / ops.sqrt((v * v).sum())
        turned = product(weights, v)
        largest, v = (v * turned).sum(), turned
    return float(largest), v / ops.sqrt((v * v).sum())


@jit
def newton_direction(weights, gradient):
    """Solves (H + damping) d = gradient by conjugate gradients: a loop of the graph, with derivatives inside."""
    direction, residual = ops.zeros_like(gradient), gradient
    step = residual
    left = start = (residual * residual).sum()
    turns = Tensor(0)
    while left > 1e-4 * start and turns < 60:
        curved = forward_over_reverse(weights, step) + DAMPING * step
        curvature = (step * curved).sum()
        if curvature <= 0:  # the loss bends downwards here: no minimum to jump to along this step
            break
        length = left / curvature
        direction = direction + length * step
        residual = residual - length * curved
        after = (residual * residual).sum()
        step = residual + after / left * step
        left = after
        turns = turns + 1
    return direction * ops.minimum(LONGEST_STEP / ops.sqrt((direction * direction).sum()), 1.0)


def descend(weights, steps, direction_of, rate):
    """The losses of some steps along a direction."""
    losses = []
    for _ in range(steps):
        value, gradient = value_and_gradient(weights)
        losses.append(float(value))
        weights = weights - rate * direction_of(weights, gradient)
    return losses, weights


def start():
    random = np.random.default_rng(1)
    return Tensor((0.4 * random.normal(size=sum(SIZES))).astype(np.float32))


def heading(text):
    print(f"\n{text}\n{'-' * len(text)}")


def compare_forms(weights):
    v = Tensor(np.random.default_rng(2).normal(size=weights.shape).astype(np.float32))
    hessian = dyad.jacfwd(dyad.jacrev(loss))(weights).asnumpy()
    truth = hessian @ v.asnumpy()
    print(f"  {'':<36}{'time':>9}   largest difference to the whole Hessian's product")
    for name, function in (
        ("forward over reverse", forward_over_reverse),
        ("reverse over reverse", reverse_over_reverse),
        ("forward over reverse, static graph", product),
    ):
        difference = np.abs(function(weights, v).asnumpy() - truth).max()
        seconds = min(timeit.repeat(lambda function=function: function(weights, v), number=20, repeat=5)) / 20
        print(f"  {name:<36}{seconds * 1e6:>6.0f} us   {difference:.1e}")
    return hessian


def main():
    weights = start()
    heading(f"The Hessian of {weights.size} weights times a vector")
    hessian = compare_forms(weights)

    heading("The sharpest direction of the loss, by 50 products")
    largest, _ = sharpest_direction(weights)
    print(f"  eigenvalue {largest:.4f}; of the whole Hessian {np.linalg.eigvalsh(hessian)[-1]:.4f}")

    heading("Training: gradient descent beside Newton's method")
    plain, _ = descend(weights, 25, lambda _, gradient: gradient, 1.0 / largest)
    newton, _ = descend(weights, 25, newton_direction, 1.0)
    print("  step   gradient     Newton")
    for number in (0, 1, 2, 3, 5, 8, 12, 24):
        print(f"  {number:>4}   {plain[number]:8.4f}   {newton[number]:8.4f}")
    print()


if __name__ == "__main__":
    main()
