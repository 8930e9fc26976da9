"""NumPy and SciPy on constants and on run-time data: made, computed, read, written in place, returned, asked."""

import numpy as np
import scipy.linalg
import scipy.special
from hosting import LOG, hosted, hosted_scene, log, total
from program import Raises, Scene, scene

import dyad
from dyad import Tensor, ops

X = Tensor([1.0, 2.0])
Y = Tensor([4.0, -3.0])
M = Tensor([[1.0, 2.0], [3.0, 4.0]])
S = Tensor(5.0)
N = Tensor(2)


@hosted(X, expect=[4.0, 8.0])
def sum_of_an_array_as_a_factor(x):
    y = x + 1
    a = y.asnumpy()
    return x * (float(a.sum()) - 1)


@hosted(X)
def array_between_two_graphs(x):
    a = np.sort((x * -2).asnumpy())[::-1]
    y = Tensor(np.ascontiguousarray(a))
    return y * y + x


@hosted(X)
def array_and_tensor_returned(x):
    a = (x * 2).asnumpy()
    b = np.concatenate([a, a + 1])
    return b, Tensor(b), b.dtype.name, b.shape


@hosted(X, N, expect=([8.0, 9.0],))
def array_written_at_a_run_time_index(x, n):
    a = np.zeros(3, np.float32)
    a[int(n)] = 7.0
    return (x + Tensor(a).sum(),)


@hosted(X)
def array_element_set_to_a_tensor(x):
    a = np.zeros((2, 2), np.float32)
    a[1] = x
    a[0, 1] = x.sum()
    return a, Tensor(a) * 2


@hosted(X)
def array_written_through_a_view(x):
    a = np.zeros((2, 3))
    row, column = a[1], a[:, 0]
    row[:] = total(x)
    y = x * float(a[1, 2])
    column += 1
    y = y + float(a.sum())
    return y, a, row.base is a, column.base is a


@hosted(X)
def view_written_after_the_graph_read_it(x):
    a = np.arange(4.0, dtype=np.float32)
    half = a[::2]
    before = Tensor(a) * x.sum()
    half *= -1
    after = Tensor(a) * x.sum()
    return before, after, half


@hosted(X)
def arrays_that_are_one(x):
    a = np.ones(2)
    pair = [a, a]
    pair[0] += total(x)
    b = pair[1]
    b[0] = 0
    return x * float(a[1]), pair, a is b


@hosted_scene(X)
def array_of_the_outside_written():
    memory = np.zeros(3)

    def f(x):
        y = x * 2
        memory[1:] += y.asnumpy().sum()
        return y + float(memory[2])

    def change():
        memory[:] = 100

    return Scene(f, change, lambda: memory)


@hosted_scene(X)
def array_of_the_outside_is_output():
    memory = np.zeros(2)

    def f(x):
        given = np.multiply(x.asnumpy(), 3, out=memory)
        np.copyto(memory[:1], 7)
        return x + Tensor(memory).astype(x.dtype), given is memory

    return Scene(f, watch=lambda: memory)


@hosted_scene(np.array([1.0, 2.0]), X, then=[(np.array([1, 2]), X), (np.zeros((2, 2)), Y)])
def array_argument_written():
    def f(a, x):
        y = x * float(a.flat[0])
        a[...] = a * 2
        a.flat[1] = y.sum()
        return y, a

    return f


@hosted(X)
def conditions_on_arrays(x):
    a = (x - 1.5).asnumpy()
    if (a > 0).any():
        x = x * 2
    if np.all(a < 0):
        x = x - 10
    elif a[0] < 0 <= a[1]:
        x = x + 100
    return x


@hosted(X)
def ambiguous_array_is_asked(x):
    y = x * 2
    LOG.append("before")
    if y.asnumpy() > 2:
        return y
    LOG.append("never")
    return x


@hosted(X)
def comparison_with_an_array(x):
    a = x.asnumpy()
    same = x == a
    less = a < 1.5
    return same, less, x[Tensor(less)], bool(np.array_equal(x, a))


@hosted(X)
def loop_over_an_array(x):
    for number, value in enumerate((x * 2).asnumpy()):
        if value > 3:
            break
        x = x + float(value) * number
    else:
        x = x * 10
    return x, float(value), number


