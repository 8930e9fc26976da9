"""The programs of `./dev bench graph` in MindSpore's graph mode: those of Dyad, whose API is the same."""

from __future__ import annotations

import sys

from graph_dyad import Dyad
from graph_inputs import inputs_of


class MindSpore(Dyad):
    def __init__(self, form: str) -> None:
        import mindspore

        sys.modules["dyad"] = mindspore  # the models say `from dyad import nn`
        mindspore.set_device("CPU")
        mindspore.set_context(mode=mindspore.GRAPH_MODE)
        self.use(mindspore)
        self.static = True

    def symbolic_dims(self):
        """Declares symbolic dimensions with `set_inputs`."""
        net = self.network("mlp").set_train(False)
        net.set_inputs(self.framework.Tensor(shape=[None, 784], dtype=self.framework.float32))

        def run(*batches):
            return [net(x) for x in batches][-1]

        return run, self.tensors(inputs_of("symbolic_dims"))
