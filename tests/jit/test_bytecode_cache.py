"""Bytecode capture: which graphs a function keeps, in which order they are looked at, and when they go."""

import gc
import sys
import weakref

import pytest
from guard_rows import X, bytecode, fresh, graphs, tensor
from test_leaks import require_flat

from dyad import jit, nn

CYCLES = 500


def named(x, name):
    return x * len(name)


class TestOrder:
    def test_the_one_used_last_is_looked_at_first(self):
        compiled = bytecode(named)
        for name in ("a", "bb", "ccc"):
            compiled(X, name)
        first = compiled.entries[-1]
        compiled(X, "a")
        assert compiled.entries[0] is first
        assert (compiled.hits, graphs(compiled)) == (1, 3)

    def test_each_entry_serves_its_own_calls(self):
        compiled = bytecode(named)
        names = ("a", "bb", "ccc")
        for name in names * 3:
            assert compiled(X, name).asnumpy().tolist() == (X.asnumpy() * len(name)).tolist()
        assert (compiled.hits, compiled.misses) == (6, 3)


class TestLimits:
    @pytest.mark.parametrize("limit", [1, 2, 4])
    def test_limit_graph_count(self, limit):
        compiled = bytecode(named, limit_graph_count=limit)
        for name in ("a", "bb", "ccc", "dddd", "eeeee"):
            compiled(X, name)
        assert len(compiled.entries) == limit
        compiled(X, "eeeee")
        assert graphs(compiled) == 5
        compiled(X, "a")
        assert graphs(compiled) == 6

    def test_the_least_used_goes(self):
        compiled = bytecode(named, limit_graph_count=2)
        compiled(X, "a")
        compiled(X, "bb")
        compiled(X, "a")
        compiled(X, "ccc")  # takes the place of "bb"
        compiled(X, "a")
        assert graphs(compiled) == 3
        compiled(X, "bb")
        assert graphs(compiled) == 4

    def test_there_is_no_limit_by_default(self):
        compiled = bytecode(named)
        for number in range(80):
            for _ in range(3):  # each is used, so graphs go on being made
                compiled(X, "a" * number)
        assert len(compiled.entries) == 80
        assert compiled.hits == 160

    def test_limit_graph_size_counts_nodes(self):
        def program(x, name):
            for letter in name:
                x = x * 2 + len(letter)
            return x

        unlimited = bytecode(program)
        for name in ("a", "bb", "ccc"):
            unlimited(X, name)
        nodes = [entry.program.report["nodes_before"] for entry in unlimited.entries]
        assert len(nodes) == 3 and min(nodes) > 0
        limited = bytecode(program, limit_graph_size=nodes[0] + nodes[1])
        for name in ("a", "bb", "ccc"):
            limited(X, name)
        assert [entry.program.report["nodes_before"] for entry in limited.entries] == nodes[:2]
        smallest = bytecode(program, limit_graph_size=1)
        for name in ("a", "bb", "ccc"):
            assert smallest(X, name).asnumpy().tolist() == program(X, name).asnumpy().tolist()
        assert len(smallest.entries) == 1

    def test_a_function_that_meets_something_new_with_every_call_runs_in_python(self):
        compiled = bytecode(named)
        for number in range(50):
            assert compiled(X, "a" * number).asnumpy().tolist() == (X.asnumpy() * number).tolist()
        assert graphs(compiled) == 16
        assert compiled.python_form is not None

    def test_fullgraph_goes_on_making_graphs(self):
        compiled = jit(fresh(named), capture_mode="bytecode", fullgraph=True)
        for number in range(20):
            compiled(X, "a" * number)
        assert graphs(compiled) == 20


