"""An exported ONNX model, run by ONNX's reference evaluator, returns the results of the network."""

import numpy as np
import onnx
import pytest
from onnx.reference import ReferenceEvaluator

import dyad
from dyad import Parameter, Tensor, nn, ops


def floats(*shape, seed=0):
    return Tensor(np.random.RandomState(seed).randn(*shape).astype(np.float32))


def flat(value):
    if isinstance(value, (tuple, list)):
        return [array for member in value for array in flat(member)]
    if isinstance(value, dict):
        return [array for member in value.values() for array in flat(member)]
    return [value.asnumpy() if isinstance(value, Tensor) else np.asarray(value)]


@pytest.fixture
def exported(tmp_path):
    """Exports a network and gives the checked model."""

    def export(net, *inputs):
        path = str(tmp_path / "net.onnx")
        dyad.export(net, *inputs, file_name=path, file_format="ONNX")
        model = onnx.load(path)
        onnx.checker.check_model(model, full_check=True)
        return model

    return export


def run(model, *inputs):
    names = [given.name for given in model.graph.input]
    feed = dict(zip(names, [given.asnumpy() for given in inputs], strict=True))
    with np.errstate(all="ignore"):
        return ReferenceEvaluator(model).run(None, feed)


@pytest.fixture
def assert_same(exported):
    """A network gives the same from its file, for these inputs and for further ones of the same kind."""

    def check(net, *inputs, further=(), tolerance=1e-5):
        model = exported(net, *inputs)
        for given in (inputs, *further):
            expected, made = flat(net(*given)), run(model, *given)
            assert len(made) == len(expected)
            for array, wanted in zip(made, expected, strict=True):
                assert np.shape(array) == wanted.shape
                assert array.dtype == wanted.dtype or wanted.ndim == 0
                np.testing.assert_allclose(array, wanted, rtol=tolerance, atol=tolerance)

    return check


class Classifier(nn.Cell):
    def __init__(self):
        super().__init__()
        self.convolution = nn.Conv2d(3, 8, 3, stride=2, has_bias=True)
        self.norm = nn.BatchNorm2d(8)
        self.deep = nn.Conv2d(8, 8, 3, group=8, pad_mode="pad", padding=(1, 0, 2, 1), dilation=1)
        self.pool = nn.MaxPool2d(2, 2)
        self.mean = nn.AvgPool2d(2, 1)
        self.flatten = nn.Flatten()
        self.dense = nn.Dense(8, 10)
        self.drop = nn.Dropout(p=0.5)

    def construct(self, x):
        y = self.pool(ops.relu(self.norm(self.convolution(x))))
        y = self.mean(ops.gelu(self.deep(y)))
        y = y.mean((2, 3))
        return ops.softmax(self.dense(self.drop(self.flatten(y))), -1)


def test_a_convolutional_classifier(assert_same):
    assert_same(Classifier(), floats(2, 3, 17, 19), further=[(floats(2, 3, 17, 19, seed=1),)])


class Block(nn.Cell):
    def __init__(self, size, heads):
        super().__init__()
        self.heads = heads
        self.norm = nn.LayerNorm((size,))
        self.project = nn.Dense(size, 3 * size)
        self.out = nn.Dense(size, size)
        self.table = Parameter(floats(11, size), "table")

    def construct(self, tokens, mask):
        x = self.table[tokens]
        batch, length, size = x.shape
        q, k, v = ops.split(self.project(self.norm(x)), size, -1)
        q, k, v = (part.reshape(batch, length, self.heads, -1).transpose(0, 2, 1, 3) for part in (q, k, v))
        scores = ops.matmul(q, k.swapaxes(-1, -2)) / (size / self.heads) ** 0.5
        scores = ops.masked_fill(scores, mask, -1e9)
        y = ops.matmul(ops.softmax(scores, -1), v).transpose(0, 2, 1, 3).reshape(batch, length, size)
        return x + ops.silu(self.out(y))


