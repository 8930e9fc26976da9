"""Bytecode capture: sizes and numbers that change between calls become inputs, and stay that."""

import numpy as np
import pytest
from guard_rows import fresh, graphs, tensor

import dyad
from dyad import Symbol, Tensor, jit, mark_dynamic, mark_static


def bytecode(function, **options):
    return jit(fresh(function), capture_mode="bytecode", **options)


def require_equal(compiled, function, *args):
    found, expected = compiled(*args), function(*args)
    np.testing.assert_array_equal(found.asnumpy(), expected.asnumpy())
    assert found.dtype == expected.dtype


def affine(x, y):
    return x * 2 + y


def normalised(x):
    return (x - x.mean()) / x.shape[0]


class TestSizes:
    def test_the_third_shape_opens_what_changed_and_replaces_the_others(self):
        compiled = bytecode(normalised)
        counts, kept = [], []
        for rows in (2, 3, 4, 5, 9, 2, 3):
            require_equal(compiled, normalised, tensor(rows, 3))
            counts.append(graphs(compiled))
            kept.append(len(compiled.entries))
        assert counts == [1, 2, 3, 3, 3, 3, 3]
        assert kept == [1, 2, 1, 1, 1, 1, 1]

    def test_a_size_that_never_changed_stays_known(self):
        compiled = bytecode(normalised)
        for rows in (2, 3, 4):
            compiled(tensor(rows, 3))
        compiled(tensor(5, 7))
        assert graphs(compiled) == 4
        compiled(tensor(6, 8))
        assert graphs(compiled) == 4
        assert len(compiled.entries) == 1

    def test_an_open_size_is_never_known_again(self):
        compiled = bytecode(lambda x, flag: x * 2 if flag else x)
        for rows in (2, 3, 4):
            compiled(tensor(rows, 3), True)
        compiled(tensor(8, 3), False)  # another graph, of which the rows are open from the start
        before = graphs(compiled)
        for rows in (2, 5, 6):
            compiled(tensor(rows, 3), False)
        assert graphs(compiled) == before == 4

    def test_graphs_for_other_constants_stay(self):
        compiled = bytecode(lambda x, name: x * 2 if name == "double" else x + 1)
        for rows in (2, 3, 4):
            compiled(tensor(rows, 3), "double")
        for rows in (5, 6):
            for name in ("double", "next", "double", "next"):
                compiled(tensor(rows, 3), name)
        assert graphs(compiled) == 4
        assert len(compiled.entries) == 2

    def test_sizes_of_one_do_not_undo_what_is_open(self):
        compiled = bytecode(normalised)
        for rows in (2, 3, 4):
            compiled(tensor(rows, 3))
        for rows in (1, 5, 1, 6, 1, 7):
            require_equal(compiled, normalised, tensor(rows, 3))
        assert graphs(compiled) == 4

    def test_a_graph_for_one_row_does_not_replace_that_for_any(self):
        compiled = bytecode(normalised)
        for shape in ((2, 3), (3, 4), (4, 5)):
            compiled(tensor(*shape))
        for shape in ((1, 6), (5, 7), (1, 8), (6, 9), (1, 7)):
            require_equal(compiled, normalised, tensor(*shape))
        assert graphs(compiled) == 4 and len(compiled.entries) == 2

    def test_equal_sizes_are_one_size_until_they_differ(self):
        compiled = bytecode(lambda x, y: (x.sum(), y.sum()))
        for rows in (2, 3, 4):
            compiled(tensor(rows), tensor(rows))
        compiled(tensor(5), tensor(6))
        assert graphs(compiled) == 4
        compiled(tensor(7), tensor(7))
        compiled(tensor(8), tensor(9))
        assert graphs(compiled) == 4 and len(compiled.entries) == 1

    def test_broadcasting_is_guarded(self):
        compiled = bytecode(affine)
        for rows in (2, 3, 4, 5):
            require_equal(compiled, affine, tensor(rows, 3), tensor(rows, 3))
        assert graphs(compiled) == 3
        require_equal(compiled, affine, tensor(5, 3), tensor(1, 3))
        require_equal(compiled, affine, tensor(1, 3), tensor(5, 3))
        with pytest.raises(Exception) as raised:
            compiled(tensor(5, 3), tensor(6, 3))
        with pytest.raises(type(raised.value)):
            affine(tensor(5, 3), tensor(6, 3))

    def test_tensors_in_containers(self):
        compiled = bytecode(lambda parts: parts["a"][0].sum() + parts["b"].sum())
        for rows in (2, 3, 4, 5, 6):
            compiled({"a": [tensor(rows)], "b": tensor(2)})
        assert graphs(compiled) == 3

    def test_a_size_that_capture_must_know_gets_few_graphs(self):
        def rows_of(x):
            return [row * 2 for row in x]

        compiled = bytecode(rows_of)
        for rows in range(2, 60):
            found = compiled(tensor(rows, 2))
            assert [part.asnumpy().tolist() for part in found] == (tensor(rows, 2).asnumpy() * 2).tolist()
        assert graphs(compiled) <= 16

    def test_what_can_stay_open_does_where_a_size_must_be_known(self):
        def rows_of(x, y):
            return [row * 2 for row in x], y.sum()

        compiled = bytecode(rows_of)
        for columns in (2, 3, 4, 5, 6, 7):
            compiled(tensor(3, 2), tensor(columns))
        assert graphs(compiled) == 3
        for rows in (4, 5):
            compiled(tensor(rows, 2), tensor(9))
        before = graphs(compiled)
        for rows in (4, 5):
            compiled(tensor(rows, 2), tensor(10 + rows))
        assert graphs(compiled) == before

    def test_the_ast_form_opens_nothing_by_itself(self):
        compiled = jit(normalised)
        for rows in (2, 3, 4, 5):
            compiled(tensor(rows, 3))
        assert len(compiled.entries) == 4


