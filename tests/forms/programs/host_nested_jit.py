"""`jit` inside Graph mode, inside `jit` and called from host code; gradients and training steps around host code."""

import functools

import numpy as np
from hosting import LOG, hosted, hosted_scene, passed, total
from program import Scene

import dyad
from dyad import Parameter, Tensor, grad, jit, nn, ops, value_and_grad

X = Tensor([1.0, 2.0])


@jit
def squared(x):
    return x * x + 1


@jit
def with_host_code(x):
    LOG.append("in")
    k = total(x)
    LOG.append("out")
    return x * k


@jit(capture_mode="trace")
def traced(x):
    return x * 3 - 1


@hosted(X, expect=[35.0, 119.0])
def jit_called_from_host_code(x):
    values = list(map(squared, [x, x * 2]))
    a = np.array([total(squared(x)), 1.0])
    return values[1] * float(a[0])


@hosted(X, expect=[36.0, 63.0])
def jit_with_host_code_inside_jit(x):
    y = with_host_code(x)
    k = total(y)
    return with_host_code(y) + k


@hosted(X, expect=[730.0, 2917.0])
def jit_in_arms_and_loops(x):
    y = x
    for _ in range(2):
        y = with_host_code(y) if y.sum() > 0 else squared(y)
    while y.sum() < 100:
        y = squared(y)
    return y


@hosted(X, expect=([3.0, 6.0], [4.0, 8.0]))
def jit_made_inside(x):
    k = total(x)

    @jit
    def scaled(v):
        return v * k

    y = scaled(x)
    k = k + 1
    return y, scaled(x)


@hosted(X, expect=[45.0, 78.0])
def jit_of_a_lambda_inside(x):
    f = jit(lambda v: v * total(v) + 1)
    return f(f(x))


@hosted(X, expect=[20.0, 41.0])
def trace_inside(x):
    k = total(traced(x))
    return traced(x * k)


@hosted(X, expect=[16.0, 40.0])
def jit_as_a_callback(x):
    table = {"f": squared, "g": functools.partial(with_host_code)}
    return table["f"](x) + functools.reduce(lambda a, f: f(a), table.values(), x)


@hosted_scene(X, expect=[936.0, 1008.0])
def jitted_construct_with_host_code():
    class Inner(nn.Cell):
        def __init__(self):
            super().__init__()
            self.seen = []

        @jit
        def construct(self, x):
            y = x * 2
            self.seen.append(total(y))
            return y + self.seen[-1]

    class Outer(nn.Cell):
        def __init__(self):
            super().__init__()
            self.inner = Inner()

        def construct(self, x):
            y = self.inner(x)
            k = total(y)
            return self.inner(y) * k

    net = Outer()
    return Scene(net, watch=lambda: net.inner.seen)


@hosted_scene(X, expect=[11.0, 22.0], again=[23.0, 46.0])
def jitted_method_of_a_plain_object():
    class Held:
        def __init__(self):
            self.k = 1.0

        @jit
        def f(self, x):
            self.k += total(x)
            return x * self.k

    held = Held()
    return Scene(lambda x: held.f(x) + held.f(x), watch=lambda: held)


@hosted(X)
def exception_goes_through_an_inner_jit(x):
    @jit
    def inner(v):
        LOG.append("inner")
        return v * (1 / (total(v) - 3))

    try:
        return inner(x)
    except ZeroDivisionError as error:
        return str(error), x


@hosted(X, expect=([6.0, 12.0], 3.0))
def gradient_of_a_function_with_host_code(x):
    def f(v):
        LOG.append("forward")
        k = total(v)
        return (v * v * k).sum()

    return grad(f)(x), total(x)


@hosted(X)
def value_and_gradient_inside_a_loop(x):
    f = value_and_grad(lambda v: (v * v).sum() * 0.25)
    y, losses = x, []
    for _ in range(3):
        loss, slope = f(y)
        losses.append(float(loss))
        y = y - slope
    return y, losses


@hosted(X, expect=[9.0, 9.0])
def gradient_of_a_jit_inside(x):
    y = grad(lambda v: with_host_code(v).sum())(x)
    return y + total(y)


