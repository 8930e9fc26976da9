"""Dictionaries: methods, aliasing, order, keys of every kind, dictionaries of the caller."""

from program import Call, Raises, Scene, program, scene

import dyad
from dyad import Tensor

X = Tensor([1.0, 2.0])
S = Tensor(5.0)


@program(X)
def a_dict_is_returned(x):
    return {"lo": x.min(), "hi": x.max()}


@program(X)
def a_nested_dict_is_returned(x):
    return {"a": {"b": [x, {"c": 1}]}, "n": None, "t": (1, x)}


@program(X)
def every_method(x):
    d = {"a": 1, "b": x}
    d["c"] = 3
    taken, missing = d.pop("a"), d.pop("zz", 7)
    put, kept = d.setdefault("e", 5), d.setdefault("c", 9)
    d.update({"f": 6, "c": 8})
    d.update(g=1)
    d.update([("h", 2)])
    last = d.popitem()
    copied = d.copy()
    d.clear()
    return d, copied, taken, missing, put, kept, last


@program(X)
def get_and_membership(x):
    d = {"a": x, 1: "one", None: 2, (1, 2): 3}
    return d.get("a"), d.get("z"), d.get("z", 5), 1 in d, "q" not in d, d[None], d[(1, 2)], len(d)


@program(X)
def views_behave_as_in_python(x):
    d = {"a": 1, "b": 2}
    keys = d.keys()
    before = list(keys)
    d["c"] = 3
    return before, list(keys), list(d.values()), list(d.items()), "a" in keys, len(d.items()), sorted(keys)


@program(X)
def views_are_returned(x):
    d = {"a": x, "b": 2}
    return d.keys(), d.values(), d.items()


@program(X)
def fromkeys(x):
    return dict.fromkeys(("a", "b"), 0), {}.fromkeys([1, 2]), dict.fromkeys("ab", x)


@program(X)
def made_from_everything(x):
    return (
        dict(),
        dict(a=1, b=x),
        dict(zip(("a", "b"), (1, 2), strict=False)),
        dict([("k", x)]),
        dict({"a": 1}, b=2),
    )


@program(X)
def merged(x):
    a, b = {"a": 1, "b": 2}, {"b": x}
    c = a | b
    a |= {"z": 0}
    return c, a, {**a, **b}


@program(X)
def order_of_insertion(x):
    d = {"b": 1, "a": 2}
    d["c"] = 3
    del d["b"]
    d["b"] = x
    return list(d), d


@program(X)
def repeated_keys_last_wins(x):
    return {"a": 1, "b": 2, "a": x}


@program(X)
def keys_of_many_kinds(x):
    d = {1: "i", 2.5: "f", "s": "s", None: "n", True: "b", (1, "t"): "t", dyad.float32: "d"}
    return d[1], d[2.5], d["s"], d[None], d[(1, "t")], d[x.dtype], len(d)


@program(X)
def aliases(x):
    a = {"n": 1}
    b = a
    c = {"inner": a}
    b["m"] = x
    c["inner"]["n"] += 5
    return a, b is a, c["inner"] is a


@program(X, expect=Raises(KeyError, "'b'"))
def missing_key(x):
    return {"a": 1}["b"]


@program(X, expect=Raises(KeyError))
def pop_of_a_missing_key(x):
    return {"a": 1}.pop("b")


@program(X, {"a": 1})
def argument_written(x, d):
    d["b"] = x
    d["a"] += 1
    return x * len(d)


@program(X, {"a": 1, "b": 2})
def argument_changed_by_methods(x, d):
    d.update({"c": 3})
    d.pop("a")
    d.setdefault("d", x)
    return d


@program(X, {"a": X, "b": (X, S)})
def argument_of_tensors(x, d):
    a, (b, c) = d["a"], d["b"]
    return x + a * b - c


@program(X, {"a": 1}, then=[(X, {"a": 1, "b": 2}), (X, {"b": 2, "a": 1}), (X, {}), (X, {"a": True})])
def lengths_and_order_are_noticed(x, d):
    return x * len(d), list(d), list(d.values())


TABLE = {}


@scene(X, expect=([1.0, 2.0], 1), again=([2.0, 4.0], 2), changed=([51.0, 102.0], 51), strict=TypeError)
def global_dict_counts():
    TABLE.clear()
    TABLE["n"] = 0

    def f(x):
        TABLE["n"] += 1
        return x * TABLE["n"], TABLE["n"]

    return Scene(f, lambda: TABLE.update(n=50), lambda: TABLE)


@scene(X, expect=[2.0, 4.0], changed=[7.0, 14.0])
def global_dict_read():
    TABLE.clear()
    TABLE.update(k=2)

    def f(x):
        return x * TABLE["k"]

    return Scene(f, lambda: TABLE.update(k=7))


@scene(X, changed=[0.0, 0.0])
def absence_of_a_key_is_guarded():
    TABLE.clear()

    def f(x):
        return x * TABLE.get("k", 3) if "k" not in TABLE else x * 0

    return Scene(f, lambda: TABLE.update(k=7))


@scene(S, strict=TypeError)
def global_dict_written_under_a_tensor_condition():
    TABLE.clear()

    def f(x):
        if x > 0:
            TABLE["sign"] = 1
        else:
            TABLE["sign"] = -1
        return TABLE["sign"]

    return Scene(f, TABLE.clear, lambda: TABLE)


@program(X)
def values_are_changed_while_iterating_over_a_copy(x):
    d = {"a": 1, "b": 2}
    for key in list(d):
        d[key + key] = d[key] * 10
    return d


@program(X)
def comparison(x):
    return {"a": 1} == {"a": 1}, {"a": 1} == {"a": 2}, {"a": 1, "b": 2} == {"b": 2, "a": 1}, {"a": x} != {}


@program(X)
def dicts_as_keyword_arguments(x):
    def f(a, b=2, **rest):
        return a * b, rest

    options = {"b": 3, "c": 4}
    return f(x, **options), f(**{"a": x})


@program(X, then=[Call(X, a=1), Call(X, b=2, a=1)])
def keywords_arrive_in_order(x, **options):
    return list(options.items())


@program(X)
def dict_of_functions(x):
    table = {"a": lambda v: v + 1, "b": lambda v: v * 2}
    for name in ("a", "b", "a"):
        x = table[name](x)
    return x


@program(X)
def sets_of_known_values(x):
    s = {1, 2, 3}
    s.add(4)
    s.discard(1)
    t = s | {9}
    return x * len(s), 2 in s, sorted(t), s & {2}, frozenset((1, 1))


@program(Tensor([1.0, -2.0, 3.0]), strict=False)
def entries_that_tensors_decide(x):
    chosen = {place: item * 2 for place, item in enumerate(x) if item < 0}
    chosen[7] = x
    pairs = {place: other for place, item in enumerate(x) if item > 0 for other in (1, 2) if x[other] > 0}
    return chosen, pairs, 1 in chosen, chosen.get(0, "no"), len(pairs)


@program(Tensor([1.0, -2.0, 3.0]), strict=False)
def members_that_tensors_decide(x):
    members = {place % 2 for place, item in enumerate(x) if item > 0}
    return members, len(members), 1 in members