class TestKeys:
    def test_symbolic_opens_the_second_shape(self):
        compiled = bytecode(normalised, jit_config={"_symbolic": 1})
        for rows in (2, 3, 4, 5):
            compiled(tensor(rows, 3))
        assert graphs(compiled) == 2 and len(compiled.entries) == 1

    def test_enable_dynamic_shape_keeps_three_graphs(self):
        compiled = bytecode(lambda x, name: x * len(name), jit_config={"enable_dynamic_shape": True})
        for rows in (2, 3, 4):
            compiled(tensor(rows, 3), "a")
        assert graphs(compiled) == 3
        for name in ("b", "c", "d", "e"):
            compiled(tensor(rows, 3), name)
        assert len(compiled.entries) == 3

    @pytest.mark.parametrize(("count", "expected"), [(1, 2), (3, 4), (4, 5)])
    def test_relax_guard_count_says_when_sizes_and_numbers_are_opened(self, count, expected):
        sizes = bytecode(normalised, jit_config={"relax_guard_count": count})
        numbers = bytecode(lambda x, k: x * k, jit_config={"relax_guard_count": count})
        for value in range(2, 9):
            sizes(tensor(value, 3))
            numbers(tensor(2), value)
        assert graphs(sizes) == graphs(numbers) == expected

    def test_relax_guard_func_names_the_functions(self):
        keys = {"relax_guard_count": 1, "relax_guard_func": ["normalised"]}
        named, other = bytecode(normalised, jit_config=keys), bytecode(lambda x: x * 2, jit_config=keys)
        for rows in (2, 3, 4, 5):
            named(tensor(rows, 3))
            other(tensor(rows, 3))
        assert (graphs(named), graphs(other)) == (2, 3)

    def test_specialize_scalar_off_makes_numbers_inputs_at_once(self):
        def scaled(x, k):
            return x * k

        compiled = bytecode(scaled, jit_config={"specialize_scalar": False})
        for value in (2, 3, -7):
            require_equal(compiled, scaled, tensor(3), value)
        assert graphs(compiled) == 1
        require_equal(compiled, scaled, tensor(3), 0.5)
        assert graphs(compiled) == 2


