"""The programs of `./dev bench graph` in Dyad, and in MindSpore, whose programs are the same."""

from __future__ import annotations

import numpy

from graph_inputs import GATHERED, LEARNING_RATE, TURNS, batch_of, inputs_of, weights


class Dyad:
    """Each program returns the callable in the form that is measured, and its inputs."""

    def __init__(self, form: str) -> None:
        import dyad

        self.use(dyad)
        self.static = form == "dyad"

    def use(self, framework) -> None:
        import models_dyad

        self.framework = framework
        self.models = models_dyad

    def transform(self, function, **options):
        return self.framework.jit(function, **options) if self.static else function

    def tensors(self, arrays) -> list:
        return [self.framework.Tensor(array) for array in arrays]

    def array(self, result) -> numpy.ndarray:
        return result.float().asnumpy()

    def product(self, size: int):
        a, ops = self.framework.Tensor(numpy.ones((size, size), numpy.float32)), self.framework.ops
        return lambda: ops.matmul(a, a)

    def copy(self, elements: int):
        source, target = self.tensors([numpy.ones(elements, numpy.float32) for _ in range(2)])
        return lambda: target.copy_(source)

    def add(self):
        def add(a, b):
            return a + b

        return self.transform(add), self.tensors(inputs_of("add"))

    def chain(self):
        ops = self.framework.ops

        def chain(x):
            y = ops.tanh(x * 1.5 + 0.25)
            return ops.exp(-(y * y)) * ops.sigmoid(x)

        return self.transform(chain), self.tensors(inputs_of("chain"))

    def softmax(self):
        ops = self.framework.ops

        def softmax(x):
            return ops.softmax(x, -1)

        return self.transform(softmax), self.tensors(inputs_of("softmax"))

    def layer_norm(self):
        net = self.framework.nn.LayerNorm((1024,), epsilon=1e-5)
        x, gamma, beta = self.tensors(inputs_of("layer_norm"))
        net.gamma.set_data(gamma)
        net.beta.set_data(beta)
        return self.transform(net), [x]

    def loop(self):
        ops = self.framework.ops

        def run(x, i, turns):
            while i < turns:
                x = ops.tanh(ops.matmul(x, x)) + 0.1
                i = i + 1
            return x

        return self.transform(run), [*self.tensors(inputs_of("loop")), *self.tensors((0, TURNS))]

    def network(self, name: str):
        net = getattr(self.models, name)()
        for parameter in net.trainable_params():
            parameter.set_data(self.framework.Tensor(weights(tuple(parameter.shape))))
        return net

    def inference(self, model: str, program: str):
        return self.transform(self.network(model).set_train(False)), self.tensors(inputs_of(program))

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
        framework, net = self.framework, self.network(model).set_train()
        make = {"momentum": self.momentum, "adam": self.adam}[optimizer]
        update = make(net.trainable_params())

        def forward(x, labels):
            return framework.ops.cross_entropy(net(x), labels)

        differentiated = framework.value_and_grad(forward, None, update.parameters)

        def step(x, labels):
            loss, gradients = differentiated(x, labels)
            update(gradients)
            return loss

        return self.transform(step), self.tensors(batch_of(batch))

    def momentum(self, parameters):
        return self.framework.nn.Momentum(parameters, LEARNING_RATE["momentum"], 0.9)

    def adam(self, parameters):
        return self.framework.nn.Adam(parameters, LEARNING_RATE["adam"])

    def mlp_momentum(self):
        return self.training("mlp", "momentum", "mlp")

    def mlp_adam(self):
        return self.training("mlp", "adam", "mlp")

    def gpt(self):
        return self.training("gpt", "adam", "gpt")

    def resnet_train(self):
        return self.training("resnet50", "momentum", "resnet")

    def gather(self):
        ops = self.framework.ops

        def run(indices, table, weight):
            return ops.matmul(ops.gather(table, indices, 0).mean(1), weight)

        return self.transform(run), self.tensors(
            [*inputs_of("gather"), weights(GATHERED), weights((GATHERED[1], 37))]
        )

    def half_mlp(self, dtype):
        ops = self.framework.ops

        def run(x, first, second, third):
            x = ops.relu(ops.matmul(x, first.T))
            x = ops.relu(ops.matmul(x, second.T))
            return ops.matmul(x, third.T)

        shapes = ((512, 784), (512, 512), (10, 512))
        arrays = [*inputs_of("mlp"), *(weights(shape) for shape in shapes)]
        return self.transform(run), [tensor.astype(dtype) for tensor in self.tensors(arrays)]

    def mlp_bfloat16(self):
        return self.half_mlp(self.framework.bfloat16)

    def mlp_float16(self):
        return self.half_mlp(self.framework.float16)

    def symbolic_dims(self):
        call = self.transform(self.network("mlp").set_train(False), dynamic=1)

        def run(*batches):
            return [call(x) for x in batches][-1]

        return run, self.tensors(inputs_of("symbolic_dims"))

    def layers(self, count: int):
        nn = self.framework.nn
        net = nn.SequentialCell(*[layer for _ in range(count) for layer in (nn.Dense(16, 16), nn.ReLU())])
        return self.transform(net), self.tensors([numpy.ones((1, 16), numpy.float32)])
