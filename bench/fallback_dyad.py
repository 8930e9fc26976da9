"""The programs of `./dev bench fallback` in Dyad, and in MindSpore, whose programs are the same."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy

from fallback_programs import FLOATS, LINES, TURNS, count_words, function_with_cuts, generator
from fallback_rows import BYTECODE
from graph_dyad import Dyad
from graph_inputs import batch_of
from graph_mindspore import MindSpore


class DyadFallback(Dyad):
    """Each program returns the whole function, the form it is compared with or None, and their inputs."""

    def array(self, result) -> numpy.ndarray:
        return numpy.asarray(result) if isinstance(result, int) else super().array(result)

    def __init__(self, form: str) -> None:
        super().__init__(form)
        self.options = {"capture_mode": "bytecode"} if form == BYTECODE else {}
        self.static = self.static or form == BYTECODE

    def transform(self, function, **options):
        return super().transform(function, **self.options, **options)

    def cuts(self, call) -> int | None:
        """Number of places in which Python runs part of the function."""
        split = call.__jit_compiler__.split if self.static else None
        if not hasattr(split, "pieces"):
            return None
        return len({piece.first_line for piece in split.pieces() if not piece.is_graph})

    def other(self, make):
        return make() if self.static else None

    def call(self):
        ops = self.framework.ops

        def call(x):
            return ops.tanh(x * 0.9 + 0.1)

        return self.transform(call), None, self.tensors([FLOATS])

    def cut(self):
        ops, tensor = self.framework.ops, self.framework.Tensor
        random, random_by_hand = generator(), generator()

        def first(x):
            return ops.tanh(x * 0.9 + 0.1)

        def second(x):
            return ops.exp(x * 0.5) + 1.0

        def whole(x):
            x = ops.tanh(x * 0.9 + 0.1)
            x = tensor(random.permutation(x.asnumpy()))
            return ops.exp(x * 0.5) + 1.0

        def by_hand():
            first_graph, second_graph = self.transform(first), self.transform(second)

            def run(x):
                x = first_graph(x)
                x = tensor(random_by_hand.permutation(x.asnumpy()))
                return second_graph(x)

            return run

        return self.transform(whole), self.other(by_hand), self.tensors([FLOATS])

    def host(self):
        return self.transform(count_words), self.other(lambda: count_words), [LINES]

    def capture(self):
        names = {"ops": self.framework.ops, "tensor": self.framework.Tensor, "random": generator()}
        graph, host = "ops.tanh(x * 0.9 + 0.1)", "tensor(random.permutation(x.asnumpy()))"
        return self.transform(function_with_cuts(graph, host, names)), None, self.tensors([FLOATS])

    def loop(self):
        ops = self.framework.ops

        def make():
            random = generator()

            def run(x):
                for _ in range(TURNS):
                    shift = random.random()
                    x = ops.tanh(x * 0.9 + shift) - 0.1
                return x

            return run

        return self.transform(make()), self.other(make), self.tensors([FLOATS])

    def step(self):
        tensor, random, random_by_hand = self.framework.Tensor, generator(), generator()
        train, train_by_hand = self.train_step(), self.train_step()

        def whole(images, labels):
            images = tensor(numpy.roll(images.asnumpy(), random.integers(-3, 4), 1))
            return train(images, labels)

        def by_hand():
            graph = self.transform(train_by_hand)

            def run(images, labels):
                images = tensor(numpy.roll(images.asnumpy(), random_by_hand.integers(-3, 4), 1))
                return graph(images, labels)

            return run

        return self.transform(whole), self.other(by_hand), self.tensors(batch_of("mlp"))

    def plain(self):
        """Loss of a training step of the example, decorated only with this form's transform."""
        example = loaded_example("plain_training_loop")
        config, arguments = example.ModelConfig(), example.TrainingArguments()
        batch = example.make_batches(config, arguments, 1)[0]

        def make(step):
            self.framework.set_seed(arguments.seed)
            trainer = example.Trainer(example.TokenClassifier(config), arguments, step)
            return lambda: self.framework.Tensor(trainer.step(trainer, batch)["loss"])

        step = self.transform(example.train_step)
        run = make(step)
        if self.static:
            run.__jit_compiler__ = step.__jit_compiler__
        return run, self.other(lambda: make(example.train_step)), []

    def train_step(self):
        framework, net = self.framework, self.network("mlp").set_train()
        update = self.momentum(net.trainable_params())

        def forward(x, labels):
            return framework.ops.cross_entropy(net(x), labels)

        differentiated = framework.value_and_grad(forward, None, update.parameters)

        def train(x, labels):
            loss, gradients = differentiated(x, labels)
            update(gradients)
            return loss

        return train


def loaded_example(name: str):
    path = Path(__file__).resolve().parent.parent / f"examples/{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class MindSporeFallback(DyadFallback, MindSpore):
    """Functions are compiled by `jit` alone; what is written around them runs as in its dynamic mode."""

    def __init__(self, form: str) -> None:
        MindSpore.__init__(self, form)
        self.options: dict = {}
        self.framework.set_context(mode=self.framework.PYNATIVE_MODE)
        self.framework.set_recursion_limit(20 * TURNS)  # it writes the loop out as calls

    def cuts(self, call) -> None:
        """Not reported by this framework."""