def test_an_attention_block(assert_same):
    tokens = Tensor(np.random.RandomState(0).randint(0, 11, (2, 5)).astype(np.int32))
    mask = Tensor(np.triu(np.ones((5, 5), bool), 1))
    assert_same(Block(8, 2), tokens, mask)


def test_sizes_may_stay_open(exported):
    net = nn.SequentialCell(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Dense(32, 3))
    model = exported(net, Tensor(shape=[None, 1, 4, 4], dtype=dyad.float32))
    for batch in (2, 5):
        x = floats(batch, 1, 4, 4)
        np.testing.assert_allclose(run(model, x)[0], net(x).asnumpy(), rtol=1e-5, atol=1e-5)


class Branches(nn.Cell):
    def construct(self, x):
        if x.sum() > 0:
            y = x * 2
        elif x.sum() < -5:
            y = x - 1
        else:
            y = ops.abs(x)
        return y


def test_branches_on_data(assert_same):
    x = floats(3, 4)
    assert_same(Branches(), ops.abs(x), further=[(-ops.abs(x) * 10,), (-ops.abs(x) * 0.01,)])


class Loops(nn.Cell):
    def construct(self, x, limit):
        steps = 0
        while x.sum() < limit:
            inner = 0
            while inner < 2:
                x = x + 1
                inner = inner + 1
            steps = steps + 1
        return x, steps


def test_loops_on_data(assert_same):
    x = Tensor(np.ones((2, 3), np.float32))
    limit = Tensor(50.0, dyad.float32)
    assert_same(Loops(), x, limit, further=[(x, Tensor(0.0, dyad.float32))])


ELEMENTWISE = {
    "floor_div of ints": lambda x, n: n // 3,
    "remainder of ints": lambda x, n: n % 3,
    "remainder of floats": lambda x, n: x % 0.7,
    "floor_div of floats": lambda x, n: x // 0.7,
    "promotion": lambda x, n: x + n * 2,
    "comparison": lambda x, n: (x > n, x != x, n <= 1),
    "choice": lambda x, n: ops.where(x > 0, x, n),
    "clamp": lambda x, n: ops.clamp(x, -0.5, 0.5),
    "powers": lambda x, n: (x**2, ops.sqrt(ops.abs(x)), ops.rsqrt(ops.abs(x) + 1)),
    "activations": lambda x, n: (ops.elu(x), ops.leaky_relu(x, 0.1), ops.softplus(x), ops.mish(x), ops.hardswish(x)),
    "logarithms": lambda x, n: (ops.log1p(ops.abs(x)), ops.log2(ops.abs(x) + 1), ops.expm1(x)),
    "truths": lambda x, n: ops.logical_and(x > 0, n > 0),
    "not a number": lambda x, n: (ops.isnan(ops.log(x)), ops.isfinite(x), ops.isinf(x)),
    "casts": lambda x, n: (x.astype(dyad.int32), n.astype(dyad.float64), x.astype(dyad.bool_)),
    "reductions": lambda x, n: (x.sum(1), x.mean((0, 2), keep_dims=True), x.max(), n.sum(), x.prod(0)),
    "places": lambda x, n: (x.argmax(1), ops.max(x, 1), ops.topk(x, 2), ops.sort(x, 0)),
    "sums up to": lambda x, n: x.cumsum(1),
    "truth of all": lambda x, n: ((x > -9).all(), (n > 2).any(1)),
    "slices": lambda x, n: (x[:, 1:3, ::2], x[-1], x[..., None], x[0, :, 1:]),
    "moves": lambda x, n: (x.transpose(2, 0, 1), x.reshape(-1, 4), x.swapaxes(0, 1), ops.flip(x, (1,))),
    "joins": lambda x, n: (ops.concat((x, x), 1), ops.stack((x, x), 2), ops.tile(x, (1, 2, 1))),
    "parts": lambda x, n: (*ops.split(x, 1, 1), *ops.chunk(x, 2, 2)),
    "pads": lambda x, n: ops.pad(x, (1, 2, 0, 1), value=3.0),
    "gathering": lambda x, n: (x[n[0, 0].clip(0, 1)], ops.gather_elements(x, 2, n.clip(0, 3))),
    "one hot": lambda x, n: ops.one_hot(n, 4),
    "triangles": lambda x, n: (ops.tril(x), ops.triu(x, 1)),
    "losses": lambda x, n: (ops.mse_loss(x, x * 2), ops.log_softmax(x, -1)),
    "products": lambda x, n: (ops.matmul(x, x.swapaxes(1, 2)), ops.bmm(x, x.swapaxes(1, 2))),
    "normalised": lambda x, n: (ops.layer_norm(x, (4,), Tensor([1.0] * 4), Tensor([0.0] * 4)), ops.L2Normalize(-1)(x)),
    "resized": lambda x, n: ops.interpolate(x, size=7, mode="nearest"),
    "constants": lambda x, n: (ops.zeros((2, 2)), ops.arange(5) + n.sum(), ops.full((2,), 3.0)),
}  # fmt: skip


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_elementwise_operators_agree_with_onnx(assert_same, name):
    x, n = floats(2, 3, 4), Tensor(np.random.RandomState(1).randint(-4, 5, (2, 3, 4)).astype(np.int64))
    compute = ELEMENTWISE[name]

    def net(x, n):
        return compute(x, n)

    assert_same(net, x, n)


