"""Cells that the program makes while it runs: constructors, weights, random numbers."""

import numpy as np
from program import Call, Scene, program, scene

from dyad import Parameter, ParameterTuple, Tensor, grad, nn, ops, value_and_grad, vmap
from dyad.common.initializer import (
    Constant,
    HeNormal,
    Initializer,
    Normal,
    TruncatedNormal,
    Uniform,
    initializer,
)

ROWS = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3) / 4)
FACTOR = 2


class Scaled(nn.Cell):
    offset = 3

    def __init__(self):
        super().__init__()
        self.factor, self.shift = FACTOR, self.offset

    def construct(self, x):
        return x * self.factor + self.shift


@scene(ROWS)
def constructor_reads_a_global():
    def change():
        globals()["FACTOR"] = 5

    globals()["FACTOR"] = 2
    return Scene(lambda x: Scaled()(x), change)


@scene(ROWS)
def constructor_reads_a_class_attribute():
    class Shifted(nn.Cell):
        offset = 3

        def __init__(self):
            super().__init__()
            self.shift = self.offset

        def construct(self, x):
            return x + self.shift

    def change():
        Shifted.offset = 7

    return Scene(lambda x: Shifted()(x), change)


@scene(ROWS)
def constructor_is_replaced():
    class Shifted(nn.Cell):
        def __init__(self):
            super().__init__()
            self.shift = 1

        def construct(self, x):
            return x + self.shift

    def other(self):
        nn.Cell.__init__(self)
        self.shift = 5

    def change():
        Shifted.__init__ = other

    return Scene(lambda x: Shifted()(x), change)


@scene(ROWS, strict=False)
def constructor_prints_and_counts():
    class Counted(nn.Cell):
        made = 0

        def __init__(self, name):
            super().__init__()
            print("made", name)
            Counted.made += 1
            self.number = Counted.made

        def construct(self, x):
            return x * self.number

    def f(x):
        first = Counted("a")
        print("between")
        return first(x) + Counted("b")(x)

    return Scene(f, watch=lambda: Counted.made)


@scene(ROWS, strict=False)
def constructor_appends_to_a_list():
    made = []

    class Listed(nn.Cell):
        def __init__(self):
            super().__init__()
            made.append(len(made))

        def construct(self, x):
            return x + 1

    return Scene(lambda x: Listed()(x) * len(made), watch=lambda: made)


@scene(ROWS)
def constructor_raises():
    limits = [5]

    class Limited(nn.Cell):
        def __init__(self, size):
            super().__init__()
            if size > limits[0]:
                raise ValueError(f"size {size}")
            self.size = size

        def construct(self, x):
            return x * self.size

    def f(x):
        try:
            return Limited(4)(x)
        except ValueError as error:
            print(error)
            return x

    def change():
        limits[0] = 3

    return Scene(f, change)


@program(ROWS)
def written_weights_begin_anew(x):
    layer = nn.Dense(3, 1, weight_init=1.0, bias_init=0.0)
    y = layer(x).sum()
    ops.assign(layer.weight, layer.weight + 1.0)
    return y + layer(x).sum(), layer.weight * 1


class Stepping(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor(np.ones(3, np.float32)), name="w")
        self.b = Parameter(np.zeros(3, np.float32), name="b")
        self.n = Parameter(3, name="n", requires_grad=False)

    def construct(self, x):
        y = x * self.w + self.b + self.n
        self.w.add_(1.0)
        self.b[0] = 4.0
        return y


@program(ROWS)
def parameters_written_in_place_begin_anew(x):
    net = Stepping()
    first = net(x)
    return first, net(x)


@program(ROWS)
def a_known_tensor_is_assigned_between_uses(x):
    t = Tensor([1.0, 1.0, 1.0])
    y = x * t
    ops.assign(t, t + 1.0)
    return y + x * t


@program(ROWS)
def a_layer_made_for_all_slices(x):
    return vmap(lambda row: nn.Dense(3, 2)(row.reshape(1, 3))[0])(x)


@program(ROWS, trace=True)
def running_statistics_begin_anew(x):
    norm = nn.BatchNorm1d(3)
    norm.set_train()
    y = norm(x)
    return y, norm.moving_mean * 1, norm.moving_variance * 1


@program(ROWS, trace=True)
def random_weights_are_drawn_in_each_call(x):
    return nn.Dense(3, 1)(x)


class Perceptron(nn.Cell):
    def __init__(self, hidden):
        super().__init__()
        self.flatten = nn.Flatten()
        self.layers = nn.SequentialCell(
            nn.Dense(3, hidden, weight_init="normal", bias_init="zeros"), nn.ReLU(), nn.Dense(hidden, 2)
        )

    def construct(self, x):
        return self.layers(self.flatten(x))


@program(ROWS, trace=True)
def network_made_inside(x):
    model = Perceptron(4)
    return model(x)


@program(ROWS, trace=True)
def two_networks_made_inside(x):
    first, second = Perceptron(4), Perceptron(2)
    return first(x), second(x), first(x) is first(x)


