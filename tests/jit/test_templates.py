"""Templates of arguments: `input_signature`, `set_inputs`, `enable_dynamic` and `Symbol`."""

import re

import numpy as np
import pytest

import dyad
from dyad import Symbol, Tensor, _core, enable_dynamic, jit, nn
from dyad._src.jit.options.options import OpenShape


def ones(*shape, dtype=np.float32):
    return Tensor(np.ones(shape, dtype))


def open_tensor(*shape, dtype=dyad.float32):
    return Tensor(shape=shape, dtype=dtype)


def first(x, y=None, *rest, **named):
    return x


def sizes(options):
    return {place: shape.sizes for place, shape in options.templates.items()}


def test_one_graph_serves_every_shape_that_fits(compilations):
    compiled = jit(first, input_signature=open_tensor(None, 3))
    for rows in (2, 5, 9):
        assert compiled(ones(rows, 3)).shape == (rows, 3)
    assert len(compilations) == 1 and sizes(compilations[0]) == {(0,): ("n0", 3)}


def test_sizes_zero_and_one_have_graphs_of_their_own(compilations):
    compiled = jit(first, input_signature=open_tensor(None, 3))
    for rows in (1, 4, 1, 0, 5):
        compiled(ones(rows, 3))
    assert [sizes(options)[(0,)] for options in compilations] == [(1, 3), ("n0", 3), (0, 3)]


def test_templates_by_name(compilations):
    compiled = jit(first, input_signature={"y": open_tensor(None)})
    compiled(ones(2), ones(3))
    compiled(ones(2), y=ones(3))
    compiled(ones(2))
    assert [sizes(options) for options in compilations] == [{(1,): ("n0",)}, {("y",): ("n0",)}, {}]


def test_templates_in_structures(compilations):
    template = ([open_tensor(None), {"a": open_tensor(2, None)}], 5)
    compiled = jit(first, input_signature=template)
    compiled([ones(4), {"a": ones(2, 7)}], 5)
    assert sizes(compilations[0]) == {(0, 0): ("n0",), (0, 1, "a"): (2, "n1")}


def test_the_receiver_of_a_method_has_no_template(compilations):
    class Local:
        @jit(input_signature=open_tensor(None))
        def run(self, x):
            return x

    Local().run(ones(3))
    assert sizes(compilations[0]) == {(1,): ("n0",)}


def test_one_further_argument_is_the_gradient_of_the_output(compilations):
    jit(first, input_signature=open_tensor(None))(ones(3), ones(3))
    assert sizes(compilations[0]) == {(0,): ("n0",)}


@pytest.mark.parametrize(
    ("template", "args", "error", "text"),
    [
        (
            open_tensor(None),
            (ones(3, dtype=np.int32),),
            TypeError,
            "first: x has dtype Int32; its template has Float32",
        ),
        (open_tensor(None), (ones(3, 3),), ValueError, "first: x has shape (3, 3); its template has (None,)"),
        (
            open_tensor(None, 4),
            (ones(3, 3),),
            ValueError,
            "first: x has shape (3, 3); its template has (None, 4)",
        ),
        (ones(2), (ones(3),), ValueError, "first: x has shape (3,); its template has (2,)"),
        (open_tensor(None), (3,), TypeError, "first: x is of type int; its template is a Tensor"),
        ([[open_tensor(None)]], (3,), TypeError, "first: x is of type int; its template is a list"),
        ([[open_tensor(None)]], ([],), ValueError, "first: x has 0 elements; its template has 1"),
        ([{"a": open_tensor(None)}], ({"b": 1},), TypeError, "first: x is a dict with the keys ['b']"),
        ([open_tensor(None)] * 3, (ones(2),), TypeError, "1 arguments were given, but there are 3 templates"),
        (open_tensor(None), (ones(2), 1, 2), TypeError, "3 arguments were given, but there are 1 templates"),
    ],
)
def test_arguments_that_do_not_fit(template, args, error, text, compilations):
    with pytest.raises(error, match=re.escape(text)):
        jit(first, input_signature=template)(*args)
    assert compilations == []


def test_a_later_call_that_does_not_fit(compilations):
    compiled = jit(first, input_signature=open_tensor(None, 3))
    compiled(ones(2, 3))
    with pytest.raises(ValueError, match=re.escape("x has shape (2, 4); its template has (None, 3)")):
        compiled(ones(2, 4))
    assert compiled(ones(4, 3)).shape == (4, 3) and len(compilations) == 1


@pytest.mark.parametrize(
    ("given", "error", "text"),
    [
        ({"z": ones(1)}, ValueError, "first: there is a template for 'z'; need names from x, y, rest, named"),
        (
            {"rest": ones(1)},
            TypeError,
            "first: there is a template for 'rest', which collects several arguments",
        ),
        (
            {"named": ones(1)},
            TypeError,
            "first: there is a template for 'named', which collects several arguments",
        ),
    ],
)
def test_names_of_templates(given, error, text, compilations):
    with pytest.raises(error, match=re.escape(text)):
        jit(first, input_signature=given)


