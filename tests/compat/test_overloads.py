"""Operators that functions choose among, by the names that follow from them, against NumPy in both forms."""

import pickle

import numpy as np
import pytest
import scipy.fft
import scipy.linalg

import dyad
from dyad import Tensor, grad, jit, mint, nn, ops, vmap
from dyad.ops import auto_generate as A

rng = np.random.default_rng(5)
FORMS = pytest.mark.parametrize("form", [lambda f: f, jit], ids=["dynamic", "static"])


def draw(*shape):
    return rng.standard_normal(shape).astype(np.float32)


X = np.array([[1.0, 2.0, 2.5], [3.0, -1.0, 0.5]], np.float32)
LINE, IMAGE, VOLUME = draw(2, 3, 5), draw(1, 2, 4, 5), draw(1, 1, 3, 4, 3)
W1, W2, W3 = draw(4, 3, 2), draw(2, 2, 3, 2), draw(2, 1, 2, 2, 2)
TRIANGLE = np.array([[2.0, 0.0], [1.0, 3.0]], np.float32)
TALL = np.array([[2.0, 1.0], [1.0, 3.0], [0.0, 1.0]], np.float32)


def convolved(x, w, pads):
    """The convolution of (N, C, ...) with (filters, C, ...), step 1, by its definition."""
    x = np.pad(x, [(0, 0), (0, 0), *pads])
    windows = np.lib.stride_tricks.sliding_window_view(x, w.shape[2:], tuple(range(2, x.ndim)))
    spatial = w.ndim - 2
    axes = ([1, *range(2 + spatial, 2 + 2 * spatial)], [1, *range(2, 2 + spatial)])
    return np.moveaxis(np.tensordot(windows, w, axes), -1, 1)