@hosted(X, expect=[18.0, 36.0])
def gradient_of_a_gradient_with_host_code(x):
    def f(v):
        passed(None, "in")
        return (v * v * v).sum() * total(v)

    return grad(lambda v: grad(f)(v).sum())(x)


def _training(step_of):
    """A scene of a training step: `step_of(net, optimizer)` makes it; weights are watched."""
    net = nn.Dense(2, 1, weight_init=0.5, bias_init=0.0)
    optimizer = nn.Momentum(net.trainable_params(), learning_rate=0.125, momentum=0.5)
    return Scene(step_of(net, optimizer), watch=lambda: (net.weight, net.bias))


ROWS = Tensor([[1.0, 2.0], [0.0, -1.0]])


@hosted_scene(ROWS, then=[])
def training_step_with_augmentation():
    def step_of(net, optimizer):
        f = value_and_grad(lambda x: (net(x) ** 2).sum(), None, optimizer.parameters)

        def step(x):
            a = np.ascontiguousarray(x.asnumpy()[:, ::-1])
            loss, slopes = f(Tensor(a))
            LOG.append(round(float(loss), 4))
            optimizer(slopes)
            return loss

        return step

    return _training(step_of)


@hosted_scene(ROWS, then=[])
def training_step_with_host_code_in_the_forward_pass():
    def step_of(net, optimizer):
        def forward(x):
            y = net(x)
            weight = 1.0 if float(y.asnumpy().max()) > 1 else 0.5
            return (y * y).sum() * weight

        f = value_and_grad(forward, None, optimizer.parameters)

        def step(x):
            loss, slopes = f(x)
            if not np.isfinite(loss.asnumpy()).all():
                raise ValueError("not finite")
            optimizer(slopes)
            return loss

        return step

    return _training(step_of)


@hosted_scene(ROWS, then=[])
def gradients_are_clipped_by_numpy():
    def step_of(net, optimizer):
        f = value_and_grad(lambda x: (net(x) ** 2).sum(), None, optimizer.parameters)

        def step(x):
            loss, slopes = f(x)
            norm = float(np.sqrt(sum((s.asnumpy() ** 2).sum() for s in slopes)))
            LOG.append(norm > 1)
            if norm > 1:
                slopes = tuple(s * (1 / norm) for s in slopes)
            optimizer(slopes)
            return loss

        return step

    return _training(step_of)


@hosted_scene(ROWS, then=[])
def early_stopping():
    def step_of(net, optimizer):
        f = value_and_grad(lambda x: (net(x) ** 2).sum(), None, optimizer.parameters)

        def train(x):
            best, waited, turns = float("inf"), 0, 0
            while turns < 6:
                loss, slopes = f(x)
                optimizer(slopes)
                turns += 1
                if float(loss) < best:
                    best, waited = float(loss), 0
                    continue
                waited += 1
                if waited == 2:
                    break
            else:
                LOG.append("all")
            return net(x), turns

        return train

    return _training(step_of)


@hosted_scene(X)
def parameter_made_inside():
    def f(x):
        p = Parameter(Tensor([2.0, 3.0]), name="p")
        y = x * p
        k = total(y)
        ops.assign(p, p * k)
        return y + p, p.name

    return f


@hosted_scene(X)
def cells_made_inside_of_host_data():
    def f(x):
        k = int(abs(total(x))) + 1
        net = nn.SequentialCell(
            *[nn.Dense(2, 2, weight_init=0.5, bias_init="zeros") for _ in range(k % 3 + 1)]
        )
        return net(x.astype(dyad.float32).reshape(-1, 2)), len(net)

    return f


@hosted_scene(X)
def hook_with_host_code():
    net = nn.ReLU()
    net.register_forward_hook(lambda cell, arguments, output: LOG.append(total(output)))

    def f(x):
        return net(x) * 2 + net(-x)

    return f


@hosted(X, expect=[2.0, 4.0])
def no_gradient_through_arrays(x):
    return grad(lambda v: (v * Tensor(v.asnumpy() * 2)).sum())(x)
