"""A jitted function that is called while the dynamic graph records: one step on the tape, with a compiled backward."""

import gc
import threading

import numpy as np
import pytest

import dyad
from dyad import Parameter, Tensor, jit, nn, no_grad, ops, value_and_grad
from dyad import grad as gradient


def tensor(*shape, seed=0):
    return Tensor(np.random.default_rng(seed).uniform(0.5, 1.5, shape).astype(np.float32))


def arrays(tree):
    if isinstance(tree, list | tuple):
        return [array for member in tree for array in arrays(member)]
    return [tree.asnumpy()]


def require_equal(got, expected, tolerance=1e-6):
    got, expected = arrays(got), arrays(expected)
    assert len(got) == len(expected)
    for mine, theirs in zip(got, expected, strict=True):
        assert mine.dtype == theirs.dtype and mine.shape == theirs.shape
        np.testing.assert_allclose(mine, theirs, rtol=tolerance, atol=tolerance)


def derived(compiled):
    return [
        figures
        for entry in compiled.entries
        if entry.program is not None
        for figures in entry.program.derived
    ]


def require_one_step(compiled):
    figures = derived(compiled)
    assert figures, "nothing was recorded as one step"
    assert all(not each["refusal"] for each in figures), figures


def require_same(function, *args, positions=None, tolerance=1e-6, **kwargs):
    """Gradients of the function and of the jitted one agree, and that one was a single step."""
    positions = tuple(range(len(args))) if positions is None else positions
    compiled = jit(function)
    expected = gradient(function, positions)(*args, **kwargs)
    require_equal(gradient(compiled, positions)(*args, **kwargs), expected, tolerance)
    require_equal(gradient(compiled, positions)(*args, **kwargs), expected, tolerance)
    require_one_step(compiled)
    return compiled


class TestFunctions:
    def test_gradients_of_a_chain_of_operators_match(self):
        require_same(lambda x: ops.tanh(ops.exp(x) * x).sum(), tensor(3))

    def test_two_inputs_of_which_one_is_used_twice(self):
        require_same(lambda x, w: (ops.matmul(x, w) @ w).sum(), tensor(2, 3), tensor(3, 3, seed=1))

    def test_gradients_of_broadcast_operands_match(self):
        require_same(lambda x, b: ((x + b) * b).mean(), tensor(4, 3), tensor(3, seed=1))

    def test_one_choice_of_inputs_after_the_other(self):
        compiled = jit(lambda x, w: (x * w * w).sum())
        x, w = tensor(3), tensor(3, seed=1)
        require_equal(gradient(compiled, 0)(x, w), w * w)
        require_equal(gradient(compiled, 1)(x, w), 2 * x * w)
        require_equal(gradient(compiled, (0, 1))(x, w), (w * w, 2 * x * w))
        assert len(derived(compiled)) == 3

    def test_branches_and_loops(self):
        def function(x, n):
            for _ in range(3):
                x = x * x if x.sum() > 2 else x + 1
            while x.sum() < 50:
                x = x * n
            return x.sum()

        require_same(function, tensor(3), tensor(1, seed=2) + 1)

    def test_gradients_through_nested_containers_match(self):
        def function(x, table):
            parts = [x * table["scale"], (x[0], table["shift"])]
            return (parts[0] + parts[1][1]).sum() * parts[1][0]

        require_same(
            function, tensor(3), {"scale": tensor(3, seed=1), "shift": tensor(3, seed=2)}, positions=0
        )

    def test_gradients_with_keyword_arguments_match(self):
        def function(x, *, scale, power=2):
            return (x**power * scale).sum()

        require_same(function, tensor(3), scale=tensor(3, seed=1))
        require_same(function, tensor(3), scale=tensor(3, seed=1), power=3)

    def test_integer_inputs_beside(self):
        def function(table, rows):
            return ops.gather(table, rows, 0).sum() * 2

        require_same(function, tensor(4, 2), Tensor([0, 2, 2]), positions=0)

    def test_an_unused_input_has_a_gradient_of_zeros(self):
        require_same(lambda x, unused: (x * 2).sum(), tensor(3), tensor(2, seed=1))

    def test_a_result_that_no_gradient_arrives_for(self):
        def function(x):
            return x.sum(), ops.log(x - x)  # an infinity, which nobody asks for

        compiled = jit(function)
        require_equal(gradient(compiled, has_aux=True)(tensor(3))[0], ops.ones(3))
        require_one_step(compiled)

    def test_a_result_that_does_not_depend_on_the_input_has_no_gradient(self):
        compiled = jit(lambda x: (x * 2, ops.stop_gradient(x) * 3))
        x = tensor(3).requires_grad_()
        first, second = compiled(x)
        first.sum().backward()
        require_equal(x.grad, ops.ones(3) * 2)
        with pytest.raises(RuntimeError, match="does not depend on one that requires a gradient"):
            second.sum().backward()

    def test_dropout_has_one_mask_for_both_ways(self):
        @jit
        def function(x):
            return ops.dropout(x, 0.5, training=True)

        x = tensor(1000)
        value, found = value_and_grad(lambda x: function(x).sum())(x)
        kept = found.asnumpy()
        assert set(np.unique(kept)) == {0.0, 2.0}
        np.testing.assert_allclose(value.asnumpy(), (x.asnumpy() * kept).sum(), rtol=1e-4)

    def test_gradients_with_dynamic_sizes_match(self):
        compiled = jit(lambda x: (x * x.mean(0)).sum() / x.shape[0], dynamic=1)
        function = lambda x: (x * x.mean(0)).sum() / x.shape[0]  # noqa: E731
        for rows in (2, 3, 5, 7):
            x = tensor(rows, 3)
            require_equal(gradient(compiled)(x), gradient(function)(x))
        require_one_step(compiled)

    def test_inputs_that_lie_otherwise_in_memory(self):
        require_same(lambda x: (x * x).sum(), tensor(3, 4).T)

    def test_gradients_in_float16_match(self):
        require_same(lambda x: (x * x).sum(), tensor(3).astype(dyad.float16))


