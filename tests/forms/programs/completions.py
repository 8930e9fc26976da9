"""Completion of blocks: `try`, `except`, `else`, `finally` and loops, with exits that a Tensor decides."""

from program import Raises, Scene, program, scene

from dyad import Tensor

X = Tensor([1.0, 1.0])
ALSO = [(Tensor([9.0, 2.0]),), (Tensor([60.0, 0.0]),), (Tensor([-9.0, 2.0]),), (Tensor([3.0, 2.5]),)]


@program(X, then=ALSO, strict=False)
def exception_of_a_tensor_condition_is_caught(x):
    try:
        if x.sum() > 5:
            raise ValueError("big")
        y = x + 1
    except ValueError as error:
        print(error)
        y = x * 100
    return y


@program(X, then=ALSO, strict=False)
def finally_after_an_early_return_from_a_loop(x):
    for _ in range(2):
        if x.sum() > 100:
            return x
    try:
        if x.sum() > 50:
            raise KeyError(3)
    finally:
        print("done")
    return x * 2


@program(X, then=ALSO, strict=False)
def else_runs_where_the_body_goes_on(x):
    try:
        if x.sum() > 5:
            return x
        y = x + 1
    except ValueError:
        y = x
    else:
        y = y * 10
    return y


@program(X, then=ALSO, strict=False)
def else_is_not_watched_by_the_handlers(x):
    try:
        try:
            y = x * 2
        except ValueError:
            return "inner"
        else:
            if x.sum() > 5:
                raise ValueError("else")
    except ValueError as error:
        return str(error), x
    return "none", y


@program(X, then=ALSO, strict=False)
def finally_that_returns_on_one_path(x):
    try:
        return x
    finally:
        if x.sum() > 5:
            return x * 2  # noqa: B012


@program(X, then=ALSO, strict=False)
def finally_that_keeps_an_exception_on_one_path(x):
    for i in range(3):
        try:
            if x.sum() > i:
                raise ValueError(i)
        finally:
            print("turn", i)
            if x.sum() > 5:
                break  # noqa: B012
    return x


@program(X, then=ALSO, strict=False)
def continue_in_finally(x):
    count = 0
    for i in range(3):
        try:
            if x.sum() > i + 4:
                return count
            count += 1
        finally:
            if x.sum() < 20:
                continue  # noqa: B012
            count += 10
    return count


@program(X, then=ALSO, strict=False)
def exits_of_a_loop_pass_through_finally(x):
    seen = []
    for i in range(3):
        try:
            if x.sum() > 20:
                continue
            if x.sum() > 5:
                break
            seen.append(i)
        finally:
            seen.append(("finally", i))
    return seen


@program(X, then=ALSO, strict=False)
def exception_in_a_loop_of_the_graph(x):
    i = x.sum() * 0
    try:
        while i < 10:
            i = i + 1
            if i * x.sum() > 20:
                raise ValueError("turns")
    except ValueError as error:
        return str(error), i
    return i


@program(X, then=ALSO, strict=False)
def exception_inside_an_expression(x):
    def checked(v):
        if v.sum() > 5:
            raise ValueError("checked")
        return v * 2

    try:
        y = checked(x) + checked(x * 2)
    except ValueError as error:
        return error.args[0], x
    return y


@program(X, then=ALSO, strict=False)
def handlers_are_asked_in_order(x):
    try:
        if x.sum() > 50:
            raise IndexError("a")
        if x.sum() > 5:
            raise KeyError("b")
        if x.sum() < -5:
            raise ZeroDivisionError
    except KeyError:
        return 1
    except LookupError:
        return 2
    except (ValueError, ArithmeticError):
        return 3
    return 0


@program(X, then=ALSO, expect=(0, []), strict=False)
def exception_that_no_handler_takes_runs_finally(x):
    seen = []
    try:
        try:
            if x.sum() > 5:
                raise KeyError("through")
        except ValueError:
            seen.append("wrong")
        finally:
            if x.sum() > 5:
                seen.append("finally")
    except KeyError:
        seen.append("outer")
        return 1, seen
    return 0, seen


@program(Tensor(1), then=[(Tensor(2),), (Tensor(3),), (Tensor(-4),), (Tensor(-3),)], strict=False)
def index_of_a_list_is_caught(place):
    try:
        value = [1, 2, 3][int(place)]
    except IndexError:
        value = -1
    return value


@program(X, then=ALSO, strict=False)
def assertion_is_caught(x):
    try:
        assert x.sum() < 5, "too big"
    except AssertionError as error:
        return str(error)
    return "fine"


@program(X, then=ALSO, strict=False)
def name_of_the_handler_is_unbound_afterwards(x):
    try:
        if x.sum() > 5:
            raise ValueError
    except ValueError as error:
        print(type(error).__name__)
    try:
        print(error)
    except NameError as missing:
        return str(missing)
    return "bound"


@program(X, then=ALSO, expect=Raises(RuntimeError, "dictionary changed size"), vary=False, strict=False)
def dict_that_grows_while_it_is_iterated(x):
    table = {1: x}
    for key in table:
        table[key + 1] = x
    return table


@scene(X, then=ALSO, strict=False)
def recursion_that_raises_is_caught():
    def descend(x, n):
        if x.sum() > 20:
            raise ValueError("deep")
        if n == 0:
            return x
        return descend(x * 2, n - 1)

    def called(x):
        try:
            return descend(x, 3)
        except ValueError:
            return x * 0

    return Scene(called)


@scene(
    X, Tensor(1.0), then=[(X * 0, Tensor(1.0)), (X, Tensor(3.0)), (X, Tensor(5.0))], vary=False, strict=False
)
def tensors_that_several_places_hold_beside_an_exception():
    numbers = [4, 3, 2, 5] * 8

    def called(x, n):
        held, left = [x, x + 0], 4
        if -1 < x.sum() < 1:
            raise ValueError("small")
        if n > 4:
            raise KeyError("c")
        for row in [x, x + 1]:
            total = row.sum()
            for _ in range(3):
                if n > 2:
                    continue
                for _ in range(2):
                    if left < 3:
                        continue
                    held.append(x * 1.25)
                    left = numbers.pop(0)
        return held, left, total

    return Scene(called, watch=lambda: numbers)


@program(Tensor([1.0, 2.0, 3.0]), Tensor(1), then=[(-X, Tensor(2)), (X, Tensor(2))], vary=False, strict=False)
def lists_of_one_kind_beside_an_exception(x, n):
    held = None
    if x.sum() < 0:
        raise ValueError("negative")
    for row in x:
        if int(n) != 1:
            held = [int(n), len(x)]
        print(row)
    return held
