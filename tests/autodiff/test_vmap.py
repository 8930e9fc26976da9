"""`vmap` against a Python loop over the slices."""

import numpy as np
import pytest

import dyad
from dyad import Tensor, grad, jit, nn, ops, vmap


def array(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def tensor(*shape, seed=0):
    return Tensor(array(*shape, seed=seed))


def close(found, wanted, **tolerance):
    np.testing.assert_allclose(found.asnumpy(), np.asarray(wanted), rtol=1e-4, atol=1e-5, **tolerance)


def by_loop(fn, *stacks):
    """`fn` on each slice along the first axis of every Tensor."""
    return np.stack([fn(*slices).asnumpy() for slices in zip(*stacks, strict=True)])


def scores(x, w):
    return ops.softmax(ops.matmul(x, w), -1).sum(0)


def test_one_argument():
    def f(x):
        return (x * 2 + 1).sum()

    x = tensor(4, 3)
    close(vmap(f)(x), by_loop(f, x))


def test_all_arguments():
    x, w = tensor(3, 2, 4), tensor(3, 4, 5, seed=1)
    close(vmap(scores)(x, w), by_loop(scores, x, w))


@pytest.mark.parametrize("in_axes", [(0, None), [0, None], (-3, None)])
def test_an_argument_for_every_slice(in_axes):
    x, w = tensor(3, 2, 4), tensor(4, 5, seed=1)
    close(vmap(scores, in_axes)(x, w), by_loop(lambda part: scores(part, w), x))


def test_only_the_second_argument():
    x, w = tensor(2, 4), tensor(3, 4, 5, seed=1)
    close(vmap(scores, (None, 0))(x, w), by_loop(lambda part: scores(x, part), w))


def test_axes_that_are_not_the_first():
    x, y = array(2, 3, 4), array(4, 5, seed=1)

    def f(a, b):
        return a.sum(0) + b[0]

    wanted = np.stack([x[:, :, i].sum(0) + y[i, 0] for i in range(4)])
    close(vmap(f, (2, 0))(Tensor(x), Tensor(y)), wanted)
    close(vmap(f, (-1, -2), -1)(Tensor(x), Tensor(y)), wanted.T)


@pytest.mark.parametrize("form", [lambda fn: fn, jit, lambda fn: jit(fn, capture_mode="trace")])
def test_out_axes_of_one_entry_place_a_result_that_is_not_in_a_tuple(form):
    x = tensor(4, 3)
    for axis in (0, 1, -1):
        program = form(lambda x, axis=axis: vmap(lambda part: part * 2, 0, (axis,))(x))
        close(program(x), (x * 2).asnumpy() if axis == 0 else (x * 2).T.asnumpy())


def test_trees_of_axes():
    def f(pair, table):
        a, (b, c) = pair
        return a + b * c, {"sum": a.sum() + table["bias"]}

    a, b, c = tensor(3, 2), tensor(2, 3, seed=1), tensor(2, seed=2)
    bias = tensor(3, seed=3)
    found, table = vmap(f, ((0, (1, None)), {"bias": 0}), (1, {"sum": 0}))((a, (b, c)), {"bias": bias})
    close(found, np.stack([a.asnumpy()[i] + b.asnumpy()[:, i] * c.asnumpy() for i in range(3)], 1))
    close(table["sum"], a.asnumpy().sum(1) + bias.asnumpy())


def test_an_int_for_a_whole_tree():
    def f(parts):
        return parts[0] * parts[1]["x"]

    a, b = tensor(3, 2), tensor(3, 2, seed=1)
    close(vmap(f)([a, {"x": b}]), a.asnumpy() * b.asnumpy())


def test_keyword_arguments():
    def f(x, scale, shift=None):
        return x * scale + shift

    x, shift = tensor(3, 2), tensor(3, 2, seed=1)
    close(vmap(f)(x, 2.0, shift=shift), x.asnumpy() * 2 + shift.asnumpy())
    one = tensor(2, seed=2)
    close(vmap(f, (0, None))(x, 2.0, shift=one), x.asnumpy() * 2 + one.asnumpy())


def test_outputs_that_no_slice_differs_in_are_repeated():
    y = tensor(2, seed=1)

    def f(x):
        return x, y * 2, 3

    x = tensor(3, 2)
    same, repeated, number = vmap(f)(x)
    close(same, x.asnumpy())
    close(repeated, np.stack([y.asnumpy() * 2] * 3))
    assert number.asnumpy().tolist() == [3, 3, 3]
    assert vmap(f, 0, (0, None, None))(x)[2] == 3
    close(vmap(f, 0, (0, None, None))(x)[1], y.asnumpy() * 2)
    close(vmap(f, 0, (0, 1, 0))(x)[1], np.stack([y.asnumpy() * 2] * 3, 1))


def test_containers_come_back_as_they_are():
    def f(x):
        return {"a": [x, (x + 1,)], "text": "abc", "none": None}

    x = tensor(3, 2)
    found = vmap(f)(x)
    assert found["text"] == "abc" and found["none"] is None
    close(found["a"][1][0], x.asnumpy() + 1)
    assert isinstance(found["a"], list) and isinstance(found["a"][1], tuple)


def test_nested_vmap_maps_each_axis():
    def f(x, y):
        return (x * y).sum()

    x, y = tensor(3, 2, 4), tensor(5, 4, seed=1)
    pairs = vmap(vmap(vmap(f, (None, 0)), (0, None)), (0, None))(x, y)
    close(pairs, np.einsum("abk,ck->abc", x.asnumpy(), y.asnumpy()))


def test_inside_jit_and_around_it():
    def f(x):
        return ops.tanh(x).sum()

    x = tensor(4, 3)
    wanted = np.tanh(x.asnumpy()).sum(1)
    close(jit(lambda part: vmap(f)(part))(x), wanted)
    close(jit(vmap(f))(x), wanted)
    close(vmap(jit(f))(x), wanted)


def test_compiled_once():
    calls = []

    def f(x):
        calls.append(1)
        return x * 2

    def g(x):
        return x * 2

    mapped = vmap(g)
    x = tensor(4, 3)
    mapped(x)
    close(mapped(x + 1), (x.asnumpy() + 1) * 2)
    with pytest.raises(RuntimeError, match="vmap: the function changes"):
        vmap(f)(x)


def test_vmap_of_a_cell_is_a_loop_over_the_slices():
    net = nn.SequentialCell(nn.Dense(4, 3), nn.ReLU(), nn.Dense(3, 2))
    x = tensor(5, 6, 4)
    close(vmap(net)(x), by_loop(net, x))


def test_vmap_of_a_cell_list_has_a_cell_per_slice():
    cells = nn.CellList([nn.SequentialCell(nn.Dense(4, 3), nn.Tanh(), nn.Dense(3, 2)) for _ in range(3)])
    x = tensor(3, 6, 4)
    close(vmap(cells)(x), np.stack([cell(part).asnumpy() for cell, part in zip(cells, x, strict=True)]))
    one = tensor(6, 4, seed=1)
    close(vmap(cells, None)(one), np.stack([cell(one).asnumpy() for cell in cells]))
    cells[1][0].weight.set_data(cells[1][0].weight * 2)
    close(vmap(cells, None)(one), np.stack([cell(one).asnumpy() for cell in cells]))


def test_writes_in_place():
    def f(x, y):
        buffer = ops.zeros((2, 3))
        buffer[0] = x
        buffer[1, 1:] += y
        row = buffer[0]
        row.mul_(2)
        copied = x.copy()
        copied[0] = 7
        return buffer, copied, x

    x, y = tensor(4, 3), tensor(4, 2, seed=1)
    buffer, copied, same = vmap(f)(x, y)
    for i in range(4):
        wanted = np.zeros((2, 3), np.float32)
        wanted[0] = x.asnumpy()[i] * 2
        wanted[1, 1:] += y.asnumpy()[i]
        close(buffer[i], wanted)
        close(copied[i], [7, *x.asnumpy()[i, 1:]])
    close(same, x.asnumpy())


def test_mapped_indices_index_mapped_tensors():
    table = tensor(6, 3)

    def f(i, x):
        return table[i] + x[i % 2] + x[:, 0][1]

    index = Tensor(np.array([0, 3, 5], np.int64))
    x = tensor(3, 2, 3, seed=1)
    close(vmap(f)(index, x), np.stack([f(index[i], x[i]).asnumpy() for i in range(3)]))


def test_convolution_with_weights_of_every_slice():
    x, w = tensor(3, 2, 4, 6, 6), tensor(3, 5, 4, 3, 3, seed=1)

    def f(x, w):
        return ops.conv2d(x, w)

    close(vmap(f)(x, w), by_loop(f, x, w))
    close(vmap(f, (0, None))(x, w[0]), by_loop(lambda part: f(part, w[0]), x))
    close(vmap(f, (None, 0))(x[0], w), by_loop(lambda part: f(x[0], part), w))


def test_symbolic_dims():
    def f(x):
        return ops.softmax(x, -1) * x.sum()

    mapped = jit(lambda x: vmap(f)(x), dynamic=1)
    for rows in (2, 3, 5):
        x = tensor(rows, 4)
        close(mapped(x), by_loop(f, x))


def test_dropout_is_the_same_for_every_slice():
    x = Tensor(np.ones((4, 50), np.float32))
    same = vmap(lambda part: ops.dropout(part, 0.5))(x).asnumpy()
    assert (same == same[0]).all() and 0 < (same == 0).sum() < same.size
    apart = vmap(lambda part: ops.dropout(part, 0.5), randomness="different")(x).asnumpy()
    assert (apart != apart[0]).any()


def test_without_compilation(monkeypatch):
    monkeypatch.setenv("MS_JIT", "0")
    x, w = tensor(3, 2, 4), tensor(3, 4, 5, seed=1)
    close(vmap(scores)(x, w), by_loop(scores, x, w))
    ones = Tensor(np.ones((4, 50), np.float32))
    same = vmap(lambda part: ops.dropout(part, 0.5))(ones).asnumpy()
    assert (same == same[0]).all()


def test_in_a_trace():
    x, w = tensor(3, 2, 4), tensor(3, 4, 5, seed=1)
    traced = jit(lambda x, w: vmap(scores)(x, w), capture_mode="trace")
    for _ in range(2):
        close(traced(x, w), by_loop(scores, x, w))


def test_vmap_is_one_function_under_all_its_names():
    assert ops.vmap is vmap is dyad.vmap
    assert "vmap" in repr(vmap(scores))


def test_gradients_of_every_slice():
    def f(x, w):
        return (ops.tanh(x * w) ** 2).sum()

    x, w = tensor(4, 3), tensor(3, seed=1)
    close(vmap(grad(f), (0, None))(x, w), np.stack([grad(f)(part, w).asnumpy() for part in x]))
    by_w = vmap(grad(f, 1), (0, None))(x, w)
    close(by_w, np.stack([grad(f, 1)(part, w).asnumpy() for part in x]))
    close(jit(lambda x, w: vmap(grad(f, 1), (0, None))(x, w))(x, w), by_w.asnumpy())


def test_gradients_through_all_slices():
    def f(x, w):
        return (ops.tanh(x * w) ** 2).sum()

    x, w = tensor(4, 3), tensor(3, seed=1)

    def total(x, w):
        return vmap(f, (0, None))(x, w).sum()

    def by_hand(x, w):
        return (ops.tanh(x * w) ** 2).sum()

    for position in (0, 1):
        wanted = grad(by_hand, position)(x, w)
        close(grad(total, position)(x, w), wanted.asnumpy())
        close(jit(grad(total, position))(x, w), wanted.asnumpy())
        close(jit(lambda x, w, position=position: grad(total, position)(x, w))(x, w), wanted.asnumpy())


def test_gradients_by_what_the_function_closes_over():
    x, w = tensor(4, 3), tensor(3, seed=1)

    @jit
    def program(x, w):
        def total(w):
            row = w[:2]
            return vmap(lambda part: (part * w).sum() * row.sum())(x).sum()

        return grad(total)(w)

    def plain(w):
        return ((x * w).sum(1) * w[:2].sum()).sum()

    close(program(x, w), grad(plain)(w).asnumpy())


def test_gradients_of_a_network_for_every_sample():
    net = nn.SequentialCell(nn.Dense(4, 3), nn.ReLU(), nn.Dense(3, 2))
    parameters = net.trainable_params()

    def loss(x, label):
        return ops.cross_entropy(net(x.expand_dims(0)), label.expand_dims(0))

    x, labels = tensor(5, 4), Tensor(np.array([0, 1, 1, 0, 1], np.int32))
    found = vmap(grad(loss, None, parameters))(x, labels)
    for i in range(5):
        wanted = grad(loss, None, parameters)(x[i], labels[i])
        for all_slices, one in zip(found, wanted, strict=True):
            close(all_slices[i], one.asnumpy())


def test_gradients_of_cells_from_outside():
    net = nn.Dense(4, 3)
    x = tensor(5, 2, 4)

    def total(x):
        return (vmap(net)(x) ** 2).sum()

    def plain(x):
        return (net(x) ** 2).sum()

    parameters = net.trainable_params()
    for found, wanted in zip(grad(total, None, parameters)(x), grad(plain, None, parameters)(x), strict=True):
        close(found, wanted.asnumpy())


def test_jacobian_and_hessian_by_vmap():
    def f(x):
        return (x**3).sum()

    x = tensor(4)
    basis = Tensor(np.eye(4, dtype=np.float32))

    def product(v):
        return grad(lambda y: (grad(f)(y) * v).sum())(x)

    close(vmap(product)(basis), np.diag(6 * x.asnumpy()))
