"""Lists and dicts whose length depends on data, gone through by all that goes through containers."""

import collections
import itertools

from program import program

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
