"""Programs whose methods note that they are called: what was noted, and in which order, is compared too."""

from program import Scene, scene

from dyad import Tensor

NOTES: list = []


def note(*what):
    NOTES.append(what if len(what) > 1 else what[0])


def noted(function):
    """Declares a function of one Tensor as a program; the notes are watched. They are changed outside of the graph,
    which STRICT does not allow."""

    def build():
        NOTES.clear()
        return Scene(function, watch=lambda: [str(what) for what in NOTES])

    build.__name__, build.__module__ = function.__name__, function.__module__
    scene(Tensor(5.0), strict=False)(build)
    return function