@hosted(M)
def loop_over_rows_with_a_view(m):
    a = m.asnumpy().copy()
    for row in a:
        row /= 2
        m = m + Tensor(row)
    return m, a


@hosted(X)
def ufunc_on_a_tensor(x):
    a = np.add(x, 1)
    b = np.maximum.accumulate(np.subtract(1, x))
    return type(a), a * b, Tensor(a * b).sum()


@hosted(X)
def array_times_tensor(x):
    a = np.array([2.0, 3.0], np.float32)
    left = a * x
    b = np.ones(2, np.float32)
    b += x
    b[0] -= x[1]
    return left, b, np.float32(2) * x, x * np.float64(0.5), x - np.int64(3)


@hosted(X, expect=Raises(TypeError, "NumPy array"))
def tensor_plus_array(x):
    log("tried")
    return x + np.array([1.0, 2.0])


@hosted(X)
def tensor_plus_array_is_caught(x):
    a, y = np.ones(2), x * 2
    try:
        y = y * 3
        y = y + a
        y = y * 5
    except TypeError as error:
        return y, str(error)
    return None


@hosted(X)
def tensor_at_places_of_an_array(x):
    places = np.argsort(-x.asnumpy())
    y = x[places]
    z = ops.zeros(2, x.dtype)
    z[np.array([1])] = y[0]
    return y, z, places


@hosted(X)
def seeded_random_numbers(x):
    np.random.seed(7)
    first = np.random.randint(0, 100, 3)
    generator = np.random.default_rng(int(total(x)) ** 2)
    second = generator.permutation(5)
    return x * float(first[0]), first, second, Tensor(generator.integers(0, 9, 2)) + 1


@hosted_scene(X)
def generator_of_the_outside_goes_on():
    generator = np.random.default_rng(3)

    def f(x):
        a = generator.integers(0, 1000, 2)
        y = x * float(a[0])
        b = generator.integers(0, 1000)
        return y + int(b), a

    return Scene(f, watch=lambda: generator.bit_generator.state["state"]["state"])


@hosted(X)
def generator_and_its_child(x):
    parent = np.random.default_rng(11)
    noise = [parent.integers(10) for _ in range(int(abs(total(x))))]
    shuffled = list(range(6))
    parent.shuffle(shuffled)
    return x + sum(map(int, noise)), shuffled


@hosted(X)
def attributes_of_an_array_set(x):
    a = np.zeros((2, 2), np.complex64)
    a.flat = [1, 2, total(x), 4]
    a[0].imag = total(x)
    a.flags.writeable = False
    try:
        a[0] = total(x)
    except ValueError as error:
        log(str(error))
    return x * float(a.imag.sum()), a.T, a.flags.writeable


@hosted(X)
def fields_and_texts(x):
    table = np.zeros(2, dtype=[("name", "U3"), ("value", "f4")])
    table["name"] = ["a", "b"]
    table["value"] = x
    table[0]["value"] += 1
    names = np.char.add(table["name"], "!")
    return table, names, Tensor(table["value"].copy()) * 2


@hosted(X)
def array_of_objects(x):
    held = np.empty(2, dtype=object)
    held[0], held[1] = x, [1, 2]
    held[1].append(total(x))
    return held[0] is x, held[1], held[0] * held[1][2]


@hosted(X)
def asnumpy_is_written(x):
    y = x * 1
    a = y.asnumpy().copy()
    a[0] = 50
    return y, a, np.shares_memory(a, y.asnumpy())


@hosted(X)
def tensor_made_of_an_array_is_a_copy(x):
    a = np.ones(2, np.float32)
    t = Tensor(a)
    a[0] = total(x)
    u = dyad.tensor(a, dtype=dyad.float16)
    a[:] = 0
    return t, u, x + t + u


@hosted(X)
def memory_shared_with_an_array(x):
    a = np.ones(2, np.float32)
    t = Tensor.from_numpy(a)
    a[0] = total(x)
    y = t * 2
    a[1] = 8
    return y, t * 1, x + t


@hosted(M)
def functions_of_libraries(m):
    a = m.asnumpy().astype(np.float64)
    eigen = np.linalg.eigvalsh(a @ a.T + np.eye(2))
    solved = scipy.linalg.solve(np.eye(2) * 2, a)
    return m + Tensor(solved).astype(m.dtype), np.round(eigen, 6), scipy.special.comb(5, 2, exact=True)


