"""Networks made of containers as static graphs: every way to reach their layers."""

import pytest
from layer_agreement import require_agreement
from layer_inputs import floats

import dyad
from dyad import nn, set_seed


class Listed(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layers = nn.CellList([nn.Dense(4, 4), nn.ReLU(), nn.Dense(4, 4)])

    def construct(self, x):
        for layer in self.layers:
            x = layer(x)
        for i, layer in enumerate(self.layers[:2]):
            x = layer(x) + i
        return self.layers[-1](x), len(self.layers)


class Named(nn.Cell):
    def __init__(self):
        super().__init__()
        self.parts = nn.CellDict({"first": nn.Dense(4, 4), "norm": nn.BatchNorm1d(4)})

    def construct(self, x):
        for name, part in self.parts.items():
            x = part(x)
            if name == "first":
                x = x * 2
        for part in self.parts.values():
            x = x + part(x)
        return self.parts["norm"](x), list(self.parts.keys()), "second" in self.parts


class Chained(nn.Cell):
    def __init__(self):
        super().__init__()
        self.chain = nn.SequentialCell(nn.Dense(4, 4), nn.Tanh())
        self.chain.append(nn.Dense(4, 2))

    def construct(self, x):
        for layer in self.chain[:2]:
            x = layer(x)
        return self.chain(x), self.chain[2](x)


class Nested(nn.Cell):
    def __init__(self):
        super().__init__()
        self.blocks = nn.CellList([nn.SequentialCell(nn.Dense(4, 4), nn.BatchNorm1d(4)) for _ in range(2)])
        self.pair = (nn.Dense(4, 4), nn.ReLU())

    def construct(self, x):
        for block in self.blocks:
            x = x + block(x)
        first, then = self.pair
        return then(first(x))


class MadeInside(nn.Cell):
    def construct(self, x):
        return nn.ReLU()(nn.Flatten()(x)) + nn.LayerNorm((4,))(x)


class Shared(nn.Cell):
    """One layer under two names: it is one Parameter."""

    def __init__(self):
        super().__init__()
        self.first = nn.Dense(4, 4)
        self.second = self.first

    def construct(self, x):
        return self.second(self.first(x))


def shown(value):
    if isinstance(value, dyad.Tensor):
        return value.asnumpy()
    return [shown(item) for item in value] if isinstance(value, tuple | list) else value


def history(network, call):
    steps = []
    for number in range(3):
        network.set_train(number > 0)
        result = shown(call(floats(3, 4)))
        steps.append((result, [(p.name, p.asnumpy().copy()) for p in network.get_parameters()]))
    return steps


@pytest.mark.parametrize("kind", [Listed, Named, Chained, Nested, MadeInside, Shared])
@pytest.mark.parametrize("form", ["jit", "graph mode"])
def test_network_as_a_graph(kind, form):
    set_seed(7)
    plain = kind()
    set_seed(7)
    network = kind()
    wanted = history(plain, plain)
    if form == "jit":
        return require_agreement(history(network, dyad.jit(network)), wanted)
    dyad.set_context(mode=dyad.GRAPH_MODE)
    try:
        return require_agreement(history(network, network), wanted)
    finally:
        dyad.set_context(mode=dyad.PYNATIVE_MODE)


def test_layer_put_into_a_container_later_is_seen():
    network = Listed()
    compiled = dyad.jit(network)
    compiled(floats(3, 4))
    network.layers.append(nn.Tanh())
    require_agreement(shown(compiled(floats(3, 4))), shown(network(floats(3, 4))))


def test_layer_replaced_in_a_container_is_seen():
    network = Chained()
    compiled = dyad.jit(network)
    compiled(floats(3, 4))
    network.chain[1] = nn.ReLU()
    require_agreement(shown(compiled(floats(3, 4))), shown(network(floats(3, 4))))
