"""`rewrite`: patterns of calls that are found and replaced, and what else a tree can do."""

from collections import OrderedDict

import numpy as np
import pytest

import dyad
from dyad import Tensor, nn, ops
from dyad.rewrite import Node, PatternEngine, PatternNode, Replacement, ScopedValue, SymbolTree, VarNode

X = np.random.RandomState(0).randn(2, 3).astype(np.float32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first, self.second, self.relu, self.tanh = nn.Dense(3, 3), nn.Dense(3, 3), nn.ReLU(), nn.Tanh()
        self.add = ops.Add()
        self.deep = True

    def construct(self, x):
        y = self.relu(self.first(x))
        z = self.tanh(y)
        z = self.relu(self.second(z))
        return self.add(y, z)


@pytest.fixture
def net():
    dyad.set_seed(3)
    return Net()


class Fused(nn.Cell):
    def __init__(self, dense):
        super().__init__()
        self.dense = dense

    def construct(self, x):
        return ops.relu(self.dense(x)) * 10


class Fuse(Replacement):
    def __init__(self):
        self.seen = []

    def build(self, pattern, is_chain_pattern, matched):
        assert isinstance(matched, OrderedDict)
        self.seen.append((pattern.name(), is_chain_pattern, [node.get_name() for node in matched.values()]))
        dense = next(iter(matched.values()))
        return [Node.create_call_cell(Fused(dense.get_instance()), ["out"], dense.get_args(), name="fused")]


def dense(layer, x):
    return x @ layer.weight.asnumpy().T + layer.bias.asnumpy()


@pytest.mark.parametrize("form", [lambda net: net, dyad.jit], ids=["dynamic", "static"])
def test_every_match_of_a_chain_is_replaced(net, form):
    tree, fuse = SymbolTree.create(net), Fuse()
    engine = PatternEngine([nn.Dense, nn.ReLU], fuse)
    assert engine.apply(tree)
    assert [seen[1:] for seen in fuse.seen] == [(True, ["first", "relu"]), (True, ["second", "relu_1"])]
    assert fuse.seen[0][0] == engine.pattern().name() == f"1-{nn.ReLU}"
    assert [node.get_name() for node in tree.nodes()] == [
        "input_x",
        "fused",
        "tanh",
        "fused_1",
        "add",
        "return_1",
    ]
    y = 10 * np.maximum(dense(net.first, X), 0)
    expected = y + 10 * np.maximum(dense(net.second, np.tanh(y)), 0)
    np.testing.assert_allclose(form(tree.get_network())(Tensor(X)).asnumpy(), expected, rtol=2e-4, atol=1e-5)
    assert not engine.apply(tree)


def test_a_tree_of_calls_is_matched(net):
    class Multiply(Fuse):
        def build(self, pattern, is_chain_pattern, matched):
            super().build(pattern, is_chain_pattern, matched)
            old = matched["sum"]
            return [Node.create_call_function(ops.mul, ["product"], old.get_args())]

    pattern = PatternNode("sum", ops.Add, [VarNode(), PatternNode("act", nn.ReLU)])
    tree, multiply = SymbolTree.create(net), Multiply()
    # The value of the second activation would be gone, and the new call needs it.
    with pytest.raises(
        ValueError, match="mul takes z of relu_1, which is replaced; need values from outside"
    ):
        PatternEngine(pattern, multiply).apply(tree)
    assert multiply.seen == [("sum", False, ["relu_1", "add"])]

    tree = SymbolTree.create(net)
    assert PatternEngine(PatternNode("sum", ops.Add, [VarNode(), VarNode()]), multiply).apply(tree)
    y = np.maximum(dense(net.first, X), 0)
    expected = y * np.maximum(dense(net.second, np.tanh(y)), 0)
    np.testing.assert_allclose(tree.get_network()(Tensor(X)).asnumpy(), expected, rtol=1e-4, atol=1e-6)


class Needed(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense, self.relu = nn.Dense(3, 3), nn.ReLU()

    def construct(self, x):
        y = self.dense(x)
        z = self.relu(y)
        return y + z


class Reassigned(Needed):
    def construct(self, x):
        y = self.dense(x)
        x = x + 1
        return self.relu(y) + x


@pytest.mark.parametrize("kind", [Needed, Reassigned])
def test_a_match_whose_values_are_needed_stays(kind):
    dyad.set_seed(1)
    net = kind()
    tree, fuse = SymbolTree.create(net), Fuse()
    assert not PatternEngine([nn.Dense, nn.ReLU], fuse).apply(tree) and not fuse.seen
    np.testing.assert_array_equal(tree.get_network()(Tensor(X)).asnumpy(), net(Tensor(X)).asnumpy())


def test_patterns_from_nodes(net):
    tree = SymbolTree.create(net)
    relu = tree.get_node("relu_1")
    pattern = PatternNode.from_node(relu)
    assert pattern.type() is nn.ReLU and pattern.match(relu) and not pattern.match(tree.get_node("tanh"))
    whole = PatternNode.create_pattern_from_node(relu)
    [given] = whole.get_inputs()
    assert given.type() is nn.Dense and given.get_inputs()[0].type() is nn.Tanh
    assert VarNode().match(relu)
    for action, text in [
        (lambda: PatternNode(3), "pattern_node_name is an int"),
        (lambda: pattern.add_input(nn.ReLU), "need a PatternNode"),
        (lambda: PatternNode.from_node("relu"), "need a Node"),
        (lambda: PatternNode.create_pattern_from_list(3), "need a list of types"),
        (lambda: PatternEngine([nn.ReLU]).apply(net), "need a SymbolTree"),
        (lambda: PatternEngine([nn.ReLU], print), "need a Replacement"),
    ]:
        with pytest.raises(TypeError, match=text):
            action()


class Branching(nn.Cell):
    def __init__(self, deep):
        super().__init__()
        self.deep, self.relu = deep, nn.ReLU()

    def construct(self, x):
        if not self.deep:
            x = x + 1
        if self.deep:
            x = self.relu(x)
        return x


@pytest.mark.parametrize(("deep", "names"), [(True, ["relu"]), (False, ["binop_add"])])
def test_branches_of_settings_are_decided(deep, names):
    net = Branching(deep)
    tree = SymbolTree.create(net)
    tree.flatten_static_if_control_flow()
    assert [node.get_name() for node in tree.nodes() if node.get_name() in ("relu", "binop_add")] == names
    assert "if" not in tree.get_code().split()
    np.testing.assert_array_equal(tree.get_network()(Tensor(X)).asnumpy(), net(Tensor(X)).asnumpy())


def test_the_text_of_a_network_is_saved(net, tmp_path, capsys):
    tree = SymbolTree.create(net)
    assert tree.get_handler() is tree and tree.get_saved_file_name() == "NetOpt.py"
    tree.set_saved_file_name(str(tmp_path / "changed"))
    tree.save_network_to_file()
    assert (tmp_path / "changed.py").read_text() == tree.get_code()
    assert len(list(tree.all_nodes())) == len(list(tree.nodes()))
    tree.dump()
    assert "class NetOpt(Net)" in capsys.readouterr().out
    assert tree.set_output(0, "y").get_name() == "return_1"
    expected = np.maximum(dense(net.first, X), 0)
    np.testing.assert_allclose(tree.get_network()(Tensor(X)).asnumpy(), expected, rtol=1e-5)
    assert ScopedValue.create_naming_value("y") in tree.get_node("return_1").get_args()