@hosted(M, vary=False)
def singular_matrix_is_caught(m):
    y = m * 2
    try:
        a = np.linalg.inv(y.asnumpy().astype(np.float64) * 0)
        y = y + 1
    except np.linalg.LinAlgError as error:
        y, a = y - 1, str(error)
    return y, a


@hosted(X)
def warning_of_numpy(x):
    with np.errstate(divide="ignore", invalid="ignore"):
        a = x.asnumpy() / np.zeros(2, np.float32)
    try:
        with np.errstate(all="raise"):
            np.float32(1) / np.float32(0)
    except FloatingPointError as error:
        return a, x * 2, str(error)
    return a, x


@hosted(X)
def iterator_over_an_array(x):
    a = (x * 1).asnumpy().copy()
    it = np.nditer(a, op_flags=["readwrite"])
    with it:
        for value in it:
            value[...] = value * 2
    pairs = [(index, float(value)) for index, value in np.ndenumerate(a)]
    return x + pairs[1][1], pairs


@hosted(X)
def vectorized_function_of_the_program(x):
    seen = []

    @np.vectorize
    def clipped(value):
        seen.append(float(value))
        return min(float(value), 1.5)

    a = clipped(x.asnumpy())
    return x * Tensor(a).astype(x.dtype), len(seen), seen[-1]


@hosted(X)
def along_axes(x):
    a = np.apply_along_axis(lambda row: row.sum() * np.ones(2), 1, np.stack([x, x * 2]))
    return x * 0 + float(a[1, 0]), a


@hosted(N, then=[(Tensor(0),), (Tensor(5),), (Tensor(2, dyad.int32),)])
def shape_by_run_time_number(n):
    a = np.ones((int(n), 2), np.float32)
    t = Tensor(a.sum(0))
    return t * 3, a.shape, ops.ones((2, len(a) + 1))


@hosted(X, trace=True, expect=[3.0, 6.0])
def constant_of_numpy(x):
    a = np.linspace(0, 2, 3)
    return x * float(a.sum())


@hosted(X, trace=True)
def constants_of_numpy_as_tensors(x):
    a = np.eye(2, dtype=np.float32)
    a[0] += 1
    return Tensor(a) @ x.astype(dyad.float32), Tensor(np.tril(a, -1))


@hosted_scene(X)
def dtype_depends_on_the_call():
    kinds = iter([np.float32, np.int64, np.float16, np.float64, np.int32, np.float32, np.bool_])

    def f(x):
        a = x.asnumpy().astype(next(kinds))
        t = Tensor(a) + 1
        return t, t.dtype

    return f


@hosted_scene(X)
def shape_depends_on_the_call():
    calls = []

    def f(x):
        calls.append(None)
        t = Tensor(np.ones((len(calls), 2), np.float32))
        return (t * 2).sum(0) + x, t.shape

    return Scene(f, watch=lambda: len(calls))


def _array_scene(name, function):
    """A scene in which NumPy writes to an array from outside that is a positional argument."""

    def build():
        table, row = np.arange(6.0).reshape(2, 3), np.array([1.0, np.nan, 3.0])

        def f(x):
            function(table, row)
            log(total(x))
            return x * 2, table.sum(), np.nansum(row)

        def change():
            table[0] = 7.0

        return Scene(f, change, watch=lambda: (table, row))

    build.__name__ = f"numpy_writes_by_{name}"
    scene(Tensor([1.0, 2.0]), strict=False)(build)


for _name, _function in {
    "cumsum": lambda table, row: np.cumsum(table, 1, None, table),
    "cumsum_of_an_array": lambda table, row: table.cumsum(1, None, table),
    "max": lambda table, row: np.max(table, 0, row),
    "sum_of_an_array": lambda table, row: table.sum(0, None, row),
    "clip": lambda table, row: np.clip(table, 0, 1, table),
    "reduce": lambda table, row: np.add.reduce(table, 0, None, row),
    "dot": lambda table, row: np.dot(np.ones(2), table, row),
    "concatenate": lambda table, row: np.concatenate([row[:1], row[1:] * 2], 0, row),
    "nan_to_num": lambda table, row: np.nan_to_num(row, False),
    "median": lambda table, row: np.median(table, 1, None, True),
}.items():
    _array_scene(_name, _function)
