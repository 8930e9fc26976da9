"""State that a program read during capture and that has changed since: no result may be stale."""

import types

import numpy as np
from program import Scene, program, scene

import dyad
from dyad import Tensor, nn, ops

X = Tensor([1.0, 2.0])
S = Tensor(5.0)

K = 2
ITEMS = [1, 2]
TABLE = {"k": 2}
FLAG = False
LAYER = None
TENSOR = None


def _double(x):
    return x * 2


@scene(X, expect=[2.0, 4.0], changed=[5.0, 10.0])
def global_number():
    global K
    K = 2

    def change():
        global K
        K = 5

    return Scene(lambda x: x * K, change)


@scene(X, expect=[2.0, 4.0], changed=[2.0, 4.0])
def global_number_changes_its_type():
    global K
    K = 2

    def f(x):
        return x * K if isinstance(K, int) else x * 2

    def change():
        global K
        K = 2.0

    return Scene(f, change)


@scene(X)
def global_list():
    ITEMS[:] = [1, 2]

    def f(x):
        return x * ITEMS[0] + len(ITEMS)

    return Scene(f, lambda: ITEMS.insert(0, 7))


@scene(X)
def global_list_element():
    ITEMS[:] = [1, 2]

    def f(x):
        return x * ITEMS[1]

    def change():
        ITEMS[1] = 50

    return Scene(f, change)


@scene(X)
def global_dict_iterated():
    TABLE.clear()
    TABLE["k"] = 2

    def f(x):
        for key, value in TABLE.items():
            x = x * value + len(key)
        return x

    return Scene(f, lambda: TABLE.update(other=3))


@scene(X, expect=[2.0, 4.0], changed=[100.0, 200.0])
def global_function_rebound():
    global scale
    scale = _double

    def f(x):
        return scale(x)

    def change():
        global scale
        scale = lambda x: x * 100

    return Scene(f, change)


@scene(X, expect=[11.0, 22.0], changed=[1.0, 1.0])
def global_tensor_rebound():
    global TENSOR
    TENSOR = Tensor([10.0, 20.0])

    def f(x):
        return x + TENSOR if TENSOR.shape == (2,) else x

    def change():
        global TENSOR
        TENSOR = Tensor([0.0, -1.0])

    return Scene(f, change)


@scene(X, expect=[11.0, 22.0], changed=[101.0, 22.0])
def global_tensor_written_in_place():
    global TENSOR
    TENSOR = Tensor([10.0, 20.0])

    def f(x):
        return x + TENSOR

    def change():
        TENSOR[0] = 100.0

    return Scene(f, change, lambda: TENSOR)


@scene(X)
def global_tensor_written_by_the_program():
    global TENSOR
    TENSOR = Tensor([10.0, 20.0])

    def f(x):
        TENSOR.add_(x)
        return TENSOR * 2

    return Scene(f, lambda: TENSOR.zero_(), lambda: TENSOR)


@scene(X)
def global_cell_rebound():
    global LAYER
    LAYER = nn.Dense(2, 2, weight_init=1.0)

    def f(x):
        return LAYER(x.reshape(1, 2))

    def change():
        global LAYER
        LAYER = nn.Dense(2, 2, weight_init=3.0)

    return Scene(f, change)


@scene(X, expect=([3.0, 4.0], 3), again=([4.0, 5.0], 4), strict=False)
def global_rebound_by_the_program():
    global K
    K = 2

    def f(x):
        global K
        K += 1
        return x + K - 1, K

    return Scene(f, watch=lambda: K)


@scene(X, expect=[101.0, 102.0], strict=False)
def global_written_then_read():
    global K
    K = 2

    def f(x):
        global K
        K = 100
        return x + K

    return Scene(f, watch=lambda: K)


@scene(S, strict=False)
def global_written_in_one_arm():
    global K
    K = 2

    def f(x):
        global K
        if x > 0:
            K = 10
        return x * K

    def change():
        global K
        K = 7

    return Scene(f, change, lambda: K)


@scene(X, strict=False)
def global_written_by_a_callee():
    global K
    K = 0

    def note():
        global K
        K += 1

    def f(x):
        note()
        note()
        return x * K

    return Scene(f, watch=lambda: K)


@scene(X)
def global_defined_later():
    globals().pop("LATE", None)

    def f(x):
        return x * LATE

    def change():
        globals()["LATE"] = 3

    return Scene(f, change)


@scene(X, expect=[2.0, 4.0], changed=[50.0, 100.0])
def closure_rebound():
    k = 2

    def f(x):
        return x * k

    def change():
        nonlocal k
        k = 50

    return Scene(f, change)


