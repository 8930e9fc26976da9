"""The worked examples of the specification and the networks of the tutorials."""

import numpy as np
from program import Scene, program, scene

from dyad import Parameter, Tensor, nn

X = Tensor([1.0, 2.0])
S = Tensor(5.0)
PICTURES = Tensor(np.ones((4, 1, 28, 28), np.float32))


class Network(nn.Cell):
    def __init__(self):
        super().__init__()
        self.flatten = nn.Flatten()
        self.dense_relu_sequential = nn.SequentialCell(
            nn.Dense(28 * 28, 16), nn.ReLU(), nn.Dense(16, 16), nn.ReLU(), nn.Dense(16, 10)
        )

    def construct(self, x):
        x = self.flatten(x)
        logits = self.dense_relu_sequential(x)
        return logits


@scene(PICTURES, trace=True)
def picture_network():
    return Network()


class AddMulMul(nn.Cell):
    def __init__(self):
        super().__init__()
        self.param = Parameter(Tensor(0.5))

    def construct(self, x):
        x = x + x
        x = x * self.param
        x = x * x
        return x


class ConvolutionNet(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, kernel_size=2, stride=1, padding=0, weight_init="ones", pad_mode="valid")
        self.bn = nn.BatchNorm2d(2, momentum=0.99, eps=0.00001, gamma_init="ones")
        self.relu = nn.ReLU()
        self.add_mul_mul = AddMulMul()

    def construct(self, x):
        x = self.conv(x)
        x = self.bn(x)
        x = self.add_mul_mul(x)
        x = self.relu(x)
        return x


@scene(Tensor(np.ones((1, 1, 2, 2), np.float32)), expect=[[[[15.99984]], [[15.99984]]]], trace=True)
def convolution_and_batch_norm():
    return ConvolutionNet()


class Acc(nn.Cell):
    def __init__(self):
        super().__init__()
        self.total = Parameter(Tensor(0.0), name="total")
        self.calls = 0

    def construct(self, x):
        self.total = self.total + x
        self.calls += 1
        return self.total


@scene(S, expect=5.0, again=10.0, strict=TypeError)
def accumulator():
    acc = Acc()

    def change():
        acc.calls = 10

    return Scene(acc, change, lambda: (acc.calls, acc.total))


@program(Tensor(1.0), Tensor(3), then=[(Tensor(2.0), Tensor(0))], vary=False)
def power_by_squaring(x, n):
    result = x * 0 + 1
    base = x
    while n > 0:
        if n % 2 == 1:
            result = result * base
        base = base * base
        n = n // 2
    return result


@program(Tensor([4.0, 9.0, 2.0]), vary=False)
def newton_square_root(x):
    guess = x
    while ops_max_error(guess, x) > 1e-3:
        guess = (guess + x / guess) / 2
    return guess


def ops_max_error(guess, x):
    return (guess * guess - x).abs().max()


@program(Tensor([5, 3, 9, 1]))
def bubble_sort(values):
    n = len(values)
    for i in range(n):
        for j in range(n - 1 - i):
            if values[j] > values[j + 1]:
                a, b = values[j] + 0, values[j + 1] + 0
                values[j], values[j + 1] = b, a
    return values


@program(Tensor(27), then=[(Tensor(1),), (Tensor(6),)])
def collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


@program(Tensor(12), Tensor(18), then=[(Tensor(7), Tensor(0))])
def greatest_common_divisor(a, b):
    while b != 0:
        a, b = b, a % b
    return a


@program(Tensor(10), then=[(Tensor(0),), (Tensor(1),)])
def fibonacci_numbers(n):
    a, b = 0, 1
    i = 0
    while i < n:
        a, b = b, a + b
        i += 1
    return a


@program(Tensor([3.0, -1.0, 4.0, -2.0]))
def running_maximum(x):
    best, where = x[0], 0
    for i in range(1, 4):
        if x[i] > best:
            best, where = x[i], i
    return best, where


@program(Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor(3), vary=False)
def matrix_power(m, n):
    result = Tensor([[1.0, 0.0], [0.0, 1.0]])
    i = 0
    while i < n:
        result = result @ m
        i += 1
    return result


@scene(Tensor([[1.0, 2.0], [3.0, 4.0]]))
def recurrent_cell_by_hand():
    class Recurrent(nn.Cell):
        def __init__(self):
            super().__init__()
            self.inner = nn.Dense(4, 2, weight_init=0.1)
            self.cat = lambda a, b: a

        def construct(self, xs):
            state = xs[0] * 0
            outputs = []
            for x in xs:
                joined = Tensor([0.0, 0.0, 0.0, 0.0]) + 0
                joined[:2] = x
                joined[2:] = state
                state = self.inner(joined.reshape(1, 4)).reshape(2).tanh()
                outputs.append(state)
            return outputs, state

    return Recurrent()


@scene(Tensor([[1.0, 2.0]]), vary=False)
def momentum_by_hand():
    weight = Parameter(Tensor([[0.5], [0.5]]), name="weight")
    speed = Parameter(Tensor([[0.0], [0.0]]), name="speed")

    def step(x):
        error = x @ weight - 1.0
        gradient = x.t() @ error
        speed.mul_(0.9)
        speed.add_(gradient)
        weight.sub_(speed * 0.1)
        return (error * error).sum()

    return Scene(step, watch=lambda: (weight, speed))


@program(Tensor([1.0, 2.0, 3.0, 4.0]), Tensor(2.5), vary=False)
def binary_search(x, target):
    low, high = 0, 4
    while low < high:
        middle = (low + high) // 2
        if x[middle] < target:
            low = middle + 1
        else:
            high = middle
    return low


@program(Tensor([1.0, 2.0]), "relu", then=[(X, "tanh"), (X, None)])
def activation_by_name(x, name):
    table = {"relu": nn.ReLU(), "tanh": nn.Tanh()}
    return table[name](x) if name is not None else x


@program(Tensor([2.0, 7.0, 1.0]))
def prefix_sums_in_a_list(x):
    sums, total = [], 0.0
    for value in x:
        total = total + value
        sums.append(total)
    return sums
