"""The exception that the program made is raised: what it holds, what it was raised from, and which object it is."""

from program import Scene, program, scene

from dyad import Parameter, Tensor

X = Tensor([9.0, 1.0])
ALSO = [(Tensor([1.0, 2.0]),), (Tensor([60.0, 0.0]),), (Tensor([-9.0, 2.0]),)]


class Wrapped(Exception):
    def __init__(self, text, code=0):
        super().__init__("wrapped " + text)
        self.code = code
        print("made", text)

    def __str__(self):
        return f"{self.args[0]} ({self.code})"


@program(X, then=ALSO, strict=False)
def own_class_is_made_once(x):
    if x.sum() > 5:
        raise Wrapped("a", 3)
    return x


@program(X, then=ALSO, strict=False)
def attributes_and_notes(x):
    if x.sum() > 5:
        error = ValueError("noted")
        error.add_note("first")
        error.value = x * 2
        error.add_note(f"second {int(x[0])}")
        raise error
    return x


@program(X, then=ALSO, strict=False)
def attributes_hold_tensors_of_the_caller(x):
    if x.sum() > 5:
        raise Wrapped("held", x)
    return x


@program(X, then=ALSO, strict=False)
def cause_and_context(x):
    try:
        if x.sum() > 5:
            raise KeyError("first")
    except KeyError as error:
        if x.sum() > 50:
            raise ValueError("caused") from error
        raise ValueError("in its handler")
    return x


@program(X, then=ALSO, strict=False)
def context_is_suppressed(x):
    try:
        if x.sum() > 5:
            raise KeyError("first")
    except KeyError:
        raise ValueError("alone") from None
    return x


@program(X, then=ALSO, strict=False)
def context_of_an_exception_in_finally(x):
    try:
        if x.sum() > 50:
            raise KeyError("first")
    finally:
        if x.sum() > 5:
            raise ValueError("in finally")
    return x


@program(X, then=ALSO, strict=False)
def raised_again(x):
    try:
        if x.sum() > 5:
            raise Wrapped("again", 1)
    except Wrapped as error:
        error.code = 7
        if x.sum() > 50:
            error.add_note("seen")
            raise
        return error.code, str(error)
    return x


@program(X, then=ALSO, strict=False)
def exceptions_are_kept_and_compared(x):
    first, kept = None, [None, None]
    for i in range(2):
        try:
            if x.sum() > i + 4:
                raise ValueError(i)
        except ValueError as error:
            kept[i] = error
            if first is None:
                first = error
    return kept[0] is first, kept[1] is first, kept[1] is None or kept[1].args


@scene(X, then=ALSO, strict=False)
def exception_is_left_in_a_list_outside():
    seen = []

    def called(x):
        try:
            if x.sum() > 5:
                raise Wrapped("kept", 2)
        except Wrapped as error:
            seen.append(error)
            if x.sum() > 50:
                raise
        return x

    return Scene(called, watch=lambda: [(type(error), error.code, str(error)) for error in seen])


@program(X, then=ALSO, strict=False)
def error_of_an_operator_is_caught(x):
    try:
        y = x.reshape(7)
    except ValueError as error:
        print(type(error).__name__)
        y = x * 2
    if x.sum() > 5:
        try:
            {}["missing"]
        except KeyError as error:
            return error.args, y
    return y


@program(X, then=ALSO, strict=False)
def system_errors_keep_their_fields(x):
    if x.sum() > 50:
        raise StopIteration(x * 2)
    if x.sum() > 5:
        raise OSError(2, "none", "name.txt")
    return x


@program(X, then=ALSO, strict=False)
def text_of_an_exception_with_a_tensor(x):
    try:
        if x.sum() > 5:
            raise ValueError("sum", x.sum())
    except ValueError as error:
        print(error)
        print(f"got {error!r}")
        return str(error), error.args[1]
    return x


@program(X, then=ALSO, strict=False)
def args_are_replaced(x):
    try:
        if x.sum() > 5:
            raise ValueError("old")
    except ValueError as error:
        error.args = ("new", int(x[0]))
        raise
    return x


@scene(X, then=ALSO, strict=False)
def what_equals_the_weight_is_kept_by_every_exception():
    """A product by one is a Tensor of its own, though the graph may have the weight's memory for it."""
    weight, kept = Parameter(Tensor([3.0, 4.0]), name="weight"), {}

    def called(x):
        kept["v"] = weight * 1.0
        if x.sum() > 5:
            raise IndexError(0)
        raise ValueError(1)

    return Scene(called, lambda: weight.add_(1.0), lambda: (kept, weight))


@scene(X, then=ALSO, strict=False)
def whole_view_is_kept_by_an_exception():
    kept = {}

    def called(x):
        kept["v"] = x[:]
        kept["given"] = x
        if x.sum() > 5:
            raise IndexError(0)
        return kept["v"] is x

    return Scene(called, watch=lambda: kept)


@scene(X, then=ALSO, strict=False)
def weight_or_what_equals_it_is_kept_by_an_exception():
    weight, kept = Parameter(Tensor([3.0, 4.0]), name="weight"), {}

    def called(x):
        kept["v"] = weight * 1.0
        if x.sum() > 50:
            kept["v"] = weight
        if x.sum() > 5:
            raise IndexError(0)
        raise ValueError(1)

    return Scene(called, watch=lambda: (kept, weight))


@program(X, then=ALSO)
def handled_where_a_condition_raises(x):
    try:
        y = x / 2
        if y.sum() > 4:
            raise ValueError("large")
        z = y
    except ValueError:
        z = x * x
    return z


@program(X, then=ALSO)
def one_of_two_handlers(x):
    kept = x * 0
    try:
        if x.sum() > 20:
            raise KeyError("far")
        if x.sum() > 5:
            raise ValueError("large")
        kept = kept + 1
    except KeyError:
        kept = kept + 10
    except ValueError:
        kept = kept + 100
    finally:
        kept = kept - x
    return kept
