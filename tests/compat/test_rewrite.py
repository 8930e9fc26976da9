"""`rewrite`: networks taken apart into Nodes, changed, and put together again."""

import numpy as np
import pytest

import dyad
from dyad import Tensor, nn, ops
from dyad.rewrite import Node, NodeType, ScopedValue, SymbolTree, ValueType


class Inner(nn.Cell):
    def __init__(self):
        super().__init__()
        self.scale = ops.Mul()

    def construct(self, x):
        return self.scale(x, 2.0)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense, self.relu, self.inner = nn.Dense(3, 3), nn.ReLU(), Inner()

    def construct(self, x, y=1):
        """Doubled."""
        x = self.dense(x)
        x = self.relu(x + y)
        if y > 0:
            x = ops.abs(self.inner(x))
        shape = x.shape
        return x.reshape(shape), ops.neg(x)


@pytest.fixture
def net():
    dyad.set_seed(3)
    return Net()


X = np.random.RandomState(0).randn(2, 3).astype(np.float32)


def same(made, expected):
    for one, other in zip(made, expected, strict=True):
        np.testing.assert_allclose(one.asnumpy(), other.asnumpy(), rtol=1e-6)


def test_the_nodes_of_a_network(net):
    nodes = list(SymbolTree.create(net).nodes())
    found = [(node.get_name(), node.get_node_type()) for node in nodes]
    assert found == [
        ("input_x", NodeType.Input),
        ("input_y", NodeType.Input),
        ("dense", NodeType.CallCell),
        ("binop_add", NodeType.MathOps),
        ("relu", NodeType.CallCell),
        ("compare_gt", NodeType.MathOps),
        ("if_node", NodeType.ControlFlow),
        ("assign", NodeType.Python),
        ("reshape", NodeType.CallMethod),
        ("neg", NodeType.CallFunction),
        ("return_1", NodeType.Output),
    ]
    relu = nodes[4]
    assert relu.get_instance() is net.relu and relu.get_instance_type() is nn.ReLU
    assert [str(value) for value in relu.get_args()] == ["add_var"] and str(relu.get_targets()[0]) == "x"
    assert [node.get_name() for node in relu.get_inputs()] == ["binop_add"]
    assert [node.get_name() for node in nodes[3].get_inputs()] == ["dense", "input_y"]
    assert "neg" in [node.get_name() for node in relu.get_users()]


def test_nodes_inside_branches_and_networks(net):
    tree = SymbolTree.create(net)
    names = [node.get_name() for node in tree.nodes(all_nodes=True)]
    assert "abs" in names and "scale" in names
    inner = tree.get_node("inner")
    assert inner.get_node_type() is NodeType.Tree
    assert inner.get_sub_tree().get_node("scale").get_node_type() is NodeType.CallPrimitive


@pytest.mark.parametrize("form", [lambda net: net, dyad.jit], ids=["dynamic", "static"])
def test_nothing_changed_computes_the_same(net, form):
    made = SymbolTree.create(net).get_network()
    assert isinstance(made, Net) and made is not net
    assert [each.name for each in made.get_parameters()] == [each.name for each in net.get_parameters()]
    assert made.dense.weight is net.dense.weight
    for y in (1, -1):
        same(form(made)(Tensor(X), y), net(Tensor(X), y))


@pytest.mark.parametrize("form", [lambda net: net, dyad.jit], ids=["dynamic", "static"])
def test_insert_erase_and_replace(net, form):
    tree = SymbolTree.create(net)
    relu = tree.get_node("relu")
    tanh = tree.insert(
        tree.after(relu), Node.create_call_cell(nn.Tanh(), ["x"], relu.get_targets(), name="act")
    )
    tree.insert(tree.before("act"), Node.create_call_function(ops.mul, ["x"], ["x", constant(0.5)]))
    assert tanh.get_name() == "act" and tanh.get_symbol_tree() is tree
    hidden = np.maximum(net.dense(Tensor(X)).asnumpy() - 1, 0)
    made = form(tree.get_network())(Tensor(X), -1)[0].asnumpy()
    np.testing.assert_allclose(made, np.tanh(0.5 * hidden), rtol=1e-5)
    assert not hasattr(net, "act")

    assert tree.erase("mul").get_name() == "mul"
    tree.replace(tanh, [Node.create_call_cell(nn.Sigmoid(), ["x"], ["x"])])
    made = form(tree.get_network())(Tensor(X), -1)[0].asnumpy()
    np.testing.assert_allclose(made, 1 / (1 + np.exp(-hidden)), rtol=1e-5)
    assert "x = self.Sigmoid(x)" in tree.get_code() and "self.act" not in tree.get_code()


def constant(value):
    return ScopedValue.create_variable_value(value)


