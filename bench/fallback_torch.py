"""The programs of `./dev bench fallback` in PyTorch, dynamic or compiled."""

from __future__ import annotations

import numpy

from fallback_programs import FLOATS, LINES, TURNS, count_words, function_with_cuts, generator
from graph_inputs import batch_of
from graph_torch import Torch


class TorchFallback(Torch):
    """Each program returns the whole function, the form it is compared with or None, and their inputs."""

    def array(self, result) -> numpy.ndarray:
        return numpy.asarray(result) if isinstance(result, int) else super().array(result)

    def cuts(self, call) -> int | None:
        """Number of graph breaks."""
        if not self.compiled:
            return None
        from torch._dynamo.utils import counters

        return sum(counters["graph_break"].values())

    def other(self, make):
        return make() if self.compiled else None

    def call(self):
        torch = self.torch

        def call(x):
            return torch.tanh(x * 0.9 + 0.1)

        return self.transform(call), None, self.tensors([FLOATS])

    def cut(self):
        torch, tensor = self.torch, self.torch.from_numpy
        random, random_by_hand = generator(), generator()

        def first(x):
            return torch.tanh(x * 0.9 + 0.1)

        def second(x):
            return torch.exp(x * 0.5) + 1.0

        def whole(x):
            x = torch.tanh(x * 0.9 + 0.1)
            x = tensor(random.permutation(x.numpy()))
            return torch.exp(x * 0.5) + 1.0

        def by_hand():
            first_graph, second_graph = self.transform(first), self.transform(second)

            def run(x):
                x = first_graph(x)
                x = tensor(random_by_hand.permutation(x.numpy()))
                return second_graph(x)

            return run

        return self.transform(whole), self.other(by_hand), self.tensors([FLOATS])

    def host(self):
        return self.transform(count_words), self.other(lambda: count_words), [LINES]

    def capture(self):
        names = {"torch": self.torch, "tensor": self.torch.from_numpy, "random": generator()}
        graph, host = "torch.tanh(x * 0.9 + 0.1)", "tensor(random.permutation(x.numpy()))"
        return self.transform(function_with_cuts(graph, host, names)), None, self.tensors([FLOATS])

    def loop(self):
        torch = self.torch

        def make():
            random = generator()

            def run(x):
                for _ in range(TURNS):
                    shift = random.random()
                    x = torch.tanh(x * 0.9 + shift) - 0.1
                return x

            return run

        return self.transform(make()), self.other(make), self.tensors([FLOATS])

    def step(self):
        tensor, random, random_by_hand = self.torch.from_numpy, generator(), generator()
        train, train_by_hand = self.train_step(), self.train_step()

        def whole(images, labels):
            images = tensor(numpy.roll(images.numpy(), random.integers(-3, 4), 1))
            return train(images, labels)

        def by_hand():
            graph = self.transform(train_by_hand)

            def run(images, labels):
                images = tensor(numpy.roll(images.numpy(), random_by_hand.integers(-3, 4), 1))
                return graph(images, labels)

            return run

        return self.transform(whole), self.other(by_hand), self.tensors(batch_of("mlp"))

    def train_step(self):
        torch, functional, net = self.torch, self.functional, self.network("mlp").train()
        update = self.momentum(net.parameters())

        def train(x, labels):
            update.zero_grad(set_to_none=True)
            with torch.enable_grad():
                loss = functional.cross_entropy(net(x), labels)
            loss.backward()
            update.step()
            return loss

        return train
