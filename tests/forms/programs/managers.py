"""`with`: managers are entered and left once and in order on every path, and may keep an exception."""

import contextlib

from program import Scene, program, scene

from dyad import Tensor

X = Tensor([1.0, 1.0])
ALSO = [(Tensor([9.0, 2.0]),), (Tensor([60.0, 0.0]),), (Tensor([-9.0, 2.0]),)]


class Logged:
    def __init__(self, log, name, keeps=()):
        self.log, self.name, self.keeps = log, name, keeps

    def __enter__(self):
        self.log.append("in " + self.name)
        return self

    def __exit__(self, kind, error, traceback):
        self.log.append(("out " + self.name, None if kind is None else kind.__name__, traceback is None))
        return kind is not None and issubclass(kind, self.keeps)


@contextlib.contextmanager
def noted(log, name, keeps=()):
    log.append("before " + name)
    try:
        yield name
    except keeps as error:
        log.append(("kept", type(error).__name__))
    finally:
        log.append("after " + name)


@contextlib.contextmanager
def scaled(x):
    print("scaled")
    yield x * 3
    print("done")


def _with_log(function):
    """A scene whose log outside of the graph is watched."""

    def build():
        log = []
        return Scene(lambda x: function(x, log), watch=lambda: log)

    build.__name__, build.__module__ = function.__name__, function.__module__
    return scene(X, then=ALSO, strict=False)(build)


@_with_log
def managers_keep_and_pass_on(x, log):
    with Logged(log, "outer"):
        with Logged(log, "inner", ValueError):
            if x.sum() > 5:
                raise ValueError("a")
            log.append("body")
        if x.sum() < -5:
            return x * 3
    return x


@_with_log
def exception_leaves_two_managers(x, log):
    with Logged(log, "a"), Logged(log, "b"):
        if x.sum() > 5:
            raise KeyError("through")
        log.append("body")
    return x * 2


@_with_log
def manager_in_a_loop_with_exits(x, log):
    for i in range(3):
        with Logged(log, str(i), KeyError):
            if x.sum() > 50:
                continue
            if x.sum() > 5:
                break
            log.append(i)
    return x


@_with_log
def manager_of_a_generator(x, log):
    with noted(log, "a", ValueError) as name:
        log.append(name)
        if x.sum() > 5:
            raise ValueError("kept")
        if x.sum() < -5:
            return x * 3
    log.append("behind")
    return x


@_with_log
def exception_passes_the_manager_of_a_generator(x, log):
    with noted(log, "a", KeyError), noted(log, "b"):
        if x.sum() > 50:
            raise KeyError("kept outside")
        if x.sum() > 5:
            raise ValueError("passes")
    return x


@program(X, then=ALSO, strict=False)
def generator_that_gives_a_tensor(x):
    with scaled(x) as y:
        if x.sum() > 5:
            return y
        print("inside")
    return x


@program(X, then=ALSO, strict=False)
def exception_in_a_method_of_a_manager(x):
    class_of = Failing(x)
    try:
        with class_of:
            if x.sum() > 5:
                raise ValueError("body")
    except KeyError as error:
        return type(error.__context__).__name__
    return "none"


class Failing:
    def __init__(self, x):
        self.x = x

    def __enter__(self):
        print("entered")

    def __exit__(self, kind, error, traceback):
        if self.x.sum() > 5:
            raise KeyError("exit")


@program(X, then=ALSO, strict=False)
def suppressed_and_null(x):
    with contextlib.suppress(ValueError, KeyError), contextlib.nullcontext():
        if x.sum() > 50:
            raise KeyError(1)
        if x.sum() > 5:
            raise ValueError("kept")
        return x
    return x * 2


@program(X, then=ALSO, strict=False)
def whether_it_is_kept_depends_on_data(x):
    with Keeping(x):
        raise ValueError("always")
    return "kept"


class Keeping:
    def __init__(self, x):
        self.x = x

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        return self.x.sum() < 5
