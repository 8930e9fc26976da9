"""Spellings that programs written for MindSpore use: names of dtypes, None as a size, lists, older method names."""

import logging

import numpy as np
from program import Raises, Scene, program, scene

import dyad
from dyad import Parameter, Tensor, nn, ops
from dyad.ops import auto_generate

X = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
I = Tensor(np.arange(6, dtype=np.int32).reshape(2, 3))  # noqa: E741
V = Tensor([1.0, 2.0, 3.0])
B = Tensor([True, False])
C = Tensor(np.array([[1 + 2j, 3 - 1j], [0.5j, 2]], np.complex64))
IMAGE = Tensor(np.arange(32, dtype=np.float32).reshape(1, 2, 4, 4))


@program(X)
def dtypes_by_name(x):
    return (
        x.astype("float16"),
        x.astype("Float64"),
        x.astype("int"),
        x.astype("bool"),
        x.type("int32"),
        x.to("float64"),
    )


@program(X, expect=Raises(TypeError, "astype: dtype is 'float31'; it must be a dtype"))
def a_dtype_that_is_none(x):
    return x.astype("float31")


@program(IMAGE)
def none_keeps_a_size(x):
    return (
        ops.adaptive_avg_pool2d(x, (None, 2)),
        ops.adaptive_max_pool2d(x, (2, None)),
        ops.adaptive_avg_pool2d(x, None),
        nn.AdaptiveAvgPool2d((None, 1))(x),
    )


@program(X, Tensor([[0, 0], [1, 1]]), Tensor([1.0, 2.0]))
def scatter_add_at_coordinates(x, indices, updates):
    named = x.scatter_add(indices=indices, updates=updates)
    return x.scatter_add(indices, updates), named, x.scatter_add(0, Tensor([[0, 1, 0]]), x[:1])


@program(X, V, Tensor(5.0))
def at_least_of_lists(x, v, s):
    return ops.atleast_1d([x, s]), ops.atleast_2d((v, s)), ops.atleast_3d([x, v, s]), ops.atleast_2d(v)


@program(V)
def triangles_of_a_vector(v):
    return ops.tril(v), ops.triu(v), v.tril(-1), v.triu(1), dyad.numpy.tril(v)


@program(C)
def complex_functions(c):
    return ops.expm1(c), ops.exp2(c), ops.silu(c), ops.sign(c), ops.log1p(c), c.sign()


@program(C)
def complex_factors(c):
    q, r = ops.qr(c)
    s, u, v = ops.svd(c)
    wide = c[:1]
    _, left, right = ops.svd(wide, full_matrices=True)
    return q @ r, q.mH @ q, (u * s) @ v.mH, s, left, right @ right.mH


@program(B)
def rounding_of_bools(b):
    return ops.floor(b), ops.ceil(b), ops.trunc(b), b.floor(), ops.round(b)


@program(I)
def mean_of_integers(i):
    return (
        ops.mean(i),
        i.mean(1),
        ops.mean(-i),
        ops.ReduceMean(keep_dims=True)(i, 0),
        i.mean(dtype=dyad.float32),
    )


@program(X)
def all_close(x):
    return x.allclose(x + 1e-9), x.allclose(x + 1), x.allclose(x, atol=1.0)


@program(X)
def branch_on_all_close(x):
    return x * 2 if x.allclose(x + 0) else x


@program(X)
def extremes_with_their_places(x):
    return x.argmax_with_value(), x.argmin_with_value(1, True), x.argmax_with_value(axis=-1)


@program(X)
def largest(x):
    return ops.top_k(x, 2), x.top_k(1), ops.top_k(x, 2, sorted=True)


@program(X)
def diagonal_in_place(x):
    y = x * 1
    z = y.fill_diagonal_(7.0)
    return y, z


@program(X)
def arrays_of_tuples(x):
    return ops.tuple_to_array(range(4)), ops.tuple_to_array((1.5, 2.0)), x


@program(X)
def membership(x):
    return dyad.numpy.isin(x, [1, 2]), dyad.numpy.isin(x, Tensor([1.0]), invert=True)


@program(X)
def remainder_and_repeats(x):
    return (
        x.remainder(divisor=2.0),
        x.repeat_interleave(2, 0, output_size=4),
        x.qr(True)[1],
        x.qr(some=False)[1],
    )


@program(X, expect=Raises(ValueError, "repeat_interleave: output_size is 5; the repeats give 4"))
def repeats_of_another_size(x):
    return x.repeat_interleave(2, 0, output_size=5)


add_by_kind = ops.MultitypeFuncGraph("add_by_kind")


@add_by_kind.register("Tensor", "RowTensor")
def _never(a, b):
    raise AssertionError


@add_by_kind.register("Tensor", "Tensor")
def _tensors(a, b):
    return a + b