def pads_of_same(w):
    return [((k - 1) // 2, k - 1 - (k - 1) // 2) for k in w.shape[2:]]


CASES = [
    ("ReflectionPad1D", (X, (1, 2)), np.pad(X, [(0, 0), (1, 2)], "reflect")),
    ("ReflectionPad2D", (IMAGE, (1, 2, 0, 3)), np.pad(IMAGE, [(0, 0), (0, 0), (0, 3), (1, 2)], "reflect")),
    (
        "ReflectionPad3D",
        (VOLUME, (1, 1, 2, 0, 1, 1)),
        np.pad(VOLUME, [(0, 0), (0, 0), (1, 1), (2, 0), (1, 1)], "reflect"),
    ),
    ("ReplicationPad1D", (LINE, (2, 1)), np.pad(LINE, [(0, 0), (0, 0), (2, 1)], "edge")),
    ("ReplicationPad2D", (IMAGE[0], (1, 2, 0, 3)), np.pad(IMAGE[0], [(0, 0), (0, 3), (1, 2)], "edge")),
    (
        "ReplicationPad3D",
        (VOLUME, (1, 1, 2, 0, 1, 1)),
        np.pad(VOLUME, [(0, 0), (0, 0), (1, 1), (2, 0), (1, 1)], "edge"),
    ),
    ("ConstantPadND", (X, (1, 0, 0, 2), 7.0), np.pad(X, [(0, 2), (1, 0)], constant_values=7)),
    ("UpsampleNearest1D", (LINE, (10,)), LINE.repeat(2, -1)),
    ("UpsampleNearest2D", (IMAGE, None, (2.0, 3.0)), IMAGE.repeat(2, 2).repeat(3, 3)),
    (
        "UpsampleLinear1D",
        (LINE, (9,), None, True),
        np.apply_along_axis(lambda v: np.interp(np.linspace(0, 4, 9), range(5), v), -1, LINE).astype(
            np.float32
        ),
    ),
    (
        "UpsampleBilinear2D",
        (IMAGE, (7, 5), None, True),
        np.apply_along_axis(lambda v: np.interp(np.linspace(0, 3, 7), range(4), v), 2, IMAGE).astype(
            np.float32
        ),
    ),
    ("MaxDim", (X, 1), (X.max(1), X.argmax(1))),
    ("MinDim", (X, 0, True), (X.min(0, keepdims=True), X.argmin(0)[None])),
    ("MedianDim", (X,), (np.median(X, -1), np.array([1, 2]))),
    ("Convolution", (LINE, W1), convolved(LINE, W1, [(0, 0)])),
    ("Convolution", (IMAGE, W2, None, 1, (1, 0)), convolved(IMAGE, W2, [(1, 1), (0, 0)])),
    ("Convolution", (VOLUME, W3), convolved(VOLUME, W3, [(0, 0)] * 3)),
    ("ConvolutionStr", (IMAGE, W2, None, 1, "same"), convolved(IMAGE, W2, pads_of_same(W2))),
    ("Conv1DPadding", (LINE, W1, None, 1, "same"), convolved(LINE, W1, pads_of_same(W1))),
    ("Conv2DPadding", (IMAGE, W2), convolved(IMAGE, W2, [(0, 0)] * 2)),
    ("Conv3DPadding", (VOLUME, W3, None, 1, "same"), convolved(VOLUME, W3, pads_of_same(W3))),
    (
        "ConvTbc",
        (LINE.transpose(2, 0, 1).copy(), W1.transpose(2, 1, 0).copy(), np.arange(4, dtype=np.float32), 1),
        (convolved(LINE, W1, [(1, 1)]) + np.arange(4)[:, None]).transpose(2, 0, 1),
    ),
    ("Repeat", (X, (2, 1, 2)), np.tile(X, (2, 1, 2))),
    ("View", (X, (3, 2)), X.reshape(3, 2)),
    ("ViewDtype", (X, dyad.int32), X.view(np.int32)),
    ("AsStrided", (X, (2, 2), (1, 2), 1), np.array([[2.0, 3.0], [2.5, -1.0]])),
    ("ToDtype", (X, dyad.int32), X.astype(np.int32)),
    ("ToOther", (X, np.array([1])), X.astype(np.int64)),
    ("NewFull", (X, (2,), 3), np.full(2, 3, np.float32)),
    ("Divs", (X, 2), X / 2),
    ("LogSoftmaxExt", (X, 1), scipy.special.log_softmax(X, 1)),
    ("LogSoftmaxExt", (X, 0, dyad.float64), scipy.special.log_softmax(X.astype(np.float64), 0)),
    ("DivMod", (X, X + 4, "trunc"), np.trunc(X / (X + 4))),
    ("DivMods", (X, 2, "floor"), np.floor(X / 2)),
    ("DCT", (X,), scipy.fft.dct(X, norm="ortho")),
    ("IDCT", (X, 2, None, 0, "ORTHO"), scipy.fft.idct(X, norm="ortho", axis=0)),
    ("DCTN", (X,), scipy.fft.dctn(X, norm="ortho")),
    ("IDCTN", (X,), scipy.fft.idctn(X, norm="ortho")),
    ("FFTShapeCopy", (X, (3, 2)), np.pad(X[:, :2], [(0, 1), (0, 0)])),
    ("SolveTriangular", (TRIANGLE, TALL[:2], 0, True), np.linalg.solve(TRIANGLE, TALL[:2])),
    ("TriangularSolve", (TALL[:2], TRIANGLE, False), (np.linalg.solve(TRIANGLE, TALL[:2]), TRIANGLE)),
    ("LinalgVectorNorm", (X, 3.0, (1,), True), np.linalg.norm(X, 3, 1, True)),
    ("LpNormV2", (X, 2, (1,)), np.linalg.norm(X, 2, 1)),
    ("LpNormV2", (X,), np.linalg.norm(X.reshape(-1))),
    ("MatrixInverseExt", (TRIANGLE,), np.linalg.inv(TRIANGLE)),
    ("SelectV2", (X > 1, X, X + 1), np.where(X > 1, X, X + 1)),
    ("XLogYScalarOther", (X, 2.0), X * np.log(2)),
    ("XLogYScalarSelf", (2.0, X * X), 2 * np.log(X * X)),
    ("LerpScalar", (X, X + 1, 0.25), X + 0.25),
    ("GatherNdExt", (X, np.array([[0, 1], [1, 2]])), X[[0, 1], [1, 2]]),
    ("SplitWithSizeView", (X, (1, 2), 1), (X[:, :1], X[:, 1:])),
    ("UnstackExtView", (X, 1), tuple(X.T)),
    ("TraceV2", (X, 1, 0, 1), np.trace(X, 1)),
    ("TraceV2", (X.astype(np.int32),), np.trace(X.astype(np.int64))),
    ("ScatterValue", (X, 1, np.array([[0, 1]]), 5.0), np.array([[5, 5, 2.5], [3, -1, 0.5]])),
    ("NpuGelu", (X,), X * scipy.special.ndtr(X)),
    ("NpuGelu", (X, "tanh"), X / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (X + 0.044715 * X**3)))),
    ("Im2ColExt", (IMAGE, (4, 5)), IMAGE.reshape(1, 40, 1)),
    ("Col2ImExt", (IMAGE.reshape(1, 40, 1), (4, 5), (4, 5)), IMAGE),
]