class TestNumbers:
    @pytest.mark.parametrize("values", [(2, 3, 4, 5, -6), (0.5, 0.25, 1e-3, 2.0, 1e30)])
    def test_the_third_value_is_an_input(self, values):
        def scaled(x, k):
            return x * k + k

        compiled = bytecode(scaled)
        counts = []
        for value in values:
            require_equal(compiled, scaled, tensor(3), value)
            counts.append(graphs(compiled))
        assert counts == [1, 2, 3, 3, 3]

    def test_numbers_stay_exact(self):
        def numbers(x, k):
            return x + 1, k * 0.1, k // 3, k / 7, k**2, 1 / k

        compiled = bytecode(numbers)
        for value in (2, 3, 5, 7, 123456789, 2**31 - 1, -(2**31) + 1):
            assert compiled(tensor(2), value)[1:] == numbers(tensor(2), value)[1:]
        assert graphs(compiled) == 3
        assert compiled(tensor(2), 2**40)[1:] == numbers(tensor(2), 2**40)[1:]
        assert graphs(compiled) == 4

    @pytest.mark.parametrize(
        "grow",
        [
            lambda k: k**20,
            lambda k: k * k * k,
            lambda k: (k + 1) * (k - 1) * k,
            lambda k: k << 40,
            lambda k: 3**k,
            lambda k: (k * 2**31) * 2 * 2,
        ],
    )
    def test_ints_of_any_size(self, grow):
        """Results that 64 bits may not hold are computed by Python."""

        def program(x, k):
            return x + 1, grow(k)

        compiled = bytecode(program)
        for value in (2, 3, 5, 7, 100, 2**30):
            if grow(2) != 9 or value < 200:  # 3**k is slow
                assert compiled(tensor(2), value)[1] == grow(value)

    def test_a_changing_keyword_number_becomes_dynamic(self):
        compiled = bytecode(lambda x, *, k: x * k)
        for value in (2, 3, 4, 5):
            compiled(tensor(2), k=value)
        assert graphs(compiled) == 3

    def test_bools_are_constants(self):
        compiled = bytecode(lambda x, k: x * 2 if k else x)
        for value in (True, False, True, False):
            compiled(tensor(2), value)
        assert graphs(compiled) == 2

    def test_a_number_that_capture_must_know_gets_few_graphs(self):
        def summed(x, axis, k):
            return x.sum(axis) * k

        compiled = bytecode(summed)
        for k, axis in enumerate((0, 1, 2, 3, 4, 0, 1, 2, 3, 4) * 2):
            require_equal(compiled, summed, tensor(1, 2, 3, 2, 1), axis, k)
        assert compiled.python_form is None and compiled.hits > 0
        assert graphs(compiled) <= 12  # the axes that are met, k is an input

    def test_a_value_that_is_always_new_and_must_be_known(self):
        compiled = bytecode(lambda x, name: x * len(name))
        for number in range(40):
            np.testing.assert_array_equal(
                compiled(tensor(2), "a" * number).asnumpy(), tensor(2).asnumpy() * number
            )
        assert graphs(compiled) == 16

    def test_a_changing_global_number_becomes_dynamic(self, monkeypatch):
        compiled = bytecode(with_global)
        for value in (2, 3, 4, 5, 6):
            monkeypatch.setitem(globals(), "FACTOR", value)
            assert compiled(tensor(3)).asnumpy().tolist() == [0, value, 2 * value]
        assert graphs(compiled) == 3


FACTOR = 1


def with_global(x):
    return x * FACTOR


class TestSignature:
    def test_open_sizes_and_what_is_left_alone(self):
        template = Tensor(shape=(None, 3), dtype=dyad.float32)
        compiled = bytecode(lambda x, k: x * k, input_signature=(template, None))
        for rows in (2, 5, 9):
            compiled(tensor(rows, 3), 2)
        assert graphs(compiled) == 1
        compiled(tensor(2, 3), 3)
        assert graphs(compiled) == 2

    def test_a_list_of_templates_fixes_the_dynamic_axes(self):
        parts = [Tensor(shape=(None,), dtype=dyad.float32), Tensor(shape=(2,), dtype=dyad.float32)]
        compiled = bytecode(lambda given: given[0].sum() + given[1].sum(), input_signature=(parts,))
        for rows in (2, 5, 9):
            compiled([tensor(rows), tensor(2)])
        assert graphs(compiled) == 1

    def test_a_symbol_bounds_the_sizes_of_an_axis(self):
        size = Symbol(max=8, divisor=2)
        template = Tensor(shape=(size,), dtype=dyad.float32)
        compiled = bytecode(lambda x: x.reshape(2, -1), input_signature=template)
        for rows in (2, 4, 8):
            require_equal(compiled, lambda x: x.reshape(2, -1), tensor(rows))
        assert graphs(compiled) == 1
        for rows in (3, 10):
            with pytest.raises(ValueError, match="its template has"):
                compiled(tensor(rows))


