"""Python's `multiprocessing`, under the path that programs import it from: a forked child may go on computing."""

import multiprocessing
from multiprocessing import *  # noqa: F403
from multiprocessing import pool

__all__ = [*multiprocessing.__all__, "pool"]