def tensors(args):
    return [Tensor(arg) if isinstance(arg, np.ndarray) else arg for arg in args]


def check(found, expected):
    if isinstance(expected, tuple):
        assert isinstance(found, tuple) and len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            check(one, other)
        return
    assert found.shape == np.shape(expected)
    assert found.asnumpy().dtype.kind == np.asarray(expected).dtype.kind
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-4, atol=1e-5)


@FORMS
@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_an_overload_primitive_returns_the_expected_values(form, case):
    name, args, expected = case
    places = [i for i, arg in enumerate(args) if isinstance(arg, np.ndarray)]

    def call(*given):
        whole = list(args)
        for i, value in zip(places, given, strict=True):
            whole[i] = value
        return getattr(A, name)()(*whole)

    check(form(call)(*[Tensor(args[i]) for i in places]), expected)


STEPWISE = ("ToDtype", "ToOther", "DivMod", "DivMods", "ViewDtype", "NewFull")
SMOOTH = [case for case in CASES if case[0] not in STEPWISE and np.asarray(case[1][0]).dtype == np.float32]


@pytest.mark.parametrize("case", SMOOTH, ids=lambda case: case[0])
def test_gradients_are_the_slopes(case):
    name, args, expected = case
    first = expected[0] if isinstance(expected, tuple) else expected
    weight = Tensor(rng.standard_normal(np.shape(first)))
    rest = tensors([_in_double(arg) for arg in args[1:]])
    at = args[0].astype(np.float64)

    def scalar(value):
        found = getattr(A, name)()(value, *rest)
        return ((found[0] if isinstance(found, tuple) else found) * weight).sum()

    found = grad(scalar)(Tensor(at)).asnumpy()
    direction, step = rng.standard_normal(at.shape), 1e-6
    slope = (scalar(Tensor(at + step * direction)) - scalar(Tensor(at - step * direction))) / (2 * step)
    np.testing.assert_allclose((found * direction).sum(), slope.asnumpy(), rtol=1e-5, atol=1e-7)


def _in_double(arg):
    return arg.astype(np.float64) if isinstance(arg, np.ndarray) and arg.dtype == np.float32 else arg


OVER_SLICES = (
    "ReflectionPad1D",
    "MaxDim",
    "Divs",
    "DCT",
    "LpNormV2",
    "LerpScalar",
    "NpuGelu",
    "TraceV2",
    "Repeat",
)


@pytest.mark.parametrize(
    "case", [case for case in SMOOTH if case[0] in OVER_SLICES], ids=lambda case: case[0]
)
def test_operators_on_many_slices(case):
    name, args, _ = case
    operator = getattr(A, name)()
    many = Tensor(np.stack([args[0], args[0] + 1, args[0] * 2]))
    rest = tensors(args[1:])
    found = vmap(lambda x: operator(x, *rest))(many)
    each = [operator(x, *rest) for x in many]
    if isinstance(found, tuple):
        found, each = found[0], [one[0] for one in each]
    np.testing.assert_allclose(
        found.asnumpy(), np.stack([one.asnumpy() for one in each]), rtol=1e-5, atol=1e-6
    )


