"""`with` around and beside host statements: each manager is entered once and left once, with the exception."""

import contextlib
import contextvars
import decimal
import io
import os
import tempfile
import threading
import warnings

import numpy as np
from hosting import LOG, hosted, hosted_scene, total
from program import Scene

from dyad import Tensor

X = Tensor([1.0, 2.0])
ALSO = [(Tensor([9.0, 2.0]),), (Tensor([0.0, 0.0]),), (Tensor([60, 1]),)]
LOCK = threading.Lock()
CHOSEN = contextvars.ContextVar("chosen", default=2.0)


class Managed:
    def __init__(self, name, keeps=()):
        LOG.append("made " + name)
        self.name, self.keeps = name, keeps

    def __enter__(self):
        LOG.append("in " + self.name)
        return self

    def __exit__(self, kind, error, trace):
        LOG.append(("out " + self.name, None if error is None else repr(error), trace is None))
        return kind is not None and issubclass(kind, self.keeps)


@contextlib.contextmanager
def scaled(x):
    k = total(x)
    LOG.append("enter")
    try:
        yield x * k
    except KeyError as error:
        LOG.append(("kept", error.args))
    finally:
        LOG.append("exit")


@hosted(X, then=ALSO)
def host_statement_inside(x):
    with Managed("a") as held:
        y = x * 2
        k = total(y)
        y = y + k
        LOG.append(held.name)
    return y


@hosted(X, then=ALSO)
def return_from_inside(x):
    with Managed("a"):
        k = total(x)
        if x.sum() > 5:
            return x * k
        LOG.append("body")
    return x


@hosted(X, then=ALSO)
def exception_of_host_code_is_given_to_it(x):
    y = x
    with Managed("outer"), Managed("inner", ZeroDivisionError):
        y = x * 2
        k = 12 / total(x)
        y = y + k
    return y


@hosted(X, then=ALSO)
def exception_passes_it(x):
    with Managed("a", KeyError):
        x.add_(1)
        k = 12 / total(x - 1)
        x.add_(k)
    return x


@hosted(X, then=ALSO)
def three_managers_and_a_raise_between(x):
    try:
        with Managed("a"), Managed("b", ValueError) as b, Managed("c" + str(total(x))):
            if total(x) > 50:
                raise KeyError(b.name)
            if x.sum() > 5:
                raise ValueError(total(x))
            LOG.append("body")
        LOG.append("behind")
    except KeyError as error:
        return error.args
    return x


@hosted(X, then=ALSO)
def entering_the_second_fails(x):
    class Failing(Managed):
        def __enter__(self):
            super().__enter__()
            return 1 / total(x)

    try:
        with Managed("a"), Failing("b") as k, Managed("c"):
            LOG.append(k)
            return x * k
    except ZeroDivisionError as error:
        return str(error), x


@hosted(X, then=ALSO)
def leaving_fails(x):
    class Failing(Managed):
        def __exit__(self, *about):
            super().__exit__(*about)
            raise ValueError("leaving")

    try:
        with Managed("a"), Failing("b"):
            y = x * (12 / total(x))
    except ValueError as error:
        return type(error.__context__).__name__, error.args, x
    return y


@hosted(X, then=ALSO)
def break_and_continue_leave_it(x):
    y = x
    for i in range(4):
        with Managed(str(i)):
            if i == 1:
                continue
            k = total(y)
            if i == 3 or k > 50:
                break
            y = y + k
            LOG.append("end")
    else:
        LOG.append("else")
    return y


@hosted(X, then=ALSO)
def manager_of_a_generator_with_host_code(x):
    y = x
    with scaled(x) as z:
        y = z + 1
        if total(z) > 100:
            raise KeyError("large")
        y = y * 2
    LOG.append("behind")
    return y


@hosted(X, then=ALSO)
def exception_passes_the_manager_of_a_generator(x):
    try:
        with scaled(x) as z:
            y = z * (1 / total(x))
    except ZeroDivisionError:
        return "caught", x
    return y


@hosted(X, then=ALSO)
def manager_as_a_decorator(x):
    @scaled(x)
    def f(v):
        LOG.append("called")
        return v * total(v)

    return f(x)


