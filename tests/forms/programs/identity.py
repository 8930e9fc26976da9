"""`is` of tensors where it depends on the path which one each of them is."""

from program import program

from dyad import Tensor

X = Tensor([1.0, 2.0, 3.0])
S = Tensor(1.0)
ALSO = [(X, Tensor(-1.0)), (X, Tensor(0.25))]


@program(X, S, then=ALSO, strict=False)
def swapped_after_a_loop_took_one(x, s):
    b, c = x * 2.0, x
    held = [b, b]
    if s > 0:
        turn = s * 0
        while turn < 1:
            turn = turn + 1
            c = held[1]
        c, held[1] = held[1], c
    return c is held[1], c is x


@program(X, S, then=ALSO, strict=False)
def two_are_made_in_one_arm(x, s):
    c, d = x, x
    if s > 0:
        c, d = x * 2, x * 3
    return c is d, c is x, d is x


@program(X, S, then=ALSO, strict=False)
def one_is_made_for_two_names(x, s):
    c, d = x, x
    if s > 0:
        c = d = x * 2
    return c is d, c is x


@program(X, S, then=ALSO, strict=False)
def one_of_an_arm_is_taken_in_a_later_one(x, s):
    c, d = x, x
    if s > 0:
        c = x * 2
    if s > 0.5:
        d = c
    return c is d, c is x, d is x


@program(X, S, then=ALSO, strict=False)
def view_of_one_arm_has_two_names(x, s):
    c, d = x, x * 3
    if s > 0:
        c = d = x[:]
    else:
        d = x
    return c is d, c is x, d is x
