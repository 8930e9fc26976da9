"""Keys of random numbers for transforms that are called outside of a pipeline."""

import itertools
import random
import secrets

from dyad import _core
from dyad.dataset import config

_count = itertools.count()
_start = None  # the seed, and how often one was set
_drawn_seed = secrets.randbits(32)  # where none was set


def next_key():
    """A key that no call before got since the seed was set."""
    global _count, _start
    start = config.get_seed(), config.times_seeded()
    if start != _start:
        _start, _count = start, itertools.count()
    return _core.data.mix_keys(config.get_seed() if config.is_seeded() else _drawn_seed, next(_count))


def next_random():
    """Python's generator, started with a key."""
    return random.Random(next_key())
