"""The mixtures of `jit`, Graph mode and the transform of a program: each takes the program and the transform.

What the dynamic graph gives for `transform(function)` is what all of them must give.
"""

from session import InCell, in_graph_mode

import dyad


def dynamic_gradient(function, transform):
    return transform(function)


def jit_of_gradient(function, transform):
    return dyad.jit(transform(function))


def strict_gradient(function, transform):
    return dyad.jit(transform(function), fullgraph=True)


def gradient_of_jit(function, transform):
    return transform(dyad.jit(function))


def jit_of_gradient_of_jit(function, transform):
    return dyad.jit(transform(dyad.jit(function)))


def gradient_made_inside(function, transform):
    """The transform is applied while the graph is captured."""

    def call(*arguments, **keywords):
        return transform(function)(*arguments, **keywords)

    return dyad.jit(call)


def graph_mode_gradient(function, transform):
    """Graph mode compiles the gradient function itself."""
    return in_graph_mode(transform(function))


def cell_in_graph_mode(function, transform):
    """Graph mode compiles a Cell that applies the transform."""

    def call(*arguments, **keywords):
        return transform(function)(*arguments, **keywords)

    return in_graph_mode(InCell(call))


MIXTURES = [
    jit_of_gradient,
    strict_gradient,
    gradient_of_jit,
    jit_of_gradient_of_jit,
    gradient_made_inside,
    graph_mode_gradient,
    cell_in_graph_mode,
]