class Net(nn.Cell):
    def construct(self, x, y=None):
        return x


def test_templates_of_a_cell_in_graph_mode(compilations):
    net = Net()
    net.set_inputs(open_tensor(None, 2))
    assert net(ones(3)).shape == (3,)  # as a dynamic graph it takes anything
    dyad.set_context(mode=dyad.GRAPH_MODE)
    assert net(ones(3, 2)).shape == net(ones(3, 2)).shape == (3, 2)
    assert net(ones(4, 2)).shape == (4, 2)
    assert [sizes(options) for options in compilations] == [{(1,): ("n0", 2)}]
    with pytest.raises(ValueError, match=re.escape("Net: x has shape (3,); its template has (None, 2)")):
        net(ones(3))


def test_templates_of_a_cell_by_name(compilations):
    net = Net()
    net.set_inputs(y=open_tensor(None))
    fast = jit(net)
    fast(ones(2), ones(3))
    fast(ones(2), y=ones(3))
    assert [sizes(options) for options in compilations] == [{(2,): ("n0",)}, {("y",): ("n0",)}]


def test_a_parameter_that_collects_arguments_has_no_template():
    class Collecting(nn.Cell):
        def construct(self, *rest):
            return rest

    with pytest.raises(
        TypeError, match="'rest', which collects several arguments; need names of single ones"
    ):
        Collecting().set_inputs(rest=open_tensor(None))


def test_templates_of_a_cell_reach_its_jitted_construct(compilations):
    class Local(nn.Cell):
        @jit
        def construct(self, x):
            return x

    net = Local()
    net.set_inputs(open_tensor(None))
    net(ones(3)), net(ones(4))
    assert [sizes(options) for options in compilations] == [{(1,): ("n0",)}]


@pytest.mark.parametrize("above", [True, False])
def test_enable_dynamic_above_and_below_jit(above, compilations):
    def function(x, y):
        return x

    mark = enable_dynamic(y=open_tensor(None, 2))
    compiled = mark(jit(function)) if above else jit(mark(function))
    compiled(ones(3), ones(4, 2)), compiled(ones(3), ones(5, 2))
    assert [sizes(options) for options in compilations] == [{(1,): ("n0", 2)}]
    jit(function)(ones(3), ones(6, 2))
    assert sizes(compilations[1]) == {(1,): ("n0", 2)}


def test_enable_dynamic_for_a_tuple(compilations):
    @jit
    @enable_dynamic(xs=(open_tensor(None), open_tensor(2)))
    def function(xs):
        return xs[0]

    function((ones(3), ones(2))), function((ones(4), ones(2)))
    assert [sizes(options) for options in compilations] == [{(0, 0): ("n0",), (0, 1): (2,)}]


@pytest.mark.parametrize(
    ("given", "error", "text"),
    [
        ({}, ValueError, "enable_dynamic: no argument is named"),
        ({"x": 3}, TypeError, "enable_dynamic: x is of type int; need a Tensor, or a tuple or list of them"),
        ({"x": (ones(2), 3)}, TypeError, "enable_dynamic: x is of type int"),
        ({"x": ones(2, 3)}, TypeError, "enable_dynamic: x has shape [(2, 3)]; need a None in it"),
        ({"z": open_tensor(None)}, ValueError, "enable_dynamic of first: there is a template for 'z'"),
        ({"rest": open_tensor(None)}, TypeError, "'rest', which collects several arguments"),
    ],
)
def test_wrong_uses_of_enable_dynamic(given, error, text):
    with pytest.raises(error, match=re.escape(text)):
        enable_dynamic(**given)(first)


def test_enable_dynamic_needs_a_function():
    with pytest.raises(TypeError, match="enable_dynamic: got 5 of type int; need a function"):
        enable_dynamic(x=open_tensor(None))(5)


def test_enable_dynamic_and_cells(compilations):
    class Local(nn.Cell):
        @enable_dynamic(x=open_tensor(None))
        def construct(self, x):
            return x

    dyad.set_context(mode=dyad.GRAPH_MODE)
    with pytest.raises(
        ValueError, match="enable_dynamic has no meaning for a Cell that is compiled as a whole"
    ):
        Local()(ones(3))
    dyad.set_context(mode=dyad.PYNATIVE_MODE)
    net = Local()
    net.construct = jit(net.construct)
    assert net(ones(3)).shape == (3,) and sizes(compilations[0]) == {(1,): ("n0",)}
    net.set_inputs(open_tensor(None))
    with pytest.raises(
        ValueError, match="templates from enable_dynamic and from set_inputs; need one of both"
    ):
        net(ones(3, 4))


