"""`dyad.ir` and `dyad.explain`: what a call becomes as a static graph, without running it."""

import pytest

import dyad
from dyad import Parameter, Tensor, explain, jit, mutable, nn, ops
from dyad._core import CaptureError
from dyad._src.observe.explain.graph_view import GraphView


def curve(x, n):
    y = x * n
    if y.sum() > 3:  # noqa: SIM108 - two lines of their own
        y = y + 1
    else:
        y = -y
    while y.mean() < 10:
        y = y * 2
    return y


class Scaled(nn.Cell):
    def __init__(self, factor):
        super().__init__()
        self.factor = factor
        self.weight = Parameter(Tensor([1.0, 2.0]), name="weight")

    def construct(self, x):
        return x * self.weight * self.factor


@pytest.fixture
def x():
    return Tensor([1.0, 2.0])


def line_of(function, offset):
    return function.__code__.co_firstlineno + offset


class TestIr:
    def test_a_function_that_is_not_jitted(self, x):
        view = dyad.ir(curve)(x, 3)
        assert isinstance(view, GraphView)
        assert str(view).startswith("func @curve(%x: float32[2])")
        assert view.nodes == sum(len(function.nodes) for function in view.functions.values()) > 5
        assert next(iter(view.functions)) == "curve"

    def test_nothing_runs_and_nothing_is_kept(self, x):
        weight = Parameter(Tensor([1.0]), name="w")

        @jit
        def update(x):
            print("ran")
            ops.assign(weight, x)
            return weight

        dyad.ir(update)(Tensor([5.0]))
        assert weight.asnumpy().tolist() == [1.0]
        assert update.entries == [] and update.__jit_compiler__.report.compilations == []

    def test_nodes_know_their_lines(self, x):
        view = dyad.ir(curve)(x, 3)
        lines = {node.name: node.line for function in view.functions.values() for node in function.nodes}
        assert lines["if"] == lines["greater"] == line_of(curve, 2)
        assert lines["add"] == line_of(curve, 3) and lines["neg"] == line_of(curve, 5)
        assert lines["while"] == line_of(curve, 6)

    def test_functions_that_were_given_up_are_left_out(self, x):
        view = dyad.ir(curve)(x, 3)
        entered = {
            name for function in view.functions.values() for node in function.nodes for name in node.functions
        }
        assert set(view.functions) == entered | {"curve"}

    def test_inputs_have_the_names_of_the_arguments(self):
        def total(values, *rest, scale=1.0):
            return values["a"] * scale + rest[0] + rest[1]

        one = Tensor([1.0])
        view = dyad.ir(total)({"a": one}, Tensor([2.0]), Tensor([3.0]), scale=mutable(2.0))
        assert [value.name for value in view.functions["total"].parameters] == [
            "%values.a",
            "%rest.0",
            "%rest.1",
            "%scale",
        ]

    def test_ir_shows_the_parameters_and_nodes_of_a_cell(self, x):
        view = dyad.ir(Scaled(3))(x)
        main = next(iter(view.functions.values()))
        assert (main.parameters[0].name, main.parameters[0].type) == ("%x", "float32[2]")
        assert main.name == "Scaled.construct"
        assert [node.name for node in main.nodes].count("mul") == 2

    def test_methods_and_jitted_methods(self, x):
        cell = Scaled(3)
        assert "mul" in str(dyad.ir(cell.construct)(x))
        assert "mul" in str(dyad.ir(jit(cell.construct))(x))
        assert "mul" in str(dyad.ir(jit(cell))(x))

    def test_the_compiled_graph_stands_beside_it(self, x):
        def wasteful(x):
            x * 2
            return x + 1

        view = dyad.ir(wasteful)(x)
        assert "mul" in str(view) and "mul" not in str(view.compiled)

    def test_what_is_refused_raises(self, x):
        with pytest.raises(AttributeError, match="known only when the graph runs"):
            dyad.ir(jit(lambda x: x.asnumpy(), fullgraph=True))(x)
        assert "asnumpy" in str(dyad.ir(lambda x: x.asnumpy())(x))

    @pytest.mark.parametrize("given", [len, 3, Tensor])
    def test_what_is_not_a_function_is_refused(self, given):
        with pytest.raises(TypeError, match=r"^ir: function is .*; need a function, a method, a Cell"):
            dyad.ir(given)(1)

    def test_the_page_ties_lines_to_nodes(self, x, tmp_path):
        path = dyad.ir(curve)(x, 3).show(tmp_path / "page.html")
        with open(path, encoding="utf-8") as file:
            written = file.read()
        assert "while y.mean() &lt; 10:" in written
        assert written.count(f':{line_of(curve, 1)}"') == 3  # the line, and its node in both graphs

    def test_a_trace_is_shown_once_it_was_recorded(self, x):
        traced = jit(curve, capture_mode="trace")
        with pytest.raises(CaptureError, match="records a graph by running the function"):
            dyad.ir(traced)(x, 3)
        traced(x, 3)
        assert "mul" in str(dyad.ir(traced)(x, 3))