def mean_square(forward):
    return lambda x: (forward(x) ** 2).mean()


class TestNetworks:
    def both(self, build, x, tolerance=1e-5):
        """The gradients of a Cell's Parameters, of it as it is and jitted, and the Parameters afterwards."""
        found = []
        for compiled in (False, True):
            dyad.set_seed(3)
            net = build()
            forward = jit(net) if compiled else net
            weights = net.trainable_params()
            rounds = [value_and_grad(mean_square(forward), 0, weights)(x) for _ in range(2)]
            found.append((rounds, [each.value() for each in net.get_parameters()]))
            if compiled:
                require_one_step(forward)
        (got, left), (expected, left_before) = found[1], found[0]
        require_equal(got, expected, tolerance)
        require_equal(left, left_before, tolerance)

    def test_gradients_of_dense_layers_match(self):
        self.both(lambda: nn.SequentialCell(nn.Dense(5, 7), nn.ReLU(), nn.Dense(7, 2)), tensor(4, 5))

    def test_convolution_and_batch_normalization(self):
        def build():
            layers = nn.SequentialCell(nn.Conv2d(2, 3, 3), nn.BatchNorm2d(3), nn.ReLU())
            layers.set_train()
            return layers

        self.both(build, tensor(2, 2, 6, 6), 1e-4)

    def test_a_parameter_that_is_shared(self):
        class Twice(nn.Cell):
            def __init__(self):
                super().__init__()
                self.first = nn.Dense(3, 3)
                self.second = nn.Dense(3, 3)
                self.second.weight = self.first.weight

            def construct(self, x):
                return self.second(self.first(x))

        self.both(Twice, tensor(2, 3))

    def test_state_that_the_graph_updates(self):
        class Counting(nn.Cell):
            def __init__(self):
                super().__init__()
                self.dense = nn.Dense(3, 2)
                self.total = Parameter(Tensor(np.zeros(2, np.float32)), name="total", requires_grad=False)

            def construct(self, x):
                y = self.dense(x)
                ops.assign(self.total, self.total + y.mean(0))
                return y * self.total

        self.both(Counting, tensor(4, 3))

    def test_an_optimizer_writes_between_forward_and_backward(self):
        results = []
        for wrap in (lambda net: net, jit):
            dyad.set_seed(3)
            net = nn.Dense(3, 1)
            forward = wrap(net)
            for parameter in net.trainable_params():
                parameter.requires_grad_()
            x = tensor(2, 3).requires_grad_()
            loss = forward(x).sum()
            ops.assign(net.weight, net.weight * 0 + 5)
            loss.backward()
            results.append(x.grad)
        require_equal(results[1], results[0])


