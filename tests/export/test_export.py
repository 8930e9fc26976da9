"""A network that is exported and loaded returns the same results, in both formats and in every form."""

import copy

import numpy as np
import pytest
from forms import FORMS

import dyad
from dyad import Parameter, Tensor, nn, ops
from dyad._src.interchange.mindir.export import mindir_model

SUFFIXES = {"MINDIR": ".mindir", "DYAD": ".dyad"}


@pytest.fixture(params=SUFFIXES)
def round_trip(request, tmp_path):
    """Exports a network and gives the Cell of the file."""

    def export(net, *inputs):
        path = str(tmp_path / "net")
        dyad.export(net, *inputs, file_name=path, file_format=request.param)
        return nn.GraphCell(dyad.load(path + SUFFIXES[request.param]))

    return export


def assert_same(value, expected):
    """Equal values of equal types, Tensors to within rounding."""
    if isinstance(expected, Tensor):
        assert isinstance(value, Tensor)
        assert value.dtype == expected.dtype
        assert value.shape == expected.shape
        is_short = expected.dtype in (dyad.float16, dyad.bfloat16)
        arrays = [
            tensor.astype(dyad.float32).asnumpy() if is_short else tensor.asnumpy()
            for tensor in (value, expected)
        ]
        np.testing.assert_allclose(*arrays, rtol=2e-3 if is_short else 1e-5, atol=1e-3 if is_short else 1e-5)
    elif isinstance(expected, (tuple, list)):
        assert type(value) is type(expected)
        assert len(value) == len(expected)
        for member, wanted in zip(value, expected, strict=True):
            assert_same(member, wanted)
    elif isinstance(expected, dict):
        assert list(value) == list(expected)
        for key, wanted in expected.items():
            assert_same(value[key], wanted)
    else:
        assert value == expected
        assert type(value) is type(expected)


def floats(*shape, seed=0):
    return Tensor(np.random.RandomState(seed).randn(*shape).astype(np.float32))


class Layers(nn.Cell):
    def __init__(self):
        super().__init__()
        self.convolution = nn.Conv2d(2, 4, 3, has_bias=True)
        self.norm = nn.BatchNorm2d(4)
        self.max_pool = nn.MaxPool2d(3, 2, pad_mode="same")
        self.average_pool = nn.AvgPool2d(2, 2)
        self.dense = nn.Dense(16, 6)
        self.layer_norm = nn.LayerNorm((6,))

    def construct(self, x):
        x = self.average_pool(self.max_pool(ops.relu(self.norm(self.convolution(x)))))
        return ops.softmax(self.layer_norm(self.dense(x.flatten(start_dim=1))))


class Functions(nn.Cell):
    def construct(self, x, y):
        joined = ops.concat((x[1:, ::2], y[:2, :2] ** 2), 0)
        best, place = ops.topk(x, 2)
        return (
            joined, best, place, ops.gelu(x), ops.where(x > y, x, 0.5), x.mean(axis=1), (x > 0).all(axis=0), x @ y.T,
            x.argmax(axis=1), ops.cumsum(x, 0), ops.clamp(x, -1, 1), x[ops.argmin(x, 1)[0]], x.astype(dyad.int32) // 2,
            ops.stack((x, y), 1), ops.split(x, 2, 1), x.std(), ops.pad(x, (1, 2)), 1 / (x + 5), 2 ** x,
        )  # fmt: skip


class Branches(nn.Cell):
    def construct(self, x):
        y = x
        if x[0] > 0:
            if x[1] > 0:
                y = y + 1
            elif x[2] > 0:
                y = y + 2
        if y.sum() > 1:
            return y * 2
        return y - 1


class Loops(nn.Cell):
    def construct(self, x, n):
        i = n * 0
        while i < n:
            j = i * 1
            while j < n:
                x = x * 1.1 + j
                if x.sum() > 60:
                    break
                j = j + 1
            i = i + 1
        return x, i


class State(nn.Cell):
    def __init__(self):
        super().__init__()
        self.total = Parameter(ops.zeros((3,)), name="total")
        self.count = Parameter(Tensor(0, dyad.int32), name="count", requires_grad=False)

    def construct(self, x):
        before = self.total + 0
        if x.sum() > 0:
            ops.assign_add(self.total, x)
        self.count += 1
        return before, self.total * 2, self.count


class Values(nn.Cell):
    def construct(self, x):
        return x + 1, (x, [3, 2.5]), True, "text", None, {"a": x * 2, "b": (1, "c")}, x.shape, dyad.float32


