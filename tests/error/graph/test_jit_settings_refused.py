"""Wrong arguments of jit and its neighbours: the class of the error and its whole sentence."""

import pytest
from wrong_graph import message_of, the_next_graph_works

import dyad
from dyad import Tensor, nn, ops

X = Tensor([1.0, 2.0])
ROW = Tensor([[1.0, 2.0]])


def one(x, y=None):
    return x + 1


def two(a, b):
    return a + b


def many(*xs):
    return xs[0]


class Net(nn.Cell):
    def construct(self, x):
        return x + 1


def template(*sizes, dtype=dyad.float32):
    return Tensor(shape=sizes, dtype=dtype)


def signed(*sizes, **options):
    return dyad.jit(one, input_signature={"x": template(*sizes, **options)})


def same_size():
    size = dyad.Symbol(unique=True)
    return dyad.jit(two, input_signature=(template(size), template(size)))


ROWS = [
    (
        lambda: dyad.jit(one, capture_mode="AST"),
        ValueError,
        "capture_mode is 'AST'; need one of 'ast', 'bytecode'",
    ),
    (lambda: dyad.jit(one, capture_mode=3), ValueError, "jit: capture_mode is 3; need one of"),
    (lambda: dyad.jit(one, jit_level="O2"), ValueError, "jit: jit_level is 'O2'; need one of 'O0', 'O1'"),
    (lambda: dyad.jit(one, dynamic=2), ValueError, "jit: dynamic is 2; need 0 or 1"),
    (
        lambda: dyad.jit(one, dynamic=True),
        TypeError,
        "jit: dynamic is True of type bool; need the int 0 or 1",
    ),
    (lambda: dyad.jit(one, fullgraph=1), TypeError, "jit: fullgraph is 1 of type int; need a bool"),
    (
        lambda: dyad.jit(one, backend="none"),
        ValueError,
        "jit: backend is 'none'; need one of '', 'ms_backend'",
    ),
    (
        lambda: dyad.jit(3),
        TypeError,
        "jit: function is 3 of type int; need a function, a method, a Cell or a Cell",
    ),
    (lambda: dyad.jit(one, fn=one), TypeError, "jit: function and fn are both given"),
    (lambda: dyad.jit(one, mode="ast"), ValueError, "jit: mode is 'ast'; need one of 'PSJit', 'PIJit'"),
    (lambda: dyad.jit(one, jit_config=3), TypeError, "jit: jit_config is of type int; need a JitConfig"),
    (
        lambda: dyad.jit(one, exec_order="zfs"),
        ValueError,
        "jit: exec_order is 'zfs'; need one of 'bfs', 'dfs'",
    ),
    (
        lambda: dyad.jit(one, input_signature=3),
        TypeError,
        "jit: input_signature is of type int; need a Tensor, a tuple",
    ),
    (
        lambda: dyad.jit(two, input_signature={"c": X}),
        ValueError,
        "two: there is a template for 'c'; need names from a, b",
    ),
    (lambda: signed(None, None)(X), ValueError, "one: x has shape (2,); its template has (None, None)"),
    (lambda: signed(None, 3)(ROW), ValueError, "one: x has shape (1, 2); its template has (None, 3)"),
    (
        lambda: signed(None, dtype=dyad.int32)(X),
        TypeError,
        "one: x has dtype Float32; its template has Int32",
    ),
    (lambda: signed(None)(3), TypeError, "one: x is of type int; its template is a Tensor"),
    (
        lambda: signed(dyad.Symbol(divisor=3))(X),
        ValueError,
        "x has shape (2,); its template has (Symbol(divisor=3),)",
    ),
    (
        lambda: signed(dyad.Symbol(min=5))(X),
        ValueError,
        "x has shape (2,); its template has (Symbol(min=5),)",
    ),
    (lambda: signed(dyad.Symbol(max=3))(Tensor([1.0] * 8)), ValueError, "its template has (Symbol(max=3),)"),
    (
        lambda: same_size()(X, Tensor([1.0] * 3)),
        ValueError,
        "two: b has shape (3,); its template has (Symbol(",
    ),
    (
        lambda: Net().set_inputs(X, X),
        ValueError,
        "Net.set_inputs: too many positional arguments; construct takes (x)",
    ),
    (lambda: Net().set_inputs(X, x=X), ValueError, "Net.set_inputs: got templates by position and by name"),
    (
        lambda: Net().set_inputs(y=X),
        ValueError,
        "Net.set_inputs: there is a template for 'y'; need names from x",
    ),
    (lambda: Net().compile(), TypeError, "Net: missing a required argument: 'x'; construct takes (x)"),
    (lambda: Net().compile(X, X), TypeError, "Net: too many positional arguments; construct takes (x)"),
    (
        lambda: Net().set_jit_config(3),
        TypeError,
        "set_jit_config: jit_config is of type int; need a JitConfig",
    ),
    (
        lambda: dyad.enable_dynamic(x=3),
        TypeError,
        "enable_dynamic: x is of type int; need a Tensor, or a tuple or",
    ),
    (lambda: dyad.enable_dynamic(x=X), TypeError, "need a None in it"),
    (lambda: dyad.enable_dynamic(), ValueError, "enable_dynamic: no argument is named; need name=Tensor("),
    (
        lambda: dyad.enable_dynamic(x=template(None))(3),
        TypeError,
        "enable_dynamic: got 3 of type int; need a function",
    ),
    (
        lambda: dyad.enable_dynamic(z=template(None))(one),
        ValueError,
        "enable_dynamic of one: there is a template for 'z'; need names from x, y",
    ),
    (
        lambda: dyad.enable_dynamic(xs=template(None))(many),
        TypeError,
        "enable_dynamic of many: there is a template for 'xs', which collects several arguments",
    ),
    (lambda: dyad.Symbol(max="a"), TypeError, "Symbol: max is 'a' of type str; need an int"),
    (lambda: dyad.Symbol(min=0), ValueError, "Symbol: min is 0; need an int of at least 1"),
    (lambda: dyad.Symbol(divisor=0), ValueError, "Symbol: divisor is 0; need an int of at least 1"),
    (
        lambda: dyad.Symbol(divisor=3, remainder=-1),
        ValueError,
        "Symbol: remainder is -1; need an int from 0 to 2",
    ),
    (lambda: dyad.Symbol(unique=1), TypeError, "Symbol: unique is 1 of type int; need a bool"),
    (
        lambda: dyad.mutable("a"),
        TypeError,
        "the 'input_data' should be one of (bool, int, float, Tensor, tuple, list, dict) or their nested",
    ),
    (lambda: dyad.mutable([1, {2}]), TypeError, "or their nested structures, but got a set"),
    (
        lambda: dyad.mutable(3, dynamic_len=True),
        TypeError,
        "when dynamic_len is True, the first input should be a list or tuple, but got an int",
    ),
    (lambda: dyad.mutable((1, 2), 3), TypeError, "For 'mutable', the second input should be bool, but got 3"),
    (
        lambda: dyad.jit(many)(dyad.mutable((1, 2.0), True)),
        ValueError,
        "many: a sequence made by mutable with dynamic_len has elements of the types float, int; need elements of one",
    ),
    (lambda: dyad.jit_class(3), TypeError, "jit_class: cls is 3 of type int; need a class"),
    (
        lambda: dyad.jit_class(Net),
        TypeError,
        "jit_class: Net is a Cell, which is compiled as it is; need a plain class",
    ),
    (lambda: ops.constexpr(3), TypeError, "constexpr: fn is of type int; need a function"),
    (lambda: dyad.jit_ignore(3), TypeError, "jit_ignore: fn is 3 of type int; need a function or a method"),
    (lambda: dyad.lazy_inline(one), ValueError, "lazy_inline: got one; need the __init__ of a Cell"),
    (lambda: dyad.set_context(mode=2), ValueError, "set_context: mode is 2; need one of 0, 1"),
    (
        lambda: dyad.set_context(max_call_depth=0),
        ValueError,
        "set_context: max_call_depth is 0; need an int of at least",
    ),
    (
        lambda: dyad.set_recursion_limit(0),
        ValueError,
        "set_recursion_limit: recursion_limit is 0; need an int of at",
    ),
    (
        lambda: dyad.clear_compile_cache(3),
        TypeError,
        "clear_compile_cache: obj is 3 of type int; need what jit returned",
    ),
    (lambda: ops.HyperMap(3), TypeError, "HyperMap: ops is of type int; need a callable or None"),
    (lambda: ops.MultitypeFuncGraph(3), TypeError, "MultitypeFuncGraph: name is 3; need a str"),
    (
        lambda: dyad.JitConfig(jit_level="O9"),
        ValueError,
        "JitConfig: jit_level is 'O9'; need one of '', 'O0', 'O1'",
    ),
    (
        lambda: dyad.JitConfig(jit_syntax_level="x"),
        ValueError,
        "JitConfig: jit_syntax_level is 'x'; need one of",
    ),
]


@pytest.mark.parametrize(("program", "error", "text"), ROWS, ids=[row[2][:60] for row in ROWS])
def test_a_wrong_jit_argument_raises_its_class_and_message(program, error, text):
    with pytest.raises(Exception) as caught:  # the class is compared below, so that its text is shown
        program()
    message = message_of(caught.value)
    assert (caught.type, text in message) == (error, True), f"{caught.type.__name__}: {message}"
    assert the_next_graph_works()
