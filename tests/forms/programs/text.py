"""Strings, f-strings, formatting, `print`."""

from program import Scene, program, scene

from dyad import Tensor, ops

X = Tensor([1.0, 2.0])
S = Tensor(5.0)


@program(X)
def operators_on_strings(x):
    s = "abc"
    return s + "d", s * 2, s[1], s[::-1], "b" in s, s < "abd", s == "abc", len(s), list(s)


@program(X)
def methods_of_strings(x):
    s = " Hello, World "
    return (
        s.strip().lower().split(", "),
        s.upper(),
        s.replace("l", "L"),
        s.find("World"),
        ",".join(["a", "b"]),
        "x".center(5, "*"),
        "ab".startswith("a"),
        "7".zfill(3),
        "a-b".partition("-"),
        "12".isdigit(),
        "word".title(),
        b"a",
    )


@program(X, expect="0003")
def format_spec_of_a_number(x):
    return f"{3:04d}"


@program(X)
def format_specs(x):
    n, v, s = 42, 3.14159, "word"
    return f"{n:>8}|{n:x}|{v:.2f}|{v:10.3e}|{s:^10}|{s!r}|{n=}|{{}}|{n:{4 + 4}d}"


@program(X)
def percent_and_format(x):
    return "%d %s %.1f" % (1, "a", 2.55), "{0} {b:>4} {0}".format(1, b=2)


@program(X)
def shapes_and_dtypes_in_text(x):
    return f"{x.shape} {x.dtype} {x.ndim}", str(x.shape), repr(x.dtype)


@program(X, strict=False)
def tensors_in_text(x):
    return f"{x}", str(x + 1)


@program(S, strict=False)
def numbers_from_arms_in_text(x):
    k = 1 if x > 0 else 2
    return f"k={k:03d}", str(k)


@program(X, strict=False)
def constant_tensor_as_text(x):
    return str(Tensor([1.0, 2.0])), x


@program(X, 3, then=[(X, "s"), (X, None), (X, (1, 2.5))])
def text_of_known_values(x, value):
    return str(value), repr(value), f"{value!s:>5}"


@program(X)
def print_is_in_order(x):
    print("start")
    y = x + 1
    print("y", y)
    y = y * 2
    print("then", y, sep=": ")
    return y


@program(X)
def print_of_everything(x):
    print((1, 2.5))
    print(True, None, 1, 2.5, "s")
    print("a", [1, 2], {"b": 1})
    print(x.shape, x.dtype)
    print()
    return x


@program(X)
def print_with_keywords(x):
    print(x, end="")
    print("|", 1, 2, sep="-", end="!\n", flush=True)
    return x


@program(X)
def print_of_containers_with_tensors(x):
    print([x, 1], {"k": x}, (x * 2,))


@program(S)
def print_in_one_arm(x):
    print("before")
    if x > 0:
        print("positive", x)
    else:
        print("negative", x)
    print("after")
    return x


@program(Tensor(3))
def print_in_a_tensor_loop(n):
    i = 0
    while i < n:
        print("i =", i)
        i += 1
    print("done", i)
    return i


@program(X)
def print_of_the_value_at_that_moment(x):
    print(x)
    x.add_(1.0)
    print(x)
    x[0] = 9.0
    print(x)
    return x


@program(X)
def print_inside_callees(x):
    def f(v):
        print("in f", v)
        return v * 2

    print("out", f(f(x)))
    return x


@program(X)
def print_operator(x):
    ops.Print()("value", x)
    return x


@scene(X)
def print_of_a_changed_closure():
    word = "one"

    def f(x):
        print(word)
        return x

    def change():
        nonlocal word
        word = "two"

    return Scene(f, change)


@program(X, b"ab")
def bytes_stay_bytes(x, b):
    return b, b + b"c", b[0], len(b), b"a"


@program(X)
def string_conversions(x):
    return int("42"), int("ff", 16), float("2.5"), str(1.0), chr(97), ord("a"), bin(5), hex(255), oct(8)


@program(X, "mean", then=[(X, "sum"), (X, "max")])
def string_argument_selects(x, how):
    if how == "mean":
        return x.mean()
    if how in ("sum", "add"):
        return x.sum()
    return getattr(x, how)()
