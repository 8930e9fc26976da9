"""`dyad.nn.metrics`: the metrics of `dyad.train`, where older programs look for them."""

from dyad.train.metrics import *  # noqa: F403
from dyad.train.metrics import __all__ as __all__
