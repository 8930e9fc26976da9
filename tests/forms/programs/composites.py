"""`HyperMap`, `Map`, `MultitypeFuncGraph`, `constexpr`, `partial`, `depend`, primitives and their attributes."""

from program import Raises, Scene, program, scene

import dyad
from dyad import Parameter, Tensor, nn, ops

X = Tensor([1.0, 2.0])
S = Tensor(5.0)


def _double_graph():
    graph = ops.MultitypeFuncGraph("double")

    @graph.register("Tensor")
    def double_tensor(x):
        return x * 2

    @graph.register("Number")
    def shift_number(x):
        return x + 100

    @graph.register("Tensor", "Number")
    def both(x, y):
        return x + y

    @graph.register("Tuple", "Tensor")
    def first_of_tuple(x, y):
        return x[0] + y

    return graph


@scene(X)
def overloads_by_type():
    double = _double_graph()

    def f(x):
        return double(x), double(5), double(2.5), double(x, 1), double((x, 1), x)

    return f


@scene(X, expect=Raises(ValueError, "no implementation"))
def no_overload():
    double = _double_graph()

    def f(x):
        return double("word")

    return f


@scene(X)
def hyper_map_over_a_tuple():
    apply = ops.HyperMap(_double_graph())

    def f(x):
        return apply((x, x + 1, 3))

    return f


@scene(X)
def hyper_map_over_nested_sequences():
    apply = ops.HyperMap()
    add = _double_graph()

    def f(x):
        return apply(add, ((x, 1), (x * 2, (3, x))))

    return f


@scene(X)
def hyper_map_of_two_sequences():
    apply = ops.HyperMap()

    def scaled(a, b):
        return a * b

    def f(x):
        return apply(scaled, (x, x + 1), (2, 3)), apply(ops.partial(scaled, 10), (x, 1))

    return f


@scene(X)
def map_of_functions():
    apply = ops.Map()

    def square(v):
        return v * v

    def f(x):
        return apply(square, (1, 2, x)), apply(lambda a, b: a - b, (x, 2), (1, 1))

    return f


@program(X, expect=Raises(RuntimeError, "The tuples in Map should have the same length; they have 2, 1"))
def a_map_of_unequal_lengths_is_refused(x):
    return ops.Map()(ops.add, (x, x + 1), [x])


@program(X, expect=Raises(RuntimeError, "The lists in HyperMap should have the same length; they have 1, 2"))
def a_hyper_map_of_unequal_lengths_is_refused(x):
    return ops.HyperMap()(ops.add, [x], [x, x * 2])


@program(X, expect=Raises(RuntimeError, "The tuples in HyperMap should have the same length; they have 2, 1"))
def unequal_lengths_below_a_hyper_map_are_refused(x):
    return ops.HyperMap(ops.add)((x, (x, x)), (x, (x,)))


@program(X)
def maps_make_tuples_of_lists(x):
    return (
        ops.HyperMap()(ops.add, (x, [x, 2]), (x, [x, 3])),
        ops.Map()(ops.add, [1], [2]),
        ops.HyperMap(len)([]),
    )


@scene(X, strict=False)
def map_of_a_list_that_data_lengthens():
    def f(x):
        items = [x, x * 2]
        if x.sum() > 0:
            items.append(x * 3)
        return ops.Map(lambda a, b: a + b)(items, (1, 2, 3)), ops.HyperMap(lambda a: a * 2)(items)

    return f


@scene(X)
def constexpr_is_evaluated_by_python():
    calls = []

    @ops.constexpr
    def half(shape, k=2):
        calls.append(shape)
        return tuple(n // k for n in shape)

    def f(x):
        return x.reshape(2, 1)[: half(x.shape)[0]], half((4, 6), k=2)

    return f


@program(X)
def partials(x):
    def f(a, b, c=3):
        return a * b + c

    return ops.partial(f, x)(2), ops.partial(f, x, c=0)(5), ops.partial(ops.add, x)(1)


@program(X, S)
def depend_orders(x, y):
    done = ops.depend(x + 1, y)
    return done * 2


@scene(X)
def primitives_of_a_cell():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.add, self.sum, self.cast = ops.Add(), ops.ReduceSum(keep_dims=True), ops.Cast()

        def construct(self, x):
            return self.sum(self.add(x, x), 0), self.cast(x, dyad.int32), self.sum.keep_dims

    return Net()


@scene(X)
def assign_primitives():
    p = Parameter(Tensor([0.0, 0.0]), name="p")
    assign, add = ops.Assign(), ops.AssignAdd()

    def f(x):
        assign(p, x)
        add(p, x * 10)
        return p * 1

    return Scene(f, watch=lambda: p)


@program(X)
def composed_loss(x):
    return nn.MSELoss()(x, x * 2), ops.mse_loss(x, x + 1), nn.L1Loss(reduction="sum")(x, x * 3)


@scene(Tensor([[2.0, 1.0], [0.5, 3.0]]), Tensor([0, 1]))
def cross_entropy():
    loss = nn.CrossEntropyLoss()

    def f(logits, labels):
        return loss(logits, labels), ops.cross_entropy(logits, labels)

    return f


@scene(X)
def optimizer_step_with_given_gradients():
    weight = Parameter(Tensor([1.0, 2.0]), name="weight")
    optimizer = nn.Momentum([weight], learning_rate=0.1, momentum=0.9)

    def f(x):
        optimizer((x,))
        return weight * 1

    return Scene(f, watch=lambda: weight)


@scene(X)
def adam_step_with_given_gradients():
    weight = Parameter(Tensor([1.0, 2.0]), name="weight")
    optimizer = nn.Adam([weight], learning_rate=0.1)

    def f(x):
        optimizer((x,))
        return weight * 1

    return Scene(f, watch=lambda: weight)


@scene(S)
def optimizer_step_under_a_tensor_condition():
    weight = Parameter(Tensor(1.0), name="weight")
    optimizer = nn.SGD([weight], learning_rate=0.5)

    def f(x):
        if x > 0:
            optimizer((x,))
        return weight * 1

    return Scene(f, watch=lambda: weight)


@scene(X)
def clip_by_norm_of_a_list():
    def f(x):
        return ops.clip_by_global_norm((x, x * 2), 1.0), ops.clip_by_value(x, -1.0, 1.0)

    return f


@program(X)
def where_and_masked_fill(x):
    return ops.where(x > 1, x, 0.0), x.masked_fill(x > 1, -1.0), ops.masked_select(x, x > 1)


@program(X)
def shape_operators(x):
    a = x.reshape(1, 2).broadcast_to((3, 2))
    return a, ops.tile(x, (2, 2)), ops.unsqueeze(x, 0).squeeze(), ops.flip(x, (0,)), ops.shape(a)


@program(X)
def sorts_and_selections(x):
    values, indices = ops.sort(x, descending=True)
    top, where = ops.topk(x, 1)
    return values, indices, top, where, ops.argsort(x), x.argmin()
