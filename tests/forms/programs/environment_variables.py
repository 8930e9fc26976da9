"""Programs that read variables of the environment: what they saw of it may be another in the next call."""

import os

from program import Scene, program, scene

from dyad import Tensor

X = Tensor([1.0, 2.0])
NAME, ABSENT = "DYAD_TEST_VARIABLE", "DYAD_TEST_ABSENT_VARIABLE"


def variable_scene(function, before, after):
    """A scene in which the variable has one value, or none, and then another."""

    def put(value):
        os.environ.pop(NAME, None)
        if value is not None:
            os.environ[NAME] = value

    put(before)
    return Scene(function, lambda: put(after))


def each_way(x):
    found = os.environ[NAME] if NAME in os.environ else "none"
    if os.environ.get(NAME):
        x = x * 2
    return x, found, os.getenv(NAME), os.getenv(NAME, "7"), os.environ.get(NAME, default=3)


@scene(X)
def variable_gets_another_value():
    return variable_scene(each_way, "1", "2")


@scene(X)
def variable_is_removed():
    return variable_scene(each_way, "1", None)


@scene(X)
def variable_is_added():
    return variable_scene(each_way, None, "")


@program(X, strict=False)
def absent_variable(x):
    try:
        return x, os.environ[ABSENT]
    except KeyError as error:
        return x * 3, error.args


@program(X, strict=False)
def wrong_names(x):
    told = []
    for name in (3, None):
        try:
            os.environ.get(name)
        except TypeError as error:
            told.append(str(error))
    return x, told


@program(X, strict=False)
def variable_is_written_and_read(x):
    os.environ[NAME] = "3"
    y = x * int(os.environ[NAME])
    del os.environ[NAME]
    return y, NAME in os.environ, len(os.environ) > 0