def test_images_are_resized(assert_same):
    def net(x):
        return (
            ops.interpolate(x, size=(7, 5), mode="bilinear"),
            ops.interpolate(x, size=(7, 5), mode="bilinear", align_corners=True),
            ops.interpolate(x, size=(8, 10), mode="nearest"),
        )

    assert_same(net, floats(1, 2, 4, 5))


def test_transposed_convolutions(assert_same):
    assert_same(nn.Conv2dTranspose(3, 2, 3, stride=2, pad_mode="pad", padding=1), floats(1, 3, 5, 6))


def test_writes_to_parts_of_tensors(assert_same):
    def net(x):
        y = x * 1
        y[0, 1:] = 7.0
        y[:, ::2] += 1.0
        return y

    assert_same(net, floats(3, 4))


def test_results_are_a_flat_list(exported):
    def net(x):
        return {"a": x, "b": (x + 1, [x * 2, 3])}

    model = exported(net, floats(2))
    assert len(model.graph.output) == 4


def test_half_precision(assert_same):
    net = nn.Dense(4, 3).to_float(dyad.float16)
    assert_same(net, floats(2, 4), tolerance=2e-3)


def test_weights_keep_their_names(exported):
    model = exported(Classifier(), floats(2, 3, 16, 16))
    names = {initializer.name for initializer in model.graph.initializer}
    assert {"convolution.weight", "norm.gamma", "dense.bias"} <= names


def test_sizes_below_zero_are_divided_as_in_python(exported):
    class Shifted(nn.Cell):
        def construct(self, x):
            return x + (3 - x.shape[0]) // 2

    net = Shifted()
    model = exported(net, Tensor(shape=[None, 4], dtype=dyad.float32))
    for rows in (6, 7, 8):
        x = floats(rows, 4)
        np.testing.assert_allclose(run(model, x)[0], net(x).asnumpy(), rtol=1e-6)


def test_digits_of_small_and_large_numbers_are_kept(assert_same):
    def net(x, a, b):
        return ops.log1p(x), ops.expm1(x), ops.hypot(a, b), a % b, a // b

    x = Tensor(np.array([1e-8, 1e-7, -1e-7, 0.5, -0.5, 3.0, 0.0], np.float32))
    a = Tensor(np.array([1e8, 5.0, 0.3, -7.5, 1e30, 0.0], np.float32))
    b = Tensor(np.array([3.0, 1e30, -0.1, 2.0, 1e30, 4.0], np.float32))
    assert_same(net, x, a, b, tolerance=1e-6)


