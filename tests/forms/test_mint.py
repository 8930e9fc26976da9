"""`dyad.mint`: the arguments and results of PyTorch."""

import numpy as np
import pytest

from dyad import Tensor, mint, nn, ops


@pytest.fixture
def matrix():
    return np.array([[3.0, 1.0, 2.0], [5.0, 4.0, 6.0]], np.float32)


@pytest.mark.parametrize(
    "name",
    ["cumsum", "sum", "prod", "cumprod", "all", "any", "mean", "argmax", "amax", "var", "logsumexp", "diff"],
)
def test_dim_is_a_keyword(name, matrix):
    function = getattr(mint, name)
    np.testing.assert_allclose(
        function(Tensor(matrix), dim=1).asnumpy(),
        function(Tensor(matrix.T.copy()), dim=0).asnumpy().T,
        rtol=1e-6,
    )


def test_keepdim_is_a_keyword(matrix):
    for name in ("sum", "mean", "prod", "all", "any", "amax", "amin", "argmin", "var", "std", "logsumexp"):
        assert getattr(mint, name)(Tensor(matrix), dim=1, keepdim=True).shape == (2, 1), name


def test_joining_and_parting_take_dim(matrix):
    x = Tensor(matrix)
    assert mint.cat((x, x), dim=1).shape == mint.concat([x, x], dim=1).shape == (2, 6)
    assert mint.stack((x, x), dim=2).shape == (2, 3, 2)
    assert [part.shape for part in mint.split(x, 2, dim=1)] == [(2, 2), (2, 1)]
    assert [part.shape for part in mint.chunk(x, 3, dim=1)] == [(2, 1)] * 3
    assert len(mint.unbind(x, dim=1)) == 3
    assert mint.narrow(x, 1, 1, 2).shape == (2, 2)
    assert mint.flatten(x).shape == (6,)
    assert mint.transpose(x, 0, 1).shape == mint.permute(x, (1, 0)).shape == (3, 2)


def test_extremes_have_three_forms(matrix):
    x = Tensor(matrix)
    assert mint.max(x).item() == 6
    values, places = mint.max(x, 1)
    assert values.asnumpy().tolist() == [3, 6] and places.asnumpy().tolist() == [0, 2]
    assert (mint.min(x, Tensor(matrix[::-1].copy())).asnumpy() == np.minimum(matrix, matrix[::-1])).all()
    assert mint.median(x).item() == 3


def test_losses_are_means_by_default(matrix):
    x, zero = Tensor(matrix), mint.zeros_like(Tensor(matrix))
    for name in ("smooth_l1_loss", "l1_loss", "mse_loss"):
        assert getattr(mint.nn.functional, name)(x, zero).shape == (), name
    assert mint.nn.functional.smooth_l1_loss(x, zero).item() == pytest.approx((matrix - 0.5).mean())


def test_sorted_places_are_int64(matrix):
    values, places = mint.sort(Tensor(matrix), dim=1, descending=True)
    assert str(places.dtype) == "Int64"
    assert (values.asnumpy() == -np.sort(-matrix, 1)).all()
    assert str(mint.topk(Tensor(matrix), 2)[1].dtype) == "Int64"


def test_variance_divides_by_one_less(matrix):
    np.testing.assert_allclose(mint.var(Tensor(matrix), 1).asnumpy(), matrix.var(1, ddof=1), rtol=1e-6)
    np.testing.assert_allclose(mint.std(Tensor(matrix)).asnumpy(), matrix.std(ddof=1), rtol=1e-6)


def test_indices_come_before_values(matrix):
    x, index = Tensor(matrix), Tensor(np.array([[0, 2], [1, 1]]))
    assert (mint.gather(x, 1, index).asnumpy() == np.take_along_axis(matrix, index.asnumpy(), 1)).all()
    added = mint.index_add(x, 0, Tensor(np.array([1])), Tensor(np.ones((1, 3), np.float32)), alpha=2)
    assert (added.asnumpy() == matrix + [[0], [2]]).all()
    assert (mint.select(x, 1, 2).asnumpy() == matrix[:, 2]).all()


def test_equal_is_one_answer(matrix):
    assert mint.equal(Tensor(matrix), Tensor(matrix.copy()))
    assert not mint.equal(Tensor(matrix), Tensor(matrix[:1].copy()))


def test_layers_take_their_constructors():
    image = Tensor(np.random.default_rng(0).standard_normal((2, 3, 8, 8)).astype(np.float32))
    layer = mint.nn.Conv2d(3, 4, 3, padding=1)
    assert layer.bias is not None
    assert layer(image).shape == (2, 4, 8, 8)
    same = mint.nn.functional.conv2d(image, layer.weight, layer.bias, padding=1)
    np.testing.assert_allclose(layer(image).asnumpy(), same.asnumpy(), atol=1e-5)
    features = mint.nn.Flatten()(mint.nn.ReLU()(layer(image)))
    scores = mint.nn.Linear(256, 5, bias=False)(features)
    loss = mint.nn.CrossEntropyLoss()(scores, Tensor(np.array([1, 4])))
    np.testing.assert_allclose(
        loss.asnumpy(), ops.cross_entropy(scores, Tensor(np.array([1, 4]))).asnumpy(), rtol=1e-6
    )


