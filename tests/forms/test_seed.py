import numpy as np
import pytest

import dyad
from dyad import Tensor, get_rng_state, get_seed, manual_seed, nn, set_rng_state, set_seed
from dyad.common.initializer import initializer


def draw():
    return initializer("normal", [8]).asnumpy().copy()


def test_set_seed_repeats_numpy_and_initializers():
    set_seed(11)
    first = draw(), np.random.rand(3)
    set_seed(11)
    again = draw(), np.random.rand(3)
    assert (first[0] == again[0]).all() and (first[1] == again[1]).all()
    assert get_seed() == 11


def test_same_seed_same_network():
    set_seed(11)
    first = [p.asnumpy().copy() for p in nn.Dense(4, 4).get_parameters()]
    set_seed(11)
    again = [p.asnumpy() for p in nn.Dense(4, 4).get_parameters()]
    assert all((a == b).all() for a, b in zip(first, again, strict=True))


def test_other_seed_other_values():
    set_seed(11)
    first = draw()
    set_seed(12)
    assert (draw() != first).any()


@pytest.mark.parametrize(
    ("seed", "error"),
    [(-1, ValueError), (2**32, ValueError), (True, TypeError), ("a", TypeError), (1.5, TypeError)],
)
def test_bad_seeds(seed, error):
    with pytest.raises(error, match="set_seed: seed is"):
        set_seed(seed)


def test_largest_seed():
    set_seed(2**32 - 1)
    assert get_seed() == 2**32 - 1


@pytest.mark.parametrize("seeded_by", [np.random.seed, set_seed])
def test_a_seed_of_numpy_repeats_networks(seeded_by):
    seeded_by(5)
    first = [p.asnumpy().copy() for p in nn.Dense(4, 4).get_parameters()]
    drawn = np.random.rand()
    other = nn.Dense(4, 4).weight.asnumpy()
    assert (other != first[0]).any()
    seeded_by(5)
    again = [p.asnumpy() for p in nn.Dense(4, 4).get_parameters()]
    assert all((a == b).all() for a, b in zip(first, again, strict=True))
    assert np.random.rand() == drawn


def rand():
    return dyad.ops.rand(8).asnumpy()


def test_state_continues_the_stream():
    set_seed(11)
    rand()
    state = get_rng_state()
    assert state.dtype == dyad.uint8 and state.shape == (16,)
    expected = rand()
    rand()
    set_rng_state(state)
    assert (rand() == expected).all()


@pytest.mark.parametrize("state", [5, Tensor([1.0]), Tensor(np.zeros(3, np.uint8))])
def test_a_bad_state_is_named(state):
    with pytest.raises(TypeError, match=r"set_state: state is .*; need a uint8 Tensor of shape \(16,\)"):
        set_rng_state(state)


def test_manual_seed_and_initial_seed():
    assert manual_seed(3) is dyad.default_generator
    assert dyad.initial_seed() == 3
    first = rand()
    manual_seed(3)
    assert (rand() == first).all()
    with pytest.raises(TypeError, match="manual_seed: seed is 'a'"):
        manual_seed("a")
    number = dyad.seed()
    assert dyad.initial_seed() == number


def test_a_generator_of_its_own_does_not_touch_the_default_one():
    manual_seed(3)
    before = get_rng_state().asnumpy().copy()
    generator = dyad.Generator().manual_seed(5)
    state = generator.get_state()
    assert generator.initial_seed() == 5
    generator.seed()
    generator.set_state(state)
    assert generator.initial_seed() == 5
    assert (get_rng_state().asnumpy() == before).all()


@pytest.mark.parametrize("mode", [dyad.PYNATIVE_MODE, dyad.GRAPH_MODE])
@pytest.mark.parametrize("make", [dyad.Generator, lambda: dyad.default_generator])
def test_a_step_gives_seed_and_position_and_goes_on(make, mode):
    dyad.set_context(mode=mode)
    stream = make().manual_seed(2**63 + 1)
    given = [stream._step(Tensor(5, dyad.int64)) for _ in range(3)]
    assert [(int(seed), int(position)) for seed, position in given] == [(1 - 2**63, 5 * i) for i in range(3)]
    state = stream.get_state()
    later = stream._step(2)
    stream.set_state(state)
    assert stream._step(2)[1] == later[1]
    assert later[1].dtype == dyad.int64


@pytest.mark.parametrize("form", [lambda f: f, dyad.jit, dyad.jit(capture_mode="bytecode")])
def test_a_generator_goes_on_each_time_that_a_graph_runs(form):
    first, second = dyad.Generator().manual_seed(1), dyad.Generator().manual_seed(7)

    def steps(generator, step):
        return generator._step(step), generator._step(step)

    call = form(steps)
    for run in range(3):
        for generator, seed, step in ((first, 1, 2), (second, 7, 3)):
            found = [(int(seed), int(position)) for seed, position in call(generator, Tensor(step))]
            assert found == [(seed, 2 * run * step), (seed, (2 * run + 1) * step)]