class Writes(nn.Cell):
    def construct(self, x):
        x = x * 1
        x[0] = 1.0
        x[1:, 2] = x[0, 0] + 4
        x[:, 0:2] = x[:, 1:3] * 2
        return x


class Chosen(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layers = (nn.ReLU(), nn.Softmax())

    def construct(self, x, place):
        return self.layers[place](x)


class Unused(nn.Cell):
    def construct(self, x, y, z):
        return x + z


class Factorial(nn.Cell):
    def construct(self, n):
        return factorial(n)


@dyad.jit
def factorial(n):
    if n <= 1:
        return n * 0 + 1
    return n * factorial(n - 1)


CASES = {
    "layers": (Layers, [floats(2, 2, 8, 8)]),
    "layers in training": (lambda: Layers().set_train(), [floats(2, 2, 8, 8)]),
    "functions": (Functions, [floats(3, 4), floats(3, 4, seed=1)]),
    "first branch": (Branches, [Tensor([1.0, 2.0, 3.0])]),
    "second branch": (Branches, [Tensor([1.0, -2.0, 3.0])]),
    "last branch": (Branches, [Tensor([-1.0, -2.0, 3.0])]),
    "loops": (Loops, [floats(3), Tensor(4, dyad.int32)]),
    "state": (State, [Tensor([1.0, 2.0, 3.0])]),
    "values": (Values, [floats(2, 3)]),
    "writes": (Writes, [floats(3, 4)]),
    "chosen": (Chosen, [floats(3), Tensor(1, dyad.int32)]),
    "unused": (Unused, [floats(3), floats(2), floats(3)]),
    "recursion": (Factorial, [Tensor(5, dyad.int32)]),
    "recurrent": (lambda: nn.LSTM(3, 4, 2, bidirectional=True), [floats(5, 2, 3)]),
    "attention": (lambda: nn.TransformerEncoderLayer(8, 2, 16).set_train(False), [floats(4, 2, 8)]),
    "half": (lambda: nn.Dense(4, 3).to_float(dyad.float16), [floats(2, 4)]),
    "dtypes": (nn.Identity, [Tensor([1.5, 2.5], dyad.bfloat16)]),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("case", CASES)
def test_gives_what_the_network_gives(round_trip, case, form):
    make, inputs = CASES[case]
    net = make()
    loaded = round_trip(net, *inputs)
    given = copy.deepcopy(inputs)
    assert_same(form(loaded, *given), net(*inputs))


def test_exporting_changes_nothing(round_trip):
    net = State()
    round_trip(net, Tensor([1.0, 2.0, 3.0]))
    assert net.total.abs().sum() == 0
    assert net.count == 0


def test_names_and_values_of_parameters(round_trip):
    net = Layers()
    loaded = round_trip(net, floats(2, 2, 8, 8))
    wanted = {parameter.name: parameter for parameter in net.get_parameters()}
    found = {parameter.name: parameter for parameter in loaded.get_parameters()}
    assert found.keys() == wanted.keys()
    for name, parameter in found.items():
        np.testing.assert_array_equal(parameter.asnumpy(), wanted[name].asnumpy())


def test_bits_of_floats_are_kept(round_trip):
    class Held(nn.Cell):
        def __init__(self):
            super().__init__()
            self.weight = Parameter(Tensor([1e-45, np.nan, -0.0, np.inf, 0.1], dyad.float32), name="weight")

        def construct(self, x):
            return x * 0.1 + Tensor(1 / 3, dyad.float64), self.weight

    net = Held()
    x = Tensor([3.0], dyad.float64)
    value, weight = round_trip(net, x)(x)
    assert value.asnumpy().tobytes() == net(x)[0].asnumpy().tobytes()
    assert weight.asnumpy().tobytes() == net.weight.asnumpy().tobytes()


def test_open_sizes(round_trip):
    class Open(nn.Cell):
        def __init__(self):
            super().__init__()
            self.layers = nn.SequentialCell(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.MaxPool2d(2, 2))

        def construct(self, x):
            x = self.layers(x)
            size = x.shape[0]
            return x.reshape(size * 2, -1).sum(axis=1), size, x.shape[2] * 3

    net = Open()
    loaded = round_trip(net, Tensor(shape=[None, 1, None, 6], dtype=dyad.float32))
    assert loaded.graph.inputs[0][2] == (None, 1, None, 6)
    for form in FORMS:
        for shape in ((2, 1, 4, 6), (3, 1, 8, 6), (5, 1, 4, 6)):
            x = floats(*shape)
            assert_same(form(loaded, x), net(x))


def test_set_inputs_opens_sizes(round_trip):
    net = nn.Dense(4, 3)
    net.set_inputs(Tensor(shape=[None, 4], dtype=dyad.float32))
    assert round_trip(net, ops.ones((2, 4))).graph.inputs[0][2] == (None, 4)


def test_what_is_not_a_tensor_is_frozen(round_trip):
    class Scaled(nn.Cell):
        def construct(self, x, factor, flag, more):
            return x * factor + more[0] if flag else x

    x = floats(3)
    arguments = (2.5, True, (Tensor([1.0]), "text"))
    loaded = round_trip(Scaled(), x, *arguments)
    assert len(loaded.graph.inputs) == 1
    assert_same(loaded(x), Scaled()(x, *arguments))


def doubled(x, y):
    return x * 2 + y


@pytest.mark.parametrize("function", [doubled, dyad.jit(doubled)])
def test_functions_are_exported_and_loaded(round_trip, function):
    x, y = floats(3), floats(3, seed=1)
    assert_same(round_trip(function, x, y)(x, y), doubled(x, y))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("optimizer", [nn.SGD, nn.Adam, lambda *given: nn.Momentum(*given, 0.9)])
def test_a_training_step_trains_on(round_trip, optimizer, form):
    net = nn.SequentialCell(nn.Dense(4, 8), nn.Tanh(), nn.Dense(8, 3))
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer(net.trainable_params(), 0.1))
    x, y = floats(5, 4), floats(5, 3, seed=1)
    loaded = round_trip(step.set_train(), x, y)
    for _ in range(3):
        assert_same(form(loaded, x, y), step(x, y))


def test_gradients_flow_through_a_loaded_network(round_trip):
    net = nn.SequentialCell(nn.Dense(4, 8), nn.GELU(), nn.Dense(8, 3))
    x = floats(5, 4)
    loaded = round_trip(net, x)
    gradient = dyad.grad(lambda x: loaded(x).sum())(x)
    assert_same(gradient, dyad.grad(lambda x: net(x).sum())(x))


def test_an_exported_file_can_be_exported_again(round_trip):
    net, x = Branches(), Tensor([1.0, -2.0, 3.0])
    assert_same(round_trip(round_trip(net, x), x)(x), net(x))


class Flattened(nn.Cell):
    def __init__(self):
        super().__init__()
        self.flatten, self.dense = nn.Flatten(), nn.Dense(12, 3)

    def construct(self, x):
        return self.dense(self.flatten(x)), x.reshape(x.shape[0], -1)


def test_a_flattened_batch_may_have_another_size(tmp_path):
    net = Flattened()
    dyad.export(net, dyad.ops.ones((2, 3, 4)), file_name=str(tmp_path / "net"))
    loaded = nn.GraphCell(dyad.load(str(tmp_path / "net.mindir")))
    for size in (1, 2, 5):
        x = dyad.Tensor(np.random.RandomState(size).randn(size, 3, 4).astype(np.float32))
        for made, expected in zip(loaded(x), net(x), strict=True):
            np.testing.assert_allclose(made.asnumpy(), expected.asnumpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("pool", "shape"),
    [(nn.AdaptiveAvgPool2d((2, 4)), (2, 3, 9, 7)), (nn.AdaptiveAvgPool3d((2, 1, 3)), (1, 2, 5, 4, 7))],
)
def test_adaptive_pools_are_primitives_of_mindir(round_trip, pool, shape):
    x = floats(*shape)
    assert_same(round_trip(pool, x)(x), pool(x))
    assert not mindir_model(pool, (x,)).foreign


def resized(mode, align_corners=None):
    return lambda x: ops.interpolate(x, size=(8, 6), mode=mode, align_corners=align_corners)


@pytest.mark.parametrize(
    "function",
    [
        resized("bilinear", False),
        resized("bilinear", True),
        resized("nearest"),
        lambda x: ops.flip(x, (2,)),
        lambda x: ops.flip(x, (1, 3))[:, :, 1:3],
    ],
)
def test_resized_and_flipped_images_are_primitives_of_mindir(round_trip, function):
    x = floats(2, 3, 4, 5)
    assert_same(round_trip(function, x)(x), function(x))
    assert not mindir_model(function, (x,)).foreign
