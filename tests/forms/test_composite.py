import numpy as np
import pytest

import dyad
from dyad import Parameter, Tensor, jit, mutable, nn, ops


def double_graph():
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
        return "tuple"

    return graph


def test_overloads_by_type():
    graph, x = double_graph(), Tensor([1.0, 2.0])
    assert graph(x).asnumpy().tolist() == [2, 4]
    assert (graph(5), graph(5.5), graph(True)) == (105, 105.5, 101)
    assert graph(x, 1).asnumpy().tolist() == [2, 3]
    assert graph((1,), x) == "tuple"
    assert float(graph(Parameter(3.0)).asnumpy()) == 6


def test_the_first_matching_overload_wins():
    graph = ops.MultitypeFuncGraph("kind", read_value=True)
    for name in ("Bool", "Int", "Float", "String", "List", "Tuple", "None"):
        graph.register(name)(lambda value, name=name: name)
    values = [True, 1, 1.5, "s", [1], (1,), None]
    assert [graph(value) for value in values] == ["Bool", "Int", "Float", "String", "List", "Tuple", "None"]


def test_overloads_by_type_objects():
    graph = ops.MultitypeFuncGraph("typed")
    graph.register(dyad.tensor_type[dyad.int32])(lambda x: "int32")
    graph.register(dyad.tensor_type)(lambda x: "other")
    assert graph(Tensor(np.zeros(1, np.int32))) == "int32"
    assert graph(Tensor([1.0])) == "other"


def test_no_overload_lists_what_there_is():
    graph = double_graph()
    with pytest.raises(
        ValueError,
        match=r"double: cannot find fn match given args. .* \(str\); registered are \(Tensor\); \(Number\)",
    ):
        graph("a")
    with pytest.raises(TypeError, match="double: argument 0 is a NumPy array; need a Tensor"):
        graph(np.ones(2))
    with pytest.raises(ValueError, match="there is no type called 'Q'"):
        graph.register("Q")
    with pytest.raises(TypeError, match="MultitypeFuncGraph: name is 5"):
        ops.MultitypeFuncGraph(5)


def test_hyper_map_goes_into_nested_sequences():
    hyper_map = ops.HyperMap()
    assert hyper_map(lambda x: x + 1, (1, [2, (3,)])) == (2, (3, (4,)))
    assert hyper_map(lambda a, b: a + b, [1, 2], [10, 20]) == (11, 22)
    with pytest.raises(RuntimeError, match="HyperMap should have the same length; they have 3, 2"):
        hyper_map(lambda a, b: a + b, (1, 2, 3), (1, 2))
    assert hyper_map(lambda x: x * 2, 5) == 10
    assert ops.HyperMap(double_graph())((5, (6,))) == (105, (106,))


def test_map_stays_on_the_top_level():
    assert ops.Map()(lambda x: x, ((1, 2), 3)) == ((1, 2), 3)
    assert ops.Map(len)([[1], [2, 3]]) == (1, 2)


def test_reverse_changes_the_order_of_calls_not_of_results():
    calls = []
    result = ops.HyperMap(reverse=True)(lambda x: calls.append(x) or x, (1, 2, 3))
    assert result == (1, 2, 3) and calls == [3, 2, 1]


@pytest.mark.parametrize("arguments", [(), (5, (1,)), (len,)])
def test_map_needs_an_operation_and_a_sequence(arguments):
    with pytest.raises(TypeError, match="HyperMap: need"):
        ops.HyperMap()(*arguments)


def test_map_in_a_training_style_loop():
    clip = ops.partial(ops.HyperMap(), ops.partial(lambda bound, x: min(bound, x), 3))
    assert clip((1, 5, 3)) == (1, 3, 3)
    with pytest.raises(TypeError, match="partial: func is of type int"):
        ops.partial(5)


def test_depend_returns_its_first_argument():
    x = Tensor([1.0])
    assert ops.depend(x, 5) is x and ops.Depend()(x, 5) is x


def test_print_writes_each_argument_on_a_line(capsys):
    ops.print_("a", Tensor([1.0, 2.0]), 1)
    ops.Print()("b")
    text = capsys.readouterr().out
    assert text == "a\nTensor(shape=[2], dtype=Float32, value= [ 1.00000000e+00,  2.00000000e+00])\n1\nb\n"


def test_constexpr_is_the_function():
    assert ops.constexpr(lambda a: a + 1)(2) == 3

    @ops.constexpr(reuse_result=False)
    def triple(a):
        return 3 * a

    assert triple(a=2) == 6


def test_questions_about_a_tensor():
    x = Tensor(np.zeros((2, 3), np.float32))
    assert (ops.shape(x), ops.rank(x), ops.size(x), ops.dtype(x)) == ((2, 3), 2, 6, dyad.float32)
    assert (ops.Shape()(x), ops.Rank()(x), ops.Size()(x), ops.DType()(x)) == ((2, 3), 2, 6, dyad.float32)
    assert ops.is_tensor(x) and ops.is_tensor(Parameter(1.0)) and not ops.is_tensor(1)
    with pytest.raises(TypeError, match="shape: "):
        ops.shape(1)


def test_typeof_returns_the_dtype_of_python_values():
    assert ops.typeof(Tensor([1.0])) == dyad.tensor_type[dyad.float32]
    assert ops.typeof(1) == dyad.int64 and ops.typeof(1.0) == dyad.float32 and ops.typeof(True) == dyad.bool_
    assert (
        ops.typeof("a") is dyad.string
        and ops.typeof((1,)) is dyad.tuple_
        and ops.typeof(None) is dyad.type_none
        and ops.typeof(dyad.float32) is ops.typeof(dyad.tuple_) is dyad.common.dtype.type_type
    )
    marks = (dyad.type_none, dyad.uint, dyad.tuple_, dyad.common.dtype.type_type)
    assert list(map(str, marks)) == ["None", "UInt", "Tuple", "TypeType"]
    assert dyad.get_py_obj_dtype(dyad.float32) is dyad.common.dtype.type_type


def test_a_primitive_is_an_attribute_but_no_child():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.relu = ops.ReLU()

        def construct(self, x):
            return self.relu(x)

    net = Net()
    assert list(net.cells()) == []
    assert net(Tensor([-1.0, 1.0])).asnumpy().tolist() == [0, 1]


def kinds_graph():
    graph = ops.MultitypeFuncGraph("kinds")
    graph.register("Bool")(lambda x: not x)
    graph.register("Int")(lambda x: x + 1)
    graph.register("Float")(lambda x: x * 2)
    graph.register("Number", "Tensor")(lambda x, y: x * y)
    return graph


@pytest.mark.parametrize("form", [lambda f: f, jit, lambda f: jit(f, capture_mode="bytecode")])
def test_overloads_by_kinds_of_numbers_known_when_a_graph_runs(form):
    kinds = kinds_graph()

    def f(x, whole, flag):
        total = x.sum().item()
        return kinds(whole), kinds(total), kinds(flag), kinds(total, x), kinds(whole, x)

    *numbers, by_total, by_whole = form(f)(Tensor([1.0, 2.0]), mutable(3), mutable(True))
    assert numbers == [4, 6.0, False]
    assert by_total.tolist() == by_whole.tolist() == [3.0, 6.0]


@pytest.mark.parametrize("form", [lambda f: f, jit, lambda f: jit(f, capture_mode="bytecode")])
def test_typeof_numbers_known_when_a_graph_runs(form):
    def f(*numbers):
        return tuple(str(ops.typeof(number)) for number in numbers)

    assert form(f)(mutable(True), mutable(3), mutable(0.5)) == ("Bool", "Int64", "Float32")
