"""Random numbers of `mint`: the arguments of PyTorch, from the stream of the process and from generators."""

import numpy as np
import pytest

import dyad
from dyad import Tensor, mint

DRAWS = {
    "rand": lambda g: mint.rand(2, 3, generator=g),
    "randn": lambda g: mint.randn((2, 3), generator=g),
    "randint": lambda g: mint.randint(0, 1000, (2, 3), generator=g),
    "randperm": lambda g: mint.randperm(50, generator=g),
    "multinomial": lambda g: mint.multinomial(mint.ones((2, 50)), 20, generator=g),
    "bernoulli": lambda g: mint.bernoulli(mint.full((100,), 0.5), generator=g),
    "normal": lambda g: mint.normal(Tensor([0.0, 1.0, 2.0]), 1.5, generator=g),
}


@pytest.mark.parametrize("name", DRAWS)
@pytest.mark.parametrize("form", [lambda function: function, dyad.jit], ids=["dynamic", "static"])
def test_a_generator_is_a_stream_of_its_own(name, form):
    generator = dyad.Generator().manual_seed(3)
    draw = form(lambda: DRAWS[name](generator))
    dyad.set_seed(11)
    before = dyad.get_rng_state().asnumpy().tolist()
    first, second = draw().asnumpy(), draw().asnumpy()
    assert dyad.get_rng_state().asnumpy().tolist() == before
    assert not np.array_equal(first, second)
    generator.manual_seed(3)
    np.testing.assert_array_equal(draw().asnumpy(), first)
    np.testing.assert_array_equal(draw().asnumpy(), second)


@pytest.mark.parametrize("form", [lambda function: function, dyad.jit], ids=["dynamic", "static"])
def test_normal_takes_tensors_and_numbers(form):
    mean, std = Tensor([[1.0], [200.0]]), Tensor([0.0, 0.0, 0.0])
    np.testing.assert_allclose(form(mint.normal)(mean, std).asnumpy(), [[1] * 3, [200] * 3])
    np.testing.assert_allclose(form(mint.normal)(5.0, std).asnumpy(), [5] * 3)
    assert form(mint.normal)(mean).shape == (2, 1)
    drawn = mint.normal(3.0, 2.0, (20000,))
    assert abs(drawn.mean().item() - 3) < 0.1 and abs(drawn.std().item() - 2) < 0.1


def test_the_bounds_of_integers():
    for drawn in (
        mint.randint(3, (100,)),
        mint.randint(0, high=3, size=(100,)),
        mint.randint(high=3, size=[100]),
    ):
        assert drawn.dtype == dyad.int64 and set(drawn.asnumpy().tolist()) == {0, 1, 2}
    assert set(mint.randint(-2, 0, (50,), dtype=dyad.int32).asnumpy().tolist()) == {-2, -1}
    like = mint.randint_like(mint.zeros((4, 5)), 7, 9)
    assert (
        like.dtype == dyad.float32 and like.shape == (4, 5) and set(like.asnumpy().ravel().tolist()) == {7, 8}
    )
    assert mint.randint_like(like, 3, dtype=dyad.int64).max().item() < 3


def test_bernoulli_takes_probabilities():
    p = mint.zeros((2, 1000)) + Tensor([[0.0], [1.0]])
    np.testing.assert_array_equal(mint.bernoulli(p).asnumpy(), p.asnumpy())
    assert 0.4 < mint.bernoulli(p * 0 + 0.5).mean().item() < 0.6


def test_devices_are_named():
    for drawn in (
        mint.rand(2, device="CPU"),
        mint.randn_like(mint.ones((2,)), device="CPU"),
        mint.empty(2, device="CPU"),
    ):
        assert drawn.shape == (2,)
    with pytest.raises(ValueError, match="device"):
        mint.rand(2, device="nowhere")


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda: mint.normal("a", 1.0), TypeError, "mean is of type str"),
        (lambda: mint.normal(0.0, -1.0, (2,)), ValueError, "std is -1.0"),
        (lambda: mint.normal(0.0, 1.0), TypeError, "size is missing"),
        (lambda: mint.normal(Tensor([1.0]), 1.0, (2,)), TypeError, "need none"),
        (lambda: mint.randint(1, 2, (3,), 4), TypeError, "4 arguments"),
        (lambda: mint.randint(1, 2, low=3), TypeError, "unexpected keyword argument 'low'"),
        (lambda: mint.rand(2, generator=3), TypeError, "generator is of type int"),
    ],
)
def test_what_is_refused(call, error, text):
    with pytest.raises(error, match=text):
        call()


@pytest.mark.parametrize("form", [lambda function: function, dyad.jit], ids=["dynamic", "static"])
@pytest.mark.parametrize("draw", [mint.rand, mint.randn])
def test_one_number_is_drawn_without_a_size(draw, form):
    drawn = form(lambda: draw())
    first, second = drawn(), drawn()
    assert first.shape == () and first.dtype == dyad.float32
    assert first.item() != second.item()
    assert form(lambda: draw(dtype=dyad.float64, generator=dyad.Generator()))().dtype == dyad.float64
    assert form(lambda: draw(size=(2,)))().shape == (2,) if draw is mint.rand else True