class TestAliases:
    def test_a_result_that_is_an_input(self):
        def function(x):
            return x, x * 2

        compiled = jit(function)

        def outer(x):
            same, double = compiled(x)
            assert same is x
            return (same * double).sum()

        require_equal(gradient(outer)(tensor(3)), 4 * tensor(3))
        require_one_step(compiled)

    @pytest.mark.parametrize("jitted", [False, True])
    def test_a_result_that_is_a_view_of_an_input(self, jitted):
        function = jit(lambda x: x[1]) if jitted else lambda x: x[1]

        def outer(x):
            y = x * 3
            row = function(y)
            row.mul_(2)
            y[0] = 0
            return y.sum()

        require_equal(gradient(outer)(tensor(2, 3)), Tensor(np.float32([[0] * 3, [6] * 3])))

    @pytest.mark.parametrize("jitted", [False, True])
    def test_results_that_are_views_of_each_other(self, jitted):
        def function(x):
            y = x * 3
            return y, y[0]

        function = jit(function) if jitted else function

        def outer(x):
            y, row = function(x)
            y.mul_(2)
            return row.sum()

        require_equal(gradient(outer)(tensor(2, 3)), Tensor(np.float32([[6] * 3, [0] * 3])))

    @pytest.mark.parametrize("jitted", [False, True])
    def test_two_views_of_what_is_not_given(self, jitted):
        def function(x):
            y = x * 3
            return y[:2], y[1:]

        function = jit(function) if jitted else function

        def outer(x):
            head, tail = function(x)
            head.mul_(2)
            return tail.sum()

        require_equal(gradient(outer)(tensor(3)), Tensor(np.float32([0, 6, 3])))

    def test_one_value_as_two_results(self):
        def function(x):
            y = x * x
            return y, y

        def outer(function):
            def inner(x):
                first, second = function(x)
                return (first * 2 + second).sum()

            return inner

        require_equal(gradient(outer(jit(function)))(tensor(3)), gradient(outer(function))(tensor(3)))


class TestWrites:
    def test_in_place_on_what_the_graph_makes(self):
        def function(x):
            total = ops.zeros(3)
            total.add_(x)
            total[0] = x[1] * 5
            return (total * x).sum()

        require_same(function, tensor(3))
        require_equal(jit(gradient(function))(tensor(3)), gradient(function)(tensor(3)))

    @pytest.mark.parametrize("jitted", [False, True])
    def test_in_place_on_an_argument(self, jitted):
        def function(total, x):
            total.add_(x * x)
            return total * 2

        function = jit(function) if jitted else function

        def outer(x):
            total = x * 3
            fresh = ops.zeros(3)
            function(fresh, x)
            return (function(total, x) + total + fresh).sum()

        x = tensor(3)
        require_equal(gradient(outer)(x), 9 + 8 * x)

    @pytest.mark.parametrize("jitted", [False, True])
    def test_in_place_on_an_input_that_a_gradient_is_asked_for(self, jitted):
        def function(x):
            x.add_(1)
            return x * 2

        function = jit(function) if jitted else function
        with pytest.raises(
            RuntimeError, match="A leaf tensor that need grad is being used in an inplace operator"
        ):
            gradient(lambda x: function(x).sum())(tensor(3))

    @pytest.mark.parametrize("which", ["input", "output"])
    def test_what_was_saved_is_overwritten(self, which):
        @jit
        def function(x):
            return ops.exp(x) if which == "output" else x * x

        def outer(x):
            y = x * 1
            z = function(y)
            (z if which == "output" else y).add_(1)
            return z.sum()

        place = "output 0" if which == "output" else r"input 0 \('x'\)"
        with pytest.raises(
            RuntimeError, match=rf"function: its gradient needs {place} of shape \(3,\) as it was"
        ):
            gradient(outer)(tensor(3))