class Deep(nn.Cell):
    def __init__(self, count):
        super().__init__()
        self.first = nn.CellList()
        for _ in range(count):
            self.first.append(nn.Dense(3, 3))
        self.second = nn.CellList([nn.Dense(3, 3, weight_init=HeNormal()) for _ in range(count)])
        self.kept = [nn.ReLU(), nn.Tanh()]
        self.insert_child_to_cell("last", nn.Dense(3, 1))

    def construct(self, x):
        for layer in self.first:
            x = layer(x)
        for layer in self.second:
            x = self.kept[1](layer(x))
        return self.last(self.kept[0](x))


@program(ROWS, trace=True)
def lists_of_layers(x):
    return Deep(2)(x)


class Drawn(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a = Parameter(initializer("normal", [3]), name="a")
        self.b = Parameter(initializer(Uniform(2.0), [3]), name="b")
        self.c = Parameter(initializer(TruncatedNormal(0.5), [3]))
        self.d = Parameter(initializer(Constant(0.25), [3]), requires_grad=False)
        self.e = Parameter(initializer("ones", [3]))
        self.register_buffer("f", Tensor([1.0, 2.0, 3.0]))

    def construct(self, x):
        return x * self.a + self.b * self.c + self.d + self.e + self.f


@program(ROWS, trace=True)
def initializers_of_all_kinds(x):
    net = Drawn()
    return net(x), [p.name for p in net.get_parameters()], len(net.trainable_params())


@program(ROWS, trace=True)
def a_tensor_is_drawn(x):
    t = Tensor(shape=(3,), dtype=x.dtype, init=Normal(1.0)).init_data()
    return x * t, Tensor(shape=(3,), dtype=x.dtype, init=Normal(2.0)).init_data() + x


@program(ROWS, trace=True)
def draws_keep_their_order(x):
    before = ops.dropout(x, 0.5)
    layer = nn.Dense(3, 3)
    middle = ops.standard_normal((2, 3))
    other = nn.Dense(3, 3)
    return before, layer(x), middle, other(x), np.float32(1.0) * x


@scene(ROWS, trace=True)
def an_initializer_from_outside_is_changed():
    normal, constant = Normal(0.5), Constant(2.0)

    def f(x):
        return nn.Dense(3, 2, weight_init=normal, bias_init=constant)(x)

    def change():
        normal.sigma, constant.value = 3.0, 5.0

    return Scene(f, change)


@scene(ROWS, strict=False)
def an_initializer_of_the_program():
    filled = []

    class Counting(Initializer):
        def _initialize(self, arr):
            filled.append(arr.shape)
            arr[...] = len(filled)

    return Scene(lambda x: nn.Dense(3, 2, weight_init=Counting(), bias_init=0.0)(x), watch=lambda: filled)


@scene(ROWS, strict=False)
def a_layer_is_made_when_it_is_needed():
    class Lazy(nn.Cell):
        def __init__(self):
            super().__init__()
            self.fc = None

        def construct(self, x):
            if self.fc is None:
                self.fc = nn.Dense(x.shape[-1], 2)
            return self.fc(x)

    net = Lazy()
    return Scene(net, watch=lambda: None if net.fc is None else net.fc.weight)


@program(ROWS)
def gradients_by_new_parameters(x):
    net = nn.Dense(3, 1)
    by_weights = grad(lambda v: net(v).sum(), None, net.trainable_params())(x)
    loss, by_input = value_and_grad(lambda v: (net(v) ** 2).sum())(x)
    return by_weights, loss, by_input


@program(ROWS)
def steps_of_training_inside(x):
    net = nn.Dense(3, 1, weight_init="normal", bias_init="zeros")
    weights = ParameterTuple(net.trainable_params())
    step = value_and_grad(lambda v: (net(v) ** 2).sum(), None, weights)
    losses = []
    for _ in range(3):
        loss, gradients = step(x)
        losses.append(loss)
        for weight, gradient in zip(weights, gradients):
            ops.assign(weight, weight - 0.1 * gradient)
    return losses, net(x)


@program(ROWS, strict=False)
def a_network_is_returned(x):
    net = Perceptron(2)
    return net(x), type(net).__name__, net.layers[0].weight * 1, net


@program(ROWS, Tensor(1), then=[(ROWS, Tensor(-1))])
def a_layer_made_in_a_branch(x, n):
    if n > 0:
        return nn.Dense(3, 1, weight_init=2.0, bias_init=1.0)(x)
    return Scaled()(x).sum(axis=1, keepdims=True)


@program(ROWS, Tensor(2), then=[(ROWS, Tensor(4))], strict=False)
def random_layers_made_in_a_loop_on_data(x, n):
    i = Tensor(0)
    while i < n:
        x = nn.Dense(3, 3)(x)
        i = i + 1
    return x


@program(ROWS, Tensor(1), then=[(ROWS, Tensor(-1))], strict=False)
def a_new_network_is_changed_in_a_branch(x, n):
    net = Scaled()
    if n > 0:
        net.factor = 7
        net.extra = nn.ReLU()
    return net(x), hasattr(net, "extra"), net.factor


@scene(ROWS)
def derived_from_a_layer():
    settings = {"size": 2}

    class Wide(nn.Dense):
        def __init__(self, size, **more):
            super().__init__(3, size * settings["size"], weight_init=0.5, **more)
            self.size = size

        def construct(self, x):
            return super().construct(x) * self.size

    def change():
        settings["size"] = 3

    return Scene(lambda x: Wide(2, bias_init=1.0)(x), change)


@scene(ROWS, strict=False)
def attributes_are_set_by_the_program():
    seen = []

    class Watching(nn.Cell):
        def __init__(self):
            super().__init__()
            self.dense = nn.Dense(3, 1, weight_init=1.0, bias_init=0.0)
            self.k = 2

        def __setattr__(self, name, value):
            if name in ("dense", "k"):
                seen.append(name)
            super().__setattr__(name, value)

        def construct(self, x):
            return self.dense(x) * self.k

    return Scene(lambda x: Watching()(x), watch=lambda: seen)


@scene(ROWS, strict=False)
def a_layer_calls_a_method_of_the_program():
    class Chain(nn.SequentialCell):
        def append(self, cell):
            print("append", type(cell).__name__)
            return super().append(cell)

    return Scene(lambda x: Chain(nn.ReLU(), nn.Tanh())(x))


@scene(ROWS, strict=False)
def a_cell_from_outside_becomes_a_member():
    inner = nn.Dense(3, 3, weight_init=1.0, bias_init=0.0)

    def f(x):
        return nn.SequentialCell(inner, nn.ReLU())(x)

    def change():
        inner.weight.set_data(inner.weight * 2)

    return Scene(f, change, watch=lambda: [p.name for p in inner.get_parameters()])


@scene(ROWS, strict=False)
def a_parameter_from_outside_becomes_a_member():
    tied = Parameter(Tensor([1.0, 2.0, 3.0]), name="tied")

    class Tied(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = tied

        def construct(self, x):
            y = x * self.w
            self.w.add_(1.0)
            return y

    return Scene(lambda x: Tied()(x), watch=lambda: tied)


class Keeping(nn.Cell):
    def __init__(self, scale):
        super().__init__()
        self.scale = scale
        self.sizes = [scale.shape[0], 2]

    def construct(self, x):
        self.sizes.append(3)
        return x * self.scale + self.sizes[0] + len(self.sizes)


@program(ROWS)
def values_of_the_graph_in_a_constructor(x):
    net = Keeping(x + 1)
    return net(x), net(x), net.sizes


class Early(nn.Cell):
    def __init__(self):
        self.layer = nn.ReLU()
        super().__init__()


@program(ROWS)
def a_member_before_the_constructor_of_cell(x):
    try:
        Early()
    except AttributeError as error:
        return x, str(error)


class Mixed:
    def __init__(self, **options):
        super().__init__(**options)
        self.mixed = 3


class Cooperative(Mixed, nn.Cell):
    def __init__(self, act=None):
        super().__init__(auto_prefix=False)
        self.dense = nn.Dense(3, 1)
        self.scale, self.act, self.counts = self.made_scale(), act, {"calls": 0}

    def made_scale(self):
        return Parameter(ops.full((3,), 2.0), name="scale", requires_grad=False)

    @property
    def twice(self):
        return self.mixed * 2

    def construct(self, x):
        self.counts["calls"] += 1
        self.mixed = self.mixed + 1
        return self.dense(x * self.scale) * self.twice + self.act(x)[:, :1] * self.counts["calls"]


@program(ROWS)
def cooperative_constructors(x):
    net = Cooperative(act=lambda v: v * 2)
    first = net(x)
    return first, net(x), net.mixed, net.counts


@program(ROWS)
def settings_of_a_new_network(x):
    net = nn.SequentialCell(nn.Dense(3, 3, weight_init=0.5), nn.Dropout(p=0.5))
    net.set_train(False)
    y = net(x)
    net[0].weight.requires_grad = False
    return y, net.training, len(net.trainable_params()), net.set_grad().requires_grad


@scene(ROWS, then=[Call(ROWS)])
def a_factory_of_networks():
    kinds = {"act": nn.ReLU, "size": 4}

    def make(size):
        return nn.SequentialCell(nn.Dense(3, size, weight_init="ones", bias_init=-1.0), kinds["act"]())

    def change():
        kinds["act"] = nn.Tanh

    return Scene(lambda x: make(kinds["size"])(x), change)


@scene(Tensor([1.0, 2.0, 3.0]), strict=False, trace=True)
def parameters_are_cloned():
    held = ParameterTuple([Parameter(Tensor([1.0, 2.0, 3.0]), name="held")])

    def f(x):
        (same,), (zeros,) = held.clone("same"), held.clone("zeros", "zeros")
        held[0].add_(1.0)
        return same * x, zeros + held[0], same.name, zeros.name

    return Scene(f, watch=lambda: held[0])


@scene(Tensor([1.0, 2.0, 3.0]), strict=False, trace=True)
def a_cloned_parameter_is_another_one():
    held = Parameter(Tensor([1.0, 2.0, 3.0]), name="held")

    def f(x):
        other = held.clone()
        other.add_(x)
        return other * held, held.copy() * 1

    return Scene(f, watch=lambda: held)
