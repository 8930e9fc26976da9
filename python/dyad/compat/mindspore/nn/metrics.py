"""`dyad.nn.metrics`: the metrics of `dyad.train` under MindSpore 1's path."""

from dyad.train.metrics import *  # noqa: F403
from dyad.train.metrics import __all__ as __all__
