"""Fused operators, seeded random numbers, windows of images and optimizer steps of MindSpore 1, against NumPy."""

import numpy as np
import pytest
import scipy.special

import dyad
from dyad import Parameter, Tensor, grad, jit, mint, ops
from dyad.ops import auto_generate as A
from dyad.ops.operations import _inner_ops as inner

rng = np.random.default_rng(8)
FORMS = pytest.mark.parametrize("form", [lambda f: f, jit], ids=["dynamic", "static"])


def draw(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def close(found, expected, rtol=1e-4, atol=1e-5):
    np.testing.assert_allclose(np.asarray(found.asnumpy(), np.float64), expected, rtol=rtol, atol=atol)


@FORMS
@pytest.mark.parametrize("dtype", [dyad.float32, dyad.float16, dyad.bfloat16])
def test_sums_normalized_by_their_root_mean_square(form, dtype):
    x1, x2, gamma = (Tensor(draw(*shape)).astype(dtype) for shape in ((2, 3, 4), (2, 3, 4), (4,)))
    y, root, total = form(lambda *a: A.AddRmsNorm()(*a))(x1, x2, gamma)
    wide = (x1 + x2).astype(dyad.float32).asnumpy()
    expected = 1 / np.sqrt((wide**2).mean(-1, keepdims=True) + 1e-6)
    narrow = dtype is not dyad.float32
    close(
        y.astype(dyad.float32),
        wide * expected * gamma.astype(dyad.float32).asnumpy(),
        *((2e-2, 2e-2) if narrow else ()),
    )
    close(root, expected, *((1e-2,) if narrow else ()))
    assert y.dtype is total.dtype is dtype and root.dtype is dyad.float32
    close(total.astype(dyad.float32), wide)


@FORMS
def test_sums_normalized_by_their_deviation(form):
    x1, x2, gamma, beta = draw(2, 3, 4), draw(2, 3, 4), draw(4), draw(4)
    given = [Tensor(each) for each in (x1, x2, gamma, beta)]
    for call in (lambda *a: ops.add_layer_norm(*a), lambda *a: A.AddLayerNormV2()(*a, 1e-5, True)):
        y, mean, root, total = form(call)(*given)
        whole = x1 + x2
        own, spread = whole.mean(-1, keepdims=True), whole.var(-1, keepdims=True)
        close(y, (whole - own) / np.sqrt(spread + 1e-5) * gamma + beta)
        close(mean, own)
        close(root, 1 / np.sqrt(spread + 1e-5))
        close(total, whole)
    by_sum = grad(lambda x: (ops.add_layer_norm(x, *given[1:])[0] ** 2).sum())(given[0])
    by_norm = grad(lambda x: (ops.layer_norm(x + given[1], (4,), *given[2:]) ** 2).sum())(given[0])
    close(by_sum, by_norm.asnumpy(), atol=1e-4)


@FORMS
@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_cross_entropies_with_what_their_gradient_needs(form, reduction):
    x, target, weight = draw(4, 3), np.array([0, 2, 1, 2]), np.array([1.0, 2.0, 0.5], np.float32)
    call = form(lambda x, t, w: A.CrossEntropyLoss()(x, t, w, reduction))
    loss, logs, *empty = call(Tensor(x), Tensor(target), Tensor(weight))
    expected = scipy.special.log_softmax(x, -1)
    each = -expected[range(4), target] * weight[target]
    reduced = {"none": each, "mean": each.sum() / weight[target].sum(), "sum": each.sum()}[reduction]
    assert loss.shape == ((4,) if reduction == "none" else (1,))
    close(loss.reshape(-1), np.reshape(reduced, -1))
    close(logs, expected)
    assert [each.shape for each in empty] == [(0,), (0,)]
    with pytest.raises(ValueError, match=r"lse_square_scale_for_zloss is 0\.5"):
        A.cross_entropy_loss(Tensor(x), Tensor(target), lse_square_scale_for_zloss=0.5)


@FORMS
def test_batch_norm_in_parts_is_the_batch_norm_of_the_whole(form):
    x, weight, bias = draw(6, 3, 4, 5), draw(3), draw(3)

    def whole(x, weight, bias, running_mean, running_var):
        parts = (x[:2], x[2:])
        stats = [mint.batch_norm_stats(part, 1e-5) for part in parts]
        counts = Tensor([40.0, 80.0])
        means, roots = (ops.stack([stat[i] for stat in stats]) for i in (0, 1))
        mean, root = mint.batch_norm_gather_stats_with_counts(
            x, means, roots, running_mean, running_var, 0.1, 1e-5, counts
        )
        return mint.batch_norm_elemt(x, weight, bias, mean, root, 1e-5)

    mean, variance = (
        Parameter(Tensor(value), name=name)
        for name, value in (("m", np.zeros(3, "f4")), ("v", np.ones(3, "f4")))
    )
    found = form(lambda *a: whole(*a, mean, variance))(Tensor(x), Tensor(weight), Tensor(bias))
    own, spread = x.mean((0, 2, 3)), x.var((0, 2, 3))
    shape = (1, 3, 1, 1)
    expected = (x - own.reshape(shape)) / np.sqrt(spread.reshape(shape) + 1e-5)
    close(found, expected * weight.reshape(shape) + bias.reshape(shape), atol=1e-4)
    close(mean, 0.1 * own)
    close(variance, 0.9 + 0.1 * spread * 120 / 119)


GROUPS = [([2, 2, 7], 0), (Tensor([2, 2, 7]), 0), (Tensor([2, 0, 5]), 1)]


@FORMS
@pytest.mark.parametrize("groups", GROUPS, ids=["ints", "ends", "sizes"])
def test_products_of_groups(form, groups):
    ends, kind = groups
    x, weight, bias = draw(8, 4), draw(3, 4, 5), draw(3, 5)
    slices = [slice(0, 2), slice(2, 2), slice(2, 7)]
    expected = np.zeros((8, 5), np.float32)
    for part, matrix in zip(slices, weight, strict=True):
        expected[part] = x[part] @ matrix
    call = form(lambda x, w: ops.gmm([x], [w], group_list=ends, group_list_type=kind))
    (found,) = call(Tensor(x), Tensor(weight))
    close(found, expected)
    for part, row in zip(slices, bias, strict=True):
        expected[part] += row
    (found,) = form(lambda x, w, b: A.GmmV2()([x], [w], [b], ends, 0, kind))(
        Tensor(x), Tensor(weight), Tensor(bias)
    )
    close(found, expected)
    left, right = draw(3, 7), draw(7, 2)
    (found,) = form(lambda x, w: A.Gmm()([x], [w], None, ends, 2, kind))(Tensor(left), Tensor(right))
    close(found, np.stack([left[:, part] @ right[part] for part in slices]))


@pytest.mark.parametrize("groups", GROUPS, ids=["ints", "ends", "sizes"])
def test_gradients_of_products_of_groups(groups):
    ends, kind = groups
    x, weight, upstream = (Tensor(draw(*shape)) for shape in ((7, 4), (3, 4, 5), (7, 5)))
    by_x, by_weight = grad(
        lambda x, w: (ops.gmm([x], [w], group_list=ends, group_list_type=kind)[0] * upstream).sum(), (0, 1)
    )(x, weight)
    (found_x,), (found_weight,) = A.GmmBackward()([upstream], [x], [weight], ends, kind)
    close(found_x, by_x.asnumpy())
    close(found_weight, by_weight.asnumpy())
    (found_x,) = A.GmmBackwardFusion()([upstream], [weight], ends, kind)
    close(found_x, by_x.asnumpy())


@FORMS
def test_gates_of_experts(form):
    x = draw(3, 5)
    values, experts, rows = form(lambda x: A.MoeGatingTopKSoftmax()(x, None, 2))(Tensor(x))
    shares = scipy.special.softmax(x, -1)
    order = np.argsort(-shares, -1)[:, :2]
    close(values, np.take_along_axis(shares, order, -1))
    np.testing.assert_array_equal(experts, order)
    np.testing.assert_array_equal(rows, [[0, 3], [1, 4], [2, 5]])
    done = A.moe_gating_top_k_softmax(Tensor(x), Tensor([False, True, False]), 2)[1]
    assert done[1].tolist() == [5, 5]


@FORMS
@pytest.mark.parametrize("amsgrad", [False, True])
def test_steps_of_adamw(form, amsgrad):
    start, slope = draw(4), draw(4)
    var, m, v, largest = (
        Parameter(Tensor(each), name=f"p{i}") for i, each in enumerate((start, *np.zeros((3, 4), "f4")))
    )
    settings = (0.1, 0.9, 0.99, 0.01, 1e-8)
    step = form(lambda g, t: A.AdamW()(var, m, v, largest, g, t, *settings, amsgrad)[0])
    expected, one, two, most = start.astype(np.float64), 0, 0, 0
    for t in range(3):
        gradient = slope * (1 if t else 3)
        step(Tensor(gradient), Tensor(float(t)))
        one, two = 0.9 * one + 0.1 * gradient, 0.99 * two + 0.01 * gradient**2
        most = np.maximum(most, two)
        size = np.sqrt((most if amsgrad else two) / (1 - 0.99 ** (t + 1))) + 1e-8
        expected = expected * (1 - 0.1 * 0.01) - 0.1 / (1 - 0.9 ** (t + 1)) * one / size
    close(var, expected)
    close(m, one)
    close(v, two)


def test_adamw_by_powers_is_adamw():
    first, second = ([Tensor(np.arange(1.0, 4.0, dtype=np.float32) * s) for s in (1, 0, 0)] for _ in range(2))
    slope = Tensor(draw(3))
    A.AdamW()(*first, first[2], slope, Tensor(0.0), 0.1, 0.9, 0.99, 0.01, 1e-8, False, True)
    A.ApplyAdamW()(*second, 0.9, 0.99, 0.1, 0.01, 0.9, 0.99, 1e-8, slope, None, False, True)
    for one, other in zip(first, second, strict=True):
        close(one, other.asnumpy())


SEED, OFFSET = Tensor(7), Tensor(3)


@FORMS
def test_draws_are_those_of_their_seed_and_leave_the_stream_alone(form):
    calls = [
        form(lambda s, o: A.NormalFloatFloat()(2.0, 0.5, (1000,), s, o)),
        form(lambda s, o: A.NormalFloatTensor()(2.0, ops.full((1000,), 0.5), s, o)),
        form(lambda s, o: A.NormalTensorFloat()(ops.full((1000,), 2.0), 0.5, s, o)),
    ]
    for call in calls:
        dyad.set_seed(1)
        before = ops.rand(3).asnumpy()
        found = call(SEED, OFFSET)
        np.testing.assert_array_equal(found, call(SEED, OFFSET))
        assert not np.array_equal(found, call(Tensor(8), OFFSET))
        assert not np.array_equal(found, call(SEED, Tensor(4000)))
        assert abs(found.asnumpy().mean() - 2) < 0.1 and abs(found.asnumpy().std() - 0.5) < 0.1
        dyad.set_seed(1)
        np.testing.assert_array_equal(ops.rand(3), before)
    x = Tensor(draw(1000))
    spread = form(lambda x, s, o: A.UniformExt()(x, 2.0, 5.0, s, o))(x, SEED, OFFSET).asnumpy()
    assert spread.min() >= 2 and spread.max() < 5 and abs(spread.mean() - 3.5) < 0.2
    y = x.copy()
    form(lambda x, s, o: A.InplaceBernoulliScalar()(x, 0.25, s, o))(y, SEED, OFFSET)
    assert set(y.tolist()) == {0.0, 1.0} and abs(y.asnumpy().mean() - 0.25) < 0.1
    form(lambda x, s, o: A.InplaceBernoulliTensor()(x, ops.ones(1000), s, o))(y, SEED, OFFSET)
    assert (y == 1).all()


def test_gradients_pass_through_draws():
    mean, std = Tensor(draw(4)), Tensor(abs(draw(4)))
    drawn = A.NormalFloatTensor()(0.0, ops.ones(4), SEED, OFFSET)
    close(grad(lambda s: A.NormalFloatTensor()(2.0, s, SEED, OFFSET).sum())(std), drawn.asnumpy())
    close(grad(lambda m: A.NormalTensorFloat()(m, 2.0, SEED, OFFSET).sum())(mean), np.ones(4))


def test_a_generator_feeds_draws_in_a_graph():
    stream = dyad.Generator()
    stream.manual_seed(5)

    @jit
    def program(x):
        seed, offset = stream._step(12)
        return A.func_dropout_ext_op(x, 0.5, True, False, seed, offset)

    first, second = program(ops.ones(100)), program(ops.ones(100))
    assert set(first.tolist()) == {0.0, 2.0} and not np.array_equal(first, second)
    stream.manual_seed(5)
    np.testing.assert_array_equal(program(ops.ones(100)), first)


@FORMS
def test_dropout_by_masks_of_bits(form):
    mask = A.DropoutGenMaskExt()((10, 20), 0.25, SEED, OFFSET, dyad.float32)
    assert mask.shape == (32,) and mask.dtype is dyad.uint8
    x = Tensor(draw(10, 20))
    found = form(lambda x, m: A.DropoutDoMaskExt()(x, m, 0.25))(x, mask)
    bits = np.unpackbits(mask.asnumpy(), bitorder="little")[:200].reshape(10, 20)
    close(found, x.asnumpy() * bits / 0.75)
    assert 0.6 < bits.mean() < 0.9
    by_x = grad(lambda x: A.dropout_do_mask_ext_op(x, mask, 0.25).sum())(x)
    close(by_x, bits / 0.75)
    with pytest.raises(ValueError, match="mask has 8 bits"):
        A.DropoutDoMaskExt()(x, mask[:1], 0.25)


def test_dropout_from_a_seed():
    x = ops.ones((1000,))
    found = A.FuncDropoutExt()(x, 0.5, True, False, SEED, OFFSET)
    assert set(found.asnumpy()) == {0.0, 2.0} and (x == 1).all()
    np.testing.assert_array_equal(found, A.func_dropout_ext_op(x, 0.5, True, False, SEED, OFFSET))
    assert A.FuncDropoutExt()(x, 0.5, False, False, SEED, OFFSET) is x
    by_x = grad(lambda x: A.FuncDropoutExt()(x, 0.5, True, False, SEED, OFFSET).sum())(x)
    np.testing.assert_array_equal(by_x, found)
    assert A.FuncDropoutExt()(x, 0.5, True, True, SEED, OFFSET) is x and (x == 0).any()


@FORMS
@pytest.mark.parametrize("padding", ["VALID", "same"])
def test_patches_of_images(form, padding):
    x = draw(2, 3, 6, 5)
    sizes = ((1, 1, 2, 3), (1, 1, 2, 1), (1, 1, 2, 1))
    found = form(lambda x: ops.ExtractImagePatches(*sizes, padding)(x))(Tensor(x)).asnumpy()
    margins = [(0, 0), (0, 0), (0, 1), (1, 1)] if padding == "same" else [(0, 0)] * 4
    wide = np.pad(x, margins)
    for row, column in np.ndindex(*found.shape[2:]):
        patch = wide[:, :, 2 * row : 2 * row + 3 : 2, column : column + 3]
        np.testing.assert_array_equal(found[:, :, row, column], patch.transpose(0, 2, 3, 1).reshape(2, -1))
    same = A.extract_image_patches(Tensor(x), *sizes, padding)
    np.testing.assert_array_equal(same, found)
    with pytest.raises(ValueError, match=r"ksizes is \(1, 2, 2, 1\)"):
        ops.ExtractImagePatches((1, 2, 2, 1), *sizes[1:])


@FORMS
@pytest.mark.parametrize(
    ("flags", "offset", "expected"),
    [
        ((False, False), (2.0, 2.0), [[1, 2], [6, 7], [11, 12]]),
        ((False, False), (-1.0, 1.0), [[0, 0], [0, 0], [0, 1]]),
        ((True, False), (1.5, 3.0), [[8, 9], [13, 14], [18, 19]]),
        ((True, True), (0.5, -0.5), [[10, 11], [15, 16], [20, 21]]),
        ((True, True), (-1.0, 1.0), [[0, 0], [4, 0], [9, 0]]),
        ((False, True), (0.0, 0.0), [[0, 0], [0, 0], [0, 5]]),
    ],
)
def test_extract_glimpse_cuts_windows_and_fills_what_is_outside(form, flags, offset, expected):
    x = Tensor(np.arange(25, dtype=np.float32).reshape(1, 5, 5, 1))
    found = form(lambda x, o: ops.ExtractGlimpse(*flags, False, "zero")(x, (3, 2), o))(x, Tensor([offset]))
    np.testing.assert_array_equal(found.reshape(3, 2), expected)
    noisy = ops.ExtractGlimpse(False, False)(x, Tensor([40, 40]), Tensor([[0.0, 0.0]])).asnumpy()[0, :19]
    assert noisy.min() >= -1 and noisy.max() < 1 and noisy.std() > 0.4


def test_crops_cover_enough_of_a_box():
    box = np.array([0.38, 0.17, 0.95, 0.40], np.float32)
    sizes = []
    for seed in range(1, 30):
        crop = ops.SampleDistortedBoundingBoxV2(seed, 1, (0.9, 1.1), (0.1, 1.0))
        begin, size, found = crop(Tensor([640, 480, 3]), Tensor(box.reshape(1, 1, 4)), Tensor([0.8]))
        top, left, bottom, right = found.asnumpy().reshape(4)
        assert begin.tolist() == [round(top * 640), round(left * 480), 0] and size[2] == -1
        assert size.tolist()[:2] == [round((bottom - top) * 640), round((right - left) * 480)]
        assert 0.88 < size[1] / size[0] < 1.12 and size[0] * size[1] >= 0.1 * 640 * 480
        covered = (min(bottom, box[2]) - max(top, box[0])) * (min(right, box[3]) - max(left, box[1]))
        assert covered >= 0.79 * (box[2] - box[0]) * (box[3] - box[1])
        sizes.append(tuple(size.tolist()))
    assert len(set(sizes)) > 10
    crop = ops.SampleDistortedBoundingBoxV2(area_range=(0.99, 1.0), aspect_ratio_range=(5.0, 6.0))
    begin, size, found = crop(Tensor([640, 480, 3]), Tensor(box.reshape(1, 1, 4)), Tensor([0.8]))
    assert size.tolist() == [640, 480, -1] and found.tolist() == [[[0.0, 0.0, 1.0, 1.0]]]
    with pytest.raises(ValueError, match="need a box"):
        crop(Tensor([640, 480, 3]), ops.zeros((1, 0, 4)), Tensor([0.8]))


@FORMS
@pytest.mark.parametrize("nesterov", [False, True])
def test_what_a_step_of_adam_adds(form, nesterov):
    m, v = (Parameter(Tensor(np.full((2, 3), 0.1, np.float32)), name=name) for name in "mv")
    slope = draw(2, 3)
    call = form(
        lambda g: ops.AdamNoUpdateParam(use_nesterov=nesterov)(m, v, 0.9, 0.999, 0.001, 0.9, 0.999, 1e-8, g)
    )
    found = call(Tensor(slope))
    one, two = 0.09 + 0.1 * slope, 0.0999 + 0.001 * slope**2
    towards = 0.9 * one + 0.1 * slope if nesterov else one
    close(found, -0.001 * np.sqrt(0.001) / 0.1 * towards / (np.sqrt(two) + 1e-8), atol=1e-8)
    close(m, one)
    close(v, two)


def test_ftrl_with_shrinkage():
    var, accum, linear = draw(3, 2), np.abs(draw(3, 2)), draw(3, 2)
    slope, rows = draw(2, 2), np.array([2, 0], np.int32)
    states = [Parameter(Tensor(each), name=f"s{i}") for i, each in enumerate((var, accum, linear))]
    ops.SparseApplyFtrlV2(0.1, 0.01, 0.02, 0.3, -0.5)(*states, Tensor(slope), Tensor(rows))
    new, total, line = var.copy(), accum.copy(), linear.copy()
    for row, g in zip(rows, slope, strict=True):
        total[row] = accum[row] + g**2
        line[row] += g + 0.6 * var[row] - (np.sqrt(total[row]) - np.sqrt(accum[row])) / 0.1 * var[row]
        curve = np.sqrt(total[row]) / 0.1 + 0.04
        new[row] = np.where(abs(line[row]) > 0.01, (np.sign(line[row]) * 0.01 - line[row]) / curve, 0)
    for found, expected in zip(states, (new, total, line), strict=True):
        close(found, expected)


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_accidental_hits(dtype):
    true = Tensor(np.array([[1, 2], [0, 4], [3, 3]], dtype))
    rows, places, weights = ops.ComputeAccidentalHits(2)(true, Tensor(np.arange(5, dtype=dtype)))
    assert rows.tolist() == [0, 0, 1, 1, 2, 2] and places.tolist() == [1, 2, 0, 4, 3, 3]
    assert (rows.dtype, places.dtype, weights.dtype) == (dyad.int32, dyad.int64, dyad.float32)
    assert set(weights.tolist()) == {float(np.finfo(np.float32).min)}


@FORMS
def test_rows_go_to_their_experts_and_back(form):
    x = draw(3, 4)
    experts = np.array([[2, 0], [1, 2], [0, 1]], np.int32)
    rows = np.array([[0, 3], [1, 4], [2, 5]], np.int32)
    call = form(lambda x, r, e: A.MoeInitRouting()(x, r, e, 3))
    spread, places, order = call(Tensor(x), Tensor(rows), Tensor(experts))
    np.testing.assert_array_equal(order, np.sort(experts.reshape(-1)))
    by_expert = np.argsort(experts.reshape(-1), kind="stable")
    np.testing.assert_array_equal(spread, x[rows.reshape(-1)[by_expert] % 3])
    one, two, bias, scales = draw(3, 4), draw(3, 4), draw(3, 4), draw(3, 2)
    call = form(lambda *a: A.MoeFinalizeRouting()(*a))
    given = [Tensor(each) for each in (spread.asnumpy(), one, two, bias, scales, places.asnumpy(), experts)]
    expected = one + two + sum(scales[:, k : k + 1] * (x + bias[experts[:, k]]) for k in range(2))
    close(call(*given), expected)


@FORMS
def test_layer_norm_with_its_reciprocal_deviation(form):
    x, gamma, beta = draw(2, 3, 4), draw(4), draw(4)
    call = form(lambda *a: A.LayerNormV3(2, 2, 1e-5)(*a))
    y, mean, root = call(*[Tensor(each) for each in (x, gamma, beta)])
    own, spread = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    close(y, (x - own) / np.sqrt(spread + 1e-5) * gamma + beta)
    close(mean, own)
    close(root, 1 / np.sqrt(spread + 1e-5))


@FORMS
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_gradients_of_losses(form, reduction):
    x, target, weight, share = draw(3, 4), draw(3, 4), abs(draw(3, 4)), abs(draw(4))
    upstream = draw(3, 4) if reduction == "none" else draw()
    scale = upstream / (12 if reduction == "mean" else 1)
    found = form(lambda *a: A.L1LossBackwardExt()(*a, reduction))(Tensor(upstream), Tensor(x), Tensor(target))
    close(found, np.sign(x - target) * scale)
    labels = (target > 0).astype(np.float32)
    call = form(lambda *a: A.BinaryCrossEntropyWithLogitsBackward()(*a, reduction))
    found = call(*[Tensor(each) for each in (upstream, x, labels, weight, share)])
    part = scipy.special.expit(x)
    close(found, weight * (part * (1 - labels) - share * labels * (1 - part)) * scale)


@FORMS
@pytest.mark.parametrize("by_count", [False, True])
def test_gradient_of_looked_up_rows(form, by_count):
    upstream, places = draw(2, 3, 4), np.array([[0, 2, 2], [4, 0, 2]])
    call = form(lambda g, i: A.EmbeddingDenseBackward()(g, i, 5, 4, by_count))
    expected = np.zeros((5, 4))
    for place, row in zip(places.reshape(-1), upstream.reshape(-1, 4), strict=True):
        expected[place] += 0 if place == 4 else row / ((places == place).sum() if by_count else 1)
    close(call(Tensor(upstream), Tensor(places)), expected)


@FORMS
def test_products_between_permutations(form):
    x, weight = draw(5, 2, 3), draw(2, 3, 4)
    call = form(lambda x, w: A.TransposeBatchMatmulTranspose()(x, w, (1, 0, 2), (1, 0, 2)))
    close(call(Tensor(x), Tensor(weight)), (x.transpose(1, 0, 2) @ weight).transpose(1, 0, 2))


def test_attention_at_places_of_several_maps():
    shapes, starts = np.array([[3, 4], [2, 2]]), np.array([0, 12])
    value, weight = draw(2, 16, 3, 5), draw(2, 6, 3, 2, 2)
    rows = rng.integers(0, shapes[:, 0][:, None], (2, 6, 3, 2, 2))
    columns = rng.integers(0, shapes[:, 1][:, None], (2, 6, 3, 2, 2))
    # At the middles of pixels nothing is interpolated.
    places = np.stack([(columns + 0.5) / shapes[:, 1][:, None], (rows + 0.5) / shapes[:, 0][:, None]], -1)
    given = [Tensor(each) for each in (value, shapes, starts, places.astype(np.float32), weight)]
    expected = np.zeros((2, 6, 3, 5))
    for b, q, h, level, point in np.ndindex(*weight.shape):
        at = starts[level] + rows[b, q, h, level, point] * shapes[level, 1] + columns[b, q, h, level, point]
        expected[b, q, h] += weight[b, q, h, level, point] * value[b, at, h]
    for call in (A.MultiScaleDeformableAttn(), ops.multi_scale_deformable_attn_function):
        close(call(*given), expected.reshape(2, 6, 15))


@FORMS
@pytest.mark.parametrize("layout", ["SBH", "TND"])
def test_attention_over_parts_of_the_keys(form, layout):
    length, batch, heads, width = 3, 2, 2, 4
    scores, values = draw(batch, heads, length, 6), draw(batch, heads, 6, width)

    def part(keys):
        most = scores[..., keys].max(-1, keepdims=True)
        shares = np.exp(scores[..., keys] - most)
        return (
            shares @ values[:, :, keys] / shares.sum(-1, keepdims=True),
            most,
            shares.sum(-1, keepdims=True),
        )

    def laid_out(out, *sums):
        wide = [np.broadcast_to(each, (*each.shape[:-1], 8)) for each in sums]
        if layout == "SBH":
            return out.transpose(2, 0, 1, 3).reshape(length, batch, -1), *wide
        return [each.transpose(0, 2, 1, 3).reshape(batch * length, heads, -1) for each in (out, *wide)]

    given = [*laid_out(*part(slice(0, 4))), *laid_out(*part(slice(4, 6)))]
    ends = Tensor([0, 3, 6]) if layout == "TND" else None
    call = form(lambda *a: ops.ring_attention_update(*a, ends, layout))
    found = call(*[Tensor(np.ascontiguousarray(each)) for each in given])
    for one, other in zip(found, laid_out(*part(slice(0, 6))), strict=True):
        close(one, other)


@FORMS
def test_python_operators_by_name(form):
    from dyad.ops import functional as F

    assert form(lambda: F.bool_and(1, 0) == 0 and F.string_concat("a", "b") == "ab")()
    assert form(lambda x: F.tuple_reversed((x, 2))[0] + F.scalar_add(1, 2))(Tensor(1.0)) == 5
    assert ops.scalar_max(2, 3) == 3 and ops.is_(None, None) and ops.in_dict("a", {"a": 1})
    assert form(lambda x: ops.make_list(x, 2)[1])(Tensor(1.0)) == 2
    assert (
        form(lambda x: F.tuple_setitem((x, 2), -1, x)[1] + F.tuple_div((x, 4.0), (x, 2.0))[1])(Tensor(1.0))
        == 3
    )
    assert ops.tail((1, 2, 3)) == (2, 3) and ops.list_setitem([1, 2], 0, 5) == [5, 2]


@FORMS
def test_older_objects_and_functions_of_processes(form):
    assert form(lambda x: ops.reshape_(x, ops.shape_(x)[::-1]))(Tensor(draw(2, 3))).shape == (3, 2)
    assert ops.get_rank() == 0 and ops.all_reduce is ops.communication.all_reduce
    with pytest.raises(RuntimeError, match=r"use ops\.flash_attention_score"):
        ops.incre_flash_attention(Tensor([1.0]), Tensor([1.0]), Tensor([1.0]))


@FORMS
@pytest.mark.parametrize("square", [False, True])
def test_rounding_to_bytes_and_back(form, square):
    x = np.array([1.4, -2.6, 100.0, -100.0], np.float32)
    quant = inner.Quant(1.5, 0.25, square, "Floor")
    expected = np.floor(x * (2.25 if square else 1.5) + 0.25).clip(-128, 127)
    found = form(lambda x: quant(x))(Tensor(x))
    assert found.dtype is dyad.int8
    np.testing.assert_array_equal(found, expected)
    back = form(lambda x, s, o: inner.AntiQuant(square, dyad.float32)(x, s, o))
    close(back(found, Tensor(2.0), Tensor(1.0)), (expected + 1) * (4 if square else 2))
    assert inner.AntiQuant()(x=found, scale=Tensor(2.0), offset=Tensor(1.0)).dtype is dyad.float16
    with pytest.raises(TypeError, match="AntiQuant: scale is of type float"):
        inner.AntiQuant()(found, 1.0, 2.0)


@FORMS
def test_small_inner_operators(form):
    x = draw(2, 3)
    close(form(lambda x: inner.Centralization()(x, -1))(Tensor(x)), x - x.mean(-1, keepdims=True))
    close(form(lambda x: inner.Centralization()(x))(Tensor(x)), x - x.mean())
    close(form(lambda x: inner.DynamicBroadcastTo()(x, (4, 2, 3)))(Tensor(x)), np.broadcast_to(x, (4, 2, 3)))
    assert inner.TileSize()((2, 1), (2, 3), 3) == (1, 3, 1)
    weight = Parameter(Tensor(x), name="weight")
    assert inner.IsParameter()(weight) and not inner.IsParameter()(Tensor(x))
    assert ops.operations._inner_ops.bit_xor()(6, 3) == 5 and inner.string_in()("a", "cat")
