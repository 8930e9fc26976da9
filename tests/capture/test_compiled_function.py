"""CompiledFunction: arguments, guards, program, result."""

import copy
import functools
import gc
import pickle
import threading
import time
import tracemalloc
import weakref

import numpy as np
import pytest

import dyad
from dyad import Parameter, Tensor, _core, ops


def program_of(body, *likes):
    """The program of a function of tensors and numbers that gives a list of results."""
    graph = _core.Graph("test")
    inputs = [graph.add_input(like) for like in likes]
    graph.activate()
    try:
        graph.finish(body(*inputs))
    finally:
        graph.deactivate()
    return graph.compile()


def entry_for(body, args, keywords=(), output=("result", 0), effects=()):
    """The entry for arguments like these, all of them inputs."""
    tree = _core.GuardTree()
    for i, value in enumerate(args):
        node = tree.argument(i)
        if isinstance(value, Tensor):
            tree.check_tensor(node, value.dtype, value.shape, None, type(value))
        else:
            tree.check_type(node, type(value))
        tree.input(node)
    program = program_of(body, *args)
    return _core.CompiledEntry(len(args) - len(keywords), keywords, tree, program, output, effects)


def compile_on_miss(body, **options):
    def miss(function, args, kwargs):
        entry = entry_for(body, (*args, *kwargs.values()), tuple(kwargs))
        function.add(entry)
        return function.run(entry, args, kwargs)

    return _core.CompiledFunction(miss, **options)


def constant_entry(value, positional=0, keywords=(), tree=None, effects=()):
    return _core.CompiledEntry(
        positional, keywords, tree or _core.GuardTree(), None, ("constant", value), effects
    )


def refuse(function, args, kwargs):
    raise LookupError(f"no entry for {args} {kwargs}")


def floats(n=16, value=1.0):
    return Tensor(np.full(n, value, np.float32))