class TestTape:
    def test_second_and_third_order(self):
        def function(x, w):
            return (ops.tanh(x @ w) * x.sum()).sum()

        def nested(function, w, times):
            def scalar(x):
                return function(x, w)

            for _ in range(times):
                scalar = (lambda inner: lambda x: (gradient(inner)(x) ** 2).sum())(scalar)
            return scalar

        x, w = tensor(3), tensor(3, 3, seed=1)
        compiled = jit(function)
        for times in (1, 2):
            expected = gradient(nested(function, w, times))(x)
            require_equal(gradient(nested(compiled, w, times))(x), expected, 1e-4)
        require_one_step(compiled)

    def test_second_order_by_the_parameters(self):
        dyad.set_seed(1)
        net = nn.SequentialCell(nn.Dense(3, 4), nn.Tanh(), nn.Dense(4, 1))
        compiled = jit(net)
        weights = net.trainable_params()

        def penalty(forward):
            def of(x):
                return (gradient(lambda x: forward(x).sum())(x) ** 2).sum()

            return gradient(of, None, weights)

        x = tensor(2, 3)
        require_equal(penalty(compiled)(x), penalty(net)(x), 1e-5)

    @pytest.mark.parametrize(
        "transform",
        [
            lambda f, x: dyad.jvp(f, x, x),
            lambda f, x: dyad.jvp(lambda x: dyad.jvp(f, x, x)[1], x, x),
            lambda f, x: gradient(lambda x: dyad.jvp(f, x, x)[1].sum())(x),
            lambda f, x: dyad.jvp(lambda x: gradient(lambda x: f(x).sum())(x), x, x),
            lambda f, x: dyad.jacfwd(dyad.jacrev(f))(x),
            lambda f, x: dyad.jacrev(dyad.jacfwd(f))(x),
            lambda f, x: dyad.vjp(f, x)[1](x),
            lambda f, x: ops.derivative(f, x, 3),
        ],
        ids=["jvp", "jvp jvp", "grad jvp", "jvp grad", "jacfwd jacrev", "jacrev jacfwd", "vjp", "derivative"],
    )
    def test_other_transforms_of_a_jitted_function_match(self, transform):
        w = tensor(3, 3, seed=1)

        def function(x):
            return ops.tanh(x @ w) * x.sum()

        x = tensor(3)
        require_equal(transform(jit(function), x), transform(function, x), 1e-4)

    def test_called_in_a_loop_of_python(self):
        def function(x, w):
            return ops.tanh(x * w)

        def outer(function):
            def inner(x, w):
                for _ in range(5):
                    x = function(x, w)
                return x.sum()

            return gradient(inner, (0, 1))

        x, w = tensor(3), tensor(3, seed=1)
        require_equal(outer(jit(function))(x, w), outer(function)(x, w))

    def test_backward_runs_twice_with_retain_graph(self):
        function = jit(lambda x: (x * x).sum())
        x = tensor(3).requires_grad_()
        y = function(x)
        y.backward(retain_graph=True)
        y.backward()
        require_equal(x.grad, 4 * x.detach())
        with pytest.raises(RuntimeError, match="what this step saved is freed"):
            y.backward()

    def test_an_unused_leaf_gets_no_gradient(self):
        function = jit(lambda x, unused: (x * 2).sum())
        x, unused = tensor(3).requires_grad_(), tensor(2).requires_grad_()
        function(x, unused).backward()
        assert unused.grad is None
        require_equal(x.grad, ops.ones(3) * 2)

    def test_no_grad_around_the_call(self):
        function = jit(lambda x: x * 2)

        def outer(x):
            with no_grad():
                constant = function(x)
            return (constant * x).sum()

        require_equal(gradient(outer)(tensor(3)), 2 * tensor(3))

    def test_hooks_on_inputs_and_results(self):
        seen = []
        function = jit(lambda x: ops.exp(x))

        def outer(x):
            y = x * 2
            y.register_hook(lambda g: seen.append("y") or g * 3)
            z = function(y)
            z.register_hook(lambda g: seen.append("z"))
            return z.sum()

        x = tensor(3)
        require_equal(gradient(outer)(x), 6 * ops.exp(2 * x), 1e-5)
        assert seen == ["z", "y"]

    def test_gradients_inside_recompute_match(self):
        weight = Parameter(tensor(3, seed=1), name="weight")

        class Block(nn.Cell):
            def __init__(self):
                super().__init__()
                self.weight = weight
                self.inner = jit(lambda x: ops.exp(x * weight) * weight)

            def construct(self, x):
                return self.inner(x)

        block = Block()
        x = tensor(3)
        expected = gradient(lambda x: (ops.exp(x * weight) * weight).sum(), 0, [weight])(x)
        require_equal(gradient(lambda x: dyad.recompute(block, x).sum(), 0, [weight])(x), expected, 1e-5)

    def test_printing_and_raising_happen_once(self, capfd):
        @jit
        def function(x):
            print("sum", x.sum())
            if x.sum() > 100:
                raise ValueError("too large")
            return x * 2

        gradient(lambda x: function(x).sum())(tensor(3))
        assert capfd.readouterr().out.count("sum") == 1
        with pytest.raises(ValueError, match="too large"):
            gradient(lambda x: function(x).sum())(tensor(3) * 1000)
        require_one_step(function)

    def test_an_operator_without_a_gradient_is_refused_when_it_is_walked_through(self):
        def function(x):
            return ops.matrix_exp(x) if hasattr(ops, "matrix_exp") else x

        x = tensor(2, 2)
        require_equal(jit(function)(x), function(x), 1e-5)

    def test_closures_that_ask_for_a_gradient(self):
        scale = tensor(3, seed=1).requires_grad_()
        function = jit(lambda x: x * scale)
        x = tensor(3).requires_grad_()
        function(x).sum().backward()
        require_equal(x.grad, scale.detach())
        if (
            scale.grad is not None
        ):  # a tensor around the function is a constant of the graph or an input of it
            require_equal(scale.grad, x.detach())


