"""Containers and objects that are made and changed inside a branch or a loop and used behind it."""

from dataclasses import dataclass

from program import Raises, Scene, program, scene

from dyad import Tensor

X = Tensor([1.0, 2.0])
S = Tensor(5.0)
N = Tensor(3)
GOOD = [(Tensor(-1.0),)]


class Box:
    def __init__(self, n):
        self.n = n


@dataclass
class Options:
    scale: int = 2


@program(S, expect=[5, 2])
def lists_changed_in_both_arms(x):
    if x > 0:
        items = [1, 2]
        items[0] = 5
    else:
        items = [3, 4]
        items[1] = 7
    return items


@program(S, expect=[1, 2, 3], strict=False)
def lists_that_grow_in_both_arms(x):
    if x > 0:
        items = [1]
        items.append(2)
        items.append(3)
    else:
        items = [9]
        items.insert(0, 8)
    return items


@program(S, expect=Raises(ValueError, "positive"), then=GOOD)
def list_changed_behind_an_arm_that_raises(x):
    if x > 0:
        raise ValueError("positive")
    items = [1, 2, 3][:2]
    items[0] = 5
    return items


@program(S, expect=Raises(ValueError, "positive"), then=GOOD)
def comprehension_behind_an_arm_that_raises(x):
    if x > 0:
        raise ValueError("positive")
    items = [k * x for k in range(3)]
    items[0] = x
    return items


@program(S)
def list_changed_behind_an_early_return(x):
    if x > 0:
        return [0, 0]
    items = [1, 2]
    items[0] = 5
    items[1] += items[0]
    return items


@program(S)
def dicts_changed_in_both_arms(x):
    if x > 0:
        table = {"a": 1, "b": x}
        table["a"] = 2
    else:
        table = dict(a=3, b=x)
        table.update(b=x * 2)
    return table, table["a"] * 2


@program(S, strict=False)
def objects_changed_in_both_arms(x):
    if x > 0:
        box = Box(1)
        box.n = 5
    else:
        box = Box(2)
        box.n += 10
    return box.n * x


@program(S, strict=False)
def nested_containers_changed_in_both_arms(x):
    if x > 0:
        tree = {"rows": [[1], [2]]}
        tree["rows"][0][0] = x
    else:
        tree = {"rows": [[3], [4]]}
        tree["rows"][1][0] = x
    return tree


@program(N, strict=False)
def list_made_anew_in_each_turn(n):
    items, i = [0, 0], 0
    while i < n:
        items = [i, i]
        items[1] += items[0]
        i += 1
    return items


@program(N, X, strict=False)
def list_changed_before_its_turn_ends(n, x):
    kept, i = [x, 0], 0
    while i < n:
        fresh = [x * i, i]
        fresh[0] = fresh[0] + kept[0]
        kept = fresh
        i += 1
    return kept


@program(S)
def function_makes_and_changes_a_list_in_an_arm(x):
    def pair(v):
        made = [v, v]
        made[0] = v * 2
        return made

    if x > 0:
        a = pair(x)
    else:
        a = pair(x - 1)
    return a


@program(S)
def closure_made_in_an_arm_keeps_its_state(x):
    def counter(start):
        count = [start]

        def step():
            count[0] += 1
            return count[0]

        step()
        return step

    if x > 0:
        value = counter(10)()
    else:
        value = counter(20)()
    return value


@scene(S, strict=False)
def list_from_outside_or_a_new_one():
    box = Box([5, 6])

    def f(x):
        items = [0, 2]
        if x > 0:
            items = box.n
        return items, items[0]

    return Scene(f, lambda: box.n.append(7), lambda: box.n)


@scene(S, strict=False)
def list_from_outside_first_seen_in_an_arm_is_changed():
    box = Box([5, 6])

    def f(x):
        items = [0, 2]
        if x > 0:
            items = box.n
        items[0] = 9
        return items

    return Scene(f, lambda: box.n.append(7), lambda: box.n)


@scene(S, strict=False)
def dict_from_outside_or_a_new_one():
    tables = [{"k": 1}, {"k": 2}]

    def f(x):
        table = tables[0] if x > 0 else {"k": 3}
        table["k"] += 10
        return table["k"]

    return Scene(f, lambda: tables[0].update(k=50), lambda: tables)


@program(S, strict=False)
def set_and_dict_methods_in_arms(x):
    if x > 0:
        table = {"a": 1}
        first = table.setdefault("b", 2)
    else:
        table = {"a": 5, "b": 6}
        first = table.pop("a")
        table["a"] = 7
    return first, sorted(table.items()) if first == 2 else 0


@program(S, strict=False)
def both_arms_swap(x):
    a, b = [1], [2]
    if x > 0:
        a, b = b, a
        a.append(3)
        b.append(4)
    else:
        a[0] = 7
        a.append(8)
        b.append(9)
    return a[0] + a[1] * 10 + b[0] * 100 + b[1] * 1000


@program(S, strict=False)
def dataclass_changed_in_both_arms(x):
    if x > 0:
        options = Options()
        options.scale = 5
    else:
        options = Options(3)
        options.scale += 10
    return options.scale * x


@scene(S, strict=TypeError)
def object_from_outside_first_seen_behind_a_return():
    box = Box(1)

    def f(x):
        if x > 0:
            return x
        box.n += 1
        return x * box.n

    return Scene(f, lambda: setattr(box, "n", 10), lambda: box)


@program(S, strict=False)
def object_made_before_is_written_in_an_arm(x):
    box = Box(1)
    if x > 0:
        box.n = 2
        box.m = 3
    else:
        box.m = 4
    return box.n * 10 + box.m


@program(S)
def object_written_twice_in_an_arm(x):
    box = Box(1)
    if x > 0:
        box.n += 1
        if x > 1:
            box.n += 10
        box.n += 100
    return box.n


@program(N, expect=([1, 2, 9], [1, 2, 9]), then=[(Tensor(0),)], strict=TypeError)
def two_names_of_one_list_behind_a_loop(n):
    first, second = [0, 2], [0, 2]
    while n > 0:
        n = n - 1
        first = [1, 2]
        second = first
    second.append(9)
    return first, second


@program(N, then=[(Tensor(0),)])
def a_list_that_another_name_held_a_turn_ago(n):
    now, before = [0], [1]
    while n > 0:
        n = n - 1
        before = now
        now = [int(n)]
    before[0] = 7
    return now, before


@program(S, expect=[5], strict=False)
def two_names_of_one_list_behind_a_return(x):
    if x > 0:
        first = [5]
        return first
    first = [int(x)]
    second = first
    second.append(3)
    return first, second


@program(S, expect=Raises(ValueError, "positive"), then=GOOD)
def two_names_of_one_list_behind_an_arm_that_raises(x):
    if x > 0:
        raise ValueError("positive")
    first = [x]
    second = first
    second.append(3)
    return first, second


@program(S, expect=[2, 1], strict=False)
def list_changed_behind_a_branch_that_may_return(x):
    numbers = [0, 2]
    if x > 0:
        numbers = [1, 2]
        if x > 10:
            return x
    numbers.reverse()
    return numbers


@program(S)
def a_list_or_dict_that_was_there_or_one_of_its_type(x):
    pair, named = [x, 2], {"a": x, "b": 1}
    if x > 0:
        pair, named = [x * 2, 3], {"a": x + 1, "b": 5}
    for turn in range(2):
        if x > turn:
            pair = [x + turn, turn]
    return pair, pair[1] + 1, sum(pair), named, named["b"] * 2