def test_names_follow_from_one_another():
    x = Tensor(X)
    for found in (A.max_dim_op(x, 1), A.MaxDim()(x, 1), ops.max_dim(x, 1), A.max_dim(x, dim=1)):
        np.testing.assert_array_equal(found[1], X.argmax(1))
    assert A.MaxDim().name == "MaxDim" and A.reflection_pad_1d_op.name == "ReflectionPad1d"
    for kept in (A.MaxDim(), A.max_dim_op, A.InplaceMuls(), A.Correlate("full"), A.reflection_pad_1d_op):
        again = pickle.loads(pickle.dumps(kept))
        assert type(again) is type(kept) and again.attrs == kept.attrs
    with pytest.raises(AttributeError, match="max_dims"):
        _ = A.max_dims_op


IN_PLACE = [
    ("InplaceAddsExt", (2, 3), X + 6),
    ("InplaceSubScalar", (2, 3), X - 6),
    ("InplaceMuls", (2,), X * 2),
    ("InplaceDivs", (2,), X / 2),
    ("InplaceDivMod", (X + 4, "floor"), np.floor(X / (X + 4))),
    ("InplaceDivMods", (2, "trunc"), np.trunc(X / 2)),
    ("InplaceFloorDivides", (2,), np.floor(X / 2)),
    ("InplaceRemainderTensorScalar", (2,), X % 2),
    ("InplaceRemainderTensorTensor", (np.full_like(X, 2),), X % 2),
    ("InplaceClampScalar", (0, 2), X.clip(0, 2)),
    ("InplaceClampTensor", (None, np.ones_like(X)), X.clip(None, 1)),
    ("InplaceFillScalar", (4,), np.full_like(X, 4)),
    ("InplaceFillTensor", (np.array(4.0, np.float32),), np.full_like(X, 4)),
    ("InplaceIndexFillScalar", (1, np.array([0]), 5.0), np.concatenate([np.full((2, 1), 5), X[:, 1:]], 1)),
    (
        "InplaceIndexFillTensor",
        (0, np.array([1]), np.array(5.0, np.float32)),
        np.stack([X[0], np.full(3, 5)]),
    ),
    ("InplaceMaskedFillScalar", (X > 1, 9.0), np.where(X > 1, 9, X)),
    ("InplaceMaskedFillTensor", (X > 1, np.array(9.0, np.float32)), np.where(X > 1, 9, X)),
    ("InplaceScatterSrc", (1, np.array([[0]]), np.array([[9.0]], np.float32)), np.array([[9, 2, 2.5], X[1]])),
    ("InplaceScatterValue", (1, np.array([[0]]), 9.0), np.array([[9, 2, 2.5], X[1]])),
    (
        "InplaceScatterSrcReduce",
        (1, np.array([[0]]), np.array([[9.0]], np.float32), "add"),
        np.array([[10, 2, 2.5], X[1]]),
    ),
    ("InplaceScatterValueReduce", (1, np.array([[0]]), 9.0, "add"), np.array([[10, 2, 2.5], X[1]])),
    ("InplaceScatterValueReduce", (1, np.array([[1]]), 9.0, "multiply"), np.array([[1, 18, 2.5], X[1]])),
    (
        "InplaceScatterSrcReduce",
        (1, np.array([[1]]), np.array([[9.0]], np.float32), "multiply"),
        np.array([[1, 18, 2.5], X[1]]),
    ),
    ("InplaceAddr", (X[:, 0], X[0], 2, 0.5), 2 * X + 0.5 * np.outer(X[:, 0], X[0])),
    (
        "InnerInplaceIndexPut",
        ([np.array([0])], np.array([5.0], np.float32), True),
        np.stack([X[0] + 5, X[1]]),
    ),
]


