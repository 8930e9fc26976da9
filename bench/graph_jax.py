"""The programs of `./dev bench graph` in JAX."""

from __future__ import annotations

import os

import numpy

import models_jax
from graph_inputs import GATHERED, LEARNING_RATE, TURNS, batch_of, inputs_of, weights


class Jax:
    """Each program returns the callable in the form that is measured, and its inputs."""

    def __init__(self, form: str) -> None:
        import jax

        self.jax = jax
        store = os.environ.get("JAX_COMPILATION_CACHE_DIR")
        if store:
            jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
            jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)

    def tensors(self, arrays) -> list:
        return [self.jax.numpy.asarray(array) for array in arrays]

    # What is asked of a result: it is there when this returns.
    wait = ".block_until_ready()"

    def compiled(self, function, *inputs):
        return self.jax.jit(function), list(inputs)

    def array(self, result) -> numpy.ndarray:
        return numpy.asarray(result.astype(numpy.float32))

    def add(self):
        return self.compiled(lambda a, b: a + b, *self.tensors(inputs_of("add")))

    def chain(self):
        jnp = self.jax.numpy

        def chain(x):
            y = jnp.tanh(x * 1.5 + 0.25)
            return jnp.exp(-(y * y)) * self.jax.nn.sigmoid(x)

        return self.compiled(chain, *self.tensors(inputs_of("chain")))

    def softmax(self):
        return self.compiled(lambda x: self.jax.nn.softmax(x, -1), *self.tensors(inputs_of("softmax")))

    def layer_norm(self):
        def run(x, gamma, beta):
            return models_jax.layer_norm({"gamma": gamma, "beta": beta}, x, 1e-5)

        return self.compiled(run, *self.tensors(inputs_of("layer_norm")))

    def loop(self):
        lax, tanh = self.jax.lax, self.jax.numpy.tanh

        def run(x, i, turns):
            def body(state):
                return tanh(state[0] @ state[0]) + 0.1, state[1] + 1

            return lax.while_loop(lambda state: state[1] < turns, body, (x, i))[0]

        return self.compiled(run, *self.tensors(inputs_of("loop")), 0, TURNS)

    def inference(self, model: str, program: str):
        net = getattr(models_jax, model)()
        return self.compiled(net.forward, self.weights(net), *self.tensors(inputs_of(program)))

    def weights(self, net):
        return self.jax.tree.map(self.jax.numpy.asarray, net.weights)

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
        jax, net = self.jax, getattr(models_jax, model)()
        update = {"momentum": self.momentum, "adam": self.adam}[optimizer]

        def loss_of(parameters, statistics, x, labels):
            scores, statistics = net.learn(parameters, statistics, x)
            chosen = jax.numpy.take_along_axis(jax.nn.log_softmax(scores), labels[:, None], 1)
            return -chosen.mean(), statistics

        def step(state, x, labels):
            parameters, statistics, slots, count = state
            (loss, statistics), gradients = jax.value_and_grad(loss_of, has_aux=True)(
                parameters, statistics, x, labels
            )
            parameters, slots = update(parameters, slots, gradients, count + 1)
            return loss, (parameters, statistics, slots, count + 1)

        zeros = jax.tree.map(jax.numpy.zeros_like, self.weights(net))
        slots = zeros if optimizer == "momentum" else (zeros, jax.tree.map(jax.numpy.zeros_like, zeros))
        statistics = jax.tree.map(jax.numpy.asarray, net.statistics)
        state = (self.weights(net), statistics, slots, jax.numpy.zeros(()))
        jitted = jax.jit(step, donate_argnums=0)

        def call(x, labels):
            nonlocal state
            loss, state = jitted(state, x, labels)
            return loss

        return call, self.tensors(
            [array.astype(numpy.int32) if array.dtype == numpy.int64 else array for array in batch_of(batch)]
        )

    def momentum(self, parameters, velocity, gradients, count):
        tree = self.jax.tree
        velocity = tree.map(lambda v, g: 0.9 * v + g, velocity, gradients)
        return tree.map(lambda p, v: p - LEARNING_RATE["momentum"] * v, parameters, velocity), velocity

    def adam(self, parameters, moments, gradients, count):
        tree, sqrt = self.jax.tree, self.jax.numpy.sqrt
        first = tree.map(lambda m, g: 0.9 * m + 0.1 * g, moments[0], gradients)
        second = tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, moments[1], gradients)
        rate = LEARNING_RATE["adam"] * sqrt(1 - 0.999**count) / (1 - 0.9**count)
        moved = tree.map(lambda p, m, v: p - rate * m / (sqrt(v) + 1e-8), parameters, first, second)
        return moved, (first, second)

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
            return table[indices].mean(1) @ weight

        arrays = [*inputs_of("gather"), weights(GATHERED), weights((GATHERED[1], 37))]
        return self.compiled(run, *self.tensors(arrays))

    def half_mlp(self, dtype):
        relu = self.jax.nn.relu

        def run(x, first, second, third):
            return relu(relu(x @ first.T) @ second.T) @ third.T

        shapes = ((512, 784), (512, 512), (10, 512))
        arrays = [*inputs_of("mlp"), *(weights(shape) for shape in shapes)]
        return self.compiled(run, *(tensor.astype(dtype) for tensor in self.tensors(arrays)))

    def mlp_bfloat16(self):
        return self.half_mlp(self.jax.numpy.bfloat16)

    def mlp_float16(self):
        return self.half_mlp(self.jax.numpy.float16)

    def symbolic_dims(self):
        net = models_jax.mlp()
        held, forward = self.weights(net), self.jax.jit(net.forward)

        def run(*batches):
            return [forward(held, x) for x in batches][-1]

        return run, self.tensors(inputs_of("symbolic_dims"))
