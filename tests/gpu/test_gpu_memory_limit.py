"""Allocations below the memory limit succeed, whatever the cache holds."""

import pytest

from dyad import ops, runtime


@pytest.fixture
def limited():
    runtime.empty_cache()
    held = runtime.memory_reserved() / 2**30
    runtime.set_memory(max_size=f"{held + 0.02:.6f}GB")
    yield
    runtime.set_memory(max_size="1024GB")
    runtime.empty_cache()


def test_small_tensors_take_what_a_large_one_has_left(limited):
    large = ops.ones((1000, 1000))
    small = [ops.ones((1000,)) for _ in range(20)]
    assert float(large.sum()) == 1e6 and all(float(each.sum()) == 1000 for each in small)


def test_memory_is_taken_again_below_the_limit(limited):
    for size in (1000, 900, 1100) * 5:
        assert float(ops.ones((size, 1000)).sum()) == size * 1000
        assert float(ops.ones((10,)).sum()) == 10
    with pytest.raises(MemoryError, match=r"34\.3\d* MiB were asked for"):
        ops.ones((3000, 3000))
