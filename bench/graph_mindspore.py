"""The programs of `./dev bench graph` in MindSpore's graph mode: those of Dyad, whose API is the same."""

from __future__ import annotations

import sys

from graph_dyad import Dyad


class MindSpore(Dyad):
    def __init__(self, form: str) -> None:
        import mindspore

        sys.modules["dyad"] = mindspore  # the models say `from dyad import nn`
        mindspore.set_device("CPU")
        self.use(mindspore)
        self.static = True
