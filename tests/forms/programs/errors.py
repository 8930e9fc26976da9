"""Exceptions: `raise`, `assert`, errors of operators; class, text and arguments; the next call is clean."""

import types

from program import Raises, Scene, program, scene

from dyad import Tensor, ops

X = Tensor([1.0, 2.0])
S = Tensor(5.0)
GOOD = [(Tensor(-1.0),)]


class OwnError(Exception):
    def __init__(self, text, code=3):
        super().__init__(text, code)
        self.code = code


@program(S, expect=Raises(ValueError, "positive"), then=GOOD)
def raise_under_a_tensor_condition(x):
    if x > 0:
        raise ValueError("positive")
    return x * 2


@program(S, expect=Raises(ValueError), then=GOOD)
def raise_with_several_arguments(x):
    if x > 0:
        raise ValueError("v", 3, (1, 2))
    return x


@program(X, expect=Raises(ValueError), then=[(Tensor([-1.0, -2.0]),)], strict=False)
def raise_with_a_tensor(x):
    if x.sum() > 0:
        raise ValueError("v", x)
    return x


@program(S, expect=Raises(ValueError, "x is 5"), then=GOOD, strict=False)
def raise_with_a_run_time_text(x):
    if x > 0:
        raise ValueError(f"x is {int(x)}")
    return x


@program(S, expect=Raises(TypeError), then=GOOD)
def raise_of_a_class(x):
    if x > 0:
        raise TypeError
    return x


@program(S, expect=Raises(OwnError, "own"), then=GOOD)
def raise_of_an_own_class(x):
    if x > 0:
        raise OwnError("own")
    return x


@program(S, expect=Raises(KeyError), then=GOOD)
def raise_of_a_variable(x):
    error = KeyError("k", {"a": 1})
    if x > 0:
        raise error
    return x


@program(S, expect=Raises(RuntimeError, "outer"), then=GOOD)
def raise_from_a_cause(x):
    if x > 0:
        raise RuntimeError("outer") from ValueError("inner")
    return x


@program(X, 1, expect=Raises(ValueError, "k is 1"), then=[(X, 2)])
def raise_under_a_known_condition(x, k):
    if k == 1:
        raise ValueError(f"k is {k}")
    return x * k


@program(X, expect=Raises(NotImplementedError, "never"))
def raise_without_condition(x):
    raise NotImplementedError("never")


@program(S, expect=Raises(IndexError, "deep"), then=GOOD)
def raise_inside_a_callee(x):
    def inner(v):
        if v > 0:
            raise IndexError("deep")
        return v

    def outer(v):
        return inner(v) + 1

    return outer(x) * 2


@program(Tensor(3), expect=Raises(StopIteration, "i"), then=[(Tensor(1),)])
def raise_inside_a_tensor_loop(n):
    i = 0
    while i < n:
        i += 1
        if i == 2:
            raise StopIteration("i")
    return i


@program(S, then=[(Tensor(0.0),), (Tensor(50.0),)])
def raise_in_one_of_three_arms(x):
    if x < 0:
        raise ValueError("negative")
    elif x < 10:
        y = x + 1
    else:
        raise OverflowError("large")
    return y


@program(S, expect=Raises(ValueError, "first"))
def which_of_two_raises(x):
    if x > 0:
        raise ValueError("first")
    else:
        raise TypeError("second")


@program(S, expect=Raises(AssertionError, "small"), then=GOOD)
def assert_on_a_tensor(x):
    assert x < 0, "small"
    return x


@program(S, expect=Raises(AssertionError), then=GOOD)
def assert_without_text(x):
    assert x < 0
    return x + 1


@program(X, 3, expect=Raises(AssertionError, "k"), then=[(X, 1)])
def assert_on_a_known_value(x, k):
    assert k < 2, f"k={k}"
    return x * k


@program(S, expect=Raises(AssertionError), then=GOOD, strict=False)
def assert_with_a_tensor_as_text(x):
    assert x < 0, x
    return x


@program(S, expect=Raises(RuntimeError), then=GOOD)
def prints_before_the_exception_appear(x):
    print("one")
    if x > 0:
        print("two", x)
        raise RuntimeError("three")
    print("four")
    return x


@program(X, S, expect=Raises(RuntimeError), then=[(X, Tensor(-1.0))])
def writes_before_the_exception_stay(x, s):
    x.add_(1.0)
    if s > 0:
        raise RuntimeError("after one write")
    x.add_(1.0)
    return x


@program(X, X, then=[(X, Tensor([1.0, 2.0, 3.0])), (X, Tensor([[1.0], [2.0]]))])
def operator_error_of_a_shape(x, y):
    return x * 2 + y