@scene(X)
def closure_of_a_closure_rebound():
    k = 2

    def inner(x):
        return x * k

    def f(x):
        return inner(x) + 1

    def change():
        nonlocal k
        k = 50

    return Scene(f, change)


@scene(X, strict=False)
def closure_written_by_the_program():
    n = 0

    def f(x):
        nonlocal n
        n += 1
        return x * n

    def change():
        nonlocal n
        n = 10

    return Scene(f, change, lambda: n)


@scene(X, changed=[9.0, 18.0])
def default_of_a_callee_changed():
    def inner(x, k=2):
        return x * k

    def change():
        inner.__defaults__ = (9,)

    return Scene(lambda x: inner(x), change)


@scene(X, changed=[9.0, 18.0])
def default_of_the_top_changed():
    def f(x, k=2):
        return x * k

    def change():
        f.__defaults__ = (9,)

    return Scene(f, change)


@scene(X)
def code_of_a_callee_replaced():
    def inner(x):
        return x + 1

    def other(x):
        return x - 1

    def change():
        inner.__code__ = other.__code__

    return Scene(lambda x: inner(x), change)


@scene(X)
def attribute_of_a_module_changed():
    module = types.ModuleType("settings")
    module.scale = 2

    def f(x):
        return x * module.scale

    def change():
        module.scale = 30

    return Scene(f, change)


@scene(X)
def numpy_array_in_a_closure():
    array = np.array([1.0, 2.0], np.float32)

    def f(x):
        return x + Tensor(array)

    def change():
        array[0] = 100.0

    return Scene(f, change)


@scene(X)
def global_flag_chooses_a_dtype():
    global FLAG
    FLAG = False

    def f(x):
        return x.astype(dyad.float16) if FLAG else x

    def change():
        global FLAG
        FLAG = True

    return Scene(f, change)


@scene(X)
def attribute_removed():
    class Box:
        k = 3

    box = Box()
    box.k = 10

    def f(x):
        return x * box.k

    def change():
        del box.k

    return Scene(f, change)


@scene(X)
def deep_path_of_attributes():
    class Node:
        def __init__(self, value, inner=None):
            self.value, self.inner = value, inner

    root = Node(1, Node(2, Node({"k": [5, 6]})))

    def f(x):
        return x * root.inner.inner.value["k"][1]

    def change():
        root.inner.inner.value["k"][1] = 60

    return Scene(f, change)


@scene(X)
def replaced_in_the_middle_of_a_path():
    class Node:
        def __init__(self, value):
            self.value = value

    holder = {"node": Node(2)}

    def f(x):
        return x * holder["node"].value

    def change():
        holder["node"] = Node(2.5)

    return Scene(f, change)


@scene(X, Tensor([3.0, 4.0]))
def contents_of_an_argument_tuple():
    def f(x, y):
        y[0] = 100.0
        pair = (x, y)
        return pair[0] * pair[1]

    return f


@scene(X)
def random_numbers_follow_the_seed():
    def f(x):
        return ops.rand((3,)) + ops.randn((3,)), ops.randperm(6), x

    return Scene(f, lambda: dyad.set_seed(11))


@scene(X)
def random_numbers_between_dynamic_and_static():
    def f(x):
        return ops.uniform((2,), Tensor(0.0), Tensor(1.0))

    return Scene(f, after=lambda result, x: ops.rand((2,)))


@scene(S)
def random_numbers_in_one_arm():
    def f(x):
        if x > 0:
            y = ops.rand((2,))
        else:
            y = ops.rand((2,)) + ops.rand((2,))
        return y, ops.rand((1,))

    return f


@scene(Tensor(3))
def random_numbers_in_a_tensor_loop():
    def f(n):
        total, i = ops.zeros((2,)), 0
        while i < n:
            total = total + ops.rand((2,))
            i += 1
        return total

    return f


@scene(X)
def random_primitive_after_a_seed():
    normal = ops.StandardNormal()

    def f(x):
        return normal((4,)) + 0 * x.sum()

    return Scene(f, lambda: dyad.set_seed(11))


@program(X)
def dropout_as_a_function(x):
    return ops.dropout(ops.ones((20,)), p=0.5, training=True), ops.dropout(x, p=0.5, training=False)


@scene(X)
def requires_grad_of_a_tensor_changes():
    weight = dyad.Parameter(Tensor([2.0, 3.0]), name="weight")

    def f(x):
        return x * 2 if weight.requires_grad else x * 3

    def change():
        weight.requires_grad = False

    return Scene(f, change)


@scene(X)
def two_functions_of_one_code():
    def make(k):
        def f(x):
            return x * k

        return f

    double, triple = make(2), make(3)

    def f(x):
        return double(x), triple(x), double(triple(x))

    return f
