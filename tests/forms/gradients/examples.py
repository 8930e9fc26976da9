"""Worked examples and programs that are known to go wrong elsewhere."""

from gradient import gradient, gradient_scene
from program import Raises, Scene

import dyad
from dyad import Parameter, Tensor, grad, nn, ops, value_and_grad, vjp

X = Tensor([1.0, 2.0])
Y = Tensor([3.0, -1.0])
N = Tensor(3)


def two_outputs(x, y):
    return x * x * y, x + y


def _example(transform, name, *arguments, **options):
    gradient(*arguments, transform=transform, name=name, smooth=False, **options)(two_outputs)


_example(lambda f: grad(f), "bare", X, Y, expect=[7.0, -3.0])
_example(lambda f: grad(f, (0, 1)), "both", X, Y, expect=([7.0, -3.0], [2.0, 5.0]))
_example(lambda f: grad(f, (0, 1)), "one_left", X, 3, expect=[7.0, 13.0])
_example(lambda f: grad(f, 0, has_aux=True), "auxiliary", X, Y, expect=([6.0, -4.0], ([4.0, 1.0],)))
_example(lambda f: value_and_grad(f, 0, has_aux=True), "value_auxiliary", X, Y)


@gradient(X, transform=lambda f: grad(f, 0, return_ids=True), expect=(0, [2.0, 4.0]))
def an_identifier(t):
    return (t * t).sum()


@gradient(X, Y, smooth=False)
def a_product_inside_a_function(x, y):
    out, products, aux = vjp(two_outputs, x, y, has_aux=True)
    return out + products(x)[0] + aux


@gradient_scene(X, smooth=False)
def a_parameter_assigned_between_two_uses():
    weight = Parameter(Tensor([2.0, 3.0]), name="weight")

    def function(x):
        y = x * weight
        ops.assign(weight, x * 10)
        return y + x * weight

    return Scene(function, transform=lambda f: grad(f))


@gradient_scene(X, smooth=False)
def a_container_given_to_a_compiled_function():
    inner = dyad.jit(lambda pair: pair[0] * pair[1])

    def transform(function):
        made = grad(function, (0, 1))
        return lambda x: made(x, x)

    return Scene(lambda a, b: inner((a, b)), transform=transform)


@gradient(X, expect=([1.0, 4.0], [2.0, 4.0]))
def an_inline_lambda_is_differentiated(x):
    return (lambda q: q * q)(x)


@gradient(X)
def a_gradient_inside_a_function(x):
    return grad(lambda q: q * q * q)(x) * x


@gradient(X, smooth=False, strict=False, then=[(Y,)])
def a_name_bound_to_none_and_then_to_a_tensor(x):
    kept = None
    if x.sum() > 0:
        kept = x * x
    return x if kept is None else kept


@gradient_scene(X, N, smooth=False)
def a_compiled_function_of_another_kind():
    traced = dyad.jit(lambda x: ops.sin(x) * x, capture_mode="trace")
    return lambda x, n: traced(x) * x


@gradient_scene(X, smooth=False, expect=Raises(ValueError))
def a_failed_call_and_then_ordinary_work():
    def function(x):
        y = x * 2
        if y[0] > 0:
            raise ValueError("failed")
        return y[0] * y

    return function


@gradient_scene(Tensor([[1.0, 2.0], [0.5, -1.0]]), Tensor([[1.0], [0.0]]), smooth=False)
def a_step_of_training():
    dyad.set_seed(8)
    net = nn.SequentialCell(nn.Dense(2, 3), nn.ReLU(), nn.Dense(3, 1))
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    loss = nn.MSELoss()

    def forward(x, y):
        return loss(net(x), y)

    def transform(function):
        made = value_and_grad(function, None, optimizer.parameters)

        def step(x, y):
            value, gradients = made(x, y)
            optimizer(gradients)
            return value

        return step

    return Scene(forward, watch=lambda: [p.value() for p in net.trainable_params()], transform=transform)


@gradient_scene(Tensor([[1.0, 2.0], [0.5, -1.0]]), smooth=False)
def a_normalised_network_in_training():
    dyad.set_seed(9)
    net = nn.SequentialCell(nn.Dense(2, 3), nn.BatchNorm1d(3), nn.Dense(3, 1))
    net.set_train()
    weights = net.trainable_params()

    def watch():
        return [parameter.value() for parameter in net.get_parameters()]

    return Scene(net, watch=watch, transform=lambda f: value_and_grad(f, None, weights))


@gradient_scene(Tensor([[[[1.0, 2.0, 0.5], [0.0, 1.0, -1.0], [2.0, 1.0, 1.0]]]]), smooth=False)
def a_convolution():
    dyad.set_seed(10)
    net = nn.SequentialCell(nn.Conv2d(1, 2, 2, pad_mode="valid"), nn.ReLU(), nn.Flatten(), nn.Dense(8, 1))
    weights = net.trainable_params()
    return Scene(net, transform=lambda f: value_and_grad(f, 0, weights))


@gradient(Tensor([[2.0, 1.0], [1.0, 3.0]]))
def linear_algebra(x):
    return ops.matmul(ops.matmul(x, x.T), x) + ops.diag(x[0])


@gradient(Tensor([[2.0, 1.0], [1.0, 3.0]]))
def reductions(x):
    return x.mean(0) * x.sum(1) + ops.logsumexp(x, 1) + x.prod()


@gradient(Tensor([[2.0, 1.0], [1.0, 3.0]]))
def shapes(x):
    flat = x.reshape(-1)
    return (
        ops.concat((flat, flat * flat))
        + ops.stack((flat, flat)).reshape(-1)
        + ops.tile(x, (2, 1)).reshape(-1)
    )