class TestExplain:
    def test_before_the_first_call(self, x):
        told = dyad.explain(jit(curve))(x, 3)
        assert told.rejection is None and told.compilations == ()
        assert told.call == "would be compiled: it is the first call"
        assert "from its source (capture_mode='ast')" in told.how

    def test_guards_name_the_arguments(self, x):
        told = dyad.explain(curve)(x, 3)
        assert "argument n: 3" in told.guards
        assert any(line.startswith("argument x: ") and line.endswith("of shape (2,)") for line in told.guards)

    def test_guards_name_attributes_and_globals(self, x):
        told = dyad.explain(Scaled(3))(x)
        assert "argument self.factor: 3" in told.guards

    def test_which_graph_serves_the_call(self, x):
        function = jit(curve)
        function(x, 3)
        function(x, 4)
        assert dyad.explain(function)(x, 3).call == "is served by graph 1"
        assert dyad.explain(function)(x, 4).call == "is served by graph 2"
        told = dyad.explain(function)(x, 5)
        assert told.call == "would be compiled: argument n: was 4, is 5"
        assert [str(each.cause) for each in told.compilations] == [
            "it is the first call",
            "argument n: was 3, is 4",
        ]
        assert len(function.entries) == 2

    def test_recompiles_are_told_with_advice(self, x):
        function = jit(curve)
        function(x, 3)
        function(Tensor([1.0, 2.0, 3.0]), 3)
        written = str(dyad.explain(function)(x, 3))
        assert "Compiled so far: 2 times" in written
        assert (
            "of shape (2,), is contiguous Float32" in written and "to avoid it: use jit(dynamic=1)" in written
        )

    def test_nodes_time_and_memory(self, x):
        told = dyad.explain(curve)(x, 3)
        assert told.stages[0].name == "capture" and told.stages[0].nodes == told.nodes_before
        assert all(stage.milliseconds >= 0 for stage in told.stages)
        assert told.stages[-1].nodes == told.nodes_after
        assert told.steps > 0

    def test_reuse_of_memory(self):
        def chain(x):
            for _ in range(4):
                x = (x * 2 + 1).exp()
            return x.sum()

        told = dyad.explain(dyad.jit(chain, jit_level="O0"))(ops.ones((1000,)))  # else it is one kernel
        assert 4000 <= told.memory.planned_bytes < told.memory.unplanned_bytes
        assert "saved by reuse)" in str(told)

    def test_memory_of_next_to_nothing(self, x):
        assert "for intermediate results, none of it used twice" in str(dyad.explain(curve)(x, 3))

    def test_dynamic_sizes_are_not_spoiled_by_asking(self):
        function = jit(lambda x: x + 1, dynamic=1)
        for size in (2, 3, 4, 5, 6):
            dyad.explain(function)(ops.ones((size,)))
        function(ops.ones((2,)))
        assert (
            dyad.explain(function)(ops.ones((3,))).graph.functions["lambda"].parameters[0].type
            == "float32[3]"
        )

    def test_a_rejection_is_text_and_no_exception(self, x):
        def reads(x):
            total = x + 1
            return total.asnumpy()

        told = dyad.explain(reads)(x)
        assert told.rejection.startswith("CaptureError: asnumpy: ")
        assert f"line {line_of(reads, 2)}, in reads" in told.rejection and "^^^^" in told.rejection
        assert told.graph is None and told.guards == () and told.memory is None
        assert "It is no single graph:" in str(told) and "asnumpy" in told._repr_html_()
        assert "split" in repr(told)
        strict = dyad.explain(jit(reads, fullgraph=True))(x)
        assert "It cannot be captured:" in str(strict) and "rejected" in repr(strict)

    def test_generators_are_rejected_in_words(self, x):
        def generator(x):
            yield x

        assert "a graph has no yield" in dyad.explain(generator)(x).rejection

    def test_explain_works_for_a_cell_in_graph_mode(self, x):
        before = dyad.get_context("mode")
        cell = Scaled(3)
        dyad.set_context(mode=dyad.GRAPH_MODE)
        try:
            cell(x)
            cell.factor = 4
            told = dyad.explain(cell)(x)
        finally:
            dyad.set_context(mode=before)
        assert "Graph mode compiles a Cell as a whole" in told.how
        assert told.call == "would be compiled: argument self.factor: was 3, is 4"

    def test_lines_that_compute_ints_of_64_bits(self):
        def grown(x):
            n = int(x.sum())
            n = n * 3 - 1
            return n // 2, float(n) * 2

        function = jit(grown, capture_mode="bytecode")
        with pytest.raises(OverflowError, match="64 bits"):
            function(Tensor([2**62]))
        told = dyad.explain(function)(Tensor([2**62]))
        assert told.wide_ints == (f"{__file__}:{line_of(grown, 2)}: *, -",)
        assert told.wide_ints[0] in str(told) and "Ints of 64 bits" in told._repr_html_()
        assert dyad.explain(jit(curve))(Tensor([1.0]), 2).wide_ints == ()

    def test_text_and_page_hold_the_same(self, x):
        function = jit(curve)
        function(x, 3)
        told = dyad.explain(function)(x, 3)
        for part in ("argument n: 3", "it is the first call", "capture", told.name):
            assert part in str(told) and part in told._repr_html_()
        assert repr(told) == (
            f"<explanation of {told.name}: {told.nodes_before} nodes, {told.nodes_after} after the passes>"
        )


class TestGeneratedCode:
    def test_every_stage_of_a_kernel(self):
        def chain(x):
            return ops.exp(ops.tanh(x) * 2.0)

        (kernel,) = dyad.explain(jit(chain, jit_level="O1"))(ops.ones((64,))).kernels
        assert "fused func" in kernel.function
        assert "tanh.float32" in kernel.loops
        assert "define void @dyad_loop(" in kernel.llvm
        assert "dyad_loop:" in kernel.assembly

    def test_none_kernel_by_kernel(self):
        def chain(x):
            return ops.exp(ops.tanh(x) * 2.0)

        assert dyad.explain(jit(chain, jit_level="O0"))(ops.ones((64,))).kernels == ()


def test_explain_shows_what_a_second_attempt_changed():
    @jit(dynamic=1)
    def reads_a_size(x):
        return x + len(range(x.shape[0]))

    for size in (2, 3, 4):
        reads_a_size(Tensor([1.0] * size))
    told = explain(reads_a_size)(Tensor([1.0] * 4))
    assert any(each.retries for each in told.compilations)
    assert "captured again: fewer dynamic sizes and numbers" in str(told)
