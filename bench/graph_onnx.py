"""The programs of `./dev bench graph` in ONNX Runtime: the models of PyTorch, exported. Inference only."""

from __future__ import annotations

import io

import numpy

from graph_inputs import inputs_of
from graph_torch import Torch
from process import THREADS


class Onnx:
    """Each program returns the callable and its inputs."""

    def __init__(self, form: str) -> None:
        import onnxruntime

        self.runtime = onnxruntime

    def array(self, result) -> numpy.ndarray:
        return result

    def inference(self, model: str, program: str):
        torch = Torch("torch")
        exported = io.BytesIO()
        inputs = inputs_of(program)
        torch.torch.onnx.export(
            torch.network(model).eval(), tuple(torch.tensors(inputs)), exported, dynamo=False
        )
        options = self.runtime.SessionOptions()
        options.intra_op_num_threads = THREADS
        session = self.runtime.InferenceSession(
            exported.getvalue(), options, providers=["CPUExecutionProvider"]
        )
        names = [given.name for given in session.get_inputs()]

        def call(*inputs):
            return session.run(None, dict(zip(names, inputs, strict=True)))[0]

        return call, inputs

    def mlp(self):
        return self.inference("mlp", "mlp")

    def bert(self):
        return self.inference("bert_base", "bert")

    def resnet(self):
        return self.inference("resnet50", "resnet")