@hosted(X, then=ALSO)
def stack_of_managers(x):
    with contextlib.ExitStack() as stack:
        for i in range(2):
            stack.enter_context(Managed(str(i)))
        stack.callback(LOG.append, "callback")
        y = x * total(x)
        if x.sum() > 5:
            kept = stack.pop_all()
            LOG.append("popped")
            kept.close()
    return y


@hosted(X, then=ALSO)
def suppressed_host_exception(x):
    y = x
    with contextlib.suppress(ZeroDivisionError):
        y = x + 1
        y = x * (1 / total(x))
    return y


@hosted(X)
def lock_is_held(x):
    with LOCK:
        inside = LOCK.locked()
        y = x * total(x)
    return y, inside, LOCK.locked()


@hosted(X, then=ALSO)
def lock_is_released_after_an_exception(x):
    try:
        with LOCK:
            LOG.append(LOCK.locked())
            y = x * (1 / total(x))
    except ZeroDivisionError:
        y = "caught"
    return y, LOCK.locked()


@hosted(X)
def output_is_redirected(x):
    buffer = io.StringIO()
    print("seen")
    with contextlib.redirect_stdout(buffer):
        print("unseen", total(x))
        y = x * 2
        print(y.shape)
    print("seen again")
    return y, buffer.getvalue()


@hosted(X)
def warnings_are_caught(x):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.warn("first", stacklevel=1)
        y = x * total(x)
        warnings.warn(f"second {total(x)}", DeprecationWarning, stacklevel=1)
    return y, [(str(w.message), w.category.__name__) for w in caught]


@hosted(X)
def warning_as_an_error(x):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            y = x * 2
            warnings.warn(f"sum {total(x)}", UserWarning, stacklevel=1)
            y = y * 2
        except UserWarning as warning:
            return y, str(warning)


@hosted(X)
def context_variable_is_set_and_reset(x):
    token = CHOSEN.set(total(x))
    y = x * CHOSEN.get()
    CHOSEN.reset(token)
    inside = contextvars.copy_context().run(lambda: CHOSEN.set(7.0) and CHOSEN.get())
    return y + CHOSEN.get(), inside


@hosted(X)
def local_precision(x):
    with decimal.localcontext() as context:
        context.prec = 4
        a = decimal.Decimal(1) / decimal.Decimal(int(abs(total(x))) + 4)
    return x * float(a), str(a), decimal.getcontext().prec == context.prec


@hosted(X)
def files_are_written_and_read(x):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.txt")
        with open(path, "w") as file:
            file.write(f"{total(x)}\n")
            y = x * 2
            file.write(str(y.shape))
        with open(path) as file:
            lines = file.read().split("\n")
        np.save(os.path.join(folder, "a.npy"), y.asnumpy())
        loaded = Tensor(np.load(os.path.join(folder, "a.npy")))
    return y + float(lines[0]), lines[1], loaded, file.closed, os.path.exists(folder)


@hosted(X, then=ALSO)
def target_of_with_is_a_subscript(x):
    held = [None, None]
    with Managed("a") as held[0], scaled(x) as (held[1]):
        y = held[1] * 2
    return y, held[0].name, held[1] is not x


@hosted(X, then=ALSO)
def manager_made_of_a_cut_value_is_left_in_order(x):
    with Managed(str(total(x))) as a:
        with Managed(a.name * 2) as b:
            y = x * len(b.name)
        LOG.append("between")
        y = y + total(y)
    return y, a.name


@hosted(X, then=ALSO)
def with_inside_try_inside_with(x):
    with Managed("outer", ValueError):
        try:
            with Managed("inner"):
                k = 6 / total(x)
            LOG.append("fine")
        except ZeroDivisionError as error:
            raise ValueError("changed") from error
        finally:
            LOG.append("finally")
        return x * k
    return "kept"


@hosted_scene(X, then=ALSO)
def manager_of_the_outside_counts():
    class Counting:
        depth, entered = 0, 0

        def __enter__(self):
            self.depth += 1
            self.entered += 1
            return self.entered

        def __exit__(self, *about):
            self.depth -= 1

    counting = Counting()

    def f(x):
        with counting as first, counting as second:
            y = x * (6 / total(x)) + first
            LOG.append(counting.depth)
        return y * second

    return Scene(f, watch=lambda: vars(counting))