class TestUpkeep:
    def test_calls_keep_nothing(self):
        function = jit(lambda x, w: ops.tanh(x @ w).sum())
        step = gradient(function, (0, 1))
        x, w = tensor(4, 4), tensor(4, 4, seed=1)

        def count():
            gc.collect()
            return len(gc.get_objects())

        for _ in range(20):
            step(x, w)
        before = count()
        for _ in range(2000):
            step(x, w)
        assert count() - before < 50

    def test_results_that_are_dropped_without_a_backward(self):
        function = jit(lambda x: ops.exp(x) * x)
        x = tensor(4).requires_grad_()
        gc.collect()
        before = len(gc.get_objects())
        for _ in range(2000):
            function(x)
        gc.collect()
        assert len(gc.get_objects()) - before < 50

    def test_gradients_in_concurrent_threads_match(self):
        function = jit(lambda x, w: ops.tanh(x @ w).sum())
        plain = lambda x, w: ops.tanh(x @ w).sum()  # noqa: E731
        failures = []

        def work(seed):
            x, w = tensor(6, 6, seed=seed), tensor(6, 6, seed=seed + 50)
            expected = gradient(plain, (0, 1))(x, w)
            try:
                for _ in range(30):
                    require_equal(gradient(function, (0, 1))(x, w), expected)
            except AssertionError as error:
                failures.append(error)

        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failures

    def test_explain_shows_what_was_derived(self):
        function = jit(lambda x: ops.exp(x) * x)
        x = tensor(3)
        assert dyad.explain(function)(x).derived == ()
        gradient(lambda x: function(x).sum())(x)
        explanation = dyad.explain(function)(x)
        (pair,) = explanation.derived
        assert pair.residuals >= 1 and pair.residual_bytes >= 12
        assert pair.forward_nodes >= 2 and pair.backward_nodes >= 2
        assert "one step on the tape" in str(explanation)
