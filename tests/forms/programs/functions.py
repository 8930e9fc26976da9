"""Functions: closures, late binding, `nonlocal`, recursion, higher order, parameters of every kind."""

import functools

from program import Call, Raises, program, scene

from dyad import Tensor, ops

X = Tensor([1.0, 2.0])
S = Tensor(5.0)
N = Tensor(4)


@program(X)
def nested_functions(x):
    def outer(a):
        def inner(b):
            return a + b + x

        return inner(a * 2)

    return outer(x) + outer(1)


@program(X)
def closures_see_later_bindings(x):
    k = 1

    def add(q):
        return q + k

    first = add(x)
    k = 5
    return first, add(x)


@program(X, expect=([3.0, 4.0], [3.0, 4.0], [3.0, 4.0]))
def lambdas_made_in_a_loop(x):
    adders = []
    for i in range(3):
        adders.append(lambda q: q + i)
    return tuple(f(x) for f in adders)


@program(X, expect=([1.0, 2.0], [2.0, 3.0], [3.0, 4.0]))
def defaults_keep_the_value_of_definition(x):
    adders = []
    for i in range(3):
        adders.append(lambda q, i=i: q + i)
    return tuple(f(x) for f in adders)


@program(X)
def nonlocal_counts(x):
    n = 0

    def step(q):
        nonlocal n
        n += 1
        return q * n

    x = step(x)
    x = step(x)
    return x, n


@program(S)
def nonlocal_under_a_tensor_condition(x):
    n = 0

    def step():
        nonlocal n
        if x > 0:
            n += 10

    step()
    step()
    return n


@program(N)
def nonlocal_in_a_tensor_loop(n):
    total = 0

    def add(k):
        nonlocal total
        total += k

    i = 0
    while i < n:
        add(i)
        i += 1
    return total


@program(X)
def counters_do_not_share(x):
    def counter():
        count = 0

        def step():
            nonlocal count
            count += 1
            return count

        return step

    a, b = counter(), counter()
    return a(), a(), b(), x


@program(X)
def changes_to_a_captured_list_are_seen(x):
    seen = []

    def note(v):
        seen.append(v)

    note(x)
    note(1)
    return seen


@program(X, 6, expect=720)
def recursion_with_a_known_end(x, n):
    def factorial(k):
        return 1 if k <= 1 else k * factorial(k - 1)

    return factorial(n)


@program(N, then=[(Tensor(0),), (Tensor(9),)])
def recursion_with_a_tensor_end(n):
    def total(k):
        if k <= 0:
            return k
        return k + total(k - 1)

    return total(n)


@program(Tensor(7), then=[(Tensor(1),)])
def recursion_twice_in_one_body(n):
    def fibonacci(k):
        if k < 2:
            return k
        return fibonacci(k - 1) + fibonacci(k - 2)

    return fibonacci(n)


@program(N, then=[(Tensor(7),)])
def mutual_recursion(n):
    def even(k):
        if k == 0:
            return 1
        return odd(k - 1)

    def odd(k):
        if k == 0:
            return 0
        return even(k - 1)

    return even(n)


def _power(x, n):
    if n == 0:
        return x * 0 + 1
    return x * _power(x, n - 1)


@program(X, 3)
def recursion_of_a_module_function(x, n):
    return _power(x, n)


@program(X)
def functions_as_arguments_and_results(x):
    def twice(f):
        def composed(v):
            return f(f(v))

        return composed

    def add_one(v):
        return v + 1

    return twice(twice(add_one))(x), twice(lambda v: v * 3)(x)


@program(X)
def functions_in_containers(x):
    table = {"double": lambda v: v * 2, "negate": lambda v: -v}
    steps = [table["double"], table["negate"], abs]
    for step in steps:
        x = step(x)
    return x


@program(X)
def immediately_called_lambda(x):
    return (lambda v, w=3: v * w)(x)


@program(X)
def map_filter_reduce_of_functions(x):
    squares = tuple(map(lambda k: k * k, (1, 2, 3)))
    odd = list(filter(lambda k: k % 2, squares))
    total = functools.reduce(lambda a, b: a + b, odd)
    return x * total, squares, odd


@program(X, expect=[6.0, 12.0])
def functools_partial(x):
    def scale(v, a, b=1):
        return v * a * b

    return functools.partial(scale, a=2, b=3)(x)


