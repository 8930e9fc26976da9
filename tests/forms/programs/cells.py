"""Cells: layers, containers, Parameters and their updates, training, Cells made inside."""

import numpy as np
from program import Raises, Scene, program, scene

import dyad
from dyad import Parameter, ParameterTuple, Tensor, nn, ops

X = Tensor([1.0, 2.0])
ROW = Tensor([[1.0, 2.0]])
IMAGE = Tensor(np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4))
S = Tensor(5.0)


class Mlp(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layers = nn.SequentialCell(nn.Dense(2, 3), nn.ReLU(), nn.Dense(3, 2))

    def construct(self, x):
        return self.layers(x)


@scene(ROW, trace=True)
def sequential_network():
    return Mlp()


@scene(ROW, trace=True)
def new_weights_are_seen():
    net = nn.Dense(2, 1, weight_init=1.0, bias_init=0.0)

    def change():
        net.weight.set_data(Tensor([[2.0, 2.0]]))

    return Scene(net, change, lambda: net.weight)


@scene(ROW)
def weights_assigned_in_every_way():
    net = nn.Dense(2, 1, weight_init=1.0, bias_init=0.0)

    def change():
        net.weight = Tensor([[0.0, 1.0]])
        ops.assign(net.bias, Tensor([9.0]))
        net.weight[0, 0] = 5.0

    return Scene(net, change)


@scene(ROW)
def weights_loaded_from_a_dict():
    net = nn.Dense(2, 1, weight_init=1.0, bias_init=0.0)

    def change():
        new = {"weight": Parameter(Tensor([[3.0, 4.0]])), "bias": Parameter(Tensor([1.0]))}
        dyad.load_param_into_net(net, new)

    return Scene(net, change)


@scene(ROW)
def parameter_replaced_by_another():
    net = nn.Dense(2, 1, weight_init=1.0, bias_init=0.0)

    def change():
        net.weight = Parameter(Tensor([[7.0, 7.0]]), name="weight")

    return Scene(net, change)


@scene(ROW)
def sub_cell_replaced():
    class Wrapper(nn.Cell):
        def __init__(self):
            super().__init__()
            self.inner = nn.Dense(2, 2, weight_init=1.0, bias_init=0.0)

        def construct(self, x):
            return self.inner(x)

    net = Wrapper()

    def change():
        net.inner = nn.ReLU()

    return Scene(net, change)


@scene(IMAGE, trace=True)
def convolution_and_pooling():
    return nn.SequentialCell(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.MaxPool2d(2, 2), nn.Flatten())


class Chain(nn.Cell):
    def __init__(self):
        super().__init__()
        self.members = nn.CellList([nn.Dense(2, 2, weight_init=float(k)) for k in (1, 2, 3)])

    def construct(self, x):
        for cell in self.members:
            x = cell(x)
        return self.members[-1](x), len(self.members), [c(x) for c in self.members[:2]]


@scene(ROW, trace=True)
def cell_list_is_iterated():
    return Chain()


@scene(ROW)
def cell_list_grows_between_calls():
    net = Chain()
    return Scene(net, lambda: net.members.append(nn.Dense(2, 2, weight_init=1.0)))


class Switch(nn.Cell):
    def __init__(self):
        super().__init__()
        self.members = nn.CellList(
            [nn.Dense(2, 2, weight_init=float(k), bias_init="zeros") for k in (1, 2, 3)]
        )

    def construct(self, x, i):
        return self.members[int(i)](x)


@scene(ROW, Tensor(1), then=[(ROW, Tensor(0)), (ROW, Tensor(-1)), (ROW, Tensor(3)), (ROW, Tensor(2))])
def run_time_index_of_a_cell_list():
    return Switch()


@scene(ROW, 1, then=[(ROW, 0), (ROW, 2)])
def known_index_of_a_cell_list():
    return Switch()


@scene(ROW, "double", then=[(ROW, "relu")])
def cell_dict():
    class Choice(nn.Cell):
        def __init__(self):
            super().__init__()
            self.table = nn.CellDict({"relu": nn.ReLU(), "double": nn.Dense(2, 2, weight_init=2.0)})

        def construct(self, x, name):
            for key in self.table.keys():
                x = x + len(key)
            return self.table[name](x), "relu" in self.table, len(self.table)

    return Choice()


@scene(X, trace=True)
def tuple_of_cells():
    class Several(nn.Cell):
        def __init__(self):
            super().__init__()
            self.steps = (nn.ReLU(), nn.Tanh(), nn.Sigmoid())

        def construct(self, x):
            for step in self.steps:
                x = step(x)
            return x

    return Several()


class Acc(nn.Cell):
    def __init__(self):
        super().__init__()
        self.total = Parameter(Tensor(0.0), name="total")

    def construct(self, x):
        self.total = self.total + x
        return self.total


@scene(S, expect=5.0, again=10.0)
def parameter_written_by_assignment():
    net = Acc()
    return Scene(net, lambda: net.total.set_data(Tensor(100.0)), lambda: net.total)


@scene(S, trace=True)
def parameter_written_by_operators():
    class Update(nn.Cell):
        def __init__(self):
            super().__init__()
            self.p = Parameter(Tensor([1.0, 2.0]), name="p")

        def construct(self, x):
            ops.assign(self.p, self.p * 2)
            ops.assign_add(self.p, x * Tensor([1.0, 1.0]))
            before = self.p + 0
            ops.assign_sub(self.p, Tensor([0.5, 0.5]))
            return before, self.p + 0

    net = Update()
    return Scene(net, lambda: net.p.set_data(Tensor([10.0, 20.0])), lambda: net.p)


@scene(S)
def parameter_written_in_one_arm():
    net = nn.Dense(1, 1, weight_init=1.0, bias_init=0.0)

    def f(x):
        if x > 0:
            ops.assign(net.bias, net.bias + 1)
        else:
            ops.assign(net.bias, net.bias - 10)
        return net.bias * 2

    return Scene(f, lambda: net.bias.set_data(Tensor([50.0])), lambda: net.bias)


@scene(Tensor(3))
def parameter_written_in_a_tensor_loop():
    p = Parameter(Tensor([1.0, 1.0]), name="p")

    def f(n):
        i = 0
        while i < n:
            p.mul_(2.0)
            p[0] = i * 1.0
            i += 1
        return p + 1

    return Scene(f, lambda: p.set_data(Tensor([3.0, 4.0])), lambda: p)


@scene(S, expect=6.0, again=12.0)
def parameter_counted_in_place_and_bound_again():
    class Average(nn.Cell):
        def __init__(self):
            super().__init__()
            self.updates = Parameter(Tensor(0.0), name="updates", requires_grad=False)
            self.layer = nn.Dense(1, 1, weight_init=1.0, bias_init=0.0)

        def construct(self, x):
            self.updates += 1
            self.updates = self.updates + x
            done = ops.assign(self.layer.bias, self.updates.reshape(1))
            self.updates = ops.depend(self.updates, done)
            return self.updates + 0

    net = Average()
    return Scene(net, lambda: net.updates.set_data(Tensor(50.0)), lambda: (net.updates, net.layer.bias))


@scene(X)
def parameter_subscript_written():
    class Write(nn.Cell):
        def __init__(self):
            super().__init__()
            self.table = Parameter(ops.zeros((3, 2)), name="table")

        def construct(self, x):
            self.table[1] = x
            self.table[0, 1] += 1.0
            return self.table.sum()

    net = Write()
    return Scene(net, watch=lambda: net.table)


@scene(X)
def parameter_read_between_writes():
    p = Parameter(Tensor([0.0, 0.0]), name="p")

    def f(x):
        a = p + 0
        ops.assign(p, x)
        b = p * 2
        ops.assign(p, x * 10)
        return a, b, p + 0

    return Scene(f, watch=lambda: p)


@scene(X)
def parameter_returned_is_the_parameter():
    p = Parameter(Tensor([1.0, 2.0]), name="p")

    def f(x):
        return p, [p], x

    return Scene(f, watch=lambda: p)


@scene(X, expect=Raises(ValueError), then=[(S,)])
def parameter_assigned_a_wrong_shape():
    p = Parameter(Tensor(0.0), name="p")

    def f(x):
        ops.assign(p, x)
        return p + 1

    return Scene(f, watch=lambda: p)


@scene(S, expect=Raises(RuntimeError, "stop"), then=[(Tensor(-1.0),)])
def parameters_after_an_exception():
    p = Parameter(Tensor(0.0), name="p")

    def f(x):
        ops.assign(p, p + 1)
        if x > 0:
            raise RuntimeError("stop")
        ops.assign(p, p + 10)
        return p + 0

    return Scene(f, watch=lambda: p)


@scene(X)
def parameter_tuple():
    ps = ParameterTuple([Parameter(Tensor([1.0, 2.0]), name="a"), Parameter(Tensor([3.0, 4.0]), name="b")])

    def f(x):
        total = x
        for p in ps:
            total = total + p
        return total, len(ps), ps[1] * 1

    return Scene(f, lambda: ps[0].set_data(Tensor([10.0, 10.0])))


@scene(X, trace=True)
def parameter_as_an_argument():
    p = Parameter(Tensor([2.0, 3.0]), name="p")

    def f(x, weight):
        weight.add_(1.0)
        return x * weight

    def call(x):
        return f(x, p)

    return Scene(call, watch=lambda: p)


@scene(Tensor(np.ones((4, 50), np.float32)), vary=False)
def dropout_follows_the_training_flag():
    net = nn.Dropout(p=0.5)
    return Scene(net, lambda: net.set_train(True))


@scene(Tensor(np.ones((4, 50), np.float32)), vary=False)
def dropout_in_training_follows_the_stream():
    net = nn.SequentialCell(nn.Dropout(p=0.5), nn.ReLU())
    net.set_train()
    return Scene(net, lambda: net.set_train(False))


@scene(Tensor(np.arange(6, dtype=np.float32).reshape(3, 2)))
def batch_norm_updates_its_statistics():
    net = nn.BatchNorm1d(2)
    net.set_train()
    watch = lambda: (net.moving_mean, net.moving_variance)
    return Scene(net, lambda: net.set_train(False), watch)


@scene(X)
def training_is_read_by_the_program():
    class Mode(nn.Cell):
        def construct(self, x):
            return x * 2 if self.training else x

    net = Mode()
    return Scene(net, lambda: net.set_train(True))


@program(ROW, trace=True)
def activation_made_inside(x):
    return nn.ReLU()(x) + nn.Softmax(axis=-1)(x)


@program(ROW)
def layer_with_known_weights_made_inside(x):
    layer = nn.Dense(2, 2, weight_init=2.0, bias_init=1.0)
    return layer(x)


@scene(ROW)
def hyper_parameters_are_attributes():
    class Scaled(nn.Cell):
        def __init__(self):
            super().__init__()
            self.k, self.mode, self.sizes = 2, "sum", [1, 2]

        def construct(self, x):
            x = x * self.k + self.sizes[1]
            return x.sum() if self.mode == "sum" else x.mean()

    net = Scaled()

    def change():
        net.k, net.mode, net.sizes[1] = 3, "mean", 20

    return Scene(net, change)


@scene(ROW, trace=True)
def residual_network():
    class Block(nn.Cell):
        def __init__(self):
            super().__init__()
            self.norm, self.dense = nn.LayerNorm((2,)), nn.Dense(2, 2)

        def construct(self, x):
            return x + self.dense(self.norm(x))

    return nn.SequentialCell([Block(), Block()])


@scene(ROW)
def forward_hooks_are_called():
    net = nn.Dense(2, 2, weight_init=1.0)
    net.register_forward_hook(lambda cell, inputs, output: output * 10)
    handle = net.register_forward_pre_hook(lambda cell, inputs: (inputs[0] + 1,))
    return Scene(net, handle.remove)


@scene(ROW)
def cell_called_by_keyword():
    class Two(nn.Cell):
        def construct(self, x, scale=1.0, *, shift=0.0):
            return x * scale + shift

    net = Two()

    def f(x):
        return net(x), net(x, 2.0), net(x, shift=3.0), net(scale=4.0, x=x)

    return f


@scene(ROW)
def cells_as_arguments_and_in_containers():
    net, other = nn.Dense(2, 2, weight_init=1.0), nn.ReLU()

    def apply(cells, x):
        for cell in cells:
            x = cell(x)
        return x

    def f(x):
        return apply([net, other], x) + apply((other,), x), {"net": net}["net"](x)

    return f


@scene(ROW, trace=True)
def mixed_precision_cast():
    return nn.Dense(2, 2, weight_init=1.0).to_float(dyad.float16)


@scene(Tensor(np.ones((3, 2, 4), np.float32)))
def recurrent_layer():
    return nn.LSTM(4, 3)


@scene(ROW)
def requires_grad_does_not_change_the_value():
    net = nn.Dense(2, 1, weight_init=1.0)

    def change():
        net.weight.requires_grad = False

    return Scene(net, change)


@scene(ROW)
def names_of_parameters_are_constants():
    net = nn.Dense(2, 1, weight_init=1.0)

    def f(x):
        return net.weight.name, net.weight.shape, net.has_bias, net(x)

    return f


class Scaled(nn.Dense):
    def __call__(self, x):
        print("scaled")
        return super().__call__(x) * 10


class Guarded(nn.Cell):
    def __call__(self, *args, **kwargs):
        print("guarded")
        return super().__call__(*args, **kwargs) + 1

    def construct(self, x, shift=0.0):
        return x * float(np.sin(x.asnumpy()).sum()) + shift


@scene(ROW)
def a_call_of_the_class_is_around_the_cell():
    return Scaled(2, 1, weight_init="ones", bias_init="ones")


@scene(ROW)
def a_call_of_the_class_is_around_hooks():
    net = Scaled(2, 1, weight_init="ones", bias_init="ones")
    net.register_forward_hook(lambda cell, args, output: output + 3)
    net.register_forward_pre_hook(lambda cell, args: (args[0] * 2,))
    return net


@scene(X, strict=False)
def a_call_of_the_class_is_around_host_code():
    return Guarded()


@scene(X, strict=False)
def calls_of_classes_inside():
    inner, layer = Guarded(), Scaled(2, 1, weight_init="ones", bias_init="ones")
    return lambda x: inner(x, shift=2.0) * layer(x.reshape(1, 2)).sum()


@scene(ROW)
def gradients_behind_a_call_of_the_class():
    net = Scaled(2, 1, weight_init="ones", bias_init="ones")
    return lambda x: dyad.value_and_grad(net, 0, net.trainable_params())(x)


class Passing(nn.Cell):
    """Assigns and deletes by methods of its own, which call those of Cell."""

    def __init__(self):
        super().__init__()
        self.state, self.count = Tensor([0.0]), 0
        self.steps = Parameter(Tensor([1.0]), name="steps")

    def __setattr__(self, name, value):
        super().__setattr__(name, value)

    def __delattr__(self, name):
        nn.Cell.__delattr__(self, name)

    def construct(self, x):
        self.state = self.state * 0.5 + x.sum()
        self.last = x * 2
        self.steps = self.steps + 1
        if x.sum() > 0:
            self.count = self.count + 5
        else:
            self.count = 7
        last = self.last
        del self.last
        nn.Cell.__setattr__(self, "kept", last + 1)
        return self.state * self.count + self.steps, self.kept


@scene(X, strict=False)
def attributes_are_assigned_by_methods_of_the_class():
    net = Passing()
    return Scene(
        net, watch=lambda: [vars(net).get(name) for name in ("state", "count", "steps", "kept", "last")]
    )


@scene(X, trace=True)
def a_class_gets_a_call_of_its_own():
    class Plain(nn.Cell):
        def construct(self, x):
            return x + 1

    net = Plain()

    def change():
        Plain.__call__ = lambda self, x: nn.Cell.__call__(self, x) * 7

    return Scene(lambda x: net(x), change)