@pytest.mark.parametrize("name", ["relu", "relu6", "silu", "elu", "hardtanh"])
def test_result_is_written_into_the_argument_on_request_only(name):
    function = getattr(mint.nn.functional, name)
    x = Tensor(np.array([-2.0, 0.5, 7.0], np.float32))
    expected = function(x).tolist()
    assert x.tolist() == [-2.0, 0.5, 7.0]
    function(x, inplace=True)
    assert x.tolist() == expected != [-2.0, 0.5, 7.0]


def test_divergence_of_logarithms():
    logits, target = np.log(np.float32([[0.2, 0.8], [0.5, 0.5]])), np.float32([[0.3, 0.7], [1.0, 0.0]])
    each = np.where(target > 0, target * (np.log(np.maximum(target, 1e-30)) - logits), 0)
    with np.errstate(divide="ignore"):
        logarithms = np.maximum(np.log(target), -100)
    for given, in_logarithms in ((target, False), (logarithms, True)):
        for reduction, expected in (
            ("none", each),
            ("sum", each.sum()),
            ("mean", each.mean()),
            ("batchmean", each.sum() / 2),
        ):
            found = mint.nn.KLDivLoss(reduction, in_logarithms)(Tensor(logits), Tensor(given))
            np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-5, atol=1e-6)
    assert mint.nn.SoftMarginLoss is nn.SoftMarginLoss
    assert mint.nn.CosineEmbeddingLoss is nn.CosineEmbeddingLoss


def test_names_of_comparisons_and_bounds(matrix):
    x = Tensor(matrix)
    assert mint.ge(x, 3).asnumpy().tolist() == (matrix >= 3).tolist()
    assert mint.clip(x, 2, 4).asnumpy().tolist() == matrix.clip(2, 4).tolist()
    assert mint.addcmul(x, x, x, value=2).asnumpy().tolist() == (matrix + 2 * matrix * matrix).tolist()
    assert mint.linspace(0, 1, 5, dtype=x.dtype).asnumpy().tolist() == [0, 0.25, 0.5, 0.75, 1]
    assert mint.item(x.sum()) == 21


def test_unique_tells_what_it_is_asked(matrix):
    x = Tensor(np.array([3, 1, 3, 2], np.int32))
    assert mint.unique(x).asnumpy().tolist() == [1, 2, 3]
    values, places, counts = mint.unique(x, return_inverse=True, return_counts=True)
    assert values.asnumpy()[places.asnumpy()].tolist() == [3, 1, 3, 2] and counts.asnumpy().tolist() == [
        1,
        1,
        2,
    ]


def test_where_alone_gives_places(matrix):
    found = mint.where(Tensor(matrix) > 3)
    assert [part.asnumpy().tolist() for part in found] == [part.tolist() for part in np.where(matrix > 3)]


def test_searchsorted_by_a_sorter():
    sequence, values = np.array([5.0, 1.0, 3.0], np.float32), np.array([2.0, 6.0], np.float32)
    order = sequence.argsort()
    found = mint.searchsorted(Tensor(sequence), Tensor(values), sorter=Tensor(order))
    assert found.asnumpy().tolist() == np.searchsorted(sequence, values, sorter=order).tolist()


def test_linalg_takes_the_arguments_of_pytorch(matrix):
    x = Tensor(matrix)
    np.testing.assert_allclose(
        mint.linalg.matrix_norm(A=x, ord="fro", dim=(0, 1), keepdim=True).asnumpy(),
        [[np.linalg.norm(matrix)]],
    )
    np.testing.assert_allclose(
        mint.linalg.vector_norm(x, 1, dim=0, keepdim=True).asnumpy(), np.abs(matrix).sum(0, keepdims=True)
    )
    q, r = mint.linalg.qr(A=x, mode="reduced")
    np.testing.assert_allclose((q @ r).asnumpy(), matrix, rtol=1e-5)


@pytest.mark.parametrize("upper", [True, False])
@pytest.mark.parametrize("transpose", [True, False])
@pytest.mark.parametrize("unitriangular", [True, False])
def test_triangular_systems_broadcast(upper, transpose, unitriangular):
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(3, 3)) + 3 * np.eye(3), rng.normal(size=(2, 3, 4))
    triangle = np.triu(a) if upper else np.tril(a)
    if unitriangular:
        np.fill_diagonal(triangle, 1)
    x, returned = mint.triangular_solve(Tensor(b), Tensor(a), upper, transpose, unitriangular)
    np.testing.assert_allclose((triangle.T if transpose else triangle) @ x.asnumpy(), b, atol=1e-9)
    assert (returned.asnumpy() == a).all()
    with pytest.raises(ValueError, match="need a square A"):
        mint.triangular_solve(Tensor(b), Tensor(a[:2]))


def test_distances_take_a_mode(matrix):
    x = Tensor(matrix)
    found = mint.cdist(x, x, compute_mode="donot_use_mm_for_euclid_dist")
    np.testing.assert_allclose(found.asnumpy()[0, 1], np.linalg.norm(matrix[0] - matrix[1]), rtol=1e-6)
    with pytest.raises(ValueError, match="compute_mode is 'fast'"):
        mint.cdist(x, x, compute_mode="fast")