@FORMS
@pytest.mark.parametrize("case", IN_PLACE, ids=lambda case: case[0])
def test_operators_in_place(form, case):
    name, args, expected = case
    x = Tensor(X.copy())
    given = [[Tensor(each) for each in arg] if isinstance(arg, list) else arg for arg in tensors(args)]
    form(lambda x: getattr(A, name)()(x, *given))(x)
    np.testing.assert_allclose(x.asnumpy(), expected, rtol=1e-5)


def test_functions_in_place_by_kind_of_operand():
    for name, args, expected in (
        ("div_scalar_", (2,), X / 2),
        ("sub_tensor_", (Tensor(X), 2), -X),
        ("masked_fill_scalar_", (Tensor(X > 1), 9.0), np.where(X > 1, 9, X)),
        ("divmod_scalar_", (2, "floor"), np.floor(X / 2)),
        ("zero_", (), np.zeros_like(X)),
    ):
        x = Tensor(X.copy())
        getattr(ops, name)(x, *args)
        np.testing.assert_allclose(x, expected)


def test_addr_writes_into_its_input():
    x = Tensor(X.copy())
    assert mint.addr_(x, Tensor(X[:, 0]), Tensor(X[0])) is x
    np.testing.assert_allclose(x, X + np.outer(X[:, 0], X[0]), rtol=1e-6)


@FORMS
def test_transposed_convolution(form):
    y = draw(1, 2, 3, 4)
    found = form(lambda y, w: A.Convolution()(y, w, None, 2, 1, 1, True, 1))(Tensor(y), Tensor(W2))
    np.testing.assert_allclose(found, ops.conv_transpose2d(Tensor(y), Tensor(W2), None, 2, 1, 1), rtol=1e-5)


@FORMS
@pytest.mark.parametrize("mode", ["valid", "same", "full"])
@pytest.mark.parametrize("sizes", [(5, 3), (4, 4), (2, 5), (6, 2)])
def test_correlate_agrees_with_numpy_in_every_mode(form, mode, sizes):
    a, v = (draw(size) for size in sizes)
    found = form(lambda a, v: A.Correlate(mode)(a, v))(Tensor(a), Tensor(v))
    np.testing.assert_allclose(found, np.correlate(a, v, mode), rtol=1e-4, atol=1e-5)
    whole = A.correlate(Tensor([1, 2, 3]), Tensor([0, 1]), "full")
    assert whole.dtype is dyad.float64
    np.testing.assert_array_equal(whole, np.correlate([1, 2, 3], [0, 1], "full"))


def test_correlation_of_complex_sequences():
    a, v = draw(4) + 1j * draw(4), draw(3) + 1j * draw(3)
    for mode in ("valid", "same", "full"):
        found = A.correlate(Tensor(a), Tensor(v), mode).asnumpy()
        np.testing.assert_allclose(found, np.correlate(a, v, mode), rtol=1e-4, atol=1e-4)
        turned = A.correlate(Tensor(v), Tensor(a), mode).asnumpy()
        np.testing.assert_allclose(turned, np.correlate(v, a, mode), rtol=1e-4, atol=1e-4)


def test_distinct_elements_and_places():
    x = Tensor([3, 1, 1, 2, 3])
    values, index, counts = A.Unique2()(x, True, True, True)
    assert values.tolist() == [1, 2, 3] and index.tolist() == [2, 0, 0, 1, 2] and counts.tolist() == [2, 1, 2]
    assert [part.shape for part in A.Unique2()(x)] == [(3,), (0,), (0,)]
    values, index, counts = A.UniqueDim()(Tensor([[1, 2, 1], [3, 4, 3]]), True, True, 1)
    assert values.tolist() == [[1, 2], [3, 4]] and index.tolist() == [0, 1, 0] and counts.tolist() == [2, 1]
    values, index = A.InnerUnique()(x, True, True)
    assert values.tolist() == [1, 2, 3] and index.tolist() == [2, 0, 0, 1, 2]
    assert A.InnerNonZero()(Tensor([[1, 0], [0, 2]])).tolist() == [[0, 1], [0, 1]]