@program(X)
def partial_of_a_partial(x):
    def join(a, b, c):
        return a + b * c

    return functools.partial(functools.partial(join, x), 2)(x), ops.partial(join, x, 3)(c=1)


def _all_kinds(a, b=2, /, c=3, *rest, d, e=5, **others):
    return a * b + c * d + e, rest, tuple(others.items())


@program(X)
def every_kind_of_parameter(x):
    return (
        _all_kinds(x, d=1),
        _all_kinds(x, 7, d=x),
        _all_kinds(x, 7, 8, 9, 10, d=1, e=2, f=3),
        _all_kinds(*(x, 4), **{"d": 6, "z": 1}),
    )


@program(X, then=[Call(X, k=5)])
def keyword_only_at_the_top(x, *, k=2):
    return x * k


@program(X, then=[(X, 4)])
def positional_only_at_the_top(x, k=3, /):
    return x * k


@program(X, 1, X, then=[(X,), (X, 1)])
def star_arguments_at_the_top(x, *rest):
    for item in rest:
        x = x + item
    return x, len(rest)


@program(X, keywords={"k": 3}, then=[Call(X, k=4), Call(X, k=4, t=X)], expect=[3.0, 6.0])
def star_keywords_at_the_top(x, **k):
    for value in k.values():
        x = x * value
    return x


@program(X, then=[Call(x=X), Call(y=X, x=S)])
def call_by_keyword(x, y=2.0):
    return x - y


@program(X)
def defaults_of_every_kind(x, a=1, b=2.5, c=True, d=None, e="s", f=(1, 2), g=X):
    return x * a + b, c, d, e, f, g


@scene(X, strict=TypeError)
def list_default_is_one_object():
    def f(x, seen=[]):
        seen.append(1)
        return x * len(seen)

    return f


@program(X, expect=Raises(TypeError, "missing 1 required positional argument: 'b'"), then=[(X, X)])
def missing_argument_of_the_top(a, b):
    return a + b


@program(X, expect=Raises(TypeError, "takes 1 positional argument but 2 were given"))
def surplus_argument_of_a_callee(x):
    def f(a):
        return a

    return f(x, x)


@program(X, expect=Raises(TypeError, "unexpected keyword argument 'c'"))
def unknown_keyword_of_a_callee(x):
    def f(a):
        return a

    return f(x, c=1)


@program(X, expect=Raises(TypeError, "multiple values for argument 'a'"))
def repeated_argument_of_a_callee(x):
    def f(a):
        return a

    return f(x, **{"a": 1})


def _logged(function):
    @functools.wraps(function)
    def wrapper(*arguments, **keywords):
        return function(*arguments, **keywords) + 100

    return wrapper


@_logged
def _double(x):
    return x * 2


@program(X, expect=[102.0, 104.0])
def decorated_callee(x):
    return _double(x)


@scene(X, expect=[102.0, 104.0])
def decorated_at_the_top():
    @_logged
    def f(x):
        return x * 2

    return f


@program(X)
def decorator_inside(x):
    def twice(f):
        return lambda v: f(f(v))

    @twice
    def add(v):
        return v + 1

    return add(x)


@program(X)
def generator_expressions_are_consumed(x):
    return sum(k * k for k in range(4)) * x, tuple(x * k for k in (1, 2)), any(k > 2 for k in (1, 3))


@program(X)
def local_names_shadow(x):
    len = 3
    sum = lambda v: v * len
    return sum(x)


@program([3, 1, 2], expect=(2, [3, 1]))
def pop(items):
    return items.pop(), items


@program([X, S])
def item(items):
    return items[0] + items[1]


@program(X, ops.exp)
def operator_as_argument(x, f):
    return f(x)


@program(X)
def docstrings_and_annotations(x: Tensor) -> Tensor:
    """Doubles."""
    y: Tensor = x * 2
    z: int
    z = 3
    return y * z


@program(X, expect=Raises(NameError, "name 'no_such_name' is not defined"))
def undefined_name(x):
    return x + no_such_name


@program(X, expect=Raises(UnboundLocalError))
def name_read_before_it_is_bound(x):
    y = x + later
    later = 1
    return y + later
