"""Dicts, sets and None with run-time keys and values: every method, order, identity, as arguments and results."""

import collections
import types
import weakref

from hosting import LOG, hosted, hosted_scene, log, passed, total
from program import Call, Scene

from dyad import Tensor

X = Tensor([1.0, 2.0])
N = Tensor(3)
NUMBERS = [(Tensor(1),), (Tensor(8),), (Tensor(3.0),)]


@hosted(N, then=NUMBERS)
def read_at_a_run_time_key(n):
    table = {1: "one", 3: "three"}
    y = n * 2
    return y, table.get(int(n), "many"), int(n) in table, table.get(n.item())


@hosted(N, then=NUMBERS)
def missing_run_time_key(n):
    table = {1: "one", 3: "three"}
    LOG.append("before")
    name = table[int(n)]
    LOG.append("after")
    return n, name


@hosted(N, then=NUMBERS)
def written_at_a_run_time_key(n):
    table = {1: n, "order": 0}
    table[int(n)] = n * 2
    table["order"] += int(n)
    del table[int(n)]
    table[int(n)] = "last"
    return table, list(table)


@hosted(X)
def every_method(x):
    table = dict(a=total(x), b=x)
    table.update({"c": 3}, d=total(x * 2))
    popped = table.pop("c"), table.pop("missing", None)
    kept = table.setdefault("a", 0), table.setdefault("e", [])
    table["e"].append(kept[0])
    last = table.popitem()
    copied = table.copy()
    table.clear()
    return popped, kept, last, copied, table, dict.fromkeys("ab", total(x))


@hosted({"a": 1.0}, X, then=[Call({"a": X, "z": None}, X), Call({"a": 2}, Tensor([1, 2]))])
def argument_is_changed(table, x):
    table["sum"] = total(x)
    y = x * table["a"]
    table["a"] = y
    return table, y


@hosted_scene(X)
def counts_of_the_outside():
    counts = {"calls": 0}

    def f(x):
        counts["calls"] += 1
        counts[total(x)] = counts.get(total(x), 0) + 1
        return x * counts["calls"], len(counts)

    def change():
        counts.clear()
        counts["calls"] = 40

    return Scene(f, change, lambda: counts)


@hosted(X)
def views_follow_the_dict(x):
    table = {"a": total(x)}
    keys, values, items = table.keys(), table.values(), table.items()
    table["b"] = x
    y = x * len(keys)
    table["a"] = 0
    return y, list(keys), list(values)[0], keys & {"a", "z"}, len(items), keys


@hosted(X)
def changed_while_iterated(x):
    table, seen = {"a": 1, "b": 2}, []
    try:
        for key in table:
            seen.append(key)
            table[key + key] = total(x)
    except RuntimeError as error:
        seen.append(str(error))
    return x * len(seen), table, seen


@hosted(X)
def loop_over_items_with_run_time_keys(x):
    table = {v: v * 2 for v in x.asnumpy().tolist()}
    y = x
    for key, value in sorted(table.items()):
        y = y * key + value
    return y, table


@hosted(X)
def kinds_of_dicts(x):
    groups = collections.defaultdict(list)
    groups[total(x) > 0].append(x)
    groups[True].append("t")
    ordered = collections.OrderedDict(a=total(x), b=2)
    ordered.move_to_end("a")
    y = x * groups[False].__len__() + len(groups)
    return y, groups, list(ordered), ordered.popitem(last=False)


@hosted_scene(X)
def read_only_and_wrapped_dicts():
    inner = {"k": 2.0}
    proxy, user = types.MappingProxyType(inner), collections.UserDict(k=3.0)

    def f(x):
        y = x * proxy["k"] + user["k"]
        inner["k"] += 1
        user["k"] = total(y)
        try:
            proxy["k"] = 1
        except TypeError as error:
            LOG.append(type(error).__name__)
        return y * proxy["k"]

    return Scene(f, watch=lambda: (inner, user.data))


@hosted(X)
def tensors_as_keys(x):
    y = x * 1
    table = {x: "x", y: total(y)}
    return table[x], table[y] * x, len(table), x in table, next(iter(table)) is x


@hosted(X)
def run_time_sets(x):
    found = {total(x), 2.0, "a"}
    found.add(total(x))
    found.discard("missing")
    same = found
    found &= {total(x), "a"}
    try:
        found.remove("z")
    except KeyError as error:
        log(error.args)
    return x * len(found), same is found, sorted(map(str, found)), frozenset(found) == found


@hosted(X)
def unhashable_key(x):
    table = {}
    try:
        table[total(x)] = 1
        table[[total(x)]] = 2
    except TypeError as error:
        return table, str(error), x * len(table)


@hosted(None, X, then=[Call(X, None), Call(None, None), Call(X, Tensor([1, 2])), Call(3, X)])
def none_as_an_argument(a, b):
    if a is None and b is None:
        return None
    if a is None:
        return b * total(b), None
    return (a, total(b)) if b is not None else a


@hosted_scene(X, then=[Call(X, None), Call(X, 2.0), Call(X, k=X)])
def none_as_a_default():
    def f(x, k=None):
        k = passed(k, "k")
        return x * 2 if k is None else x * k

    return f


@hosted(X)
def nothing_is_returned(x):
    LOG.append(total(x))
    if total(x) > 0:
        return
    x.add_(1)


@hosted(X)
def nothing_until_it_is_known(x):
    best, at = None, None
    for i, v in enumerate(x.asnumpy().tolist() + [1.5]):
        if best is None or v > best:
            best, at = v, i
    return x * best, at, [None, best][at > 5]


@hosted(X)
def weak_references(x):
    class Held:
        pass

    made = Held()
    made.value = total(x)
    ref = weakref.ref(made)
    y = x * ref().value
    alive = ref() is made
    del made
    return y, alive, ref() is None