class TestWhoSharesWhat:
    def test_options_have_their_own_graphs(self):
        program = fresh(named)
        one = jit(program, capture_mode="bytecode")
        other = jit(program, capture_mode="bytecode", specialize_container=True)
        one(X, "a")
        assert (graphs(one), graphs(other), len(other.entries)) == (1, 0, 0)

    def test_one_decorator_for_two_functions(self):
        decorator = jit(capture_mode="bytecode")

        @decorator
        def double(x):
            return x * 2

        @decorator
        def next_of(x):
            return x + 1

        for _ in range(2):
            assert double(X).asnumpy().tolist() == (X * 2).asnumpy().tolist()
            assert next_of(X).asnumpy().tolist() == (X + 1).asnumpy().tolist()
        assert (graphs(double), graphs(next_of)) == (1, 1)

    def test_a_method_has_one_cache_for_its_class(self):
        class Scaler:
            def __init__(self, factor):
                self.factor = factor

            @jit(capture_mode="bytecode")
            def scale(self, x):
                return x * self.factor

        one, other = Scaler(2), Scaler(3)
        for _ in range(2):
            assert one.scale(X).asnumpy().tolist() == (X * 2).asnumpy().tolist()
            assert other.scale(X).asnumpy().tolist() == (X * 3).asnumpy().tolist()
        assert graphs(Scaler.scale) == 2

    @pytest.mark.parametrize("how", [{"hash_args": ["key"]}, {"compile_once": True}])
    def test_a_function_made_again_finds_its_graphs(self, how):
        def make():
            @jit(capture_mode="bytecode", **how)
            def triple(x):
                return x * 3

            return triple

        one, other = make(), make()
        one(X)
        other(X)
        assert one is other and graphs(one) == 1

    def test_other_options_do_not_find_them(self):
        def make(**keys):
            @jit(capture_mode="bytecode", compile_once=True, jit_config=keys)
            def triple(x):
                return x * 4

            return triple

        assert make() is not make(specialize_tensor=True)


class TestNothingStays:
    def test_compiled_and_dropped(self):
        def work():
            amount = 2.0

            def program(x, items, box):
                return x * items[0] + amount

            bytecode(program)(X, [1, 2], object())

        require_flat(work, CYCLES)

    def test_sizes_and_numbers_that_are_opened(self):
        def work():
            compiled = bytecode(lambda x, k: x * k)
            for size in (2, 3, 4):
                compiled(tensor(size), size)

        require_flat(work, CYCLES // 5, warm=20)

    def test_calls_that_find_their_graph(self):
        compiled = bytecode(lambda x, table, function: function(x) * table["a"])
        require_flat(lambda: compiled(X, {"a": 2, "b": [1]}, lambda x: x + 1), 5000)
        assert graphs(compiled) == 1

    def test_the_cache_goes_with_the_function(self):
        def program(x):
            return x + 1

        compiled = bytecode(program)
        compiled(X)
        gone = weakref.ref(program), weakref.ref(compiled), weakref.ref(compiled.entries[0])
        del program, compiled
        gc.collect()
        assert [reference() for reference in gone] == [None, None, None]

    def test_arguments_keep_their_reference_counts(self):
        class Box:
            scale = 2

            def __init__(self):
                self.name = "n"

        def program(x, items, table, box, cell, function):
            return function(cell(x)) * items[0] * table["a"] * len(box.name)

        compiled = bytecode(program)
        given = [X, [1, 2], {"a": 2.0}, Box(), nn.Dense(3, 3), lambda x: x + 1]
        compiled(*given)
        gc.collect()
        before = [sys.getrefcount(each) for each in given]
        for _ in range(10):
            compiled(*given)
        gc.collect()
        assert [sys.getrefcount(each) for each in given] == before
        assert graphs(compiled) == 1

    def test_no_argument_is_kept_by_its_graph(self):
        class Box:
            def __init__(self):
                self.scale = 2

        def program(x, box, boxes, function):
            return function(x) * box.scale * len(boxes)

        compiled = bytecode(program)
        box, member, function, x = Box(), Box(), lambda x: x + 1, tensor(2)
        gone = [weakref.ref(each) for each in (box, member, function, x)]
        compiled(x, box, [member], function)
        del box, member, function, x
        gc.collect()
        assert [reference() for reference in gone] == [None] * 4