KINDS = [dyad.bool_, dyad.uint8, dyad.int8, dyad.int16, dyad.int32, dyad.int64, dyad.float16, dyad.float64]
OF_ANY_KIND = {
    "masks": lambda x: ((x > 1) & (x < 3), (x > 1) | (x == 0), ~(x > 1), (x > 1) ^ (x < 3)),
    "comparison": lambda x: (x > x.flip(0), x <= x.flip(0), x == x, x != x.flip(0)),
    "extremes": lambda x: (ops.maximum(x, x.flip(0)), x.max(1), x.argmax(1), ops.topk(x, 2)[0]),
    "rounding": lambda x: (ops.floor(x), ops.ceil(x), ops.trunc(x)),
    "sums": lambda x: (x.sum(1), ops.cumsum(x, 1)),
    "signs": lambda x: (-x, ops.relu(x), ops.abs(x)),
    "products": lambda x: ops.matmul(x, x.T),
    "kinds of numbers": lambda x: (ops.isinf(x), ops.isnan(x), ops.isfinite(x)),
    "activations": lambda x: (ops.celu(x), ops.elu(x)),
}


@pytest.mark.parametrize("name", OF_ANY_KIND)
@pytest.mark.parametrize("dtype", KINDS, ids=str)
def test_element_types_are_written_as_the_format_has_them_or_refused(exported, name, dtype):
    compute = OF_ANY_KIND[name]
    x = Tensor(np.array([[0, 1, 5], [3, 2, 1]])).astype(dtype)

    def net(x):
        return compute(x)

    try:
        expected = flat(net(x))
    except (TypeError, RuntimeError):
        return  # not here either
    try:
        model = exported(net, x)  # which has it checked
    except ValueError as error:
        assert "cannot be written as ONNX" in str(error)
        return
    for array, wanted in zip(run(model, x), expected, strict=True):
        assert array.dtype == wanted.dtype
        np.testing.assert_allclose(array, wanted, rtol=2e-3 if dtype == dyad.float16 else 1e-6)


def test_places_that_the_run_tells(assert_same):
    def net(x, n):
        return x[n], x[:, n]

    assert_same(net, floats(3, 4), Tensor(1), further=[(floats(3, 4), Tensor(-1))])


def test_a_write_to_a_place_that_the_run_tells_is_refused(tmp_path):
    def net(x, n):
        y = x * 1
        y[n] = 9.0
        return y

    with pytest.raises(ValueError, match="cannot be written as ONNX"):
        dyad.export(net, floats(3, 4), Tensor(1), file_name=str(tmp_path / "a"), file_format="ONNX")


def test_open_sizes_that_paddings_need_are_refused(tmp_path):
    template = Tensor(shape=[1, 2, None, None], dtype=dyad.float32)
    with pytest.raises(ValueError, match="cannot be written as ONNX"):
        dyad.export(
            nn.AvgPool2d(3, 2, pad_mode="same"), template, file_name=str(tmp_path / "a"), file_format="ONNX"
        )


def test_training_is_refused(tmp_path):
    with pytest.raises(
        ValueError, match=r"cannot be written as ONNX.*writing to norm.moving_mean.*set_train"
    ):
        dyad.export(
            Classifier().set_train(), floats(2, 3, 16, 16), file_name=str(tmp_path / "a"), file_format="ONNX"
        )


def test_an_operator_without_a_form_is_named_with_its_line(tmp_path):
    def net(x):
        return ops.lgamma(x)

    with pytest.raises(
        ValueError, match=r"cannot be written as ONNX.*operator lgamma, called at .*test_onnx.py:\d+"
    ):
        dyad.export(net, floats(2), file_name=str(tmp_path / "a"), file_format="ONNX")
    assert not list(tmp_path.iterdir())


def test_load_says_what_it_reads(tmp_path):
    path = str(tmp_path / "net.onnx")
    dyad.export(nn.ReLU(), floats(2), file_name=path, file_format="ONNX")
    with pytest.raises(ValueError, match=r"ends in .mindir or .dyad"):
        dyad.load(path)
