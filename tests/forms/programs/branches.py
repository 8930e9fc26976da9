"""`if`, `elif`, `else`, conditional expressions, `and`, `or`, `not`: conditions known at capture and Tensors."""

from program import Raises, program

from dyad import Tensor, int32, ops

X = Tensor([1.0, 2.0])
S = Tensor(5.0)
I = Tensor(3)


@program(S, expect=2, compiles=1)
def number_from_either_arm(x):
    k = 1
    if x > 0:
        k = 2
    return k


@program(S, expect=7.0)
def tensor_from_either_arm(x):
    if x > 0:
        y = x + 2
    else:
        y = x - 2
    return y


@program(S)
def returns_in_both_arms(x):
    if x > 0:
        return x * 2
    else:
        return x * 3


@program(S)
def return_in_one_arm_only(x):
    if x > 0:
        return x * 2
    x = x + 100
    return x


@program(S, then=[(Tensor(0.0),), (Tensor(50.0),)])
def elif_chain(x):
    if x < 0:
        r = x * -1
    elif x == 0:
        r = x + 1000
    elif x < 10:
        r = x * 10
    else:
        r = x / 10
    return r


@program(S, Tensor(-1.0), then=[(S, Tensor(1.0)), (Tensor(-1.0), Tensor(1.0))])
def nested_conditions(x, y):
    if x > 0:
        if y > 0:
            r = x + y
        else:
            r = x - y
    else:
        if y > 0:
            r = y * 10
        else:
            r = y * 20
        r = r + 1
    return r


@program(X)
def known_condition_compiles_one_arm(x):
    if len(x.shape) == 1:
        return x + 1
    else:
        return x.no_such_method()


@program(
    X, 3, then=[(X, 0), (X, "word"), (X, ""), (X, None), (X, [1]), (X, []), (X, {}), (X, {"a": 1}), (X, ())]
)
def truth_of_known_values(x, value):
    if value:
        return x
    return -x


@program(Tensor([3.0]), then=[(Tensor([0.0]),), (Tensor([[0.0]]),), (Tensor([[2.0]]),)])
def single_element_conditions(x):
    if x:
        return 10
    return 20


@program(I, then=[(Tensor(0),), (Tensor(True),), (Tensor(False),)])
def integer_and_bool_conditions(x):
    return 1 if x else 0


@program(X, expect=Raises(ValueError, "truth"), then=[(Tensor([1.0]),)])
def several_elements_are_no_condition(x):
    if x > 0:
        return 1
    return 2


@program(S)
def conditional_expression(x):
    return x + 1 if x > 0 else x - 1


@program(S, then=[(Tensor(20.0),)])
def nested_conditional_expressions(x):
    return 1 if x < 0 else 2 if x < 10 else 3


@program(S, expect="a", strict=False)
def string_from_either_arm(x):
    return "a" if x > 0 else "b"


@program(S, expect=5.0, strict=TypeError)
def tensor_or_string(x):
    if x > 0:
        return x
    return "neg"


@program(S, strict=TypeError)
def tensor_or_number(x):
    return x if x > 0 else 7


@program(S, strict=TypeError)
def integer_or_float(x):
    k = 1
    if x > 0:
        k = 2.5
    return k


@program(S, strict=TypeError)
def integer_or_float_used_afterwards(x):
    k = 1
    if x > 0:
        k = 2.5
    return x * k


@program(S, strict=TypeError)
def different_dtypes_of_arms(x):
    if x > 0:
        y = ops.cast(x, int32)
    else:
        y = x
    return y


@program(S, strict=TypeError)
def none_or_tensor(x):
    y = None
    if x > 0:
        y = x
    return y


@program(S, strict=TypeError)
def none_or_tensor_tested_afterwards(x):
    y = None
    if x > 0:
        y = x * 2
    if y is None:
        return x
    return y + 1


@program(S, expect=None)
def no_return_gives_none(x):
    if x > 0:
        x = x + 1


@program(S, strict=TypeError)
def return_or_fall_off_the_end(x):
    if x > 0:
        return x


@program(Tensor([1.0, 2.0, 3.0]))
def shapes_of_arms_differ(x):
    if x.sum() > 0:
        y = x[:2]
    else:
        y = x
    return y


@program(Tensor([1.0, 2.0, 3.0]))
def shapes_of_arms_differ_and_are_used(x):
    if x.sum() > 0:
        y = x[:2]
    else:
        y = x
    z = y * 2 + 1
    return z.sum(), z


@program(S)
def ranks_of_arms_differ(x):
    if x > 0:
        y = ops.ones((2, 2))
    else:
        y = ops.zeros((3,))
    return y + x