class TestCall:
    def test_miss_then_hits(self):
        add = compile_on_miss(lambda a, b: [a + b], name="add")
        for value in range(4):
            result = add(floats(value=value), floats(value=2))
            np.testing.assert_array_equal(result.asnumpy(), np.full(16, value + 2, np.float32))
        assert (add.hits, add.misses, len(add.entries)) == (3, 1, 1)
        assert add(floats(3), floats(3)).shape == (3,)
        assert (add.misses, len(add.entries)) == (2, 2)
        assert repr(add) == "<compiled function add>"

    def test_a_keyword_call_is_cached_apart_from_a_positional_one(self):
        sub = compile_on_miss(lambda a, b: [a - b])
        assert sub(floats(2, 5), b=floats(2, 3)).asnumpy().tolist() == [2, 2]
        assert sub(floats(2, 5), b=floats(2, 3)).asnumpy().tolist() == [2, 2]
        assert sub(floats(2, 5), floats(2, 3)).asnumpy().tolist() == [2, 2]
        assert sub.misses == 2
        assert sub(**{"a": floats(2, 5), "b": floats(2, 3)}).asnumpy().tolist() == [2, 2]
        assert sub.misses == 3

    def test_order_of_keywords(self):
        seen = []

        def miss(function, args, kwargs):
            seen.append((args, kwargs))
            function.add(constant_entry(tuple(kwargs), 1, tuple(kwargs)))
            return tuple(kwargs)

        f = _core.CompiledFunction(miss)
        for _ in range(2):
            assert f(0, a=1, b=2) == ("a", "b")
            assert f(0, b=2, a=1) == ("b", "a")
            assert f(0, **{"".join(["a"]): 1, "b": 2}) == ("a", "b")
        assert seen == [((0,), {"a": 1, "b": 2}), ((0,), {"b": 2, "a": 1})]

    def test_keyword_given_twice(self):
        f = _core.CompiledFunction(refuse)
        with pytest.raises(TypeError, match="multiple values for keyword argument 'a'"):
            f(**{"a": 1}, **{"a": 2})

    def test_a_python_number_is_an_input_of_64_bits(self):
        f = compile_on_miss(lambda n: [n * 2])
        for value in (3, 4):
            assert f(value) == value * 2
        assert f.misses == 1
        assert f(1.5) == 3.0
        assert type(f(1.5)) is float
        with pytest.raises(OverflowError, match="64 bits"):
            f(2**70)
        assert f(2**40) == 2**41

    def test_error_of_miss(self):
        f = _core.CompiledFunction(refuse)
        with pytest.raises(LookupError, match="no entry"):
            f(1)
        with pytest.raises(LookupError):
            f(1)
        assert f.misses == 2

    def test_error_of_the_program(self):
        f = compile_on_miss(lambda a, n: [a[n]] if False else [_core.as_tensor(1 // n)])
        assert f(floats(), 1).asnumpy() == 1
        with pytest.raises(ZeroDivisionError):
            f(floats(), 0)
        assert f(floats(), 1).asnumpy() == 1

    def test_parameter_is_read_at_each_call(self):
        p = Parameter(floats(2, 3.0), name="p")
        f = compile_on_miss(lambda a: [a * p])
        assert f(floats(2, 2)).asnumpy().tolist() == [6, 6]
        p.set_data(floats(2, 4))
        assert f(floats(2, 2)).asnumpy().tolist() == [8, 8]
        assert f.misses == 1

    def test_pending_argument_is_filled(self):
        f = compile_on_miss(lambda a: [a + 1])
        for _ in range(2):
            pending = dyad.common.initializer.initializer("ones", (2,), dyad.float32)
            assert f(pending).asnumpy().tolist() == [2, 2]

    def test_a_call_inside_a_gradient_uses_the_cached_entry(self):
        f = compile_on_miss(lambda a: [a * a])
        x = floats(2, 3)
        assert f(x).asnumpy().tolist() == [9, 9]
        gradient = dyad.grad(lambda a: f(a).sum())(x)
        assert gradient.asnumpy().tolist() == [6, 6]
        assert f.misses == 1


class TestFace:
    def test_update_wrapper_copies_metadata_to_a_compiled_function(self):
        def original(a, b=1):
            """What it does."""

        original.mark = 7
        f = functools.update_wrapper(_core.CompiledFunction(refuse), original)
        assert (f.__name__, f.__doc__, f.mark) == ("original", "What it does.", 7)
        assert f.__wrapped__ is original
        assert f.__module__ == __name__
        f.other = 1
        assert f.__dict__["other"] == 1

    def test_binds_like_a_function(self):
        class Box:
            get = _core.CompiledFunction(lambda f, args, kwargs: (args, kwargs))

        box = Box()
        assert box.get(1, k=2) == ((box, 1), {"k": 2})
        assert Box.get(box) == ((box,), {})
        bound = box.get
        assert bound.__self__ is box
        assert bound() == ((box,), {})

    def test_copy_and_pickle_by_name(self):
        assert copy.deepcopy(module_level) is module_level
        assert copy.copy(module_level) is module_level
        assert pickle.loads(pickle.dumps(module_level)) is module_level

    def test_compiled_function_rejects_wrong_arguments(self):
        with pytest.raises(TypeError, match="miss is 3; need a callable"):
            _core.CompiledFunction(3)
        with pytest.raises(ValueError, match="limit is 0; need 1 or more"):
            _core.CompiledFunction(refuse, limit=0)
        with pytest.raises(TypeError, match="got 3; need a CompiledEntry"):
            _core.CompiledFunction(refuse).add(3)


module_level = _core.CompiledFunction(refuse, name="module_level")
module_level.__module__ = __name__


class TestCache:
    def test_first_entry_that_holds_runs(self):
        f = _core.CompiledFunction(refuse)
        for value in (1, 2, 3):
            tree = _core.GuardTree()
            tree.check_equal(tree.argument(0), value)
            f.add(constant_entry(f"for {value}", 1, tree=tree))
        assert [f(value) for value in (1, 2, 3)] == ["for 1", "for 2", "for 3"]
        with pytest.raises(LookupError):
            f(4)

    def test_least_recently_used_goes(self):
        f = _core.CompiledFunction(refuse, limit=3)
        entries = {}
        for value in range(3):
            tree = _core.GuardTree()
            tree.check_equal(tree.argument(0), value)
            entries[value] = constant_entry(value, 1, tree=tree)
            f.add(entries[value])
        assert f.entries == [entries[2], entries[1], entries[0]]
        assert f(0) == 0
        assert f.entries == [entries[0], entries[2], entries[1]]
        f.add(constant_entry("all", 1))
        assert entries[1] not in f.entries
        assert len(f.entries) == 3
        f.add(entries[0])
        assert f.entries[0] is entries[0]
        assert len(f.entries) == 3
        f.clear()
        assert f.entries == []

    def test_entries_whose_objects_died_go(self):
        class Box:
            pass

        f = _core.CompiledFunction(refuse)
        box = Box()
        tree = _core.GuardTree()
        tree.check_identity(tree.argument(0), box)
        f.add(constant_entry(1, 1, tree=tree))
        assert f(box) == 1
        del box
        gc.collect()
        f.add(constant_entry(2, 2))
        assert len(f.entries) == 1

    def test_tree_of_an_entry_is_closed(self):
        tree = _core.GuardTree()
        node = tree.argument(0)
        constant_entry(1, 1, tree=tree)
        assert tree.argument(0) == node
        with pytest.raises(RuntimeError, match="belongs to an entry"):
            tree.argument(1)
        with pytest.raises(RuntimeError, match="belongs to an entry"):
            tree.check_length(node, 1)

    def test_cache_cleared_while_it_is_searched(self):
        f = _core.CompiledFunction(lambda f, args, kwargs: "missed")
        for _ in range(3):
            tree = _core.GuardTree()
            tree.check_call(tree.argument(0), lambda x: f.clear() or True, False)
            f.add(constant_entry(1, 1, tree=tree))
        assert f(1) == "missed"
        assert f.entries == []

    def test_run_checks_nothing(self):
        tree = _core.GuardTree()
        node = tree.argument(0)
        tree.check_equal(node, 1)
        entry = _core.CompiledEntry(1, (), tree, None, ("source", node), [])
        f = _core.CompiledFunction(refuse)
        assert f.run(entry, (5,), {}) == 5
        assert f.run(entry, (), {"x": 6}) == 6
        with pytest.raises(RuntimeError, match="lack something"):
            f.run(entry, (), {})


class TestTemplates:
    def build(self, output, effects=(), results=(), nodes=1):
        tree = _core.GuardTree()
        for i in range(nodes):
            tree.argument(i)
        program = program_of(lambda: list(results)) if results else None
        f = _core.CompiledFunction(refuse)
        f.add(_core.CompiledEntry(nodes, (), tree, program, output, effects))
        return f

    def test_a_template_builds_new_containers_at_each_call(self):
        f = self.build(
            (
                "tuple",
                [
                    ("list", [("constant", 1), ("source", 0)]),
                    ("dict", [("k", ("constant", "v")), (2, ("tuple", []))]),
                    ("build", complex, [("constant", 1), ("source", 0)]),
                ],
            )
        )
        first, second = f(5), f(5)
        assert first == ([1, 5], {"k": "v", 2: ()}, complex(1, 5))
        assert list(first[1]) == ["k", 2]
        assert first[0] is not second[0]

    def test_results_keep_their_python_types(self):
        f = self.build(
            ("list", [("result", i) for i in range(4)]), results=[True, 3, 2.5, floats(2)], nodes=0
        )
        a, b, c, d = f()
        assert (a, b, c) == (True, 3, 2.5)
        assert [type(value) for value in (a, b, c)] == [bool, int, float]
        assert d.asnumpy().tolist() == [1, 1]

    def test_fresh_is_a_copy(self):
        base = floats(2)
        f = self.build(("fresh", base), nodes=0)
        first, second = f(), f()
        first[0] = 5
        assert second.asnumpy().tolist() == base.asnumpy().tolist() == [1, 1]

    def test_shared_is_built_once_per_call(self):
        shared = ("shared", 0, ("list", []))
        f = self.build(("tuple", [shared, ("dict", [("a", shared)]), ("list", [])]), nodes=0)
        first, second = f(), f()
        assert first[0] is first[1]["a"]
        assert first[0] is not first[2]
        assert first[0] is not second[0]

    def test_a_choice_selects_a_template_by_a_result_of_the_program(self):
        tree = _core.GuardTree()
        node = tree.argument(0)
        tree.check_type(node, int)
        tree.input(node)
        program = program_of(lambda n: [n], 1)
        arms = [("constant", "zero"), ("list", [("result", 0)])]
        f = _core.CompiledFunction(refuse)
        f.add(_core.CompiledEntry(1, (), tree, program, ("choice", 0, arms), []))
        assert f(0) == "zero"
        assert f(1) == [1]
        with pytest.raises(IndexError, match="template 2 was chosen; there are 2"):
            f(2)

    def test_effects_in_order(self):
        class Box:
            pass

        log = []
        shared = ("shared", 0, ("list", [("constant", 1)]))
        effects = [
            ("build", log.append, [("constant", "first")]),
            ("build", setattr, [("source", 0), ("constant", "n"), shared]),
            ("build", log.append, [("constant", "second")]),
        ]
        f = self.build(("tuple", [shared]), effects)
        box = Box()
        result = f(box)
        assert log == ["first", "second"]
        assert box.n is result[0]

    def test_error_of_an_effect(self):
        f = self.build(("constant", 1), [("build", lambda: 1 / 0, [])], nodes=0)
        with pytest.raises(ZeroDivisionError):
            f()

    @pytest.mark.parametrize(
        ("template", "error", "text"),
        [
            (("result", 0), IndexError, "names result 0; there are 0"),
            (("source", 1), IndexError, "names node 1; there are 1"),
            (("source", -1), IndexError, "names node -1"),
            (("fresh", 1), TypeError, "'fresh' was given 1; need a Tensor"),
            (("mystery", 1), TypeError, "there is no template 'mystery'"),
            (("build", print), TypeError, "has 2 parts; need 3"),
            (("dict", [1]), TypeError, "need a pair of key and template"),
            (7, TypeError, "a template is 7"),
        ],
    )
    def test_a_wrong_template_is_rejected(self, template, error, text):
        with pytest.raises(error, match=text):
            self.build(template)

    def test_compiled_entry_rejects_wrong_arguments(self):
        tree = _core.GuardTree()
        with pytest.raises(TypeError, match="tree is 3; need a GuardTree"):
            _core.CompiledEntry(0, (), 3, None, ("constant", 1), [])
        with pytest.raises(TypeError, match="program is 3; need a Program"):
            _core.CompiledEntry(0, (), tree, 3, ("constant", 1), [])
        with pytest.raises(TypeError, match="need a tuple of names"):
            _core.CompiledEntry(0, ["a"], tree, None, ("constant", 1), [])
        tree.input(tree.argument(0))
        with pytest.raises(ValueError, match="the guards name 1 inputs; the program takes 0"):
            _core.CompiledEntry(1, (), tree, None, ("constant", 1), [])


class TestThreads:
    def test_one_miss_at_a_time(self):
        running, most = [], []

        def miss(function, args, kwargs):
            running.append(1)
            most.append(len(running))
            time.sleep(0.05)
            function.add(constant_entry("made"))
            running.pop()
            return "made"

        f = _core.CompiledFunction(miss)
        results = []
        threads = [threading.Thread(target=lambda: results.append(f())) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20)
        assert results == ["made"] * 6
        assert f.misses == 1
        assert max(most) == 1

    def test_misses_of_different_functions_run_together(self):
        barrier = threading.Barrier(2, timeout=10)

        def miss(function, args, kwargs):
            barrier.wait()
            return function.name

        functions = [_core.CompiledFunction(miss, name=name) for name in "ab"]
        results = []
        threads = [threading.Thread(target=lambda f=f: results.append(f())) for f in functions]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20)
        assert sorted(results) == ["a", "b"]

    def test_same_thread_may_miss_again(self):
        def miss(function, args, kwargs):
            return function(args[0] - 1) + 1 if args[0] else 0

        f = _core.CompiledFunction(miss)
        assert f(5) == 5

    def test_two_threads_that_need_each_other(self):
        """One compiles f and calls g, the other compiles g and calls f: neither may wait for ever."""
        barrier = threading.Barrier(2, timeout=10)

        def miss(function, args, kwargs):
            if args:
                return function.name
            barrier.wait()
            return function.other(1)

        f, g = _core.CompiledFunction(miss, name="f"), _core.CompiledFunction(miss, name="g")
        f.other, g.other = g, f
        results = []
        threads = [threading.Thread(target=lambda h=h: results.append(h())) for h in (f, g)]
        start = time.monotonic()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20)
        assert sorted(results) == ["f", "g"]
        assert time.monotonic() - start < 5

    def test_lock_is_free_after_an_error(self):
        f = _core.CompiledFunction(refuse)
        with pytest.raises(LookupError):
            f()
        caught = []

        def call():
            try:
                f()
            except LookupError:
                caught.append(1)

        thread = threading.Thread(target=call)
        thread.start()
        thread.join(5)
        assert caught == [1]

    def test_two_threads_run_one_entry(self):
        f = compile_on_miss(lambda a, b: [a * b + a])
        f(floats(64), floats(64))
        wrong = []

        def work(value):
            for _ in range(300):
                result = f(floats(64, value), floats(64, 2)).asnumpy()
                if not (result == value * 3).all():
                    wrong.append(result)

        threads = [threading.Thread(target=work, args=(value,)) for value in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
        assert wrong == []
        assert f.misses == 1


class Net:
    pass


class TestMemory:
    def test_cycles_are_collected(self):
        def make():
            net = Net()
            tree = _core.GuardTree()
            tree.check_identity(tree.argument(0), net, weak=False)
            net.run = _core.CompiledFunction(lambda f, args, kwargs: net)
            effects = [("build", net.run, [("constant", net)])]
            net.run.add(constant_entry(net, 1, tree=tree, effects=effects))
            return weakref.ref(net), weakref.ref(net.run), weakref.ref(net.run.entries[0])

        gone = make()
        gc.collect()
        assert [reference() for reference in gone] == [None] * 3

    def test_cycle_through_a_program_is_collected(self):
        def make():
            net = Net()
            net.p = Parameter(floats(2), name="p")
            net.p.owner = net
            net.run = compile_on_miss(lambda a: [a * net.p])
            net.run(floats(2))
            return weakref.ref(net), weakref.ref(net.p)

        gone = make()
        gc.collect()
        assert [reference() for reference in gone] == [None] * 2

    def test_many_calls_leak_nothing(self):
        f = compile_on_miss(lambda a, b, n: [a + b * n, n])
        a, b = floats(), floats()

        def calls(count):
            for _ in range(count):
                f(a, b, 1.5)
                f(a, b=b, n=2.5)

        calls(100)
        gc.collect()
        before = _core.memory_statistics()["allocated"], len(gc.get_objects())
        tracemalloc.start()
        try:
            calls(10)
            start = tracemalloc.get_traced_memory()[0]
            calls(5000)
            gc.collect()
            grown = tracemalloc.get_traced_memory()[0] - start
        finally:
            tracemalloc.stop()
        assert grown < 2000
        assert _core.memory_statistics()["allocated"] == before[0]
        assert len(gc.get_objects()) - before[1] < 20

    def test_failed_calls_leak_nothing(self):
        f = _core.CompiledFunction(lambda f, args, kwargs: None)
        for value in range(5):
            tree = _core.GuardTree()
            tree.check_equal(tree.attribute(tree.argument(0), "n"), value)
            f.add(constant_entry(value, 1, tree=tree))

        class Box:
            n = 1

        box = Box()
        box.n = [1]
        f(box)
        gc.collect()
        tracemalloc.start()
        try:
            f(box)
            start = tracemalloc.get_traced_memory()[0]
            for _ in range(10_000):
                f(box)
            grown = tracemalloc.get_traced_memory()[0] - start
        finally:
            tracemalloc.stop()
        assert grown < 2000

    def test_compile_and_drop(self):
        def once():
            f = compile_on_miss(lambda a: [a + ops.ones((64,))])
            f(floats(64))
            f(floats(64))

        once()
        gc.collect()
        before = _core.memory_statistics()["allocated"]
        for _ in range(100):
            once()
        gc.collect()
        assert _core.memory_statistics()["allocated"] == before
