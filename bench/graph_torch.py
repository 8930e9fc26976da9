"""The programs of `./dev bench graph` in PyTorch, dynamic or compiled."""

from __future__ import annotations

import numpy

from graph_inputs import GATHERED, LEARNING_RATE, TURNS, batch_of, inputs_of, weights
from process import THREADS


class Torch:
    """Each program returns the callable in the form that is measured, and its inputs."""

    def __init__(self, form: str) -> None:
        import torch

        import models_torch

        torch.set_num_threads(THREADS)
        torch.set_grad_enabled(False)
        self.torch = torch
        self.functional = torch.nn.functional
        self.models = models_torch
        self.compiled = form in ("torch-compile", "torch-frozen")
        if form == "torch-frozen":  # weights are constants, which it folds and packs
            import torch._inductor.config

            torch._inductor.config.freezing = True

    def transform(self, function, **options):
        return self.torch.compile(function, **options) if self.compiled else function

    def tensors(self, arrays) -> list:
        return [self.torch.from_numpy(array) for array in arrays]

    def array(self, result) -> numpy.ndarray:
        return result.detach().float().numpy()

    def product(self, size: int):
        a = self.torch.ones(size, size)
        return lambda: a @ a

    def copy(self, elements: int):
        source, target = self.torch.ones(elements), self.torch.ones(elements)
        return lambda: target.copy_(source)

    def add(self):
        return self.transform(lambda a, b: a + b), self.tensors(inputs_of("add"))

    def chain(self):
        torch = self.torch

        def chain(x):
            y = torch.tanh(x * 1.5 + 0.25)
            return torch.exp(-(y * y)) * torch.sigmoid(x)

        return self.transform(chain), self.tensors(inputs_of("chain"))

    def softmax(self):
        torch = self.torch
        return self.transform(lambda x: torch.softmax(x, -1)), self.tensors(inputs_of("softmax"))

    def layer_norm(self):
        norm = self.functional.layer_norm
        inputs = self.tensors(inputs_of("layer_norm"))
        return self.transform(lambda x, gamma, beta: norm(x, (1024,), gamma, beta, 1e-5)), inputs

    def loop(self):
        torch = self.torch

        def run(x):
            for _ in range(TURNS):
                x = torch.tanh(x @ x) + 0.1
            return x

        return run, self.tensors(inputs_of("loop"))

    def network(self, name: str):
        net = getattr(self.models, name)()
        for parameter in net.parameters():
            parameter.copy_(self.torch.from_numpy(weights(tuple(parameter.shape))))
        return net

    def inference(self, model: str, program: str):
        return self.transform(self.network(model).eval()), self.tensors(inputs_of(program))

    def mlp(self):
        return self.inference("mlp", "mlp")

    def bert(self):
        return self.inference("bert_base", "bert")

    def resnet(self):
        return self.inference("resnet50", "resnet")

    def lstm(self):
        return self.inference("lstm", "lstm")

    def depthwise(self):
        return self.inference("depthwise", "depthwise")

    def training(self, model: str, optimizer: str, batch: str):
        torch = self.torch
        net = self.network(model).train()
        make = {"momentum": self.momentum, "adam": self.adam}[optimizer]
        update = make(net.parameters())
        forward = self.transform(lambda x, labels: self.functional.cross_entropy(net(x), labels))

        def step(x, labels):
            update.zero_grad(set_to_none=True)
            with torch.enable_grad():
                loss = forward(x, labels)
            loss.backward()
            update.step()
            return loss

        return step, self.tensors(batch_of(batch))

    # Each optimizer in its fastest form on a CPU; a step compiled by torch.compile takes longer.
    def momentum(self, parameters):
        return self.torch.optim.SGD(parameters, LEARNING_RATE["momentum"], momentum=0.9, fused=True)

    def adam(self, parameters):
        return self.torch.optim.Adam(parameters, LEARNING_RATE["adam"], fused=True)

    def mlp_momentum(self):
        return self.training("mlp", "momentum", "mlp")

    def mlp_adam(self):
        return self.training("mlp", "adam", "mlp")

    def gpt(self):
        return self.training("gpt", "adam", "gpt")

    def resnet_train(self):
        return self.training("resnet50", "momentum", "resnet")

    def gather(self):
        def run(indices, table, weight):
            return self.functional.embedding(indices, table).mean(1) @ weight

        return self.transform(run), self.tensors(
            [*inputs_of("gather"), weights(GATHERED), weights((GATHERED[1], 37))]
        )

    def half_mlp(self, dtype):
        torch = self.torch

        def run(x, first, second, third):
            x = torch.relu(x @ first.T)
            x = torch.relu(x @ second.T)
            return x @ third.T

        shapes = ((512, 784), (512, 512), (10, 512))
        arrays = [*inputs_of("mlp"), *(weights(shape) for shape in shapes)]
        return self.transform(run), [tensor.to(dtype) for tensor in self.tensors(arrays)]

    def mlp_bfloat16(self):
        return self.half_mlp(self.torch.bfloat16)

    def mlp_float16(self):
        return self.half_mlp(self.torch.float16)

    def symbolic_dims(self):
        call = self.transform(self.network("mlp").eval(), dynamic=True)

        def run(*batches):
            return [call(x) for x in batches][-1]

        return run, self.tensors(inputs_of("symbolic_dims"))