def test_arguments_can_be_changed(net):
    tree = SymbolTree.create(net)
    tree.get_node("relu").set_arg(0, "x")
    tree.get_node("neg").set_arg_by_node(0, tree.get_node("dense"))
    made = tree.get_network()(Tensor(X), -1)
    np.testing.assert_allclose(made[0].asnumpy(), np.maximum(net.dense(Tensor(X)).asnumpy(), 0), rtol=1e-6)
    with pytest.raises(IndexError, match="index is 3; relu takes 1 values"):
        tree.get_node("relu").set_arg(3, "x")


def test_a_network_inside_is_changed_in_the_new_one_only(net):
    tree = SymbolTree.create(net)
    inside = tree.get_node("inner").get_sub_tree()
    inside.get_node("scale").set_arg(1, constant(3.0))
    made = tree.get_network()
    np.testing.assert_allclose(made(Tensor(X))[0].asnumpy(), 1.5 * net(Tensor(X))[0].asnumpy(), rtol=1e-6)


def test_a_new_network_can_be_rewritten_and_trained(net):
    first = SymbolTree.create(net)
    first.insert(first.after("relu"), Node.create_call_cell(nn.Dense(3, 3), ["x"], ["x"], name="more"))
    second = SymbolTree.create(first.get_network()).get_network()
    assert {"more.weight", "more.bias"} <= {each.name for each in second.get_parameters()}
    step = dyad.value_and_grad(lambda x: second(x)[0].sum(), None, second.trainable_params())
    _, gradients = step(Tensor(X))
    assert len(gradients) == 4 and all(np.abs(each.asnumpy()).sum() > 0 for each in gradients)


def test_the_table(net, capsys):
    SymbolTree.create(net).print_node_tabulate()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["node", "type", "name", "codes", "arg", "providers", "target", "users"]
    assert any(line.startswith("CallCell") and "x = self.relu(add_var)" in line for line in lines)


class Loops(nn.Cell):
    def __init__(self):
        super().__init__()
        self.steps = nn.SequentialCell([nn.Dense(3, 3), nn.ReLU()])

    def construct(self, x, *more, scale=2.0):
        out = []
        for i in range(2):
            y = self.steps(x) + i
            while y.sum() < 0 and i > 0:
                y = y + 1
            out.append(y * scale)
        mean = ops.stack(out).mean(axis=0)
        x += mean if scale else x
        (a, b), c = (x, mean), [each for each in out]
        return {"a": a, "b": b - c[0]}


def test_loops_containers_and_methods():
    net = Loops()
    tree = SymbolTree.create(net)
    kinds = {node.get_name(): node.get_node_type() for node in tree.nodes(all_nodes=True)}
    assert (
        kinds["steps"] is NodeType.CellContainer and kinds["append"] is kinds["mean"] is NodeType.CallMethod
    )
    assert kinds["stack"] is NodeType.CallFunction and kinds["while_node"] is NodeType.ControlFlow
    made, expected = tree.get_network()(Tensor(X)), net(Tensor(X))
    same(made.values(), expected.values())


def test_order_of_evaluation_stays():
    seen = []

    def note(value):
        seen.append(value)
        return value

    class Ordered(nn.Cell):
        def construct(self, x):
            values = [1, 2]
            return x + values[note(0)] + note(2) * note(3) + (note(4) if x is None else note(5)) - -note(6)

    SymbolTree.create(Ordered()).get_network()(1)
    made, seen[:] = list(seen), []
    Ordered()(1)
    assert made == seen == [0, 2, 3, 5, 6]


def test_scoped_values_print_and_compare_by_content():
    assert str(ScopedValue.create_naming_value("x", "self")) == "self.x"
    assert str(constant((1, [2.0, "a"], {"k": None}))) == "(1, [2.0, 'a'], {'k': None})"
    assert constant(1) == constant(1) != constant(2) and hash(constant(1)) == hash(constant(1))
    assert constant(object()).type is ValueType.CustomObjValue
    assert [str(each) for each in ScopedValue.create_name_values(["a", "b"], ["", "c"])] == ["a", "c.b"]


class Based(Inner):
    def construct(self, x):
        return super().construct(x)


@pytest.mark.parametrize(
    ("action", "error", "text"),
    [
        (lambda tree: SymbolTree.create(5), TypeError, "network is an int; need a Cell"),
        (lambda tree: SymbolTree.create(Based()), ValueError, "uses 'super', which cannot be rewritten"),
        (lambda tree: tree.erase("return_1"), ValueError, "return_1 is an input or the output"),
        (lambda tree: tree.before("nobody"), ValueError, "need a Node of this tree, or its name"),
        (lambda tree: tree.insert(tree.after("relu"), tree.get_node("relu")), ValueError, "that no tree has"),
        (lambda tree: Node.create_call_cell(ops.abs, ["x"]), TypeError, "need a Cell"),
        (lambda tree: Node.create_call_function(ops.abs, []), TypeError, "need a list of names"),
        (lambda tree: tree.replace("relu", []), TypeError, "need a list of Nodes"),
    ],
)
def test_what_cannot_be_done(net, action, error, text):
    with pytest.raises(error, match=text):
        action(SymbolTree.create(net))