class TestMarks:
    def test_marked_sizes_are_open_at_once(self):
        for mode in ("ast", "bytecode"):
            compiled = jit(fresh(normalised), capture_mode=mode)
            for rows in (2, 3, 9):
                compiled(mark_dynamic(tensor(rows, 3), 0))
            assert graphs(compiled) == 1
            compiled(tensor(4, 3))  # the graph asks for no mark
            assert graphs(compiled) == 1
            compiled(tensor(4, 5))
            assert graphs(compiled) == 2

    def test_static_sizes_stay_known(self):
        compiled = bytecode(normalised)
        for rows in (2, 3, 4, 5):
            compiled(mark_static(tensor(rows, 3), (0,)))
        assert graphs(compiled) == 4

    def test_the_later_mark_counts_and_axes_count_from_the_end(self):
        x = mark_static(mark_dynamic(tensor(2, 3), (0, 1)), -1)
        compiled = bytecode(normalised)
        compiled(x)
        compiled(tensor(4, 3))
        assert graphs(compiled) == 1
        compiled(tensor(4, 4))
        assert graphs(compiled) == 2

    @pytest.mark.parametrize(
        ("tensor_given", "dims", "error", "text"),
        [
            (3, 0, TypeError, "mark_dynamic: tensor is of type int; need a Tensor"),
            (tensor(2), 1, ValueError, r"dims has 1; need axes from -1 to 0 of a Tensor with shape \(2,\)"),
            (tensor(2), True, TypeError, "dims has True of type bool; need ints"),
            (tensor(2), "0", TypeError, "dims has '0' of type str; need ints"),
        ],
    )
    def test_wrong_arguments(self, tensor_given, dims, error, text):
        with pytest.raises(error, match=text):
            mark_dynamic(tensor_given, dims)


class Store:
    """State outside of the arguments."""


class TestOuterSizes:
    def test_a_tensor_that_grows_with_every_call(self):
        store = Store()
        store.rows = tensor(2, 3)

        def append(x):
            rows = dyad.ops.cat((store.rows, x))
            doubled = rows * 2
            store.rows = rows
            return doubled

        compiled = bytecode(append)
        for count in range(3, 14):
            result = compiled(tensor(1, 3))
            assert store.rows.shape == (count, 3)
            np.testing.assert_array_equal(result.asnumpy(), store.rows.asnumpy() * 2)
        assert graphs(compiled) == 3

    def test_sizes_that_were_always_equal_are_one(self):
        store = Store()

        def added(x):
            return store.a + store.b * x

        compiled = bytecode(added)
        for rows in (2, 3, 4, 7, 9):
            store.a, store.b = tensor(rows, 3), tensor(rows, 3)
            require_equal(compiled, added, tensor(1, 3))
        assert graphs(compiled) == 3
        store.b = tensor(1, 3)
        require_equal(compiled, added, tensor(1, 3))
        assert graphs(compiled) == 4

    def test_a_size_that_python_needs_stays_known(self):
        store = Store()
        compiled = bytecode(lambda x: [x * row for row in range(store.rows.shape[0])])
        for rows in (2, 3, 4, 5):
            store.rows = tensor(rows)
            assert len(compiled(tensor(1))) == rows
        assert graphs(compiled) == 4

    def test_a_parameter_keeps_its_shape(self):
        store = Store()
        compiled = bytecode(lambda x: x + store.weight)
        for rows in (2, 3, 4, 5):
            store.weight = dyad.Parameter(tensor(rows))
            assert compiled(tensor(1)).shape == (rows,)
        assert graphs(compiled) == 4
