"""Methods that write random numbers into a tensor, from the stream of the process or from a generator."""

import pytest

import dyad
from dyad import Generator, Tensor, jit, ops


def drawn(name, shape=(200,), dtype=dyad.float32, generator=None, *args):
    x = ops.zeros(shape, dtype)
    assert getattr(x, name)(*args, generator=generator) is x
    return x.asnumpy()


def generator():
    return Generator().manual_seed(5)


@pytest.mark.parametrize("name", ["bernoulli_", "exponential_", "normal_", "random_", "uniform_"])
def test_a_generator_repeats_itself(name):
    assert (drawn(name, generator=generator()) == drawn(name, generator=generator())).all()
    assert (drawn(name) != drawn(name)).any()


def test_draws_in_place_are_in_their_ranges():
    assert set(drawn("bernoulli_")) == {0.0, 1.0} and drawn("bernoulli_", (50,), dyad.int32, None, 1.0).all()
    assert drawn("exponential_").min() >= 0
    low, high = (
        drawn("uniform_", (200,), dyad.float32, None, 2.0, 3.0),
        drawn("uniform_", (200,), dyad.float16, None, 0, 4),
    )
    assert low.min() >= 2 and low.max() < 3 and high.max() <= 4
    whole = drawn("random_", (200,), dyad.int32, None, -2, 3)
    assert set(whole) == {-2, -1, 0, 1, 2}
    assert drawn("random_", (2000,), dyad.uint8).max() > 200
    assert abs(drawn("normal_", (2000,), dyad.float32, None, 5, 0.5).mean() - 5) < 0.1


def test_bad_ranges_are_told():
    x = Tensor([1.0])
    for call, message in (
        (lambda: x.uniform_(3, 2), "from_ is 3 and to is 2"),
        (lambda: x.random_(3, 3), "need from_ below to"),
        (lambda: x.normal_(0, -1), "std is -1"),
        (lambda: x.exponential_(0), "lambd is 0"),
    ):
        with pytest.raises(ValueError, match=message):
            call()
    with pytest.raises(TypeError, match="need a Generator or None"):
        x.normal_(generator=3)


def test_in_a_graph_the_argument_is_written():
    @jit
    def f(x):
        x.uniform_(2, 3)
        return x + 1

    x = Tensor([0.0, 0.0])
    assert (f(x).asnumpy() == x.asnumpy() + 1).all() and x.asnumpy().min() >= 2


def test_what_was_there_before_has_no_gradient():
    def f(x):
        y = x * 2
        y.normal_()
        return y.sum() + x.sum()

    assert dyad.grad(f)(Tensor([1.0, 2.0])).asnumpy().tolist() == [1.0, 1.0]