@FORMS
def test_elements_at_places(form):
    rows, columns = Tensor([0, 1]), Tensor([2, 0])
    for name in ("Index", "InnerIndex"):
        np.testing.assert_array_equal(
            form(lambda x, n=name: getattr(A, n)()(x, [rows]))(Tensor(X)), X[[0, 1]]
        )
        found = form(lambda x, n=name: getattr(A, n)()(x, (rows, columns)))(Tensor(X))
        np.testing.assert_array_equal(found, X[[0, 1], [2, 0]])


@pytest.mark.parametrize("driver", [None, "GELS", "GELSY", "GELSD", "GELSS"])
@pytest.mark.parametrize("vector", [False, True])
@FORMS
def test_least_squares(form, driver, vector):
    b = np.array([[1.0], [2.0], [3.0]], np.float32)
    b = b[:, 0] if vector else b
    found = form(lambda a, b: A.LstsqV2()(a, b, driver))(Tensor(TALL), Tensor(b))
    expected, residue, rank, values = np.linalg.lstsq(TALL, b, rcond=None)
    np.testing.assert_allclose(found[0], expected, rtol=1e-4, atol=1e-5)
    assert found[1].shape == ((0,) if driver in (None, "GELSY") else (1,))
    if found[1].size:
        np.testing.assert_allclose(found[1], residue, rtol=1e-4)
    assert found[2].tolist() == ([] if driver == "GELS" else rank)
    assert found[3].shape == ((2,) if driver in ("GELSD", "GELSS") else (0,))
    if found[3].size:
        np.testing.assert_allclose(found[3], values, rtol=1e-4)


def test_factors_of_a_matrix():
    q, r = A.LinalgQr()(Tensor(TALL))
    np.testing.assert_allclose((q @ r).asnumpy(), TALL, rtol=1e-4, atol=1e-5)
    assert q.shape == (3, 2) and r.shape == (2, 2)
    nothing, alone = mint.linalg.qr(Tensor(TALL), "r")
    assert nothing.shape == (0,)
    np.testing.assert_array_equal(alone, r)
    np.testing.assert_array_equal(jit(lambda x: A.LinalgQr()(x, "r"))(Tensor(TALL))[1], r)


@FORMS
def test_triangular_factors_and_eigenvalues(form):
    square = np.array([[2.5, 3.1, 3.5], [4.7, 1.9, 0.2], [1.1, 3.6, 2.0]], np.float32)
    packed, order = form(lambda x: ops.operations.math_ops.Lu(dyad.int32)(x))(Tensor(square))
    np.testing.assert_array_equal(order, [1, 2, 0])
    assert order.dtype is dyad.int32
    lower, upper = np.tril(packed.asnumpy(), -1) + np.eye(3), np.triu(packed.asnumpy())
    np.testing.assert_allclose(lower @ upper, square[[1, 2, 0]], rtol=1e-5, atol=1e-5)
    whole = square + square.T
    values, vectors = form(lambda x: ops.operations.linalg_ops.Eigh()(x))(Tensor(whole))
    np.testing.assert_allclose(values, np.linalg.eigvalsh(whole), rtol=1e-4)
    np.testing.assert_allclose(
        whole @ vectors.asnumpy(), vectors.asnumpy() * values.asnumpy(), rtol=1e-3, atol=1e-4
    )
    values, nothing = ops.operations.linalg_ops.Eigh(False)(Tensor(whole))
    np.testing.assert_allclose(values, np.linalg.eigvalsh(whole), rtol=1e-4)
    assert nothing.shape == (0,)


@FORMS
def test_small_operators_of_older_modules(form):
    nn_ops, array_ops = ops.operations.nn_ops, ops.operations.array_ops
    x = Tensor(X)
    assert form(lambda x: nn_ops.AllFinite()((x, x)))(x)
    assert not form(lambda x: nn_ops.AllFinite()((x, x / 0)))(x)
    np.testing.assert_array_equal(form(lambda x: array_ops.ArgminV2()(x, 0))(x), X.argmin(0))
    assert form(lambda x: ops.operations.TypeAs()(x, Tensor([1])))(x).dtype is dyad.int64
    found = form(lambda x, s: ops.operations._inner_ops.Dequant(True, True)(x, s))(
        Tensor([3, -3]).astype("int32"), Tensor([2.0], dyad.float16)
    )
    assert found.dtype is dyad.float16 and found.tolist() == [12, 0]