@program(S)
def tuples_join_by_element(x):
    if x > 0:
        pair = (x, 1)
    else:
        pair = (x * 2, 2)
    a, b = pair
    return a, b, pair


@program(S)
def lists_join_by_element(x):
    if x > 0:
        items = [x, 1, 2]
    else:
        items = [x * 2, 3, 4]
    return items


@program(S, strict=False)
def lists_of_different_lengths(x):
    if x > 0:
        items = [x, x]
    else:
        items = [x]
    return items


@program(S, strict=False)
def tuples_of_different_lengths_counted(x):
    items = (1, 2) if x > 0 else (1, 2, 3)
    return len(items), sum(items)


@program(S)
def dicts_join_by_key(x):
    if x > 0:
        table = {"a": x, "b": 1}
    else:
        table = {"a": x * 2, "b": 2}
    return table["a"], table["b"]


@program(S, strict=False)
def dicts_with_different_keys(x):
    if x > 0:
        table = {"a": x}
    else:
        table = {"b": x}
    return table


@program(S)
def functions_join(x):
    def double(v):
        return v * 2

    def halve(v):
        return v / 2

    if x > 0:
        f = double
    else:
        f = halve
    return f(x)


@program(S, strict=False)
def list_grows_in_one_arm(x):
    items = [x]
    if x > 0:
        items.append(x * 2)
    return items, len(items)


@program(S)
def list_element_written_in_one_arm(x):
    items = [x, x]
    alias = items
    if x > 0:
        items[0] = x * 3
    return alias


@program(S)
def dict_value_written_in_one_arm(x):
    table = {"n": 0}
    if x > 0:
        table["n"] = 1
    return table


@program(S, strict=False)
def dict_key_added_in_one_arm(x):
    table = {"n": x}
    if x > 0:
        table["m"] = x
    return table


@program(S, Tensor(-1.0), then=[(Tensor(0.0), S), (S, S)])
def and_of_tensors(x, y):
    if x and y > 0:
        return 1
    return 0


@program(S, Tensor(-1.0), then=[(Tensor(0.0), S), (S, S)])
def and_gives_its_operand(x, y):
    return x and y


@program(S, Tensor(-1.0), then=[(Tensor(0.0), S)])
def or_gives_its_operand(x, y):
    return x or y


@program(S, 0, then=[(S, 3), (S, ""), (S, [])])
def known_left_operand_decides(x, k):
    return k and x, k or x, not k


@program(S, then=[(Tensor(0.0),)])
def not_of_a_tensor(x):
    return not x


@program(S, then=[(Tensor(0.0),)])
def not_as_condition(x):
    if not x:
        return x + 1
    return x


@program(S, strict=TypeError)
def and_of_tensor_and_number(x):
    return x and 1


@program(S, then=[(Tensor(0.0),)], strict=False)
def the_right_operand_is_not_evaluated(x):
    trail = []

    def note(value):
        trail.append(1)
        return value

    if x > 100 and note(x) > 0:
        trail.append(2)
    return len(trail)


@program(S, Tensor(3.0), then=[(Tensor(1.0), Tensor(3.0))])
def comparison_chain(x, y):
    if 2 < x < 10 > y:
        return 1
    return 2


@program(S)
def comparison_chain_calls_once(x):
    calls = []

    def middle():
        calls.append(1)
        return x

    inside = 0 < middle() < 10
    return inside, len(calls)


@program(S)
def name_bound_in_one_arm_and_not_used(x):
    if x > 0:
        y = 1
        x = x + y
    return x


@program(S, strict=False)
def name_bound_in_one_arm_and_used(x):
    if x > 0:
        y = x
    return y


@program(S)
def condition_uses_a_number_from_an_arm(x):
    k = 0
    if x > 0:
        k = 3
    if k > 2:
        return x + k
    return x - k


@program(S)
def number_from_an_arm_in_arithmetic(x):
    k = 2 if x > 0 else 3
    return k * 2 + 1, k / 2, k // 2, k % 2, k**2, -k, k == 2, k < 3


@program(S)
def bool_from_an_arm(x):
    flag = False
    if x > 0:
        flag = True
    return flag, not flag, flag and 5 > 3


@program(S)
def both_arms_leave_unchanged(x):
    y = x
    if x > 0:
        pass
    else:
        pass
    return y


@program(S)
def arm_returns_the_argument(x):
    return x if x > 0 else -x


@program(S, X)
def arm_writes_an_argument(x, target):
    if x > 0:
        target[0] = 7.0
    return target


@program(S)
def select_evaluates_both(x):
    return ops.select(x > 0, x * 2, x * 3)
