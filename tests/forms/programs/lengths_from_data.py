"""Lists and dicts whose length depends on data, gone through by all that goes through containers."""

import collections
import itertools

from program import Scene, program, scene

from dyad import Tensor, ops

X = Tensor([1.0, 2.0])
S = Tensor(5.0)
OTHER = [(Tensor(-1.0),)]


def some(x):
    items = [1, 2]
    if x > 0:
        items.append(3)
    return items


def entries(x, kind=dict):
    found = kind(a=1)
    if x > 0:
        found["b"] = 2
    return found


@program(S, then=OTHER, strict=False)
def generators_over_them(x):
    items = some(x)
    return sum(v for v in items), list(v * 2 for v in items), any(v > 2 for v in items)


@program(S, then=OTHER, strict=False)
def lazy_functions_of_them(x):
    items = some(x)
    return list(zip(items, items)), list(enumerate(items)), list(map(str, items)), list(reversed(items))


@program(S, then=OTHER, strict=False)
def the_next_of_them(x):
    items = some(x)
    return next(iter(items)), next(v for v in items), list(itertools.chain(items, items))


@program(S, then=OTHER, strict=False)
def loops_over_lazy_functions_of_them(x):
    items, found = some(x), []
    for place, value in enumerate(items):
        found.append(place * value)
    for one, other in zip(items, items[1:]):
        found.append(one + other)
    return found


@program(S, then=OTHER, strict=False)
def an_iterator_made_before(x):
    items = [1, 2]
    iterator = iter(items)
    first = next(iterator)
    if x > 0:
        items.append(3)
    return first, list(iterator)


@program(S, then=OTHER, strict=False)
def an_iterator_of_a_list_that_shrinks(x):
    items = [1, 2, 3]
    iterator = iter(items)
    first = next(iterator)
    if x > 0:
        items.pop(0)
    return first, sum(iterator)


@program(S, then=OTHER, strict=False)
def a_generator_made_before(x):
    items = [1, 2]
    doubled = (v * 2 for v in items)
    if x > 0:
        items.append(3)
    return list(doubled)


@program(S, then=OTHER, strict=False)
def a_list_that_grows_in_its_loop(x):
    items, found = [1, 2], []
    for value in items:
        found.append(value)
        if x > 0 and len(items) < 4:
            items.append(value + 5)
    return items, found


@program(S, then=OTHER, strict=False)
def a_dict_that_grows_in_its_loop(x):
    found = {"a": 1}
    for _ in found:
        if x > 0:
            found["b"] = 2
    return found


@program(S, then=OTHER, strict=False)
def two_of_them(x):
    items, others = some(x), some(x - 10)
    return list(zip(items, others)), max(items, others), items + others


@program(S, then=OTHER, strict=False)
def dicts(x):
    found = entries(x)
    return list(k for k in found), next(iter(found)), dict(zip(found, range(9))), {"c": 3, **found}


@program(S, then=OTHER, strict=False)
def views(x):
    found = entries(x)
    return sum(found.values()), list(found.items()), found.keys() & {"b"}, len(found.items())


@program(S, then=OTHER, strict=False)
def views_made_before(x):
    found = {"a": 1}
    keys, values = found.keys(), found.values()
    if x > 0:
        found["b"] = 2
    return len(keys), "b" in keys, sum(values), sorted(keys), sum(v for v in values)


@program(S, then=OTHER, strict=False)
def views_that_are_given_back(x):
    found = entries(x)
    return type(found.keys()).__name__, list(found.keys()), found.values()


@program(S, then=OTHER, strict=False)
def dicts_of_other_classes(x):
    found = entries(x, collections.OrderedDict)
    grouped = collections.defaultdict(list)
    if x > 0:
        grouped["b"].append(1)
    return found, grouped, list(found.items())


@program(S, then=OTHER, strict=False)
def given_to_operators(x):
    items = some(x)
    return Tensor(items), ops.stack([x * v for v in items]), Tensor([items, items])


def rows(x):
    return X[:1] if x > 0 else X


@program(S, then=OTHER, strict=False)
def sizes_alone(x):
    return rows(x).shape, len(rows(x)), rows(x).shape[0] * x


@program(S, then=OTHER, strict=False)
def sizes_behind_a_loop(x):
    grown = X
    while grown.sum() < x * 2:
        grown = ops.concat([grown, grown])
    return grown.shape[0] + 1


def _outer(change):
    """A scene over containers from outside that `change(x, held, table, marks)` changes."""
    held, table, marks = [1, 2, 3, 4], {"a": [1, 2], "b": [3]}, {1, 2}

    def program(x):
        return change(x, held, table, marks)

    return Scene(program, lambda: held.append(5), lambda: (held, table, marks))


@scene(S, then=OTHER, strict=False)
def the_length_of_a_container_from_outside():
    def change(x, held, table, marks):
        del held[0]
        if x > 0:
            del held[0]
        return x * len(held), x * sum(held)

    return _outer(change)


@scene(S, then=OTHER, strict=False)
def the_truth_of_a_container_from_outside():
    def change(x, held, table, marks):
        del held[2:]
        held.pop()
        if x > 0:
            held.clear()
        return x * 2 if held else x, not held, bool(held)

    return _outer(change)


@scene(S, then=OTHER, strict=False)
def an_item_of_a_container_that_data_chose_is_deleted():
    def change(x, held, table, marks):
        chosen = table["a"] if x > 0 else held
        del chosen[0]
        del (table if x > 1 else {"b": 1})["b"]
        del held[0 if x > 0 else -1]
        return x * len(chosen), chosen

    return _outer(change)


@scene(S, then=OTHER, strict=False)
def methods_given_a_container_whose_length_depends_on_data():
    def change(x, held, table, marks):
        found, entries_found = some(x), entries(x)
        held.extend(found)
        marks.update(found)
        table.update(entries_found)
        queue = collections.deque(maxlen=3)
        queue.extend(held)
        return held, queue, marks | set(found), {**table, **entries_found}

    return _outer(change)


@scene(S, then=OTHER, strict=False)
def methods_given_a_container_that_data_chose():
    def change(x, held, table, marks):
        chosen = held if x > 0 else table["b"]
        table["a"].extend(chosen)
        marks.update(chosen)
        held += chosen
        table.update({"c": 1} if x > 0 else {"d": 2, "a": [7]})
        return chosen, held.count(1), [3].index(3)

    return _outer(change)


@scene(S, then=OTHER, strict=False)
def a_loop_that_data_ends_moves_keys():
    order = collections.OrderedDict(a=1, b=2, c=3)

    def program(x):
        read = 0
        while x < 9:
            x = x + 2
            first = next(iter(order))
            order.move_to_end(first)
            read = read * 10 + order[first]
        return x, read, list(order)

    return Scene(program, lambda: order.move_to_end("b"), lambda: order)


@scene(S, then=OTHER, strict=False)
def a_loop_that_data_ends_puts_a_key_back():
    def change(x, held, table, marks):
        own = {"p": x, "q": x * 2}
        while x < 9:
            x = x + 2
            table["a"] = table.pop("a")
            own["p"] = own.pop("p") + 1
            if x > 6:
                table["b"] = table.pop("b")
        return x, list(own), list(own.values()), list(table)

    return _outer(change)


@scene(S, then=OTHER, strict=False)
def a_loop_left_by_data_moves_keys():
    order = collections.OrderedDict(a=1, b=2, c=3)

    def program(x):
        for _ in range(4):
            x = x + 2
            if x > 9:
                break
            order.move_to_end(next(iter(order)))
        return x, list(order)

    return Scene(program, lambda: order.move_to_end("b"), lambda: order)
