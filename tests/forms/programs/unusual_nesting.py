"""Control flow nested deeply, and closures over what it changes."""

import functools

from program import Raises, program

from dyad import Tensor, ops

X = Tensor([1.0, 2.0])
S = Tensor(5.0)
N = Tensor(3)
M = Tensor([[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]])


# ---- nesting


@program(S, then=[(Tensor(0.5),), (Tensor(-0.5),), (Tensor(100.0),)])
def five_tensor_ifs_inside_one_another(x):
    if x > 0:
        if x > 1:
            if x > 2:
                if x > 3:
                    if x > 4:
                        y = x * 5
                    else:
                        y = x * 4
                else:
                    y = x * 3
            else:
                y = x * 2
        else:
            y = x + 1
    else:
        y = -x
    return y


@program(N, then=[(Tensor(0),), (Tensor(1),), (Tensor(6),)])
def tensor_loops_three_deep(n):
    total = n * 0
    i = 0
    while i < n:
        j = 0
        while j < i:
            k = 0
            while k < j:
                total = total + i * j + k
                k += 1
            j += 1
        i += 1
    return total, i


@program(N, then=[(Tensor(0),), (Tensor(7),)])
def loop_if_loop_if(n):
    found = n - n
    i = 0
    while i < n:
        if i % 2 == 0:
            j = 0
            while j < 3:
                if j == i:
                    found = found + 10
                    break
                j += 1
            else:
                found = found + 1
        i += 1
    return found


@program(N, then=[(Tensor(0),), (Tensor(9),)])
def collatz(n):
    steps = 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
        if steps > 30:
            return -1
    return steps


# ---- closures


@program(X)
def closures_over_a_loop_variable(x):
    functions = []
    for k in range(3):
        functions.append(lambda v: v * k)
    return [f(x) for f in functions]


@program(X)
def closures_with_defaults_over_a_loop_variable(x):
    functions = [lambda v, k=k: v * k for k in range(3)]
    return [f(x) for f in functions]


@program(S)
def closure_counts_in_both_arms(x):
    count = 0

    def bump(by):
        nonlocal count
        count += by
        return count

    if x > 0:
        bump(1)
        bump(10)
    else:
        bump(100)
    return count


@program(N, then=[(Tensor(0),)])
def closure_changes_a_loop_variable(n):
    total = 0

    def add(v):
        nonlocal total
        total = total + v

    i = 0
    while i < n:
        add(i)
        i += 1
    return total


@program(X)
def compose_functions(x):
    def compose(*fs):
        return functools.reduce(lambda f, g: lambda v: g(f(v)), fs)

    return compose(ops.abs, lambda v: v + 1, ops.sqrt)(x)


# ---- loops


@program(X, vary=False)
def a_thousand_turns(x):
    for i in range(1000):
        x = x + 0.5 * (i % 3)
    return x


@program(N, then=[(Tensor(400),)])
def many_turns_at_run_time(n):
    total = 0
    for i in range(int(n)):
        if i % 3 == 0:
            continue
        if i > 300:
            break
        total += i
    else:
        total = -total
    return total


@program(S, vary=False)
def while_with_walrus(x):
    k = 0
    while (y := x * k) < 20:
        k += 1
    return y, k


@program(X, then=[(Tensor([-5.0, 1.0]),)])
def any_and_all_of_tensors(x):
    return any(v > 1 for v in x), all(v > 0 for v in x), max(x), min(x), sum(x)


@program(M)
def rows_unpacked_and_iterated(x):
    a, b = x
    total = a * 0
    for i, row in enumerate(x):
        for v in row:
            if v > 0:
                total = total + v * i
    return a + b, total


@program(S, strict=False)
def nested_conditional_expressions(x):
    return x if x > 3 else (-x if x < -3 else (0.5 if x == 0 else x * 10))


@program(S)
def match_statement(x):
    match (1, "a", [2, 3]):
        case (1, str() as name, [first, *rest]) if first > 1:
            y = x * first + len(rest) + len(name)
        case _:
            y = x
    return y


@program(S)
def prints_in_order(x):
    print("a", x > 0, end=";")
    for k in range(2):
        if x > k:
            print(k, x * k, sep="/")
        else:
            print("small", k)
    print({"x": x}, [x, 1], (x,))
    return x


@program(S, expect=Raises(ValueError))
def prints_then_raises_in_a_loop(x):
    i = 0
    while True:
        print("turn", i)
        if i * 2 > abs(x):
            raise ValueError("enough", i)
        i += 1


@program(S, then=[(Tensor(-5.0),)], strict=False)
def early_returns_of_several_kinds(x):
    for k in range(4):
        if x * k > 7:
            return k
        if x * k < -7:
            return x
    return "never"


@program(X)
def type_and_isinstance(x):
    return (
        type(x) is Tensor,
        isinstance(x, (int, Tensor)),
        type(3).__name__,
        isinstance(True, int),
        type([]) == list,
    )


@program(X)
def delete_names_and_items(x):
    d = {"a": 1, "b": 2}
    del d["a"]
    items = [1, 2, 3, 4]
    del items[1:3]
    y = x
    del x
    return y, d, items


@program(X)
def slices_of_lists_assigned(x):
    items = [x, 1, 2, 3]
    items[1:3] = [9]
    items[::2] = [x + 1, 7]
    items *= 2
    return items


@program(S)
def exception_caught_with_known_cause(x):
    try:
        {}["missing"]
    except KeyError as error:
        y = x * len(error.args)
    else:
        y = x
    finally:
        z = 1
    return y, z


@program(X)
def recursion_with_known_depth(x):
    def tree(n):
        return x if n == 0 else tree(n - 1) + tree(n - 1)

    return tree(4)


@program(N, then=[(Tensor(0),), (Tensor(6),)])
def recursion_with_run_time_depth(n):
    def factorial(k):
        if k <= 1:
            return k * 0 + 1
        return k * factorial(k - 1)

    return factorial(n)