@program(X, X, then=[(X, Tensor([[1.0, 2.0]])), (X, X.reshape(2, 1))])
def operator_error_of_a_rank(x, y):
    return ops.matmul(x.reshape(1, 2), y)


@program(X, expect=Raises(TypeError))
def operand_of_a_wrong_kind(x):
    return x + "a"


@program(X, expect=Raises(TypeError))
def operands_that_do_not_add(x):
    return 1 + "a"


@program(X, expect=Raises(TypeError, "'int' object is not callable"))
def call_of_a_number(x):
    k = 3
    return k(x)


@program(X, expect=Raises(TypeError))
def subscript_of_a_number(x):
    k = 5
    return k[0]


@program(X, expect=Raises(TypeError))
def iteration_over_a_number(x):
    for k in 5:
        x = x + k
    return x


@program(X, expect=Raises(AttributeError))
def attribute_of_none(x):
    y = None
    return y.shape


@program(X, expect=Raises(ValueError))
def conversion_of_a_word(x):
    return int("word")


@program(X, expect=Raises(ZeroDivisionError))
def known_error_in_an_untaken_place_is_not_raised(x):
    def never():
        return {}["k"]

    if False:
        never()
    return 1 // 0


@program(S, then=[(Tensor(-1.0),)])
def known_error_only_in_the_taken_arm(x):
    if x > 0:
        return 1
    return [1, 2][7]


@program(Tensor([3, 1]), Tensor(5), then=[(Tensor([3, 1]), Tensor(1))])
def error_of_a_kernel_at_run_time(x, i):
    return ops.gather(x, i, 0)


@scene(S, expect=Raises(RuntimeError, "tenth"), then=[*GOOD, (S,)])
def exceptions_alternate_with_results():
    def f(x):
        if x > 0:
            raise RuntimeError("tenth")
        return x.abs()

    return f


@program(S, expect=Raises(RecursionError), same_text=False)
def endless_recursion(x):
    def f(v):
        return f(v + 1)

    return f(x)


@program(X, expect=Raises(TypeError))
def exceptions_must_be_exceptions(x):
    raise 5


@program(X)
def exception_objects_are_values(x):
    error = ValueError("a", 1)
    return error.args, isinstance(error, Exception), str(error)


@program(X, "k", then=[(X, "a")])
def known_exception_is_caught(x, key):
    try:
        k = {"a": 2}[key]
    except KeyError as error:
        k = len(error.args)
    else:
        k = k * 10
    finally:
        x = x + 1
    return x * k


@program(X)
def exception_of_a_callee_is_caught(x):
    def check(v, k):
        if k > 1:
            raise OwnError("too large", k)
        return v

    try:
        x = check(x, 1) + check(x, 2)
    except (ValueError, OwnError) as error:
        return x * error.code, str(error)
    return x


@program(X, expect=Raises(IndexError, "list index out of range"))
def exception_is_raised_again(x):
    try:
        return [x][3]
    except IndexError:
        print("seen")
        raise


@program(X)
def finally_after_return(x):
    log = []

    def f():
        try:
            return x * 2
        finally:
            log.append("finally")

    return f(), log


@program(S, strict=False)
def finally_after_a_run_time_exception(x):
    try:
        if x > 0:
            raise ValueError("positive")
        x = x * 2
    finally:
        print("cleaned")
    return x


@program(S, strict=False)
def return_of_a_run_time_arm_through_finally(x):
    try:
        if x > 0:
            return x * 2
        x = x - 1
    finally:
        print("left")
    return x


@program(
    Tensor([1.0, 2.0]), Tensor(2), expect=Raises(ValueError, "late"), then=[(Tensor([1.0, 2.0]), Tensor(0))]
)
def what_a_loop_wrote_before_it_raised(x, n):
    while n > 0:
        n = n - 1
        x[0:] = -2.0
        if x.sum() < 0:
            first = x[0]
            if n < 1:
                raise ValueError("late", first)
    return x


@scene(Tensor(1.0), expect=Raises(ValueError, "made"), strict=AttributeError)
def a_constant_that_was_kept_before_a_raise():
    box = types.SimpleNamespace()

    def call(x):
        box.value = Tensor([1.0, 2.0]) * 2
        if x > 0:
            raise ValueError("made")
        return x

    return Scene(call, watch=lambda: box)


@program(Tensor(1.0), {"a": 4}, expect=Raises(ValueError, "odd"), strict=False)
def dict_that_may_have_grown_behind_an_arm_that_raises(x, table):
    if x == 1:
        raise ValueError("odd")
    if x > 0:
        table["c"] = 2
    return len(table)