@program(X)
def a_kind_that_no_value_has(x):
    return add_by_kind(x, x)


@program(X)
def operators_of_auto_generate(x):
    y = auto_generate.add_op(x, x) + auto_generate.sum_ext(x, 0) + auto_generate.SumExt()(x)
    return (
        y,
        auto_generate.ReduceSum()(x, 1),
        auto_generate.reshape_op(x, (3, 2)),
        auto_generate.argmax_ext_op(x, 1, True),
    )


@program(Tensor(1.0), 4)
def loops_as_operators(x, n):
    doubled = ops.WhileLoop()(lambda v: v < 100, lambda v: v * 2 + 1, x * x)
    summed = ops.ForiLoop()(0, n, lambda i, v: v + i, x)
    last, all_ = ops.Scan()(lambda carry, v: (carry + v, carry * v), x, [x, x * 2, x * 3])
    return doubled, summed, last, all_, ops.Scan()(lambda c, v: (c + 1, c), x, None, length=3)


class BeforeInit(nn.Cell):
    def __init__(self):
        self.scale = 3
        self.sizes = [1, 2]
        super().__init__()
        self.dense = nn.Dense(3, 2, weight_init="ones", bias_init="zeros")

    def construct(self, x):
        return self.dense(x) * self.scale + len(self.sizes)


@scene(X)
def attributes_set_before_init():
    return BeforeInit()


class StandardizedConv(nn.Conv2d):
    """As users write them: the layer's own operators, with another weight."""

    def construct(self, x):
        weight = self.weight - self.weight.mean((1, 2, 3), keep_dims=True)
        y = self.conv2d(x, weight)
        return self.bias_add(y, self.bias) if self.has_bias else y


@scene(IMAGE)
def operators_kept_by_layers():
    conv = StandardizedConv(
        2, 3, 3, has_bias=True, weight_init=Tensor(np.arange(54.0, dtype=np.float32).reshape(3, 2, 3, 3))
    )
    norm, soft, relu = nn.LayerNorm((4,)), nn.Softmax(1), nn.ReLU()

    def run(x):
        y, mean, _ = norm.layer_norm(x, norm.gamma, norm.beta)
        return conv(x), y, mean, soft.softmax(x), relu.relu(x), nn.MaxPool2d(2, 2).max_pool(x)

    return run


class Weighted(nn.Cell):
    def __init__(self):
        super().__init__()
        self.scale = Parameter(Tensor([2.0]), name="scale")
        self.fixed = Parameter(Tensor([3.0]), name="fixed", requires_grad=False)
        self.inner = nn.Dense(3, 1, weight_init="ones", bias_init="ones")

    def construct(self, x):
        total = x.sum() * self.scale
        for parameter in self.get_parameters():
            total = total + parameter.sum()
        names = [name for name, _ in self.parameters_and_names()]
        for parameter in self.trainable_params():
            total = total + parameter.sum() * 2
        return total, names, len(self.untrainable_params()), sorted(self.parameters_dict())


@scene(X)
def parameters_listed_inside():
    net = Weighted()

    def add_one():
        net.inner.more = Parameter(Tensor([10.0]), name="more")

    return Scene(net, change=add_one)


class _Kept(logging.Handler):
    def __init__(self):
        super().__init__()
        self.lines = []

    def emit(self, record):
        self.lines.append((record.levelname, record.getMessage(), record.funcName))


@scene(X, strict=False)
def messages_logged_inside():
    logger, kept = logging.Logger("spellings", logging.INFO), _Kept()
    logger.addHandler(kept)

    def run(x):
        logger.debug("hidden")
        logger.info("sum %s of %d", x.sum(), 3)
        if x.sum() > 0:
            logger.warning("positive")
        return x * 2

    return Scene(run, watch=lambda: list(kept.lines))


@program(X, V)
def operators_with_all_arguments_in_one_list(x, v):
    return (
        auto_generate.pyboost_add(auto_generate.add_op, [x, v]),
        auto_generate.SoftmaxPrim_()([x, 0]),
        auto_generate.softmax_impl(x, -1),
        auto_generate.layer_norm_ext_op(x, (3,), v, v),
    )


@program(X, X + 0.5)
def gradients_as_operators(x, dy):
    return (
        auto_generate.EluGradExt()(dy, x - 2, 0.5),
        auto_generate.MSELossGradExt()(dy, x, dy * 2, reduction="none"),
        auto_generate.ReflectionPad1DGrad()(dy, x[:, :2], (0, 1)),
        auto_generate.RmsNormGrad()(dy, x, ops.ones((2, 1)), dy[0]),
        auto_generate.SigmoidGrad()(x, dy),
    )


@program(X)
def writing_by_the_name_of_the_operator(x):
    y = x * 1.5
    auto_generate.floor_(y)
    auto_generate.inplace_muls(y, 2.0)
    return y