@FORMS
def test_loss_of_planes_of_classes(form):
    x, target = np.log(scipy.special.softmax(draw(2, 3, 2, 2), 1)), rng.integers(0, 3, (2, 2, 2))
    weight = np.array([1.0, 2.0, 0.5], np.float32)
    picked = -np.take_along_axis(x, target[:, None], 1)[:, 0] * weight[target]
    for reduction, expected in (
        ("none", picked), ("sum", picked.sum()), ("mean", picked.sum() / weight[target].sum()),
    ):  # fmt: skip
        call = form(lambda x, t, w, r=reduction: A.NLLLoss2d()(x, t, w, r))
        loss, total = call(Tensor(x), Tensor(target), Tensor(weight))
        np.testing.assert_allclose(loss, expected, rtol=1e-5)
        np.testing.assert_allclose(total, weight[target].sum(), rtol=1e-5)


def test_pooled_elements_and_their_places():
    x = Tensor(IMAGE)
    y, places = A.FuncMaxPool2D()(x, 2)
    expected, others = ops.max_pool2d(x, 2, return_indices=True)
    np.testing.assert_array_equal(y, expected)
    np.testing.assert_array_equal(places, others)
    y, places = A.MaxPoolWithIndices(2, 2, argmax_type=dyad.int32)(x)
    np.testing.assert_array_equal(y, expected)
    assert places.dtype is dyad.int32


def test_new_tensors_and_empty_ones():
    assert A.NewEmpty()(Tensor(X), (2, 4)).shape == (2, 4)
    assert A.NewEmpty()(Tensor(X), (2, 4), dyad.int32).dtype is dyad.int32
    assert A.BoolNot()(0) is True and A.bool_not_op(3) is False


def test_views_share_memory():
    x = Tensor(X.copy())
    part = A.SplitWithSizeView()(x, (1, 2), 1)[1]
    part.mul_(2)
    np.testing.assert_array_equal(x.asnumpy()[:, 1:], X[:, 1:] * 2)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: A.ReflectionPad2D()(Tensor(X), (1, 1)), ValueError, r"padding is \(1, 1\); need 4 sizes"),
        (lambda: A.ReplicationPad1D()(Tensor(IMAGE), (1, 1)), ValueError, "need 2 or 3 dimensions"),
        (lambda: A.Convolution()(Tensor(X), Tensor(X)), ValueError, "weight has shape \\(2, 3\\); need 3, 4 or 5"),
        (lambda: A.ConvolutionStr()(Tensor(IMAGE), Tensor(W2), padding="full"), ValueError, "padding is 'full'"),
        (lambda: A.Conv1DPadding()(Tensor(IMAGE), Tensor(W2)), ValueError, "need 3 dimensions"),
        (lambda: A.AsStrided()(Tensor(X).T, (2,), (1,)), ValueError, "not contiguous"),
        (lambda: A.Correlate("wide")(Tensor([1.0]), Tensor([1.0])), ValueError, "pad_mode is 'wide'"),
        (lambda: A.LstsqV2()(Tensor(TALL), Tensor(X)), ValueError, "need as many rows in both"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_functions_of_gradients_by_their_older_path():
    from dyad.ops.function.grad import grad_func

    assert (
        grad_func.jet is ops.jet
        and grad_func.grad is dyad.grad
        and grad_func.stop_gradient is ops.stop_gradient
    )


def test_layers_of_mint_among_those_of_nn():
    assert nn.AvgPool1dExt is mint.nn.AvgPool1d and nn.L1LossExt is mint.nn.L1Loss
    with pytest.raises(AttributeError, match="CellExt"):
        _ = nn.CellExt