@pytest.mark.parametrize(
    ("given", "error", "text"),
    [
        ({"max": 1.5}, TypeError, "Symbol: max is 1.5 of type float; need an int"),
        ({"min": 0}, ValueError, "Symbol: min is 0; need an int of at least 1"),
        ({"divisor": 0}, ValueError, "Symbol: divisor is 0; need an int of at least 1"),
        ({"remainder": 3, "divisor": 3}, ValueError, "Symbol: remainder is 3; need an int from 0 to 2"),
        ({"remainder": -1}, ValueError, "Symbol: remainder is -1; need an int from 0 to 0"),
        ({"unique": 1}, TypeError, "Symbol: unique is 1 of type int; need a bool"),
    ],
)
def test_wrong_symbol_arguments_are_rejected(given, error, text):
    with pytest.raises(error, match=re.escape(text)):
        Symbol(**given)


@pytest.mark.parametrize(
    ("symbol", "accepted", "refused"),
    [
        (Symbol(), (1, 2, 1000), (0,)),
        (Symbol(max=8), (1, 8), (9,)),
        (Symbol(min=4, max=3), (4, 100), (3,)),
        (Symbol(divisor=4), (4, 8), (0, 2, 6)),
        (Symbol(divisor=4, remainder=1), (5, 9), (1, 4)),
    ],
)
def test_sizes_of_a_symbol(symbol, accepted, refused):
    assert all(map(symbol.accepts, accepted)) and not any(map(symbol.accepts, refused))


def test_a_symbol_in_a_template(compilations):
    even = Symbol(divisor=2)
    template = Tensor(shape=(even, 3), dtype=dyad.float32)
    assert template.shape == (-1, 3)
    compiled = jit(first, input_signature=template)
    compiled(ones(2, 3)), compiled(ones(4, 3))
    assert len(compilations) == 1
    with pytest.raises(
        ValueError, match=re.escape("x has shape (5, 3); its template has (Symbol(divisor=2), 3)")
    ):
        compiled(ones(5, 3))


def test_a_unique_symbol_is_one_size(compilations):
    size, other = Symbol(unique=True), Symbol()
    templates = [
        Tensor(shape=(size, other, other), dtype=dyad.float32),
        Tensor(shape=(size,), dtype=dyad.float32),
    ]
    compiled = jit(first, input_signature=templates)
    compiled(ones(2, 3, 4), ones(2))
    assert sizes(compilations[0]) == {(0,): ("n0", "n1", "n2"), (1,): ("n0",)}
    with pytest.raises(
        ValueError, match=re.escape("y has shape (3,); its template has (Symbol(unique=True),)")
    ):
        compiled(ones(2, 3, 4), ones(3))


def test_a_template_of_any_rank(compilations):
    template = Tensor(shape=None, dtype=dyad.float32)
    assert template.shape == (-2,)
    compiled = jit(first, input_signature=template)
    compiled(ones(2, 3)), compiled(ones(4, 5)), compiled(ones(4)), compiled(ones())
    assert [sizes(options)[(0,)] for options in compilations] == [("n0", "n1"), ("n0",), ()]


@pytest.mark.parametrize(
    ("program", "error", "text"),
    [
        ("Tensor(shape=(None,))", TypeError, "shape and dtype must be given"),
        ("Tensor([1.0], shape=(None,))", ValueError, "although input_data is given"),
        ("Tensor(shape=(None, 'a'), dtype=dyad.float32)", TypeError, "it must be a tuple of ints"),
        ("open_tensor(None).asnumpy()", RuntimeError, "has no data"),
    ],
)
def test_wrong_templates(program, error, text):
    with pytest.raises(error, match=re.escape(text)):
        eval(program, globals())


def test_a_template_can_be_printed():
    assert str(open_tensor(2, None)) and "-1" in repr(open_tensor(2, None))


def test_guards_of_symbolic_dims():
    tree = _core.GuardTree()
    even = Symbol(divisor=2, max=8)
    shapes = [OpenShape(("a", 3, "b"), {"b": even}), OpenShape(("b", "a"), {"b": even})]
    named = {}
    for number, shape in enumerate(shapes):
        shape.guard(tree, tree.argument(number), named)

    def accepted(a, b, other_b):
        return tree.matches((ones(a, 3, b), ones(other_b, a)), None)

    assert accepted(2, 4, 4) and accepted(7, 8, 8)
    assert not accepted(1, 4, 4)  # size 1 has a graph of its own
    assert not accepted(2, 5, 5) and not accepted(2, 10, 10)
    assert not accepted(2, 4, 6)


def test_a_number_fits_any_count_of_them(compilations):
    compiled = jit(first, input_signature=open_tensor(None))
    assert compiled(ones()).shape == ()
    assert compiled(ones(4)).shape == (4,)
    assert [sizes(options)[(0,)] for options in compilations] == [(), ("n0",)]
    with pytest.raises(ValueError, match=re.escape("its template has (None, None)")):
        jit(first, input_signature=open_tensor(None, None))(ones())
